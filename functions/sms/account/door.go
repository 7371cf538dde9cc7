package account

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/functions/tenants/usage"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/outbox/notify/daily"
	"github.com/tenantry/tenantry/shared/outbox/notify/smsrates"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/throttle"
)

// Terms are those on which SMS leave.
type Terms struct {
	Sends bool // there is a provider
	Rates smsrates.Rates
	Free  int64 // links and codes of a company in a day of UTC that the host pays
	Daily int64 // SMS of all companies together in a day of UTC; 0: none leaves
	Mails int64 // the same of e-mails; 0 is no limit
}

// Door is the one way by which requests leave SMS: it decides whether they may be sent, pays them in the unit of work that
// leaves them, and counts them.
type Door struct {
	terms    Terms
	throttle throttle.Throttle
}

// NewDoor makes a door.
func NewDoor(terms Terms, t throttle.Throttle) *Door { return &Door{terms, t} }

// Postage is with what an SMS was paid. Its message of the outbox has it, so that it can be given back.
type Postage struct {
	Cents int64 `json:"cents,omitempty"` // of the account
	Share int64 `json:"share,omitempty"` // of the day's free share
}

// Place finds the country of a telephone, and the price of a segment there; false if no SMS are sent there.
func (d *Door) Place(phone string) (smsrates.Country, bool) { return d.terms.Rates.Of(phone) }

// Country is the fault about a telephone in a country that no SMS are sent to, at the field that named it.
func Country(field string) error {
	return fault.Field(field, say.SMSCountry).With("code", say.SMSCountry.Code())
}

// Open fails where nothing sends SMS.
func (d *Door) Open() error {
	if d.terms.Sends {
		return nil
	}
	return fault.New(fault.Invalid, say.SMSProvider).Coded()
}

// Pays pays a message of a company of so many segments to several telephones, by an operation, and counts it, in the company's usage
// too, which is a fault with the code plan where the plan has no room for it. One transaction has no room to count a
// hundred telephones, so they are counted before it, when everything else is decided. If the transaction then fails, the message has
// still counted.
func (d *Door) Pays(ctx context.Context, w *record.Work, phones []string, segments int64, op *Operation) error {
	if err := d.Open(); err != nil {
		return err
	}
	if err := ready(ctx, w); err != nil {
		return err
	}
	if err := Book(ctx, w, op); err != nil {
		return err
	}
	if err := usage.Spend(ctx, w, usage.Spent{SMS: segments * int64(len(phones)), Cost: op.Amount.Neg()}); err != nil {
		return err
	}
	return w.Beforehand("sms", func() error { return d.countAll(ctx, w, phones) })
}

// countAll counts a message to several telephones: first what is the caller's own, so that nobody over these limits uses up what is
// shared.
func (d *Door) countAll(ctx context.Context, w *record.Work, phones []string) error {
	company := w.Scope().Table.ID().String()
	own, err := d.throttle.TakeAll(ctx, Paid().User.Of(sender(w)...).Times(len(phones)), Paid().Company.Of(company).Times(len(phones)))
	if err != nil {
		return err
	}
	var shared []throttle.Count
	for _, phone := range phones {
		shared = append(shared, daily.SMS(d.terms.Daily).All(phone), Paid().Recipient.Of(phone))
	}
	if _, err := d.throttle.TakeAll(ctx, shared...); err != nil {
		d.throttle.GiveBack(ctx, own)
		return err
	}
	return nil
}

// Sends pays an SMS that the platform words, such as a link or a code, and counts it. It costs as much as one segment, however
// many its text takes, so that its price is known beforehand; the company's free share of the day pays as long as it lasts, and as
// long as the free shares of all companies together do (daily.FreeSMS). If neither pays, the error is a fault: with the code
// sms_balance where the company's share is used up, and of that limit where it is not.
func (d *Door) Sends(ctx context.Context, w *record.Work, limits Limits, field, phone string) (Postage, error) {
	if err := d.Open(); err != nil {
		return Postage{}, err
	}
	to, ok := d.Place(phone)
	if !ok {
		return Postage{}, Country(field)
	}
	if err := ready(ctx, w); err != nil {
		return Postage{}, err
	}
	paid, err := d.pay(ctx, w, to, daily.FreeSMS(d.terms.Daily).All(phone))
	if err != nil {
		return paid, err
	}
	if err := usage.Spend(ctx, w, usage.Spent{SMS: 1, Cost: money.FromCents(paid.Cents)}); err != nil {
		return Postage{}, err
	}
	counts := limits.counts(w, phone)
	d.counts(w, append(counts, daily.SMS(d.terms.Daily).All(phone))...)
	return paid, nil
}

// ready reads in one call what decides about an SMS.
func ready(ctx context.Context, w *record.Work) error {
	t := w.Scope().Table
	return w.Load(ctx, t.SMSAccount(), t.Company())
}

// pay takes a price from the free share of the day, or else from the account. all counts what free shares pay together.
func (d *Door) pay(ctx context.Context, w *record.Work, to smsrates.Country, all throttle.Count) (Postage, error) {
	a, err := Open(ctx, w)
	if err != nil {
		return Postage{}, err
	}
	var full error // says that the shares of all companies together are used up
	if left := a.FreeLeft(d.terms.Free, w.Scope().Actor.At); to.Share <= left {
		if w.Try() > 1 { // the first try may have found that out
			full = d.throttle.Fits(ctx, all)
		}
		if full == nil {
			a.Day, a.Used = max(a.Day, dayOf(w.Scope().Actor.At)), d.terms.Free-left+to.Share
			a.changes(w)
			w.Also(func(tx *table.Tx) error {
				d.throttle.WithOr(tx, all, table.ErrRevision)
				return nil
			})
			return Postage{Share: to.Share}, nil
		}
		if _, ok := fault.As(full); !ok {
			return Postage{}, full
		}
	}
	if err := Book(ctx, w, &Operation{Amount: to.Price.Neg()}); err != nil {
		if full != nil {
			err = full
		}
		return Postage{}, err
	}
	return Postage{Cents: to.Price.Cents()}, nil
}

