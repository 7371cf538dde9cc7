package platform

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// unsaid is how long a step may last before it is said that it goes on.
const unsaid = time.Second

// progress tells the steps of a start, each with how long it took. Steps may run beside each other.
type progress struct {
	out   io.Writer // takes lines of several steps at once
	begun time.Time
}

func newProgress(out io.Writer) *progress { return &progress{out: out, begun: time.Now()} }

// step does a step, and says what it took. One that takes long is named while it runs. One that fails is told by its error alone.
func (p *progress) step(name string, do func() error) error {
	begun, over := time.Now(), make(chan struct{})
	var long sync.WaitGroup
	long.Go(func() {
		select {
		case <-over:
		case <-time.After(unsaid):
			_, _ = fmt.Fprintf(p.out, "%s …\n", name)
		}
	})
	err := do()
	close(over)
	long.Wait()
	if err == nil {
		p.took(name, begun)
	}
	return err
}

// end says what the whole start took.
func (p *progress) end() { p.took("The whole start", p.begun) }

func (p *progress) took(name string, since time.Time) {
	_, _ = fmt.Fprintf(p.out, "%s: %.1f s\n", name, time.Since(since).Seconds())
}

// lines lets several write to one writer.
type lines struct {
	mu  sync.Mutex
	out io.Writer
}

func (l *lines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.out.Write(line)
}
