package events

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tenantry/tenantry/functions/events/known"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/event"
	"github.com/tenantry/tenantry/shared/record/eventlog"
	"github.com/tenantry/tenantry/shared/record/eventlog/view"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/allowance"
	"github.com/tenantry/tenantry/shared/tenant/principal"
	"github.com/tenantry/tenantry/shared/web"
)

// LogPage are events in one order, and where to go on.
type LogPage struct {
	Results    []view.LogEvent `json:"results"`
	NextCursor string          `json:"next_cursor" doc:"What to send as after the next time; it is what was sent if nothing is new."`
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
			return LogPage{}, fault.Field("after", say.CursorWrong(in.After))
		case errors.Is(err, eventlog.ErrExpired):
			return LogPage{}, fault.New(fault.Gone, say.CursorExpired).Coded()
		case err != nil:
			return LogPage{}, err
		}
		page := LogPage{Results: []view.LogEvent{}, NextCursor: strconv.FormatInt(last, 10)}
		for _, e := range entries {
			if (len(wanted) == 0 || slices.Contains(wanted, e.Name)) && reads(r.Principal, e.Name.Kind()) {
				page.Results = append(page.Results, view.Of(e))
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
		errs.Add("after", say.CursorWrong(text))
	}
	return after, errs
}

// wantedTypes reads the names of types; none are all. What is wrong with one is in the errors at its place.
func wantedTypes(text string, errs fault.FieldErrors) (names []event.Name) {
	if text == "" {
		return nil
	}
	wrong := fault.FieldErrors{}
	for i, name := range strings.Split(text, ",") {
		name = strings.TrimSpace(name)
		if !known.Is(event.Name(name)) {
			wrong.Add(strconv.Itoa(i), say.InvalidChoice(name))
		}
		names = append(names, event.Name(name))
	}
	errs.Nest("types", wrong)
	return names
}

// types answers the types that the caller may read.
func types(_ context.Context, r *web.Request, _ *struct{}) ([]known.EventType, error) {
	return slices.DeleteFunc(slices.Clone(known.Types()), func(t known.EventType) bool { return !reads(r.Principal, t.Type.Kind()) }), nil
}

// reads tells whether a caller may read the events of a kind: whoever may read its histories may.
func reads(p principal.Principal, k kinds.Kind) bool {
	return k.Code != "" && k.IsReadBy(p)
}
