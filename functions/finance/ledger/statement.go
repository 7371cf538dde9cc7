package ledger

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/moment"
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
	return []time.Duration{0, 100 * time.Millisecond, 300 * time.Millisecond, 800 * time.Millisecond, 1500 * time.Millisecond}
}

// errTorn says that the parts of a statement, which were read one after the other, do not fit together:
// the index of postings does not show yet what was booked, or something was booked meanwhile.
var errTorn = errors.New("ledger: the postings are not what was booked")

// StatementOf is a page of an account's statement.
//
// What was booked on each day is known exactly; which postings these are, the index tells, which
// lags behind by about a second. A page is answered only if the index shows what was booked on
// its days, neither more nor less, and if these days, and the years before the period, are still
// what they were when the postings have been read. Otherwise it is read again a few times; after
// that the error is a fault Unavailable.
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
	before, days, err := st.sumUp(ctx, s, id, in)
	if err != nil {
		return st, err
	}
	offset := page.Offset
	if page.Last {
		offset = max(0, (st.Count-1)/page.Size*page.Size)
	}
	if offset >= st.Count {
		return st, before.hold(ctx, s.Reading(), id, nil)
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
	st.Postings, err = postingsAt(ctx, s, id, places[offset:offset+size], before, days)
	return st, err
}

// years are the sums of the years before a period, by year.
type years map[string]money.Amount

// yearsBefore are what was booked beside an account before a year.
func yearsBefore(ctx context.Context, w *record.Work, id int64, first string) (years, error) {
	all, err := Accounts().Years(ctx, w, id)
	maps.DeleteFunc(all, func(year string, _ money.Amount) bool { return year >= first })
	return all, err
}

// hold fails with errTorn unless these years, and some days, are still what they were.
func (y opening) hold(ctx context.Context, w *record.Work, id int64, days []record.Day) error {
	now, err := yearsBefore(ctx, w, id, y.year)
	if err != nil {
		return err
	}
	same, err := Accounts().AreDays(ctx, w, id, days)
	if err == nil && !(same && maps.EqualFunc(now, y.before, func(a, b money.Amount) bool { return a.Cmp(b) == 0 })) {
		err = errTorn
	}
	return err
}

// opening is the year in which a period begins, and what was booked in the years before.
type opening struct {
	year   string
	before years
}

// sumUp reads the account and its days, and fills in all but the postings. It returns the days of
// the period.
//
// What is before the year in which the period begins comes from the sums of years, everything
// else from the days. So each posting is in one of the two.
func (st *Statement) sumUp(ctx context.Context, s record.Scope, id int64, in Period) (o opening, days []record.Day, err error) {
	w := s.Reading()
	if id < 1 || id > table.MaxID {
		return o, nil, fault.ErrNotFound
	}
	if err := w.Load(ctx, Accounts().Key(s.Table, id), s.Table.Beside(kinds.Account, id)); err != nil {
		return o, nil, err
	}
	account, err := Accounts().Read(ctx, w, id)
	if err != nil {
		return o, nil, err
	}
	o.year = string(in.From[:len("2006")])
	if o.before, err = yearsBefore(ctx, w, id, o.year); err != nil {
		return o, nil, err
	}
	if days, err = Accounts().Days(ctx, s, id, decode.Date(o.year+"-01-01"), in.To); err != nil {
		return o, nil, err
	}
	st.Opening = account.Initial
	for _, sum := range o.before {
		st.Opening = st.Opening.Add(sum)
	}
	for len(days) > 0 && days[0].Date < in.From {
		st.Opening, days = st.Opening.Add(days[0].Sum), days[1:]
	}
	st.Closing = st.Opening
	for _, d := range days {
		st.Closing, st.Count = st.Closing.Add(d.Sum), st.Count+int(d.Count)
	}
	return o, days, nil
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
	day, text, _ := strings.Cut(place.At, ".")
	at, err := time.Parse(momentLayout, text)
	if err != nil {
		return p, fmt.Errorf("ledger: place of %d: %w", place.ID, err)
	}
	p.ID, p.Date, p.Day = place.ID, moment.Of(at), decode.Date(day)
	return p, nil
}

// postingsAt reads the postings at some places consistently, and with them what was booked, which
// must be what it was.
func postingsAt(ctx context.Context, s record.Scope, account int64, places []record.Place, before opening, days []record.Day) (
	[]Posting, error,
) {
	w := s.Reading()
	all := keys(append(Accounts().MonthsOf(s.Table, account, days), s.Table.Beside(kinds.Account, account)))
	for _, place := range places {
		all.add(Postings().Key(s.Table, place.ID))
	}
	if err := w.Load(ctx, all...); err != nil {
		return nil, err
	}
	if err := before.hold(ctx, w, account, days); err != nil {
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
