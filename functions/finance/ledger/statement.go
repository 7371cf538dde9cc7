package ledger

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
)

// Period is the days from one to another, both included. An empty day is no limit.
type Period struct{ From, To decode.Date }

// Statement is what was booked into an account in a period, and what was there before and after.
type Statement struct {
	Opening, Closing money.Amount
	Count            int       // of the postings in the period
	Postings         []Posting // the page of them, by day, moment and id
}

// The waits before a statement is read again.
func pauses() []time.Duration {
	return []time.Duration{0, 50 * time.Millisecond, 150 * time.Millisecond, 400 * time.Millisecond}
}

// errTorn says that the index of postings does not show yet what was booked.
var errTorn = errors.New("ledger: the index of postings is not what was booked")

// StatementOf is a page of an account's statement.
//
// What was booked on each day is known exactly; which postings these are, the index tells, which
// lags behind by about a second. A page is answered only if the index shows what was booked on
// its days, neither more nor less. Otherwise it is read again a few times; after that the error
// is a fault Unavailable.
func StatementOf(ctx context.Context, s record.Scope, account int64, in Period, page record.Window) (Statement, error) {
	for _, pause := range pauses() {
		select {
		case <-ctx.Done():
			return Statement{}, fault.ErrUnavailable.Because(ctx.Err())
		case <-time.After(pause):
		}
		st, err := read(ctx, s, account, in, page)
		if !errors.Is(err, errTorn) {
			return st, err
		}
	}
	return Statement{}, fault.ErrUnavailable.Because(errTorn)
}

// read reads a page once.
func read(ctx context.Context, s record.Scope, id int64, in Period, page record.Window) (st Statement, err error) {
	if in.From == "" {
		in.From = "1900-01-01"
	}
	if in.To == "" {
		in.To = "2999-12-31"
	}
	days, err := st.sumUp(ctx, s, id, in)
	if err != nil {
		return st, err
	}
	offset := page.Offset
	if page.Last {
		offset = max(0, (st.Count-1)/page.Size*page.Size)
	}
	if offset >= st.Count {
		return st, nil
	}
	size := min(page.Size, st.Count-offset)
	for len(days) > 0 && int64(offset) >= days[0].Count { // the days before the page
		offset -= int(days[0].Count)
		days = days[1:]
	}
	upTo := 0
	for i, d := range days { // the days of the page
		if upTo += int(d.Count); upTo >= offset+size {
			days = days[:i+1]
			break
		}
	}
	places, err := booked(ctx, s, id, days)
	if err != nil {
		return st, err
	}
	st.Postings, err = postingsAt(ctx, s, id, places[offset:offset+size])
	return st, err
}

// sumUp reads the account and its days, and fills in all but the postings. It returns the days of
// the period.
//
// What is before the year in which the period begins comes from the sums of years, everything
// else from the days. So each posting is in one of the two.
func (st *Statement) sumUp(ctx context.Context, s record.Scope, id int64, in Period) ([]record.Day, error) {
	w := s.Reading()
	if id < 1 || id > table.MaxID {
		return nil, fault.ErrNotFound
	}
	if err := w.Load(ctx, Accounts().Key(s.Table, id), s.Table.Beside(kinds.Account, id)); err != nil {
		return nil, err
	}
	account, err := Accounts().Read(ctx, w, id)
	if err != nil {
		return nil, err
	}
	years, err := Accounts().Years(ctx, w, id)
	if err != nil {
		return nil, err
	}
	first := in.From[:len("2006")]
	days, err := Accounts().Days(ctx, s, id, first+"-01-01", in.To)
	if err != nil {
		return nil, err
	}
	st.Opening = account.Initial
	for year, sum := range years {
		if decode.Date(year) < first {
			st.Opening = st.Opening.Add(sum)
		}
	}
	for len(days) > 0 && days[0].Date < in.From {
		st.Opening, days = st.Opening.Add(days[0].Sum), days[1:]
	}
	st.Closing = st.Opening
	for _, d := range days {
		st.Closing, st.Count = st.Closing.Add(d.Sum), st.Count+int(d.Count)
	}
	return days, nil
}

// booked are the places of the postings of some days, if the index shows exactly those.
func booked(ctx context.Context, s record.Scope, account int64, days []record.Day) ([]record.Place, error) {
	const end = "~" // sorts after every moment
	span := record.Span{From: string(days[0].Date), To: string(days[len(days)-1].Date) + end}
	places, err := Postings().Places(ctx, s, kinds.Account, account, span)
	if err != nil {
		return nil, err
	}
	type shown struct{ count, check int64 }
	seen := map[decode.Date]shown{}
	for _, place := range places {
		p, err := parsePlace(place)
		if err != nil {
			return nil, err
		}
		d := seen[p.Day]
		seen[p.Day] = shown{d.count + 1, d.check + p.Check()}
	}
	for _, d := range days {
		if seen[d.Date] != (shown{d.Count, d.Check}) {
			return nil, errTorn
		}
		delete(seen, d.Date)
	}
	if len(seen) > 0 { // a day on which nothing is booked any more
		return nil, errTorn
	}
	return places, nil
}

// parsePlace is what the place of a posting says of it.
func parsePlace(place record.Place) (p Posting, err error) {
	day, moment, _ := strings.Cut(place.At, ".")
	at, err := time.Parse(momentLayout, moment)
	if err != nil {
		return p, fmt.Errorf("ledger: place of %d: %w", place.ID, err)
	}
	p.ID, p.Date, p.Day = place.ID, at.UnixMicro(), decode.Date(day)
	return p, nil
}

// postingsAt reads the postings at some places consistently.
func postingsAt(ctx context.Context, s record.Scope, account int64, places []record.Place) ([]Posting, error) {
	w := s.Reading()
	var all keys
	for _, place := range places {
		all.add(Postings().Key(s.Table, place.ID))
	}
	if err := w.Load(ctx, all...); err != nil {
		return nil, err
	}
	list := make([]Posting, len(places))
	for i, place := range places {
		p, err := Postings().Read(ctx, w, place.ID)
		if errors.Is(err, fault.ErrNotFound) || err == nil && (p.Account != account || p.place() != place.At) {
			return nil, errTorn
		}
		if err != nil {
			return nil, err
		}
		list[i] = *p
	}
	return list, nil
}
