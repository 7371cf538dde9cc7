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
	"github.com/tenantry/tenantry/shared/say"
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
		{"order.lines", s.ofLine(), func() (rows []scope) {
			for i, l := range s.lines {
				rows = append(rows, scope{Source: s, number: i + 1, line: l})
			}
			return rows
		}},
		{"order.services", ofService(), func() (rows []scope) {
			for i, l := range s.services {
				rows = append(rows, scope{Source: s, number: i + 1, service: l})
			}
			return rows
		}},
	}
}

func ofDocument() []field {
	return slices.Concat(
		one("document.number", say.VariableDocumentNumber, func(s scope) string { return strconv.FormatInt(s.Document.Number, 10) }),
		one("document.name", say.VariableDocumentName, func(s scope) string { return s.Document.Name }),
		timed("document.date", say.VariableDocumentDate, func(s scope) *moment.Micros {
			return ptr(moment.Of(s.Document.At))
		}),
	)
}

func ofCompany() []field {
	return slices.Concat(
		one("company.name", say.VariableCompanyName, func(s scope) string { return s.company.Name }),
		one("company.address", say.VariableCompanyAddress, func(s scope) string { return s.company.Address }),
		maybe("company.bin", say.VariableCompanyBIN, func(s scope) *string { return s.company.BIN }),
		maybe("company.phone", say.VariableCompanyPhone, func(s scope) *string { return s.company.Phone }),
		maybe("company.email", say.VariableCompanyEmail, func(s scope) *string { return s.company.Email }),
		maybe("company.country", say.VariableCompanyCountry, func(s scope) *string { return s.company.Country }),
		one("company.currency", say.VariableCompanyCurrency, func(s scope) string { return s.company.Currency }),
		image("company.logo", say.VariableCompanyLogo, func(s scope) string {
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
func flag(name string, says say.Message, of func(scope) bool) []field {
	return one(name, say.VariableFlag(says, "{{#if}}"), func(s scope) string { return text(of(s)) })
}

func (s *Source) ofClient() []field {
	legal := func(s scope) bool { return s.client != nil && s.client.Type == client.TypeLegal }
	list := slices.Concat(
		one("client.id", say.VariableClientID, clients(func(c *client.Client) string { return strconv.FormatInt(c.ID, 10) })),
		one("client.name", say.VariableClientName, clients(func(c *client.Client) string { return c.Name })),
		flag("client.is_individual", say.VariableClientIsIndividual, func(s scope) bool { return s.client != nil && !legal(s) }),
		flag("client.is_legal", say.VariableClientIsLegal, legal),
	)
	for i, language := range []string{"ru", "kk", "en"} {
		list = append(list, one("client.legal_type."+language, say.VariableClientLegalType, func(s scope) string {
			if s.client == nil || s.client.LegalType == nil {
				return ""
			}
			return legalForm(*s.client.LegalType)[i]
		})...)
	}
	return slices.Concat(
		list,
		maybe("client.phone", say.VariableClientPhone, clients(func(c *client.Client) *string { return c.Phone })),
		maybe("client.email", say.VariableClientEmail, clients(func(c *client.Client) *string { return c.Email })),
		maybe("client.comment", say.VariableClientComment, clients(func(c *client.Client) *string { return c.Comment })),
		amount("client.deposit", say.VariableClientDeposit, clients(func(c *client.Client) *money.Amount { return c.Deposit })),
		day(
			"client.sign_date",
			say.VariableClientSignDate,
			clients(func(c *client.Client) *decode.Date { return c.SignDate }),
		),
		day(
			"client.sign_expires",
			say.VariableClientSignExpires,
			clients(func(c *client.Client) *decode.Date { return c.SignExpires }),
		),
		image("client.avatar", say.VariableClientAvatar, func(s scope) string {
			return kinds.Of(kinds.Client).One(s.client.ID) + "avatar/"
		}, clients(func(c *client.Client) *uploads.Image { return c.Avatar })),
		maybe("client.individual.iin", say.VariableClientIIN, persons(func(p *client.Individual) *string { return p.IIN })),
		maybe("client.individual.document_number", say.VariableClientDocumentNumber,
			persons(func(p *client.Individual) *string { return p.DocumentNumber })),
		day("client.individual.issue_date", say.VariableClientIssueDate,
			persons(func(p *client.Individual) *decode.Date { return p.IssueDate })),
		day("client.individual.issue_date_end", say.VariableClientIssueDateEnd,
			persons(func(p *client.Individual) *decode.Date { return p.IssueDateEnd })),
		day(
			"client.individual.birth_date",
			say.VariableClientBirthDate,
			persons(func(p *client.Individual) *decode.Date { return p.BirthDate }),
		),
		maybe("client.legal.bin", say.VariableClientBIN, firms(func(f *client.Legal) *string { return f.BIN })),
		maybe("client.legal.director", say.VariableClientDirector, firms(func(f *client.Legal) *string { return f.Director })),
		maybe("client.legal.bik", say.VariableClientBIK, firms(func(f *client.Legal) *string { return f.BIK })),
		maybe("client.legal.bank", say.VariableClientBank, firms(func(f *client.Legal) *string { return f.Bank })),
		maybe("client.legal.iban", say.VariableClientIBAN, firms(func(f *client.Legal) *string { return f.IBAN })),
		maybe("client.legal.address", say.VariableClientAddress, firms(func(f *client.Legal) *string { return f.Address })),
		s.extras("client.extra.", say.VariableCustomOfClients, clients(func(c *client.Client) decode.JSON { return c.Extra }), "client"),
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
func rentalPoint(name string, called, where say.Message, of func(s scope) *int64) []field {
	at := func(s scope) (p place) {
		if id := of(s); id != nil {
			p = s.points[*id]
		}
		return p
	}
	return slices.Concat(
		one(name+".name", called, func(s scope) string { return at(s).name }),
		one(name+".address", where, func(s scope) string { return at(s).address }),
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
		one("order.id", say.VariableOrderID, func(s scope) string { return strconv.FormatInt(s.order.ID, 10) }),
		one("order.number", say.VariableOrderNumber, func(s scope) string { return s.order.Number() }),
		timed("order.created", say.VariableOrderCreated, func(s scope) *moment.Micros { return &s.order.Created }),
		timed("order.start", say.VariableOrderStart, func(s scope) *moment.Micros {
			start, _ := s.order.Time()
			return start
		}),
		timed("order.end", say.VariableOrderEnd, func(s scope) *moment.Micros {
			_, end := s.order.Time()
			return end
		}),
		timed("order.fact_start", say.VariableOrderFactStart, func(s scope) *moment.Micros { return s.order.FactStart }),
		timed("order.fact_end", say.VariableOrderFactEnd, func(s scope) *moment.Micros { return s.order.FactEnd }),
		rentalPoint("order.point", say.VariableOrderPointName, say.VariableOrderPointAddress,
			func(s scope) *int64 { return s.order.Point }),
		rentalPoint("order.point_return", say.VariableOrderPointReturnName, say.VariableOrderPointReturnAddress,
			func(s scope) *int64 { return s.order.PointReturn }),
		amount(
			"order.price_inventory",
			say.VariableOrderPriceInventory,
			sum(func(s scope) money.Amount { return s.order.GrossInventory }),
		),
		amount(
			"order.price_service",
			say.VariableOrderPriceService,
			sum(func(s scope) money.Amount { return s.order.GrossService }),
		),
		amount("order.price_discount", say.VariableOrderPriceDiscount, sum(func(s scope) money.Amount { return s.order.PriceDiscount })),
		one("order.tax_percent", say.VariableOrderTaxPercent, func(s scope) string { return figures(&s.order.TaxPercent) }),
		flag("order.tax_included", say.VariableOrderTaxIncluded, func(s scope) bool { return s.order.TaxIncluded }),
		amount("order.tax", say.VariableOrderTax, sum(func(s scope) money.Amount { return s.order.Tax })),
		amount("order.total", say.VariableOrderTotal,
			sum(func(s scope) money.Amount { return s.order.Price })),
		amount("order.penalties", say.VariableOrderPenalties, sum(func(s scope) money.Amount { return s.order.AllFees() })),
		amount("order.paid", say.VariableOrderPaid, sum(func(s scope) money.Amount { return s.order.PaidAmount })),
		amount("order.debt", say.VariableOrderDebt, sum(func(s scope) money.Amount { return s.order.Shown().Debt })),
		amount("order.deposit", say.VariableOrderDeposit, func(s scope) *money.Amount {
			if len(s.order.Deposits) == 0 {
				return nil
			}
			var all money.Amount
			for _, d := range s.order.Deposits {
				all = all.Add(d.Amount)
			}
			return &all
		}),
		s.extras("order.extra.", say.VariableCustomOfOrders, func(s scope) decode.JSON { return s.order.Extra }, "order"),
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
		one("number", say.VariableRowNumber, func(s scope) string { return strconv.Itoa(s.number) }),
		one("inventory.name", say.VariableItemName, items(func(it *item.Item) string { return it.Name })),
		maybe("inventory.unique_id", say.VariableItemUniqueID, items(func(it *item.Item) *string { return it.UniqueID })),
		image("inventory.image", say.VariableItemImage, func(s scope) string {
			return kinds.Of(kinds.Inventory).One(s.line.item.ID) + "image/"
		}, items(func(it *item.Item) *uploads.Image { return it.Image })),
		amount("inventory.sell_price", say.VariableItemSellPrice, items(func(it *item.Item) *money.Amount { return it.SellPrice })),
		maybe("inventory.car.brand", say.VariableCarBrand, cars(func(c *item.Car) *string { return c.Brand })),
		maybe("inventory.car.model", say.VariableCarModel, cars(func(c *item.Car) *string { return c.Model })),
		maybe("inventory.car.number", say.VariableCarNumber, cars(func(c *item.Car) *string { return c.Number })),
		maybe("inventory.car.tech_passport", say.VariableCarTechPassport, cars(func(c *item.Car) *string { return c.TechPassport })),
		maybe("inventory.car.serial", say.VariableCarSerial, cars(func(c *item.Car) *string { return c.Serial })),
		maybe("inventory.car.vin", say.VariableCarVIN, cars(func(c *item.Car) *string { return c.VIN })),
		s.extras("inventory.extra.", say.VariableCustomOfItems, items(func(it *item.Item) decode.JSON { return it.Extra }), "inventory"),
		s.extras("inventory.car.extra.", say.VariableCustomOfCars, cars(func(c *item.Car) decode.JSON { return c.Extra }),
			"inventory_car", "inventory_scooter", "inventory_motorcycle"),
		maybe("tariff", say.VariableLineTariff, func(s scope) *string { return s.line.Name }),
		amount("tariff_price", say.VariableTariffPrice, sum(func(s scope) money.Amount { return s.line.Cost })),
		timed("start", say.VariableLineStart, func(s scope) *moment.Micros { return &s.line.Start }),
		timed("end", say.VariableLineEnd, func(s scope) *moment.Micros {
			if s.line.End == 0 {
				return nil
			}
			return &s.line.End
		}),
		amount("price", say.VariableLinePrice, sum(func(s scope) money.Amount { return s.line.Price })),
		amount("discount", say.VariableLineDiscount, sum(func(s scope) money.Amount { return s.line.PriceDiscount })),
		amount("total", say.VariableLineTotal,
			sum(func(s scope) money.Amount { return s.line.Price.Sub(s.line.PriceDiscount) })),
	)
}

func ofService() []field {
	return slices.Concat(
		one("number", say.VariableRowNumber, func(s scope) string { return strconv.Itoa(s.number) }),
		one("name", say.VariableServiceName, func(s scope) string { return s.service.Title }),
		one("count", say.VariableServiceCount, func(s scope) string { return strconv.FormatInt(s.service.Count, 10) }),
		maybe("tariff", say.VariableTariff, func(s scope) *string { return s.service.Name }),
		amount("tariff_price", say.VariableTariffPrice, sum(func(s scope) money.Amount { return s.service.Cost })),
		amount("price", say.VariableLinePrice, sum(func(s scope) money.Amount { return s.service.Price })),
		amount("discount", say.VariableLineDiscount, sum(func(s scope) money.Amount { return s.service.PriceDiscount })),
		amount("total", say.VariableLineTotal,
			sum(func(s scope) money.Amount { return s.service.Price.Sub(s.service.PriceDiscount) })),
	)
}
