package console

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/outbox/notify"
)

// Message is one message that was delivered here.
type Message struct {
	ID      string    `json:"id"`
	At      time.Time `json:"at"`
	Channel string    `json:"channel"`
	To      string    `json:"to"`
	Subject string    `json:"subject,omitempty"` // of an e-mail
	Text    string    `json:"text"`
}

// Recorder is a notify.Sender that keeps the messages instead of sending them. As with a real provider, a message with
// an id that came before is the same message.
type Recorder struct {
	now func() time.Time

	mu       sync.Mutex
	seen     map[string]bool
	messages []Message // oldest first
	file     *os.File  // nil if messages are kept in memory only
	size     int64     // of the complete lines in the file
}

var _ notify.Sender = (*Recorder)(nil)

// NewRecorder keeps messages in a file, one JSON document a line; without a path it keeps them in memory only. A message
// that was acknowledged outlives a kill of the process. A last line that was cut off is dropped, because nobody was told
// that its message was kept.
func NewRecorder(path string) (*Recorder, error) {
	r := &Recorder{now: time.Now, seen: map[string]bool{}}
	if path == "" {
		return r, nil
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("outbox: %w", err)
	}
	if err := r.load(file); err != nil {
		return nil, errors.Join(fmt.Errorf("outbox: %s: %w", path, err), file.Close())
	}
	if err := file.Truncate(r.size); err != nil {
		return nil, errors.Join(fmt.Errorf("outbox: %w", err), file.Close())
	}
	r.file = file
	return r, nil
}

func (r *Recorder) load(file io.Reader) error {
	reader := bufio.NewReader(file)
	for number := 1; ; number++ {
		text, err := reader.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var m Message
		if err := json.Unmarshal(text, &m); err != nil {
			return fmt.Errorf("line %d is not a message: %w", number, err)
		}
		r.keep(m)
		r.size += int64(len(text))
	}
}

func (r *Recorder) keep(m Message) {
	r.seen[m.ID] = true
	r.messages = append(r.messages, m)
}

// Send keeps a message, unless its id came before.
func (r *Recorder) Send(_ context.Context, m notify.Message) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.seen[m.ID] {
		return nil
	}
	kept := Message{
		ID: m.ID, At: r.now().UTC().Truncate(time.Millisecond), Channel: string(m.Channel), To: m.To,
		Subject: m.Subject, Text: m.Text,
	}
	if r.file != nil {
		if err := r.append(kept); err != nil {
			return fmt.Errorf("outbox: %w", err)
		}
	}
	r.keep(kept)
	return nil
}

// Traits are what this sender can be relied on for: an id is kept once, and nothing reports.
func (*Recorder) Traits(notify.Channel) notify.Traits { return notify.Traits{Once: true} }

// append writes one whole line, or leaves the file as it was.
func (r *Recorder) append(m Message) error {
	text, err := encode.JSON(m)
	if err != nil {
		return err
	}
	n, err := r.file.Write(append(text, '\n'))
	if err != nil {
		return errors.Join(err, r.file.Truncate(r.size))
	}
	r.size += int64(n)
	return nil
}

// List returns the messages, newest first.
func (r *Recorder) List() []Message {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := append([]Message{}, r.messages...) // a list of none is []
	slices.Reverse(list)
	return list
}

// Len is the number of messages.
func (r *Recorder) Len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.messages)
}

// Close closes the file.
func (r *Recorder) Close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}
