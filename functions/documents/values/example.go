package values

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/functions/clients/client"
	"github.com/tenantry/tenantry/functions/documents/template"
	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/customfield"
)

// Example is a source whose company and custom fields are the company's own, and whose client and order are made up. It has a date of
// its own, so that examples are the same each day.
func Example(ctx context.Context, w *record.Work, about template.Subject) (*Source, error) {
	s, err := open(ctx, w, about)
	if err != nil {
		return nil, err
	}
	now := time.Date(2026, time.March, 2, 9, 30, 0, 0, time.UTC)
	s.Document = Document{Number: 1, Name: "Договор аренды", At: now}
	s.client = s.exampleClient()
	if about == template.OfOrder {
		s.exampleOrder(now)
	}
	return s, nil
}

func (s *Source) exampleClient() *client.Client {
	trader := client.SoleTrader
	deposit := money.Whole(50_000)
	signed, expires := decode.Date("2026-03-02"), decode.Date("2027-03-02")
	issued, until, born := decode.Date("2020-05-14"), decode.Date("2030-05-13"), decode.Date("1992-11-30")
	c := &client.Client{
		Name: "Қасымова Әсел Ерланқызы", LegalType: &trader, Phone: ptr("+77012345678"), Email: ptr("assel@example.com"),
		Comment: ptr("Постоянный клиент"), Deposit: &deposit, SignDate: &signed, SignExpires: &expires, Extra: s.examples("client"),
		Individual: &client.Individual{
			IIN: ptr("921130401234"), DocumentNumber: ptr("012345678"), IssueDate: &issued, IssueDateEnd: &until, BirthDate: &born,
		},
		Legal: &client.Legal{
			BIN: ptr(
				"140340010302",
			), Director: ptr("Ахметов Тимур Болатович"), BIK: ptr("HSBKKZKX"), Bank: ptr("АО «Народный Банк Казахстана»"),
			IBAN: ptr("KZ86125KZT5004100100"), Address: ptr("г. Алматы, пр. Абая, 1"),
		},
	}
	c.ID = 1
	return c
}

// exampleOrder makes up an order of two items for three days, with a delivery.
func (s *Source) exampleOrder(now time.Time) {
	local := now.In(s.zone)
	start := time.Date(local.Year(), local.Month(), local.Day()+1, 10, 0, 0, 0, s.zone)
	from, to := moment.Of(start), moment.Of(start.AddDate(0, 0, 3))
	point, back := int64(1), int64(2)
	s.points = map[int64]place{point: {"Аэропорт", "г. Алматы, ул. Майлина, 2"}, back: {"Центр", "г. Алматы, пр. Абая, 1"}}
	for i, it := range []item.Item{
		{
			Name: "Toyota Camry", UniqueID: ptr("C-01"), SellPrice: ptr(money.Whole(14_500_000)), Extra: s.examples("inventory"),
			Car: &item.Car{
				Brand: ptr("Toyota"), Model: ptr("Camry"), Number: ptr("123ABC02"), TechPassport: ptr("AB00123456"), Serial: ptr("SN-4711"),
				VIN: ptr("JTNBE46K073000001"), Extra: s.examples("inventory_car", "inventory_scooter", "inventory_motorcycle"),
			},
		},
		{Name: "Детское кресло", UniqueID: ptr("S-07"), SellPrice: ptr(money.Whole(60_000)), Extra: s.examples("inventory")},
	} {
		it.ID = int64(i + 1)
		price := []int64{90_000, 6_000}[i]
		s.lines = append(s.lines, line{&order.Line{Start: from, End: to, Terms: order.Terms{
			Name: ptr("Сутки"), Cost: money.Whole(price / 3), Price: money.Whole(price), PriceDiscount: money.Whole(price / 10),
		}}, &it})
	}
	s.services = []*order.ServiceLine{{Title: "Доставка по Алматы", Count: 1, Terms: order.Terms{
		Name: ptr("В одну сторону"), Cost: money.Whole(5_000), Price: money.Whole(5_000),
	}}}
	s.order = &order.Order{
		UniqueID: ptr("17"), RentStart: &from, RentEnd: &to, FactStart: &from, FactEnd: &to, Point: &point, PointReturn: &back,
		TaxPercent: money.Whole(12), TaxIncluded: true, Extra: s.examples("order"), GrossInventory: money.Whole(96_000),
		GrossService: money.Whole(5_000), PriceDiscount: money.Whole(9_600), Tax: money.FromCents(979_286), Price: money.Whole(91_400),
		PaidAmount: money.Whole(50_000), Deposits: []order.Deposit{{Amount: money.Whole(50_000)}},
		Fees: []order.Fee{{Amount: money.Whole(3_000)}},
	}
	s.order.ID, s.order.Created = 17, moment.Of(now)
}

func ptr[T any](v T) *T { return &v }

// examples makes up the custom fields of some keys.
func (s *Source) examples(keys ...string) decode.JSON {
	fields := map[string]any{}
	for _, key := range keys {
		for _, d := range s.fields[key].List {
			fields[d.Name] = example(d)
		}
	}
	made, err := json.Marshal(fields)
	if err != nil {
		return nil // texts and numbers are always encoded
	}
	return made
}

func example(d customfield.Definition) any {
	switch d.Type {
	case "string":
		return cmp.Or(firstChoice(d.Options), d.Placeholder, d.Label)
	case "html":
		return fmt.Sprintf("<p>%s</p>", d.Label)
	case "decimal":
		return "10.50"
	case "boolean":
		return true
	case "date":
		return "2026-11-22"
	case "datetime":
		return "2026-11-22T09:30:00Z"
	case "color":
		return "#1a7f37"
	}
	return 1
}

// firstChoice is the first of the choices of a field, which are texts, or objects with a value; empty if there are none.
func firstChoice(options string) string {
	var choices []any
	if json.Unmarshal([]byte(options), &choices) != nil || len(choices) == 0 {
		return ""
	}
	if object, ok := choices[0].(map[string]any); ok {
		return text(object["value"])
	}
	return text(choices[0])
}
