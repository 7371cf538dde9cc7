package clerks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// span is a time that an item is occupied for, by a line or by a block.
type span struct {
	line, block int64
	from, until time.Time
	due         time.Time // when it should be over
	actual      bool      // the item was handed out
	out         bool      // and is not back
	waits       bool      // for a return that is later than its own start
	gap         bool      // the item is kept free afterwards
}

func (s span) String() string {
	return fmt.Sprintf("line %d, block %d, %s to %s (due %s, handed out %t, out %t)",
		s.line, s.block, text(s.from), text(s.until), text(s.due), s.actual, s.out)
}

// spans are the times that an item is or was occupied for.
func (a *audit) spans(item int64) (list []span) {
	now := a.now()
	for _, l := range a.lines[item] {
		s := span{line: l.ID, from: l.Start, until: l.due(), due: l.due(), gap: l.End != nil}
		switch {
		case l.FactEnd != nil:
			s.from, s.until, s.actual = *l.FactStart, *l.FactEnd, true
		case l.FactStart != nil:
			s.from, s.actual, s.out = *l.FactStart, true, true
			if s.until.Before(now) {
				s.until = now
			}
		case l.status == cancelled:
			continue
		}
		list = append(list, s)
	}
	for _, b := range a.blocks[item] {
		list = append(list, span{block: b.ID, from: b.Start, until: b.End, due: b.End})
	}
	return list
}

// twice counts and tells the times at which an item is occupied twice. What was planned may begin at the moment at
// which the one before it should have been over, and was not: then it waits.
func (a *audit) twice() (faults []string) {
	for item := range a.lines {
		list := a.spans(item)
		for i, s := range list {
			for _, t := range list[:i] {
				if !s.from.Before(s.until) || !t.from.Before(t.until) { // handed out and back at one moment
					continue
				}
				if !meets(s.from, s.until, t.from, t.until) {
					if !s.actual && !t.actual && s.block == 0 && t.block == 0 && !a.isKeptFree(list, s, t) {
						faults = append(faults, fmt.Sprintf("item %d is not kept free between %s and %s", item, s, t))
					}
					continue
				}
				planned, actual := s, t
				if s.actual {
					planned, actual = t, s
				}
				if !planned.actual && actual.actual && !planned.from.Before(actual.due) {
					continue
				}
				a.found.Overlaps++
				faults = append(faults, fmt.Sprintf("item %d has two: %s and %s", item, s, t))
			}
		}
	}
	return faults
}

// isKeptFree tells whether there is enough time between two plans that do not meet. What waited for a
// late return may be so close as it is.
func (a *audit) isKeptFree(all []span, s, t span) bool {
	if t.from.Before(s.from) {
		s, t = t, s
	}
	return !s.gap || !t.from.Before(s.until.Add(buffer)) || begins(all, t).After(t.from)
}

// begins is when a plan has the item, after those that came back late.
func begins(all []span, s span) time.Time {
	from := s.from
	if s.actual {
		return from
	}
	for _, other := range all {
		if other.actual && !other.out && meets(s.from, s.until, other.from, other.until) && other.until.After(from) {
			from = other.until
		}
	}
	return from
}

// margin is how far ahead the audit asks: what is over, or happens while it asks, is of no interest.
const margin = time.Hour

// probe asks the calendar of each item for all that it has, by a block that can't be: the conflicts
// have to equal the lines and the blocks. Then it books at random.
func (a *audit) probe(ctx context.Context, times int) error {
	start := a.now().Add(margin).Truncate(time.Second)
	var free []int64
	for _, item := range a.items {
		status, answer, err := a.call(ctx, http.MethodPatch, fmt.Sprint(inventories, item, "/"), "", `{"disabled":null}`)
		if err != nil {
			return err
		}
		if status == http.StatusNotFound && slices.Contains(a.retired, item) {
			continue // it was deleted, and no other could be bought in its place
		}
		if status != http.StatusOK {
			a.add("item %d can't be used: %d %s", item, status, cut(answer))
			continue
		}
		free = append(free, item)
		if err := a.ask(ctx, inventories+fmt.Sprint(item)+"/blocks/", item,
			fmt.Sprintf(`{"start_at":"%s","end_at":"%s"}`, text(start), text(start.AddDate(9, 0, 0))),
			span{block: -1, from: start, until: start.AddDate(9, 0, 0)}); err != nil {
			return err
		}
	}
	if len(free) == 0 {
		return errors.New("no item is left")
	}
	r := chance(uint64(len(a.books.orders)), uint64(times))
	for range times {
		item := free[r.IntN(len(free))]
		from := start.Add(time.Duration(r.IntN(4*24*11)) * 15 * time.Minute)
		s := span{line: -1, from: from, until: from.Add(time.Duration(1+r.IntN(60)) * 15 * time.Minute), gap: true}
		a.found.Probes++
		body := fmt.Sprintf(`{"inventories":[{"inventory":%d,"start_at":"%s","end_at":"%s"}]}`, item, text(s.from), text(s.until))
		if err := a.ask(ctx, requests, item, body, s); err != nil {
			return err
		}
	}
	return nil
}

// ask asks for a time, and expects what follows from the lines and the blocks.
func (a *audit) ask(ctx context.Context, path string, item int64, body string, want span) error {
	var inWay []span
	list := a.spans(item)
	for _, s := range list {
		s.waits = begins(list, s).After(s.from)
		s.from = begins(list, s)
		first, second := s, want
		if want.from.Before(s.from) {
			first, second = want, s
		}
		until := first.until
		if first.gap && second.block == 0 && !second.actual && !second.waits {
			until = until.Add(buffer)
		}
		if s.from.Before(s.until) && second.from.Before(until) {
			inWay = append(inWay, s)
		}
	}
	status, answer, err := a.call(ctx, http.MethodPost, path, "", body)
	if err != nil {
		return err
	}
	switch {
	case status == http.StatusCreated && len(inWay) == 0:
		return a.take(answer, item, want)
	case status == http.StatusCreated:
		a.found.Overlaps++
		a.add("%s %s was taken, although there is %s", path, body, inWay[0])
		return a.take(answer, item, want)
	case status != http.StatusConflict:
		return fmt.Errorf("%s %s: %d %s", path, body, status, cut(answer))
	}
	a.found.Refused++
	var is refusal
	if err := json.Unmarshal(answer, &is); err != nil || is.Code != "overlap" {
		return fmt.Errorf("%s %s: %d %s", path, body, status, cut(answer))
	}
	var got, expected []string
	for _, c := range is.Conflicts {
		got = append(got, fmt.Sprint(c.Line, " ", c.Block))
	}
	for _, s := range inWay {
		expected = append(expected, fmt.Sprint(s.line, " ", s.block))
	}
	slices.Sort(got)
	slices.Sort(expected)
	if !slices.Equal(got, expected) {
		a.add("%s %s of item %d: the calendar has the lines and blocks %v, and the orders have %v", path, body, item, got, expected)
	}
	return nil
}

// take adds what was booked to what is known.
func (a *audit) take(answer []byte, item int64, want span) error {
	if want.block != 0 {
		var is block
		err := json.Unmarshal(answer, &is)
		a.blocks[item] = append(a.blocks[item], block{ID: is.ID, Start: want.from, End: want.until})
		return err
	}
	is := &order{}
	if err := json.Unmarshal(answer, is); err != nil {
		return err
	}
	for i := range is.Inventories {
		a.lines[item] = append(a.lines[item], &held{&is.Inventories[i], is.Status})
	}
	return nil
}
