package audit

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/record/event"
	"github.com/tenantry/tenantry/shared/table"
)

const (
	version = 1
	zipFrom = 512 // bytes of a list; with it, most audit records are within 1 KB

	maxUnpacked = 4 << 20
)

// audit is an audit record as it is stored.
type audit struct {
	table.Item
	Action  Action `dynamo:"a"`
	User    int64  `dynamo:"u"`
	Feed    int64  `dynamo:"f,omitempty"`
	Key     int64  `dynamo:"k,omitempty"`
	Request string `dynamo:"q"`
	At      int64  `dynamo:"at"` // microseconds since 1970
	Changes []byte `dynamo:"c,omitempty"`
	Zipped  bool   `dynamo:"z,omitempty"`
	// Events is the JSON of what verbs said of the change, which is an empty list if none did; nil in what was written before there
	// were events.
	Events       []byte `dynamo:"ev,omitempty"`
	EventsZipped bool   `dynamo:"ez,omitempty"`
}

// Entry is one revision in a history, as callers see it.
type Entry struct {
	ID        int64    `json:"id" doc:"The revision."`
	Object    string   `json:"object" doc:"The record: its kind and id."`
	Action    Action   `json:"action"`
	User      *int64   `json:"user" doc:"Id of the user who did it; null if a feed or a key did it, or the platform by itself."`
	Feed      *int64   `json:"feed" doc:"Id of the feed token whose request did it; null otherwise."`
	Key       *int64   `json:"key" doc:"Id of the key for programs whose request did it; null otherwise."`
	At        string   `json:"at" format:"date-time"`
	RequestID string   `json:"request_id" doc:"X-Request-Id of the answer to whoever did it."`
	Changes   []Change `json:"changes"`

	// Events are what verbs said of the change. They are nil in what was written before there were events, and empty where no verb
	// said anything.
	Events []event.Said `json:"-"`
}

// Change is one field of a revision.
type Change struct {
	Field string          `json:"field" doc:"A field of a nested object has its object's name before it: individual.iin."`
	From  json.RawMessage `json:"from" doc:"A value of more than 2 KB is {\"bytes\":…,\"sha256\":…}."`
	To    json.RawMessage `json:"to" doc:"As from."`
}

func numberOrNil(n int64) *int64 {
	if n == 0 {
		return nil
	}
	return &n
}

// set puts changes into the audit record.
func (a *audit) set(changes []Change) (err error) {
	if len(changes) > 0 {
		a.Changes, a.Zipped, err = pack(changes)
	}
	return err
}

// say puts events into the audit record.
func (a *audit) say(events []event.Said) (err error) {
	if events == nil {
		events = []event.Said{}
	}
	a.Events, a.EventsZipped, err = pack(events)
	return err
}

// pack encodes a list, and zips it if it is long.
func pack(list any) (packed []byte, zipped bool, err error) {
	encoded, err := encode.JSON(list)
	if err != nil {
		return nil, false, fmt.Errorf("audit: encode: %w", err)
	}
	if len(encoded) <= zipFrom {
		return encoded, false, nil
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(encoded); err != nil {
		return nil, false, fmt.Errorf("audit: zip: %w", err)
	}
	if err := z.Close(); err != nil {
		return nil, false, fmt.Errorf("audit: zip: %w", err)
	}
	return b.Bytes(), true, nil
}

// unpack decodes a list that pack has encoded; none is left as it is.
func unpack(packed []byte, zipped bool, list any) error {
	if len(packed) == 0 {
		return nil
	}
	if zipped {
		z, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			return fmt.Errorf("audit: unzip: %w", err)
		}
		if packed, err = io.ReadAll(io.LimitReader(z, maxUnpacked)); err != nil {
			return fmt.Errorf("audit: unzip: %w", err)
		}
	}
	if err := json.Unmarshal(packed, list); err != nil {
		return fmt.Errorf("audit: decode: %w", err)
	}
	return nil
}

func (a *audit) revision() (int64, error) { return table.ParseSortID(a.SK) }

// entry is the audit record as callers see it.
func (a *audit) entry(object string) (Entry, error) {
	revision, err := a.revision()
	if err != nil {
		return Entry{}, err
	}
	e := Entry{
		ID:        revision,
		Object:    object,
		Action:    a.Action,
		User:      numberOrNil(a.User),
		Feed:      numberOrNil(a.Feed),
		Key:       numberOrNil(a.Key),
		At:        encode.Instant(time.UnixMicro(a.At)),
		RequestID: a.Request,
		Changes:   []Change{},
	}
	if err := unpack(a.Changes, a.Zipped, &e.Changes); err != nil {
		return e, err
	}
	if err := unpack(a.Events, a.EventsZipped, &e.Events); err != nil {
		return e, err
	}
	for i := range e.Events {
		e.Events[i].Revision = revision
	}
	return e, nil
}
