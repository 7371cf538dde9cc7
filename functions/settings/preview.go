package settings

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tenantry/tenantry/functions/finance/ledger"
	"github.com/tenantry/tenantry/functions/inventory/group"
	"github.com/tenantry/tenantry/functions/orders/pricebook"
	"github.com/tenantry/tenantry/functions/orders/pricing"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// The parameters of a preview.
const (
	ofGroup = "group"
	startAt = "start_at"
	endAt   = "end_at"
	atPoint = "rental_point"
)

// longest is how long a rental may be, as in an order.
const longest = 10 * 366 * 24 * time.Hour

// Preview is what a rental would cost.
type Preview struct {
	Price       money.Amount     `json:"price" doc:"Before discounts and tax"`
	PricedUntil string           `json:"priced_until" format:"date-time" doc:"The end of the time that the price is for: later than end_at where a rule has a minimum"`
	Combined    bool             `json:"combined" doc:"Whether the price is the cheapest sum of tariffs, and not one tariff alone"`
	Tariff      int64            `json:"tarif" doc:"Id of the tariff; of a sum, of its longest one"`
	Cost        money.Amount     `json:"tarif_price" doc:"What it costs by itself"`
	Duration    *decode.Duration `json:"tarif_duration" nullable:"true" doc:"The time that this is for; null: any time"`
	Units       int64            `json:"units" doc:"How many times it is taken"`
	Book        int64            `json:"price_book" doc:"Number of the price book: each change of an active rule makes the next one."`
	Steps       []pricing.Step   `json:"steps" doc:"How the price comes about. They add up to it."`
}

// preview is the operation that prices a rental of a group.
func preview(now func() time.Time) web.Operation {
	return web.Op(web.Operation{
		ID: "price-rules-preview", Method: http.MethodGet, Path: rules().Path() + "preview/",
		Summary: "Show what a rental of a group would cost by the price rules",
		Doc: "As a line of an order without a tariff would be priced now, before discounts and tax. POST /v1/crm/requests/quote/ " +
			"prices whole orders.",
		Query: []web.Param{
			{Name: ofGroup, Required: true, Type: web.Integer, Doc: "Id of an inventory group"},
			{Name: startAt, Required: true, Format: "date-time", Doc: "Of the rental. Without an offset it is the company's local time."},
			{Name: endAt, Required: true, Format: "date-time", Doc: "Of the rental, likewise"},
			{Name: atPoint, Type: web.Integer, Doc: "Id of the rental point of the order"},
		},
		Faults: []fault.Code{fault.Invalid},
	}, func(ctx context.Context, r *web.Request, _ *struct{}) (*Preview, error) {
		q, err := readAsked(r)
		if err != nil {
			return nil, err
		}
		w := resource.Scope(r, now).Reading()
		if err := w.Load(ctx, q.keys(w.Scope().Table)...); err != nil {
			return nil, err
		}
		by, err := termsOf(ctx, w)
		if err != nil {
			return nil, err
		}
		if err := by.find(ctx, w, &q); err != nil {
			return nil, err
		}
		return by.preview(q)
	})
}

// asked is a rental whose price is asked for.
type asked struct {
	id         int64
	group      *group.Group
	point      *int64
	start, end spoken
}

// spoken is a moment as it was sent: one of the company's clocks if it has no offset.
type spoken struct {
	time.Time
	local bool
}

// readAsked reads what is asked for, as far as that needs nothing of the company.
func readAsked(r *web.Request) (q asked, err error) {
	errs := fault.FieldErrors{}
	if id := number(r, ofGroup, errs); id != nil {
		q.id = *id
	} else {
		errs.Add(ofGroup, say.Required)
	}
	q.point = number(r, atPoint, errs)
	q.start, q.end = spokenAt(r, startAt, errs), spokenAt(r, endAt, errs)
	return q, errs.Err()
}

// number reads the number of a record; nil if none was sent, or what was sent is none.
func number(r *web.Request, name string, errs fault.FieldErrors) *int64 {
	sent := strings.TrimSpace(r.Param(name))
	if sent == "" {
		return nil
	}
	n, err := strconv.ParseInt(sent, 10, 64)
	if err != nil {
		errs.Add(name, say.InvalidInteger)
		return nil
	}
	return &n
}

func spokenAt(r *web.Request, name string, errs fault.FieldErrors) spoken {
	sent := strings.TrimSpace(r.Param(name))
	if at, ok := decode.ParseDateTime(sent); ok {
		return spoken{at, false}
	}
	wall, ok := decode.ParseLocal(sent)
	switch {
	case sent == "":
		errs.Add(name, say.Required)
	case !ok:
		errs.Add(name, say.InvalidDatetime)
	}
	return spoken{wall, true}
}

