// Package view is how an event of a company's log is shown outside: in the answers of the API, and to the receivers of webhooks.
//
// What never goes in here: which events somebody may see.
package view

import (
	"encoding/json"

	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/record/event"
	"github.com/tenantry/tenantry/shared/record/eventlog"
)

// LogEvent is an event as callers see it.
type LogEvent struct {
	ID        int64           `json:"id" doc:"Number in the company's log: higher than those of all events before it."`
	Type      event.Name      `json:"type" doc:"What happened; GET /v1/events/types/ lists what there is. More may come."`
	CreatedAt string          `json:"created_at" format:"date-time" doc:"When it happened. The clocks of two machines differ, so only id orders events."`
	Object    string          `json:"object" doc:"The record, as its kind and id: order:7. Of an import the first new one."`
	Revision  int64           `json:"revision" doc:"Revision of the record, as its ETag and its history have it."`
	Concerns  []string        `json:"concerns" doc:"Up to five other records: client:3."`
	User      *int64          `json:"user" doc:"Who did it; null if no user did."`
	Feed      *int64          `json:"feed" doc:"The feed, where a program with a feed token did it; else null."`
	Key       *int64          `json:"key" doc:"Id of the key for programs whose request did it; else null."`
	RequestID string          `json:"request_id" doc:"X-Request-Id of the answer to whoever did it."`
	Data      json.RawMessage `json:"data" doc:"What else is said of it, by its type."`
}

// Of shows an event.
func Of(e eventlog.Entry) LogEvent {
	v := LogEvent{
		ID: e.Number, Type: e.Name, CreatedAt: encode.Instant(e.At.Time()), Object: e.About().String(), Revision: e.Revision,
		Concerns: []string{}, RequestID: e.Request, Data: json.RawMessage("{}"),
	}
	if e.Concerns != nil {
		v.Concerns = e.Concerns
	}
	if e.User != 0 {
		v.User = &e.User
	}
	if e.Feed != 0 {
		v.Feed = &e.Feed
	}
	if e.Key != 0 {
		v.Key = &e.Key
	}
	if e.Data != nil {
		v.Data = e.Data
	}
	return v
}
