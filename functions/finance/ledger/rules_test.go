package ledger

import (
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/say"
)

func TestValidDate(t *testing.T) {
	for at, want := range map[string]bool{
		"1900-01-01T23:59:59Z": false, "1900-01-02T00:00:00Z": true, "2999-12-30T23:59:59Z": true, "2999-12-31T00:00:00Z": false,
		"1900-01-02T03:00:00+05:00": false, // still the first of January in UTC
	} {
		moment, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		if got := ValidDate(moment); got != want {
			t.Errorf("%s: %t", at, got)
		}
	}
}

func TestFree(t *testing.T) {
	one := int64(1)
	for name, tt := range map[string]struct {
		p    Posting
		want error
	}{
		"of people":           {Posting{Sort: SortPlain}, nil},
		"a refund of people":  {Posting{Sort: SortRefund, RefundOf: &one}, nil},
		"a payment":           {Posting{Sort: SortPayment, Owned: true}, errOrdered},
		"a deposit":           {Posting{Sort: SortDeposit, Owned: true}, errOwned},
		"half of an exchange": {Posting{Sort: SortExchange, Exchange: &one}, errOwned},
	} {
		if got := Free(&tt.p); !errors.Is(got, tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

func TestPlaces(t *testing.T) {
	list := []Posting{
		{Day: "2026-03-01", Date: 2_000_000}, {Day: "2026-03-02", Date: 1_000_000}, {Day: "2026-03-02", Date: 1_000_001},
	}
	places := make([]string, len(list))
	for i := range list {
		places[i] = list[i].place()
	}
	if !slices.IsSorted(places) || places[1] != "2026-03-02.1970-01-01T00:00:01.000000Z" {
		t.Errorf("%v: they sort by day, then by moment", places)
	}
}

func TestIsBookedAlike(t *testing.T) {
	was := Posting{Account: 1, Date: 5, Amount: money.Whole(10)}
	for name, tt := range map[string]struct {
		change func(p *Posting)
		want   bool
	}{
		"nothing":     {func(*Posting) {}, true},
		"its comment": {func(p *Posting) { text := "a"; p.Comment = &text }, true},
		"its account": {func(p *Posting) { p.Account = 2 }, false},
		"its date":    {func(p *Posting) { p.Date = 6 }, false},
		"its amount":  {func(p *Posting) { p.Amount = money.Whole(11) }, false},
	} {
		is := was
		if tt.change(&is); isBookedAlike(&was, &is) != tt.want {
			t.Errorf("%s: %t", name, !tt.want)
		}
	}
}

func TestCheckType(t *testing.T) {
	one, nine := int64(1), int64(9)
	for name, tt := range map[string]struct {
		sent  *int64
		types []int64
		want  string
	}{
		"none, and the account has none": {nil, nil, ""},
		"none":                           {nil, []int64{1}, say.Required.Error()},
		"one of them":                    {&one, []int64{2, 1}, ""},
		"another":                        {&nine, []int64{1}, say.InvalidChoice(9).Error()},
		"one, and the account has none":  {&nine, nil, say.InvalidChoice(9).Error()},
	} {
		errs := fault.FieldErrors{}
		(&Posting{Type: tt.sent}).checkType(tt.types, errs)
		if got := told(errs)["type"]; got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func TestRefunds(t *testing.T) {
	for name, tt := range map[string]struct {
		amount, refunded, more, after int64
		want                          string
	}{
		"a part":                    {100, 0, 40, 40, ""},
		"all that is left":          {100, 40, 60, 100, ""},
		"more than is left":         {100, 40, 61, 40, "At most 60.00 is left to refund."},
		"of what went out":          {-100, 0, 100, 100, ""},
		"more than what went out":   {-100, 0, 101, 0, "At most 100.00 is left to refund."},
		"of what is refunded whole": {100, 100, 1, 100, "At most 0.00 is left to refund."},
	} {
		of, errs := Posting{Amount: money.Whole(tt.amount), Refunded: money.Whole(tt.refunded)}, fault.FieldErrors{}
		err := refunds(&of, money.Whole(tt.more), errs)
		if got := told(errs)["amount"]; got != tt.want || (err != nil) != (tt.want != "") || of.Refunded.Cmp(money.Whole(tt.after)) != 0 {
			t.Errorf("%s: %q, %v, %s is refunded, want %q and %d", name, got, err, of.Refunded, tt.want, tt.after)
		}
	}
}

func TestCheckRefund(t *testing.T) {
	order, other, seven := int64(1), int64(2), int64(7)
	refund := Posting{Account: 1, Amount: money.Whole(-40), RefundOf: &seven, Request: &order}
	refunded := Posting{Account: 1, Amount: money.Whole(100), Refunded: money.Whole(40), Request: &order}
	for name, tt := range map[string]struct {
		was    Posting
		change func(p *Posting)
		want   map[string]string
		after  int64 // what is refunded of what the refund refunds
	}{
		"a refund, its comment":         {refund, func(*Posting) {}, nil, 40},
		"a refund of less":              {refund, func(p *Posting) { p.Amount = money.Whole(-10) }, nil, 10},
		"a refund of all":               {refund, func(p *Posting) { p.Amount = money.Whole(-100) }, nil, 100},
		"a refund of too much":          {refund, func(p *Posting) { p.Amount = money.Whole(-101) }, map[string]string{"amount": "At most 100.00 is left to refund."}, 0},
		"a refund that turns":           {refund, func(p *Posting) { p.Amount = money.Whole(40) }, map[string]string{"amount": "A refund has the opposite sign of what it refunds."}, 40},
		"a refund into another account": {refund, func(p *Posting) { p.Account = 2 }, map[string]string{"account": "A refund stays in the account of what it refunds."}, 40},
		"a refund for another order":    {refund, func(p *Posting) { p.Request = &other }, map[string]string{"request": "A refund stays with the request of what it refunds."}, 40},
		"refunded, more":                {refunded, func(p *Posting) { p.Amount = money.Whole(101) }, nil, 0},
		"refunded, as much":             {refunded, func(p *Posting) { p.Amount = money.Whole(40) }, nil, 0},
		"refunded, less than that":      {refunded, func(p *Posting) { p.Amount = money.Whole(39) }, map[string]string{"amount": "40.00 of this was refunded."}, 0},
		"refunded, turned":              {refunded, func(p *Posting) { p.Amount = money.Whole(-100) }, map[string]string{"amount": "40.00 of this was refunded."}, 0},
		"refunded, another account":     {refunded, func(p *Posting) { p.Account = 2 }, map[string]string{"account": "A refund stays in the account of what it refunds."}, 0},
		"refunded, another order":       {refunded, func(p *Posting) { p.Request = &other }, nil, 0},
	} {
		p, errs := tt.was, fault.FieldErrors{}
		tt.change(&p)
		of := &Posting{Amount: money.Whole(100), Refunded: money.Whole(40)}
		given := of
		if !p.refundsAnotherAmount(&tt.was) {
			given = nil // it must not be needed
		}
		_ = p.checkRefund(&tt.was, given, errs)
		if got := told(errs); !maps.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
		if tt.was.RefundOf != nil && of.Refunded.Cmp(money.Whole(tt.after)) != 0 {
			t.Errorf("%s: %s is refunded, want %d", name, of.Refunded, tt.after)
		}
	}
}

// told are the first messages of fields, in English.
func told(errs fault.FieldErrors) map[string]string {
	first := map[string]string{}
	for field, of := range errs {
		if list, ok := of.([]say.Message); ok {
			first[field] = list[0].Error()
		}
	}
	return first
}
