package events

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/event"
	"github.com/tenantry/tenantry/shared/record/eventlog"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/allowance"
	"github.com/tenantry/tenantry/shared/tenant/principal"
	"github.com/tenantry/tenantry/shared/web"
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

// LogPage are events in one order, and where to go on.
type LogPage struct {
	Results    []LogEvent `json:"results"`
	NextCursor string     `json:"next_cursor" doc:"What to send as after the next time; it is what was sent if nothing is new."`
}

type listInput struct {
	After string `query:"after" doc:"The cursor: events after it are told. It is next_cursor of another answer, or the id of an event. Without it the oldest event that is kept comes first; end is no events and the cursor after the newest."`
}

// afterAll is the cursor of who wants no events of the past.
const afterAll = "end"

func list(now func() time.Time) func(ctx context.Context, r *web.Request, in *listInput) (LogPage, error) {
	return func(ctx context.Context, r *web.Request, in *listInput) (LogPage, error) {
		after, errs := cursor(in.After)
		wanted := wantedTypes(r.Values("types"), errs)
		if err := errs.Err(); err != nil {
			return LogPage{}, err
		}
		if err := allowance.Draw(ctx); err != nil {
			return LogPage{}, err
		}
		entries, last, err := read(ctx, eventlog.Of(r.Table, now), in.After, after)
		switch {
		case errors.Is(err, eventlog.ErrAhead):
			return LogPage{}, fault.Field("after", notACursor(in.After))
		case errors.Is(err, eventlog.ErrExpired):
			return LogPage{}, fault.New(fault.Gone, "Events after this cursor are not kept any more.").With("code", "cursor_expired")
		case err != nil:
			return LogPage{}, err
		}
		page := LogPage{Results: []LogEvent{}, NextCursor: strconv.FormatInt(last, 10)}
		for _, e := range entries {
			if (len(wanted) == 0 || slices.Contains(wanted, e.Name)) && reads(r.Principal, e.Name.Kind()) {
				page.Results = append(page.Results, view(e))
			}
		}
		return page, nil
	}
}

// read reads the events after a cursor.
func read(ctx context.Context, log eventlog.Log, cursor string, after int64) (entries []eventlog.Entry, last int64, err error) {
	if cursor == afterAll {
		last, err = log.End(ctx)
		return nil, last, err
	}
	if after == 0 { // who sends it has read nothing yet, and lacks what is not kept any more
		start, err := log.Start(ctx)
		if err != nil || cursor != "" && start > 0 {
			return nil, 0, cmp.Or(err, eventlog.ErrExpired)
		}
		after = start
	}
	return log.Read(ctx, after)
}

// cursor reads a cursor that is a number. What is wrong with it is in the errors, which the caller adds to.
func cursor(text string) (after int64, errs fault.FieldErrors) {
	errs = fault.FieldErrors{}
	if text == "" || text == afterAll {
		return 0, errs
	}
	after, err := strconv.ParseInt(text, 10, 64)
	if !decode.IsDigits(text) || err != nil || after >= table.MaxID { // nothing can come after that
		errs.Add("after", notACursor(text))
	}
	return after, errs
}

func notACursor(text string) string { return fmt.Sprintf("\"%s\" is not a valid cursor.", text) }

// wantedTypes reads the names of types; none are all. What is wrong with one is in the errors at its place.
func wantedTypes(text string, errs fault.FieldErrors) (names []event.Name) {
	if text == "" {
		return nil
	}
	wrong := fault.FieldErrors{}
	for i, name := range strings.Split(text, ",") {
		name = strings.TrimSpace(name)
		if !isType(event.Name(name)) {
			wrong.Add(strconv.Itoa(i), fault.BadChoice(name))
		}
		names = append(names, event.Name(name))
	}
	errs.Nest("types", wrong)
	return names
}

// reads tells whether a caller may read the events of a kind: whoever may read its histories may.
func reads(p principal.Principal, k kinds.Kind) bool {
	return k.Code != "" && k.IsReadBy(p)
}

func view(e eventlog.Entry) LogEvent {
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
