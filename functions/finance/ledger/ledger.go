// Package ledger is the money of a company: accounts, the postings into them, and exchanges
// between two of them. Other domains post through its verbs (Post, Refund), within their own
// unit of work, so that what they do and what they post are one write.
//
// # A balance
//
// The item beside an account has the sum of its initial amount and of all its postings, and an
// entry for each posting that is dated ahead. The balance is that sum less the entries whose
// time has not come: one item, read consistently, so it is exact at every read, and no job has
// to do anything when the time of a posting comes. Postings only add to the item, so those that
// are made at the same time don't conflict on what they have read.
//
// # Days
//
// A posting is booked on the day that its date has in the time zone that the company has when
// the posting gets that date, and it stays there if the company changes its time zone later:
// what a statement said of a past day stays true. Days are counted and summed up in the same
// write (shared/record), so a statement finds its opening balance and the place of each page
// without reading a posting that it does not show.
//
// What never goes in here: HTTP, and why something is paid, which the domain that posts knows.
package ledger

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
)

// Limits.
const (
	MaxAccounts = 200
	MaxTypes    = 100
	MaxAhead    = 100   // postings of an account that are dated ahead
	MaxDaily    = 2_000 // postings of an account on one day
)

// now is the time of the request.
func now(w *record.Work) moment.Micros { return moment.Of(w.Scope().Actor.At) }

// dayOf is the day of a moment in the company's time zone.
func dayOf(ctx context.Context, w *record.Work, at moment.Micros) (decode.Date, error) {
	c, err := company.Get(ctx, w)
	if err != nil {
		return "", err
	}
	zone, err := c.Zone()
	if err != nil {
		return "", err
	}
	return decode.Date(at.Time().In(zone).Format(time.DateOnly)), nil
}

// The faults of the ledger.
var (
	errDefault = fault.New(fault.Conflict, say.AccountIsDefault).
			Coded()
	errRefunded = fault.New(fault.Conflict, say.PostingRefunded).Coded()

	errOwned = fault.New(fault.Conflict, say.PostingOwned).Coded()
	// errOrdered is errOwned for a payment of an order.
	errOrdered = fault.New(fault.Conflict, say.PaymentOwned).Coded()

	errAhead = fault.Field("date", say.AccountTooFarAhead)
	errDaily = fault.Field("date", say.AccountDayFull)
)

// keys are the keys to be read in one call.
type keys []table.Key

func (k *keys) add(more ...table.Key) { *k = append(*k, more...) }
