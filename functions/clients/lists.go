package clients

import (
	"context"
	"strings"

	"github.com/tenantry/tenantry/functions/clients/discount"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/record/unique"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// ---- Attraction methods: how clients came to the company.

type attractionMethod struct {
	record.Meta
	Name string `dynamo:"n"`
}

type attractionMethodBody struct {
	Name decode.Optional[string] `json:"name" required:"true" maxLength:"255" example:"Word of mouth" doc:"Unique in the company, in any case of its letters"`
}

// AttractionMethod is one as callers see it.
type AttractionMethod struct {
	ID        int64  `json:"id"`
	CreatedAt string `json:"created_at" format:"date-time"`
	UpdatedAt string `json:"updated_at" format:"date-time"`
	Name      string `json:"name"`
}

// methodName is the unique value for the name of a method; imports find a method by it.
func methodName(name string) unique.Value {
	return unique.Value{Kind: kinds.AttractionMethod, Name: "name", Value: methodKey(name)}
}

// methodKey returns a method's name in the form in which names are compared: without
// differences of case, and with single spaces.
func methodKey(name string) string {
	return strings.Join(strings.Fields(search.Fold(name)), " ")
}

func attractionMethods() resource.Resource[*attractionMethod, attractionMethodBody, AttractionMethod] {
	return resource.Resource[*attractionMethod, attractionMethodBody, AttractionMethod]{
		Kind: &record.Kind[*attractionMethod]{
			Kind: kinds.Of(kinds.AttractionMethod), Name: func(m *attractionMethod) string { return m.Name },
			Shown: func(m *attractionMethod) any { return viewMethod(m, resource.Viewer{}) },
			Unique: func(m *attractionMethod) []record.Unique {
				return []record.Unique{{Name: "name", Value: methodKey(m.Name), Field: "name"}}
			},
		},
		Apply: func(m *attractionMethod, in *attractionMethodBody, _ fault.FieldErrors) { in.Name.Into(&m.Name) },
		View:  viewMethod,
	}
}

func viewMethod(m *attractionMethod, _ resource.Viewer) AttractionMethod {
	return AttractionMethod{ID: m.ID, CreatedAt: m.CreatedAt(), UpdatedAt: m.UpdatedAt(), Name: m.Name}
}

// ---- Agents: who brings clients, for a reward.

type agent struct {
	record.Meta
	Name  string      `dynamo:"n"`
	Phone *string     `dynamo:"ph,omitempty"`
	Extra decode.JSON `dynamo:"e"`
}

type agentBody struct {
	Name  decode.Optional[string]      `json:"name" required:"true" maxLength:"255" example:"Hotel Kazakhstan"`
	Phone decode.Optional[string]      `json:"phone" nullable:"true" maxLength:"32" format:"phone"`
	Extra decode.Optional[decode.JSON] `json:"extra" nullable:"true"`
}

// Agent is one as callers see it.
type Agent struct {
	ID        int64       `json:"id"`
	CreatedAt string      `json:"created_at" format:"date-time"`
	UpdatedAt string      `json:"updated_at" format:"date-time"`
	Name      string      `json:"name"`
	Phone     *string     `json:"phone" nullable:"true" doc:"In E.164"`
	Extra     decode.JSON `json:"extra"`
}

func agents() resource.Resource[*agent, agentBody, Agent] {
	return resource.Resource[*agent, agentBody, Agent]{
		Kind: &record.Kind[*agent]{
			Kind:     kinds.Of(kinds.Agent),
			Name:     func(a *agent) string { return a.Name },
			Most:     record.MaxArray,
			MaxExtra: record.MaxArrayExtra,
			Extras:   record.Free("", func(a *agent) decode.JSON { return a.Extra }),
		},
		Apply: func(a *agent, in *agentBody, _ fault.FieldErrors) {
			in.Name.Into(&a.Name)
			in.Phone.IntoNullable(&a.Phone)
			record.ExtraInto(a, in.Extra, &a.Extra)
		},
		View: func(a *agent, _ resource.Viewer) Agent {
			return Agent{ID: a.ID, CreatedAt: a.CreatedAt(), UpdatedAt: a.UpdatedAt(), Name: a.Name, Phone: a.Phone, Extra: a.Extra}
		},
	}
}

// ---- Discounts: a part of a price, or an amount.

type discountBody struct {
	Name    decode.Optional[string]       `json:"name" required:"true" maxLength:"255" example:"Regulars"`
	Percent decode.Optional[money.Amount] `json:"percent" nullable:"true" minimum:"0" maximum:"100" example:"12.50" doc:"Of the price; a discount has either percent or amount."`
	Amount  decode.Optional[money.Amount] `json:"amount" nullable:"true" minimum:"0" doc:"In the company's currency"`
}

// Discount is a discount as callers see it.
type Discount struct{ discount.Shown }

func discounts() resource.Resource[*discount.Discount, discountBody, Discount] {
	return resource.Resource[*discount.Discount, discountBody, Discount]{
		Kind: discount.Kind(), Apply: applyDiscount, Made: mayGive, Changed: mayGive,
		Doc: "Who makes or changes one whose percent is above what the rental settings (max_discount_percent) say of their role is " +
			"refused: that takes somebody with a higher role.",
		View: func(d *discount.Discount, _ resource.Viewer) Discount { return Discount{d.Shown()} },
	}
}

// applyDiscount ensures that a discount is either a percentage or an amount. A caller who
// sends only the other one changes which of them it is.
func applyDiscount(d *discount.Discount, in *discountBody, errs fault.FieldErrors) {
	in.Name.Into(&d.Name)
	in.Percent.IntoNullable(&d.Percent)
	in.Amount.IntoNullable(&d.Amount)
	percent, amount := in.Percent.Set && !in.Percent.Null, in.Amount.Set && !in.Amount.Null
	switch {
	case percent && !amount:
		d.Amount = nil
	case amount && !percent:
		d.Percent = nil
	}
	if (d.Percent == nil) == (d.Amount == nil) && !errs.Has("percent") && !errs.Has("amount") {
		errs.Add(fault.NonField, say.DiscountPercentOrAmount)
	}
}

// mayGive refuses a discount that is above what the company lets a member with the caller's role take off a price.
func mayGive(ctx context.Context, w *record.Work, d *discount.Discount, _ *discountBody) error {
	role := w.Scope().Role
	if d.Percent == nil || role == "" || role == tenant.Owner {
		return nil
	}
	c, err := company.Get(ctx, w)
	if err != nil {
		return err
	}
	if most := c.RentalRules().MaxDiscount.Of(role); d.Percent.Cmp(money.Whole(most)) > 0 {
		w.Errors("").Add("percent", say.DiscountAboveRole(most))
	}
	return nil
}

// ---- Categories: how a company groups what it has.

type category struct {
	record.Meta
	Name  string      `dynamo:"n"`
	Of    string      `dynamo:"k,omitempty"`
	Extra decode.JSON `dynamo:"e"`
}

type categoryBody struct {
	Name  decode.Optional[string]      `json:"name" required:"true" maxLength:"255" example:"Bikes"`
	Kind  decode.Optional[string]      `json:"kind" blank:"true" maxLength:"64" example:"inventory" doc:"What it is a category of"`
	Extra decode.Optional[decode.JSON] `json:"extra" nullable:"true" doc:"Any JSON of at most 16 KB; the custom fields of the key category are checked."`
}

// Category is one as callers see it.
type Category struct {
	ID        int64       `json:"id"`
	CreatedAt string      `json:"created_at" format:"date-time"`
	UpdatedAt string      `json:"updated_at" format:"date-time"`
	Name      string      `json:"name"`
	Kind      string      `json:"kind"`
	Extra     decode.JSON `json:"extra"`
}

func categories() resource.Resource[*category, categoryBody, Category] {
	return resource.Resource[*category, categoryBody, Category]{
		Kind: &record.Kind[*category]{
			Kind: kinds.Of(kinds.Category), Name: func(c *category) string { return c.Name },
			Extras: record.Free("category", func(c *category) decode.JSON { return c.Extra }),
		},
		Apply: func(c *category, in *categoryBody, _ fault.FieldErrors) {
			in.Name.Into(&c.Name)
			in.Kind.Into(&c.Of)
			record.ExtraInto(c, in.Extra, &c.Extra)
		},
		View: func(c *category, _ resource.Viewer) Category {
			return Category{ID: c.ID, CreatedAt: c.CreatedAt(), UpdatedAt: c.UpdatedAt(), Name: c.Name, Kind: c.Of, Extra: c.Extra}
		},
	}
}
