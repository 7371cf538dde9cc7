package values

import (
	"slices"
	"strconv"

	"github.com/tenantry/tenantry/functions/clients/client"
	"github.com/tenantry/tenantry/functions/documents/template"
	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/files/uploads"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
)

// variables are the variables that have one value, in the order in which editors list them.
func (s *Source) variables() []field {
	list := slices.Concat(ofDocument(), ofCompany(), s.ofClient())
	if s.about == template.OfOrder {
		list = append(list, s.ofOrder()...)
	}
	return list
}

// lists are the variables with rows.
func (s *Source) lists() []list {
	if s.about != template.OfOrder {
		return nil
	}
	return []list{
		{"order.lines", "The item lines of the order.", s.ofLine(), func() (rows []scope) {
			for i, l := range s.lines {
				rows = append(rows, scope{Source: s, number: i + 1, line: l})
			}
			return rows
		}},
		{"order.services", "The service lines of the order.", ofService(), func() (rows []scope) {
			for i, l := range s.services {
				rows = append(rows, scope{Source: s, number: i + 1, service: l})
			}
			return rows
		}},
	}
}

func ofDocument() []field {
	return slices.Concat(
		one("document.number", "The id of the document.", func(s scope) string { return strconv.FormatInt(s.Document.Number, 10) }),
		one("document.name", "The name of the document.", func(s scope) string { return s.Document.Name }),
		timed("document.date", "When the document was created, where the company is.", func(s scope) *moment.Micros {
			return ptr(moment.Of(s.Document.At))
		}),
	)
}

func ofCompany() []field {
	return slices.Concat(
		one("company.name", "The name of the company.", func(s scope) string { return s.company.Name }),
		one("company.address", "The address of the company.", func(s scope) string { return s.company.Address }),
		maybe("company.bin", "The BIN of the company.", func(s scope) *string { return s.company.BIN }),
		maybe("company.phone", "The telephone of the company.", func(s scope) *string { return s.company.Phone }),
		maybe("company.email", "The e-mail address of the company.", func(s scope) *string { return s.company.Email }),
		maybe("company.country", "The country of the company, in two letters.", func(s scope) *string { return s.company.Country }),
		one("company.currency", "The currency of the company, in three letters.", func(s scope) string { return s.company.Currency }),
		image("company.logo", "The uploaded logo of the company, for the src of an img.", func(s scope) string {
			return "/v1/tenant/" + strconv.FormatInt(s.company.ID, 10) + "/logo/"
		}, func(s scope) *uploads.Image { return s.company.Logo }),
	)
}

// clients is a value of the client; an order may have none.
func clients[V any](of func(*client.Client) V) func(scope) V {
	return func(s scope) (v V) {
		if s.client != nil {
			v = of(s.client)
		}
		return v
	}
}

// persons is a value of what is known of the client as a person, and firms as a firm.
func persons[V any](of func(*client.Individual) V) func(scope) V {
	return clients(func(c *client.Client) (v V) {
		if c.Individual != nil {
			v = of(c.Individual)
		}
		return v
	})
}

func firms[V any](of func(*client.Legal) V) func(scope) V {
	return clients(func(c *client.Client) (v V) {
		if c.Legal != nil {
			v = of(c.Legal)
		}
		return v
	})
}

// flag is a variable to be asked for with {{#if}}.
func flag(name, says string, of func(scope) bool) []field {
	return one(name, says+" For {{#if}}: ✓ or empty.", func(s scope) string { return text(of(s)) })
}

