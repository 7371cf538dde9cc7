package pricebook

import (
	"strconv"
	"time"

	"github.com/tenantry/tenantry/functions/orders/pricing"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
)

// Rule is a price rule as it is stored.
type Rule struct {
	record.Meta
	Definition
	Active bool `dynamo:"ac,omitempty"`
}

// Definition is what a rule says: for which rentals it is, when, and what it does to their prices. Books keep it, so none of its
// attributes ever gets another meaning.
type Definition struct {
	Name     string `dynamo:"n"`
	Ordering int64  `dynamo:"o,omitempty"`

	// For which rentals it is; an empty list stands for all. It has groups or categories, not both.
	Groups     []int64 `dynamo:"gr,omitempty"`
	Categories []int64 `dynamo:"cg,omitempty"`
	Points     []int64 `dynamo:"rp,omitempty"`

	// When: at most one of a season, weekdays and a time of day; and how long the rental is.
	SeasonFrom decode.Date    `dynamo:"sf,omitempty"`
	SeasonTo   decode.Date    `dynamo:"st,omitempty"`
	Yearly     bool           `dynamo:"sy,omitempty"`
	Weekdays   []int64        `dynamo:"wd,omitempty"` // 1 Monday to 7 Sunday
	TimeFrom   Clock          `dynamo:"tf,omitempty"`
	TimeTo     Clock          `dynamo:"tt,omitempty"`
	AtLeast    moment.Seconds `dynamo:"lf,omitempty"`
	Below      moment.Seconds `dynamo:"lb,omitempty"`

	// What it does: exactly one of these.
	Percent *money.Amount  `dynamo:"pc"`
	Prices  PriceList      `dynamo:"pl,omitempty"`
	Minimum moment.Seconds `dynamo:"mi,omitempty"`
}

// Clock is a time of the day, as HH:MM. A rule without one has an empty Clock.
type Clock string

// Seconds is how long after midnight it is.
func (c Clock) Seconds() moment.Seconds {
	at, _ := time.Parse("15:04", string(c)) // others are not stored
	return moment.Seconds(at.Hour()*3600 + at.Minute()*60)
}

// Shown is what callers and the history see of a rule.
type Shown struct {
	ID         int64           `json:"id"`
	CreatedAt  string          `json:"created_at" format:"date-time"`
	UpdatedAt  string          `json:"updated_at" format:"date-time"`
	Name       string          `json:"name"`
	Active     bool            `json:"active"`
	Ordering   int64           `json:"ordering"`
	Groups     []int64         `json:"groups"`
	Categories []int64         `json:"categories"`
	Points     []int64         `json:"rental_points"`
	SeasonFrom *decode.Date    `json:"season_from" nullable:"true"`
	SeasonTo   *decode.Date    `json:"season_to" nullable:"true"`
	Yearly     bool            `json:"yearly"`
	Weekdays   []int64         `json:"weekdays" doc:"1 is Monday, 7 Sunday."`
	TimeFrom   *Clock          `json:"time_from" nullable:"true"`
	TimeTo     *Clock          `json:"time_to" nullable:"true"`
	AtLeast    *moment.Seconds `json:"length_from" nullable:"true"`
	Below      *moment.Seconds `json:"length_below" nullable:"true"`
	Percent    *money.Amount   `json:"percent" nullable:"true"`
	Prices     []Price         `json:"prices"`
	Minimum    *moment.Seconds `json:"minimum" nullable:"true"`
}

// Shown returns what callers see of a rule.
func (r *Rule) Shown() Shown {
	return Shown{
		ID: r.ID, CreatedAt: r.CreatedAt(), UpdatedAt: r.UpdatedAt(), Name: r.Name, Active: r.Active, Ordering: r.Ordering,
		Groups: append([]int64{}, r.Groups...), Categories: append([]int64{}, r.Categories...), Points: append([]int64{}, r.Points...),
		SeasonFrom: set(r.SeasonFrom), SeasonTo: set(r.SeasonTo), Yearly: r.Yearly, Weekdays: append([]int64{}, r.Weekdays...),
		TimeFrom: set(r.TimeFrom), TimeTo: set(r.TimeTo), AtLeast: set(r.AtLeast), Below: set(r.Below),
		Percent: r.Percent, Prices: append([]Price{}, r.Prices...), Minimum: set(r.Minimum),
	}
}

// set is a value as callers see it; nil for the zero value, which stands for none.
func set[V comparable](v V) *V {
	if v == *new(V) {
		return nil
	}
	return &v
}

// Kind is the kind of price rules.
func Kind() *record.Kind[*Rule] { return declared.Get(declare) }

var declared record.Declared[*Rule]

func declare() record.Kind[*Rule] {
	return record.Kind[*Rule]{
		Kind: kinds.Of(kinds.PriceRule), Shown: func(r *Rule) any { return r.Shown() }, References: references,
	}
}

// references returns the records that a rule refers to; each has its own error. The tariffs of a price list are no records: see
// checkTariffs.
func references(r *Rule) (list []record.Reference) {
	for _, of := range []struct {
		field string
		kind  kinds.Code
		ids   []int64
	}{
		{"groups", kinds.InventoryGroup, r.Groups},
		{"categories", kinds.Category, r.Categories},
		{"rental_points", kinds.RentalPoint, r.Points},
	} {
		for i, id := range of.ids {
			list = append(list, record.Reference{Field: of.field + "." + strconv.Itoa(i), Kind: of.kind, ID: id})
		}
	}
	return list
}

// rule is the rule as prices follow from it.
func (e Entry) rule() pricing.Rule {
	r := pricing.Rule{
		ID: e.ID, Name: e.Name, Ordering: e.Ordering, AtLeast: e.AtLeast, Below: e.Below, Percent: e.Percent, Minimum: e.Minimum,
	}
	if e.SeasonFrom != "" {
		r.Season = &pricing.Season{First: day(e.SeasonFrom), Last: day(e.SeasonTo), Yearly: e.Yearly}
	}
	for _, d := range e.Weekdays {
		r.Weekdays = append(r.Weekdays, time.Weekday(d%7))
	}
	if e.TimeFrom != "" {
		r.Hours = &pricing.Hours{From: e.TimeFrom.Seconds(), To: e.TimeTo.Seconds()}
	}
	for _, p := range e.Prices {
		r.Prices = append(r.Prices, pricing.ListPrice{Tariff: p.Tariff, Price: p.Price})
	}
	return r
}

// day is a date of a stored rule, which is one.
func day(d decode.Date) pricing.Date {
	at, _ := time.Parse(time.DateOnly, string(d))
	return pricing.Date{Year: at.Year(), Month: at.Month(), Day: at.Day()}
}
