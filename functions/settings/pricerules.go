package settings

import (
	"slices"
	"strconv"

	"github.com/tenantry/tenantry/functions/orders/pricebook"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/say"
)

type ruleBody struct {
	Name       decode.Optional[string]         `json:"name" required:"true" maxLength:"255" example:"Nauryz" doc:"The steps of a price name it."`
	Active     decode.Optional[bool]           `json:"active" default:"true" doc:"Whether prices follow from it"`
	Ordering   decode.Optional[int64]          `json:"ordering" minimum:"-2147483648" maximum:"2147483647" default:"0" doc:"Rules are taken in this order; of equal ones the older first."`
	Groups     decode.Optional[[]int64]        `json:"groups" maxItems:"50" doc:"Ids of the inventory groups that it is for, each once; without groups and categories it is for all."`
	Categories decode.Optional[[]int64]        `json:"categories" maxItems:"50" doc:"Ids of the categories whose groups it is for, each once. A rule has groups or categories, not both."`
	Points     decode.Optional[[]int64]        `json:"rental_points" maxItems:"50" doc:"Ids of the rental points whose orders it is for, each once; none: all orders, those without a point too."`
	SeasonFrom decode.Optional[decode.Date]    `json:"season_from" nullable:"true" example:"2026-03-21" doc:"The first day of a season. A rule has at most one of a season, weekdays and a time of day."`
	SeasonTo   decode.Optional[decode.Date]    `json:"season_to" nullable:"true" example:"2026-03-23" doc:"The last day of the season, which is part of it"`
	Yearly     decode.Optional[bool]           `json:"yearly" doc:"Whether the season comes each year; it may go over the end of a year then."`
	Weekdays   decode.Optional[[]int64]        `json:"weekdays" maxItems:"7" minimum:"1" maximum:"7" doc:"Days of the week on which it holds, each once: 1 is Monday, 7 Sunday."`
	TimeFrom   decode.Optional[string]         `json:"time_from" nullable:"true" pattern:"([01][0-9]|2[0-3]):[0-5][0-9]" patternMessage:"invalid_time_of_day" doc:"The time of day from which it holds, on the company's clocks"`
	TimeTo     decode.Optional[string]         `json:"time_to" nullable:"true" pattern:"([01][0-9]|2[0-3]):[0-5][0-9]" patternMessage:"invalid_time_of_day" doc:"The time of day until which it holds; before time_from it is that of the next day."`
	AtLeast    decode.Optional[moment.Seconds] `json:"length_from" nullable:"true" minimum:"1" maximum:"3153600000" doc:"Seconds that a rental must have at least. Whole days are counted on the company's clocks."`
	Below      decode.Optional[moment.Seconds] `json:"length_below" nullable:"true" minimum:"1" maximum:"3153600000" doc:"Seconds that a rental must not reach"`
	Percent    decode.Optional[money.Amount]   `json:"percent" nullable:"true" minimum:"-100" maximum:"1000" example:"20.00" doc:"By how much the price rises while the rule holds. May be negative: then it falls. A rule has exactly one of percent, prices and minimum."`
	Prices     decode.Optional[[]priceBody]    `json:"prices" maxItems:"200" example:"[]" doc:"Prices of tariffs while the rule holds, each tariff once; they need groups."`
	Minimum    decode.Optional[moment.Seconds] `json:"minimum" nullable:"true" minimum:"900" maximum:"31622400" doc:"Seconds that a rental is priced for at least, if the rule holds at its start"`
}

type priceBody struct {
	Tariff decode.Optional[int64]        `json:"tarif" required:"true" example:"1" doc:"Id of a tariff of one of the groups"`
	Price  decode.Optional[money.Amount] `json:"price" required:"true" minimum:"0" example:"20000.00"`
}

// PriceRule is a price rule as callers see it.
type PriceRule struct{ pricebook.Shown }