// counts has the unit of work count, in its transaction.
func (d *Door) counts(w *record.Work, counts ...throttle.Count) {
	w.Also(func(tx *table.Tx) error {
		d.throttle.With(tx, counts...)
		return nil
	})
}

// Mails counts an e-mail that a company has sent to somebody; it costs the company nothing. An address in other letters is the same.
func (d *Door) Mails(w *record.Work, limits Limits, address string) {
	address = strings.ToLower(address)
	d.counts(w, append(limits.counts(w, address), daily.Counts(daily.CompanyMail(d.terms.Mails), address)...)...)
}

// keepReturn is how long it is known that a price was given back: longer than its message can be tried.
const keepReturn = 30 * 24 * time.Hour

// GiveBack gives back what an SMS was paid with, because it was not sent; once for each message of the outbox. at is when it
// was paid: the share of a day that is over is not given back. A company that is gone gets nothing.
func GiveBack(ctx context.Context, s record.Scope, message string, p Postage, at time.Time) error {
	key := s.Table.SMSReturn(message)
	if p == (Postage{}) {
		return nil // an e-mail
	}
	if p.Share > 0 {
		return giveShare(ctx, s, returned(s, key, money.Amount{}), p.Share, at)
	}
	amount := money.FromCents(p.Cents)
	return s.Do(ctx, nil, func(w *record.Work) error {
		if before, err := once(ctx, w, key); err != nil || before != nil {
			return err
		}
		if there, err := company.StillThere(ctx, w); err != nil || !there {
			return err
		}
		returned(s, key, amount).takes(w)
		if err := usage.Spend(ctx, w, usage.Spent{SMS: -1, Cost: amount.Neg()}); err != nil {
			return err
		}
		return Book(ctx, w, &Operation{Amount: amount})
	})
}

// giveShare gives back a part of a day's free share, unless another day has begun by now.
func giveShare(ctx context.Context, s record.Scope, b *booked, share int64, at time.Time) error {
	var a Account
	if err := s.Table.Get(ctx, s.Table.SMSAccount(), &a); err != nil && !errors.Is(err, table.ErrNotFound) { // of one that is gone
		return err
	}
	counted, err := usage.Takes(ctx, s.Table, s.Now(), usage.Spent{SMS: -1})
	if err != nil {
		return err
	}
	give := func(today bool) error {
		return s.Table.Write(ctx, func(tx *table.Tx, _ int) error {
			tx.Put(s.Table.Create(*b), errReturned)
			tx.Check(company.Remains(s.Table), errGone)
			counted(tx)
			if today {
				tx.Update(s.Table.Update(a.Key()).Add("fu", -share).Add("r", 1).If("fd = ? AND fu >= ?", a.Day, share), errOver)
			}
			return nil
		})
	}
	err = give(a.Day == dayOf(at))
	if errors.Is(err, errOver) { // the day ended meanwhile
		err = give(false)
	}
	if errors.Is(err, errReturned) || errors.Is(err, errGone) {
		return nil
	}
	return err
}

var (
	errGone     = errors.New("account: the company is gone")
	errReturned = errors.New("account: it was given back before")
	errOver     = errors.New("account: the day of the share is over")
)

// Keep notes that the price of an SMS is never given back, because nobody knows whether the provider has taken it.
func Keep(ctx context.Context, s record.Scope, message string) error {
	err := s.Table.Write(ctx, func(tx *table.Tx, _ int) error {
		tx.Put(s.Table.Create(*returned(s, s.Table.SMSReturn(message), money.Amount{})), errReturned)
		tx.Check(company.Remains(s.Table), errGone)
		return nil
	})
	if errors.Is(err, errReturned) || errors.Is(err, errGone) {
		return nil
	}
	return err
}

func returned(s record.Scope, key table.Key, amount money.Amount) *booked {
	return &booked{Item: table.At(key, bookedVersion), Amount: amount, TTL: s.Now().Add(keepReturn).Unix()}
}

// refusedAgain is how soon it is not noted again that nothing could pay a code.
const refusedAgain = time.Hour

// NoteRefusal notes for the company that a signer got no code, because nothing could pay it. An account that is written meanwhile
// loses the note, and the next refusal makes it again.
func NoteRefusal(ctx context.Context, t *table.Tenant, now time.Time) error {
	key := t.SMSAccount()
	var a Account
	err := t.Get(ctx, key, &a)
	switch {
	case errors.Is(err, table.ErrNotFound):
		a = Account{Item: table.At(key, version), Revision: 1, Refused: now.UnixMicro()}
		err = table.Retry(ctx, func() error { return t.Create(a).Run(ctx) })
	case err != nil || a.Refused > now.Add(-refusedAgain).UnixMicro():
		return err
	default:
		err = table.Retry(ctx, func() error {
			return t.Update(key).Set("rf", now.UnixMicro()).If("'r' = ?", a.Revision).Run(ctx)
		})
	}
	if dynamo.IsCondCheckFailed(err) {
		return nil
	}
	return err
}
