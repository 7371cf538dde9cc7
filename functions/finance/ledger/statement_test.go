package ledger_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/functions/finance/ledger"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/recordtest"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/meter"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// old is an account with many postings of 1.00 each, the same number on each day from first on,
// written as units of work would have left them.
type old struct {
	*books
	account int64
	first   time.Time
	days    int
	daily   int
}

func newOld(t testing.TB, days, daily int) *old {
	t.Helper()
	b := newBooks(t, tabletest.Faults{})
	o := &old{books: b, account: b.open(500), first: recordtest.Start.AddDate(0, 0, -days), days: days, daily: daily}
	company := b.sound.Table
	months, years := map[string]table.Attributes{}, map[string]int64{}
	var batch []any
	flush := func(least int) {
		if len(batch) <= least {
			return
		}
		if _, err := company.Table().Batch("pk", "sk").Write().Put(batch...).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		batch = nil
	}
	id := int64(0)
	for d := range days {
		day := o.first.AddDate(0, 0, d)
		date, check := decode.Date(day.Format(time.DateOnly)), int64(0)
		for range daily {
			id++
			p := &ledger.Posting{Account: o.account, Amount: money.Whole(1), Date: moment.Of(day) + moment.Micros(id), Day: date, Sort: ledger.SortPlain}
			ledger.Postings().Place(company, p, id)
			p.Revision = 1
			check += id + int64(p.Date)%(24*time.Hour.Microseconds())
			batch = append(batch, p)
			flush(999)
		}
		name := string(date[:7])
		if months[name] == nil {
			key := company.Month(kinds.Account, o.account, name)
			months[name] = table.Attributes{}
			months[name].SetText("pk", key.PK)
			months[name].SetText("sk", key.SK)
			months[name].SetInt("v", 1)
		}
		of := string(date[8:])
		months[name].SetInt("n"+of, int64(daily))
		months[name].SetNumber("s"+of, table.Number(fmt.Sprint(daily)))
		months[name].SetInt("c"+of, check)
		years[name[:4]] += int64(daily)
	}
	for _, month := range months {
		batch = append(batch, month)
	}
	flush(0)
	beside := company.Update(company.Beside(kinds.Account, o.account)).Add("t", id)
	for year, n := range years {
		beside = beside.Add("Y"+year, n)
	}
	for _, u := range []*dynamo.Update{beside, company.Update(company.Sequence(kinds.Transaction)).Add("n", id).Set("v", 1)} {
		if err := u.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

// costs reads a page of a statement, checks it, and gives what it cost.
func (o *old) costs(in ledger.Period, page record.Window, opening, count int) meter.Usage {
	o.t.Helper()
	ctx, m := meter.Start(o.t.Context())
	st, err := ledger.StatementOf(ctx, o.request(o.sound), o.account, in, page)
	if err != nil {
		o.t.Fatal(err)
	}
	want := fmt.Sprintf("%d.00 %d.00 %d %d", opening, opening+count, count, min(page.Size, count-page.Offset))
	if got := fmt.Sprint(st.Opening, st.Closing, st.Count, len(st.Postings)); got != want {
		o.t.Errorf("the statement of %v is %s, want %s", in, got, want)
	}
	return m.Usage()
}

// A page of a statement costs what its days hold, whatever lies before and after them.
func TestStatementCosts(t *testing.T) {
	o := newOld(t, 400, 5)
	day := func(n int) decode.Date { return decode.Date(o.first.AddDate(0, 0, n).Format(time.DateOnly)) }
	for _, tt := range []struct {
		name      string
		in        ledger.Period
		page      record.Window
		opening   int
		count     int
		mostUnits float64
	}{
		{"a month in the middle", ledger.Period{From: day(200), To: day(229)}, record.Window{Size: 10}, 1500, 150, 17},
		{"a page in it", ledger.Period{From: day(200), To: day(229)}, record.Window{Size: 10, Offset: 73}, 1500, 150, 17},
		{"everything", ledger.Period{}, record.Window{Size: 10, Offset: 1000}, 500, 2000, 18},
		{"the last day", ledger.Period{From: day(399)}, record.Window{Size: 10}, 2495, 5, 12},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if u := o.costs(tt.in, tt.page, tt.opening, tt.count); u.Calls > 4 || u.ReadUnits > tt.mostUnits {
				t.Errorf("%d calls, %v units", u.Calls, u.ReadUnits)
			}
		})
	}
}