// keys are the keys of all that the price follows from.
func (q asked) keys(t *table.Tenant) []table.Key {
	keys := []table.Key{t.Company(), pricebook.Key(t), t.Record(kinds.InventoryGroup, q.id)}
	if q.point != nil {
		keys = append(keys, t.Record(kinds.RentalPoint, *q.point))
	}
	return keys
}

// terms are what a company prices by now.
type terms struct {
	settings company.Rental
	zone     *time.Location
	book     pricebook.Book
}

func termsOf(ctx context.Context, w *record.Work) (by terms, err error) {
	c, err := company.Get(ctx, w)
	if err != nil {
		return by, err
	}
	by.settings = c.RentalRules()
	if by.zone, err = c.Zone(); err != nil {
		return by, err
	}
	by.book, err = pricebook.Now(ctx, w)
	return by, err
}

// find completes what is asked for by what the company has.
func (by terms) find(ctx context.Context, w *record.Work, q *asked) (err error) {
	errs := fault.FieldErrors{}
	by.settle(&q.start, startAt, errs)
	by.settle(&q.end, endAt, errs)
	switch {
	case errs.Has(startAt) || errs.Has(endAt):
	case !ledger.ValidDate(q.start.Time):
		errs.Add(startAt, ledger.BadDate)
	case !ledger.ValidDate(q.end.Time):
		errs.Add(endAt, ledger.BadDate)
	case !q.end.After(q.start.Time):
		errs.Add(endAt, say.PreviewEndNotAfterStart)
	case q.end.Sub(q.start.Time) > longest:
		errs.Add(endAt, say.PreviewTooLong)
	}
	q.group, err = group.Kind().Read(ctx, w, q.id)
	if errors.Is(err, fault.ErrNotFound) {
		errs.Add(ofGroup, say.DoesNotExist(q.id))
	} else if err != nil {
		return err
	}
	if q.point != nil {
		found, err := w.Item(ctx, w.Scope().Table.Record(kinds.RentalPoint, *q.point))
		if err != nil {
			return err
		}
		if found == nil {
			errs.Add(atPoint, say.DoesNotExist(*q.point))
		}
	}
	return errs.Err()
}

// settle finds out which moment was meant.
func (by terms) settle(at *spoken, name string, errs fault.FieldErrors) {
	if !at.local {
		return
	}
	of, ok := decode.Local(at.Time, by.zone)
	if !ok {
		errs.Add(name, say.NoSuchTime(by.zone.String()))
	}
	at.Time = of
}

// preview prices a rental, as a line without a tariff is priced.
func (by terms) preview(q asked) (*Preview, error) {
	prices, offered := pricebook.RulesOf(by.settings, by.zone), pricebook.Offered(q.group.Tariffs)
	it := pricing.Item{
		Rules: by.book.At(pricebook.Place{Group: &q.group.ID, Category: q.group.Category, Point: q.point}),
		Start: q.start.Time, End: q.end.Time,
	}
	var of pricing.Offered
	combined := pricebook.Combines(q.group, by.settings)
	if it.Offer = pricing.Offer(offered); !combined {
		it.Offer = nil
		if i := prices.Cheapest(alone(offered), q.start.Time, q.end.Time); i >= 0 {
			of = offered[i]
			it.Terms, it.Tariff = of.Terms, of.ID
		}
	}
	if it.Tariff == 0 && len(it.Offer) == 0 {
		return nil, fault.Field(ofGroup, say.GroupWithoutTariff)
	}
	p, err := prices.Price(it)
	if err != nil {
		return nil, fault.Field(fault.NonField, say.Of(err))
	}
	if len(p.Parts) > 0 {
		of = p.Parts[0].Offered
	}
	v := &Preview{
		Price: p.Gross, PricedUntil: encode.Instant(q.end.Time), Combined: combined, Tariff: of.ID, Cost: of.Price, Units: p.Units,
		Book: by.book.Number, Steps: p.Steps,
	}
	if of.Duration > 0 {
		d := decode.Duration(of.Duration.Duration())
		v.Duration = &d
	}
	if p.End.After(q.end.Time) {
		v.PricedUntil = encode.Instant(p.End)
	}
	return v, nil
}

// alone are the terms of tariffs of which a rental takes one.
func alone(offered []pricing.Offered) (terms []pricing.Terms) {
	for _, of := range offered {
		terms = append(terms, of.Terms)
	}
	return terms
}
