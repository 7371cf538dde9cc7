package throttle

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
)

// Spread says how often a caller may try each of several things, such as accounts, and how many different ones. Both are
// counted in one item, by one write for each try.
type Spread struct {
	Name   string // as it stands in keys
	Each   Rule   // of one thing; its window divides Window
	Things int    // different ones that were tried and not given back
	Window time.Duration
}

// Tried is a try that was counted, to be given back.
type Tried struct {
	key          table.Key
	thing, count string
}

// things is the attribute with the things that a caller has tried.
const things = "s"

// Try counts a caller's try at a thing before it is made, so simultaneous tries are counted too. If the caller has tried as many
// different things as may be, exempt decides whether this one may be tried all the same.
func (t Throttle) Try(ctx context.Context, s Spread, caller, thing string, exempt func() (bool, error)) (Tried, error) {
	now := t.now()
	start, slot := now.Truncate(s.Window), now.Truncate(s.Each.Window)
	subject := Subject(thing)
	tried := Tried{
		key:   crosstenant.Throttle(s.Name, Subject(caller), strconv.FormatInt(start.Unix(), 10)),
		thing: subject, count: subject + strconv.Itoa(int(slot.Sub(start)/s.Each.Window)),
	}
	count := func() *dynamo.Update {
		return t.table.Update(tried.key).SetExpr("$ = if_not_exists($, ?) + ?", tried.count, tried.count, 0, 1).
			Set("ttl", start.Add(2*s.Window).Unix()).
			If("attribute_not_exists($) OR $ < ?", tried.count, tried.count, s.Each.Limit)
	}
	wait := slot.Add(s.Each.Window).Sub(now)
	err := count().AddStringsToSet(things, subject).
		If("attribute_not_exists($) OR size($) < ? OR contains($, ?)", things, things, s.Things, things, subject).
		IncludeItemInCondCheckFail(true).Run(ctx)
	if dynamo.IsCondCheckFailed(err) {
		var was map[string]any
		if _, err := dynamo.UnmarshalItemFromCondCheckFailed(err, &was); err != nil {
			return Tried{}, fmt.Errorf("throttle: %s: %w", s.Name, err)
		}
		if n, _ := was[tried.count].(float64); int(n) >= s.Each.Limit {
			return Tried{}, fault.TooMany(wait)
		}
		may, err := exempt()
		if err != nil {
			return Tried{}, err
		}
		if !may {
			return Tried{}, fault.TooMany(start.Add(s.Window).Sub(now))
		}
		if err := count().Run(ctx); err != nil {
			if dynamo.IsCondCheckFailed(err) {
				err = fault.TooMany(wait)
			}
			return Tried{}, err
		}
		return tried, nil
	}
	if err != nil {
		return Tried{}, fmt.Errorf("throttle: %s: %w", s.Name, err)
	}
	return tried, nil
}

// Succeed gives back a try that was none, because the caller proved to be right: the thing counts no more among those that the
// caller has tried. If that fails, a try too many is counted, which is acceptable and not reported.
func (t Throttle) Succeed(ctx context.Context, tried Tried) {
	if tried.thing == "" {
		return
	}
	update := func() *dynamo.Update { return t.table.Update(tried.key).DeleteStringsFromSet(things, tried.thing) }
	err := update().RemoveExpr("$", tried.count).If("$ <= ?", tried.count, 1).Run(ctx) // most have tried once, and leave nothing
	if dynamo.IsCondCheckFailed(err) {
		_ = update().SetExpr("$ = $ - ?", tried.count, tried.count, 1).If("$ > ?", tried.count, 0).Run(ctx)
	}
}