// BenchmarkStatement reads a page of each month of an account with 100,000 postings.
func BenchmarkStatement(b *testing.B) {
	for name, daily := range map[string]int{"over 5 years": 55, "over 3 years": 91, "over 50 days": 2000} {
		b.Run(name, func(b *testing.B) {
			days := 100_000 / daily
			o := newOld(b, days, daily)
			calls, units := 0, 0.0
			b.ResetTimer()
			for n := range b.N {
				from := n * 37 % max(1, days-30)
				day := func(n int) decode.Date { return decode.Date(o.first.AddDate(0, 0, n).Format(time.DateOnly)) }
				u := o.costs(ledger.Period{From: day(from), To: day(from + 29)}, record.Window{Size: 10, Offset: 15 * daily}, 500+from*daily, 30*daily)
				calls, units = max(calls, u.Calls), max(units, u.ReadUnits)
			}
			b.ReportMetric(float64(calls), "calls")
			b.ReportMetric(units, "units")
		})
	}
}

// A statement is answered only where the index shows what was booked: a posting that it does not
// show, one that it still shows, and one that has moved within its day.
func TestStatementsWaitForTheIndex(t *testing.T) {
	for name, change := range map[string]func(b *books, p *ledger.Posting) *dynamo.Update{
		"a posting is not to be seen": func(b *books, p *ledger.Posting) *dynamo.Update {
			return b.month().Add("n02", 1).Add("s02", 5).Add("c02", 99)
		},
		"a posting is to be seen still": func(b *books, p *ledger.Posting) *dynamo.Update {
			return b.month().Add("n02", -1).Add("s02", -5).Add("c02", -99)
		},
		"another one is to be seen": func(b *books, p *ledger.Posting) *dynamo.Update { return b.month().Add("c02", 1) },
		"it was booked on another day": func(b *books, p *ledger.Posting) *dynamo.Update {
			return b.month().Add("n03", 1).Add("s03", 5).Add("c03", 99).Add("n02", -1).Add("s02", -5).Add("c02", -99)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBooks(t, tabletest.Faults{})
			account := b.open(0)
			p := b.must(account, 5)
			b.must(account, 7)
			if st := b.statement(account, ledger.Period{}); st.Count != 2 {
				t.Fatalf("%d postings", st.Count)
			}
			if err := change(b, p).Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			_, err := ledger.StatementOf(t.Context(), b.request(b.sound), account, ledger.Period{}, record.Window{Size: 10})
			if code(err) != fault.Unavailable {
				t.Errorf("%v", err)
			}
		})
	}
}

// month changes what is booked in the month of the tests beside the first account.
func (b *books) month() *dynamo.Update {
	return b.sound.Table.Update(b.sound.Table.Month(kinds.Account, 1, "2026-03"))
}

// One day of an account holds 2,000 postings and no more.
func TestFullDays(t *testing.T) {
	o := newOld(t, 1, ledger.MaxDaily)
	at := o.first
	_, err := o.post(o.sound, o.account, money.Whole(1), at)
	if f, ok := fault.As(err); !ok || f.Code != fault.Invalid || f.Fields["date"] == nil {
		t.Errorf("one too many: %v", err)
	}
	if _, err := o.post(o.sound, o.account, money.Whole(1), at.AddDate(0, 0, 1)); err != nil {
		t.Errorf("on the next day: %v", err)
	}
	if err := o.edit(o.sound, 1, func(p *ledger.Posting) { p.Amount = money.Whole(3) }); err != nil {
		t.Errorf("a change: %v", err)
	}
	if st := o.statement(o.account, ledger.Period{}); st.Count != ledger.MaxDaily+1 || st.Closing.String() != "2503.00" {
		t.Errorf("%d postings, %s", st.Count, st.Closing)
	}
}