func (s *Source) ofClient() []field {
	legal := func(s scope) bool { return s.client != nil && s.client.Type == client.TypeLegal }
	list := slices.Concat(
		one("client.id", "The id of the client.", clients(func(c *client.Client) string { return strconv.FormatInt(c.ID, 10) })),
		one("client.name", "The name of the client.", clients(func(c *client.Client) string { return c.Name })),
		flag("client.is_individual", "Whether the client is a person.", func(s scope) bool { return s.client != nil && !legal(s) }),
		flag("client.is_legal", "Whether the client is a legal entity or a sole trader.", legal),
	)
	for i, language := range []string{"ru", "kk", "en"} {
		list = append(list, one("client.legal_type."+language, "The legal form of the client.", func(s scope) string {
			if s.client == nil || s.client.LegalType == nil {
				return ""
			}
			return legalForm(*s.client.LegalType)[i]
		})...)
	}
	return slices.Concat(
		list,
		maybe("client.phone", "The telephone of the client.", clients(func(c *client.Client) *string { return c.Phone })),
		maybe("client.email", "The e-mail address of the client.", clients(func(c *client.Client) *string { return c.Email })),
		maybe("client.comment", "The comment on the client.", clients(func(c *client.Client) *string { return c.Comment })),
		amount("client.deposit", "The deposit of the client.", clients(func(c *client.Client) *money.Amount { return c.Deposit })),
		day(
			"client.sign_date",
			"When the client signed the agreement.",
			clients(func(c *client.Client) *decode.Date { return c.SignDate }),
		),
		day(
			"client.sign_expires",
			"Until when the agreement is valid.",
			clients(func(c *client.Client) *decode.Date { return c.SignExpires }),
		),
		image("client.avatar", "The uploaded picture of the client, for the src of an img.", func(s scope) string {
			return kinds.Of(kinds.Client).One(s.client.ID) + "avatar/"
		}, clients(func(c *client.Client) *uploads.Image { return c.Avatar })),
		maybe("client.individual.iin", "The IIN of the client.", persons(func(p *client.Individual) *string { return p.IIN })),
		maybe("client.individual.document_number", "The number of the client's identity document.",
			persons(func(p *client.Individual) *string { return p.DocumentNumber })),
		day("client.individual.issue_date", "When the identity document was issued.",
			persons(func(p *client.Individual) *decode.Date { return p.IssueDate })),
		day("client.individual.issue_date_end", "Until when the identity document is valid.",
			persons(func(p *client.Individual) *decode.Date { return p.IssueDateEnd })),
		day(
			"client.individual.birth_date",
			"The client's date of birth.",
			persons(func(p *client.Individual) *decode.Date { return p.BirthDate }),
		),
		maybe("client.legal.bin", "The BIN of the client.", firms(func(f *client.Legal) *string { return f.BIN })),
		maybe("client.legal.director", "The director of the client.", firms(func(f *client.Legal) *string { return f.Director })),
		maybe("client.legal.bik", "The BIK of the client's bank.", firms(func(f *client.Legal) *string { return f.BIK })),
		maybe("client.legal.bank", "The client's bank.", firms(func(f *client.Legal) *string { return f.Bank })),
		maybe("client.legal.iban", "The client's account.", firms(func(f *client.Legal) *string { return f.IBAN })),
		maybe("client.legal.address", "The address of the client.", firms(func(f *client.Legal) *string { return f.Address })),
		s.extras("client.extra.", "clients", clients(func(c *client.Client) decode.JSON { return c.Extra }), "client"),
	)
}

// legalForm is a legal form as contracts name it: in Russian, Kazakh and English.
func legalForm(of client.LegalType) [3]string {
	switch of {
	case client.SoleTrader:
		return [3]string{"ИП", "ЖК", "sole trader"}
	case client.LLP:
		return [3]string{"ТОО", "ЖШС", "LLP"}
	case client.JSC:
		return [3]string{"АО", "АҚ", "JSC"}
	case client.Cooperative:
		return [3]string{"Производственный кооператив", "Өндірістік кооператив", "production cooperative"}
	}
	return [3]string{}
}

// rentalPoint are the variables of a rental point of the order.
func rentalPoint(name, what string, of func(s scope) *int64) []field {
	at := func(s scope) (p place) {
		if id := of(s); id != nil {
			p = s.points[*id]
		}
		return p
	}
	return slices.Concat(
		one(name+".name", "The name of the rental point "+what+".", func(s scope) string { return at(s).name }),
		one(name+".address", "The address of the rental point "+what+".", func(s scope) string { return at(s).address }),
	)
}

// sum is the value of an amount that is always set.
func sum(of func(s scope) money.Amount) func(scope) *money.Amount {
	return func(s scope) *money.Amount {
		a := of(s)
		return &a
	}
}

func (s *Source) ofOrder() []field {
	return slices.Concat(
		one("order.id", "The id of the order.", func(s scope) string { return strconv.FormatInt(s.order.ID, 10) }),
		one("order.number", "The number of the order: its unique_id.", func(s scope) string { return s.order.Number() }),
		timed("order.created", "When the order was made.", func(s scope) *moment.Micros { return &s.order.Created }),
		timed("order.start", "When the rent begins, as planned.", func(s scope) *moment.Micros {
			start, _ := s.order.Time()
			return start
		}),
		timed("order.end", "When the rent ends, as planned.", func(s scope) *moment.Micros {
			_, end := s.order.Time()
			return end
		}),
		timed("order.fact_start", "When the first item was handed out.", func(s scope) *moment.Micros { return s.order.FactStart }),
		timed("order.fact_end", "When the last item came back.", func(s scope) *moment.Micros { return s.order.FactEnd }),
		rentalPoint("order.point", "where the items are handed out", func(s scope) *int64 { return s.order.Point }),
		rentalPoint("order.point_return", "where the items are taken back", func(s scope) *int64 { return s.order.PointReturn }),
		amount(
			"order.price_inventory",
			"All item lines before discounts.",
			sum(func(s scope) money.Amount { return s.order.GrossInventory }),
		),
		amount(
			"order.price_service",
			"All service lines before discounts.",
			sum(func(s scope) money.Amount { return s.order.GrossService }),
		),
		amount("order.price_discount", "All discounts.", sum(func(s scope) money.Amount { return s.order.PriceDiscount })),
		one("order.tax_percent", "The tax in percent.", func(s scope) string { return figures(&s.order.TaxPercent) }),
		flag("order.tax_included", "Whether the tax is inside the prices.", func(s scope) bool { return s.order.TaxIncluded }),
		amount("order.tax", "The tax.", sum(func(s scope) money.Amount { return s.order.Tax })),
		amount("order.total", "The price of the order: all lines less all discounts, with the tax.",
			sum(func(s scope) money.Amount { return s.order.Price })),
		amount("order.penalties", "Late fees and fees.", sum(func(s scope) money.Amount { return s.order.AllFees() })),
		amount("order.paid", "What was paid.", sum(func(s scope) money.Amount { return s.order.PaidAmount })),
		amount("order.debt", "What is still owed.", sum(func(s scope) money.Amount { return s.order.Shown().Debt })),
		amount("order.deposit", "The deposits of the order; empty if there are none.", func(s scope) *money.Amount {
			if len(s.order.Deposits) == 0 {
				return nil
			}
			var all money.Amount
			for _, d := range s.order.Deposits {
				all = all.Add(d.Amount)
			}
			return &all
		}),
		s.extras("order.extra.", "orders", func(s scope) decode.JSON { return s.order.Extra }, "order"),
	)
}

