package audit

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/table"
)

const (
	version = 1
	zipFrom = 512 // bytes of changes; with it, most audit records are within 1 KB
)

// audit is an audit record as it is stored.
type audit struct {
	table.Item
	Action  Action `dynamo:"a"`
	User    int64  `dynamo:"u"`
	Feed    int64  `dynamo:"f,omitempty"`
	Request string `dynamo:"q"`
	At      int64  `dynamo:"at"` // microseconds since 1970
	Changes []byte `dynamo:"c,omitempty"`
	Zipped  bool   `dynamo:"z,omitempty"`
}

// Entry is one revision in a history, as callers see it.
type Entry struct {
	ID        int64    `json:"id" doc:"The revision."`
	Object    string   `json:"object" doc:"The record: its kind and id."`
	Action    Action   `json:"action"`
	User      *int64   `json:"user" doc:"Id of the user who did it; null if a feed did it, or the platform by itself."`
	Feed      *int64   `json:"feed" doc:"Id of the feed token whose request did it; null otherwise."`
	At        string   `json:"at" format:"date-time"`
	RequestID string   `json:"request_id" doc:"X-Request-Id of the answer to whoever did it."`
	Changes   []Change `json:"changes"`
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
func (a *audit) set(changes []Change) error {
	if len(changes) == 0 {
		return nil
	}
	encoded, err := encode.JSON(changes)
	if err != nil {
		return fmt.Errorf("audit: encode: %w", err)
	}
	a.Changes = encoded
	if len(encoded) <= zipFrom {
		return nil
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(encoded); err != nil {
		return fmt.Errorf("audit: zip: %w", err)
	}
	if err := z.Close(); err != nil {
		return fmt.Errorf("audit: zip: %w", err)
	}
	a.Changes, a.Zipped = b.Bytes(), true
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
		At:        encode.Instant(time.UnixMicro(a.At)),
		RequestID: a.Request,
		Changes:   []Change{},
	}
	changes := a.Changes
	if a.Zipped {
		z, err := gzip.NewReader(bytes.NewReader(changes))
		if err != nil {
			return e, fmt.Errorf("audit: unzip: %w", err)
		}
		if changes, err = io.ReadAll(io.LimitReader(z, 2*maxChanges)); err != nil {
			return e, fmt.Errorf("audit: unzip: %w", err)
		}
	}
	if len(changes) > 0 {
		if err := json.Unmarshal(changes, &e.Changes); err != nil {
			return e, fmt.Errorf("audit: decode: %w", err)
		}
	}
	return e, nil
}