// applyRule applies what was sent to a price rule.
func applyRule(r *pricebook.Rule, in *ruleBody, errs fault.FieldErrors) {
	if r.ID == 0 { // it is new
		r.Active = true
	}
	in.Name.Into(&r.Name)
	in.Active.Into(&r.Active)
	in.Ordering.Into(&r.Ordering)
	in.Groups.Into(&r.Groups)
	in.Categories.Into(&r.Categories)
	in.Points.Into(&r.Points)
	into(in.SeasonFrom, &r.SeasonFrom)
	into(in.SeasonTo, &r.SeasonTo)
	in.Weekdays.Into(&r.Weekdays)
	into(in.TimeFrom, (*string)(&r.TimeFrom))
	into(in.TimeTo, (*string)(&r.TimeTo))
	into(in.AtLeast, &r.AtLeast)
	into(in.Below, &r.Below)
	in.Percent.IntoNullable(&r.Percent)
	into(in.Minimum, &r.Minimum)
	in.Yearly.Into(&r.Yearly)
	if in.Prices.Set {
		r.Prices = nil
		for _, p := range in.Prices.Value {
			r.Prices = append(r.Prices, pricebook.Price{Tariff: p.Tariff.Value, Price: p.Price.Value})
		}
	}
	checkPlace(r.Definition, errs)
	checkCondition(&r.Definition, in.Yearly, errs)
	checkEffect(r.Definition, errs)
}

// into writes what was sent to a value whose zero stands for none, which callers send as null.
func into[V any](sent decode.Optional[V], to *V) {
	if sent.Set {
		var none V
		*to = sent.Or(none)
	}
}

func checkPlace(d pricebook.Definition, errs fault.FieldErrors) {
	once(d.Groups, "groups", "", errs)
	once(d.Categories, "categories", "", errs)
	once(d.Points, "rental_points", "", errs)
	if len(d.Groups) > 0 && len(d.Categories) > 0 && !errs.Has("groups") {
		errs.Add("categories", say.PriceRuleGroupsOrCategories)
	}
}

// once refuses what is repeated in a list, or in a field of the objects in a list.
func once(list []int64, path, field string, errs fault.FieldErrors) {
	for i, v := range list {
		if at := path + "." + strconv.Itoa(i) + field; slices.Contains(list[:i], v) && !errs.Has(at) {
			errs.AddAt(at, say.ValueRepeated)
		}
	}
}

// checkCondition ensures that a rule has a season, weekdays or a time of day, or none of them, and a length that a rental can have.
func checkCondition(d *pricebook.Definition, yearly decode.Optional[bool], errs fault.FieldErrors) {
	season := both(d.SeasonFrom, d.SeasonTo, "season_from", "season_to", errs)
	hours := both(d.TimeFrom, d.TimeTo, "time_from", "time_to", errs)
	once(d.Weekdays, "weekdays", "", errs)
	switch {
	case !season && yearly.Set && yearly.Value:
		errs.Add("yearly", say.PriceRuleYearlyWithoutSeason)
	case !season:
		d.Yearly = false
	case !d.Yearly && d.SeasonTo < d.SeasonFrom && d.SeasonTo != "" && !errs.Has("season_from"):
		errs.Add("season_to", say.PriceRuleSeasonBackwards)
	}
	if hours && d.TimeFrom == d.TimeTo && !errs.Has("time_from") {
		errs.Add("time_to", say.PriceRuleHoursEmpty)
	}
	if count(season, hours, len(d.Weekdays) > 0) > 1 {
		errs.Add(fault.NonField, say.PriceRuleOneCondition)
	}
	if d.Below != 0 && d.Below <= d.AtLeast && !errs.Has("length_from") {
		errs.Add("length_below", say.PriceRuleLengthBackwards)
	}
}

// both tells whether a rule has one of two fields, and reports the other one, which it then needs.
func both[V comparable](from, to V, first, second string, errs fault.FieldErrors) bool {
	var none V
	if (from == none) != (to == none) && !errs.Has(first) && !errs.Has(second) {
		missing := first
		if to == none {
			missing = second
		}
		errs.Add(missing, say.Required)
	}
	return from != none || to != none
}

// checkEffect ensures that a rule does one thing. Whether its groups have the tariffs of a price list is found out later.
func checkEffect(d pricebook.Definition, errs fault.FieldErrors) {
	if d.Percent != nil && d.Percent.IsZero() {
		errs.Add("percent", say.IsZero)
	}
	tariffs := make([]int64, len(d.Prices))
	for i, p := range d.Prices {
		tariffs[i] = p.Tariff
	}
	once(tariffs, "prices", ".tarif", errs)
	if len(d.Prices) > 0 && len(d.Groups) == 0 && !errs.Has("groups") {
		errs.Add("groups", say.PriceRuleNeedsGroups)
	}
	wrong := errs.Has("percent") || errs.Has("prices") || errs.Has("minimum")
	if count(d.Percent != nil, len(d.Prices) > 0, d.Minimum != 0) != 1 && !wrong {
		errs.Add(fault.NonField, say.PriceRuleOneEffect)
	}
}

// count counts what is true.
func count(list ...bool) (n int) {
	for _, is := range list {
		if is {
			n++
		}
	}
	return n
}