// items is a value of the item of a line, and cars of the car that it may be.
func items[V any](of func(*item.Item) V) func(scope) V {
	return func(s scope) (v V) {
		if s.line.item != nil {
			v = of(s.line.item)
		}
		return v
	}
}

func cars[V any](of func(*item.Car) V) func(scope) V {
	return items(func(it *item.Item) (v V) {
		if it.Car != nil {
			v = of(it.Car)
		}
		return v
	})
}

func (s *Source) ofLine() []field {
	return slices.Concat(
		one("number", "The number of the row, from 1.", func(s scope) string { return strconv.Itoa(s.number) }),
		one("inventory.name", "The name of the item.", items(func(it *item.Item) string { return it.Name })),
		maybe("inventory.unique_id", "The unique_id of the item.", items(func(it *item.Item) *string { return it.UniqueID })),
		image("inventory.image", "The uploaded picture of the item, for the src of an img.", func(s scope) string {
			return kinds.Of(kinds.Inventory).One(s.line.item.ID) + "image/"
		}, items(func(it *item.Item) *uploads.Image { return it.Image })),
		amount("inventory.sell_price", "What the item is worth.", items(func(it *item.Item) *money.Amount { return it.SellPrice })),
		maybe("inventory.car.brand", "The brand of the car.", cars(func(c *item.Car) *string { return c.Brand })),
		maybe("inventory.car.model", "The model of the car.", cars(func(c *item.Car) *string { return c.Model })),
		maybe("inventory.car.number", "The number plate of the car.", cars(func(c *item.Car) *string { return c.Number })),
		maybe("inventory.car.tech_passport", "The tech passport of the car.", cars(func(c *item.Car) *string { return c.TechPassport })),
		maybe("inventory.car.serial", "The serial number of the car.", cars(func(c *item.Car) *string { return c.Serial })),
		maybe("inventory.car.vin", "The VIN of the car.", cars(func(c *item.Car) *string { return c.VIN })),
		s.extras("inventory.extra.", "items", items(func(it *item.Item) decode.JSON { return it.Extra }), "inventory"),
		s.extras("inventory.car.extra.", "cars", cars(func(c *item.Car) decode.JSON { return c.Extra }),
			"inventory_car", "inventory_scooter", "inventory_motorcycle"),
		maybe("tariff", "The name of the tariff, as it was when it was chosen.", func(s scope) *string { return s.line.Name }),
		amount("tariff_price", "The price of the tariff.", sum(func(s scope) money.Amount { return s.line.Cost })),
		timed("start", "When the rent of the item begins, as planned.", func(s scope) *moment.Micros { return &s.line.Start }),
		timed("end", "When the rent of the item ends, as planned; nothing for a sale.", func(s scope) *moment.Micros {
			if s.line.End == 0 {
				return nil
			}
			return &s.line.End
		}),
		amount("price", "The price of the line before discounts.", sum(func(s scope) money.Amount { return s.line.Price })),
		amount("discount", "The discounts of the line.", sum(func(s scope) money.Amount { return s.line.PriceDiscount })),
		amount("total", "The price of the line with its discounts.",
			sum(func(s scope) money.Amount { return s.line.Price.Sub(s.line.PriceDiscount) })),
	)
}

func ofService() []field {
	return slices.Concat(
		one("number", "The number of the row, from 1.", func(s scope) string { return strconv.Itoa(s.number) }),
		one("name", "The name of the service, as it was when it was chosen.", func(s scope) string { return s.service.Title }),
		one("count", "How many.", func(s scope) string { return strconv.FormatInt(s.service.Count, 10) }),
		maybe("tariff", "The name of the tariff.", func(s scope) *string { return s.service.Name }),
		amount("tariff_price", "The price of the tariff.", sum(func(s scope) money.Amount { return s.service.Cost })),
		amount("price", "The price of the line before discounts.", sum(func(s scope) money.Amount { return s.service.Price })),
		amount("discount", "The discounts of the line.", sum(func(s scope) money.Amount { return s.service.PriceDiscount })),
		amount("total", "The price of the line with its discounts.",
			sum(func(s scope) money.Amount { return s.service.Price.Sub(s.service.PriceDiscount) })),
	)
}
