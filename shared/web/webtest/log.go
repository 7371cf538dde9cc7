package webtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
)

// record collects the lines of the log.
type record struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (r *record) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(p)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

// size is how much has been logged until now.
func (r *record) size() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Len()
}

// of returns the lines that name a request, among those after a size. What was logged before the request began is not
// read again: a scenario of a thousand requests would read its log a thousand times.
func (r *record) of(id string, size int) (lines [][]byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for line := range bytes.Lines(r.text.Bytes()[size:]) {
		if bytes.Contains(line, []byte(id)) {
			lines = append(lines, bytes.Clone(line))
		}
	}
	return lines
}

// shown is how many requests a failing test shows of its log.
const shown = 10

// tail describes the last requests for people. It leaves out metrics, and includes the internal errors, which callers
// don't see.
func (r *record) tail() string {
	lines := strings.Split(strings.TrimSuffix(r.String(), "\n"), "\n")
	var b strings.Builder
	for _, text := range lines[max(0, len(lines)-shown):] {
		var l struct {
			Method, Route, Path, Error string
			Status, Calls              int
			User, Key, Tenant          int64
			ReadUnits, WriteUnits      float64
		}
		if json.Unmarshal([]byte(text), &l) != nil || l.Route == "" { // the line is not about a request
			fmt.Fprintln(&b, text)
			continue
		}
		who := fmt.Sprint("user ", l.User)
		if l.Key != 0 {
			who = fmt.Sprint("key ", l.Key)
		}
		fmt.Fprintf(&b, "%d %s %s%s, %s of company %d: %d calls, %v read and %v write units\n",
			l.Status, l.Method, l.Route, l.Path, who, l.Tenant, l.Calls, l.ReadUnits, l.WriteUnits)
		if l.Error != "" {
			fmt.Fprintln(&b, l.Error)
		}
	}
	return b.String()
}
