package values

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/documents/merge"
	"github.com/tenantry/tenantry/functions/documents/template"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/files/uploads"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record/customfield"
)

// made is a source that is made up whole.
func made(t *testing.T, about template.Subject) *Source {
	t.Helper()
	zone, err := time.LoadLocation("Asia/Almaty")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, time.November, 22, 20, 30, 0, 0, time.UTC) // the 23rd in Almaty
	s := &Source{about: about, zone: zone, Base: "https://api.test", Document: Document{Number: 7, Name: "Договор", At: now}}
	s.company = company.Company{ID: 3, Name: "ТОО «Прокат»", Address: "Алматы", Currency: "KZT", Logo: new(uploads.Image)}
	s.fields = map[string]customfield.Set{
		"client": {List: []customfield.Definition{
			{Name: "Серия паспорта", Label: "Серия", Type: "string", Options: `[{"value":"N","label":"Новая"}]`},
			{Name: "vip", Label: "VIP", Type: "boolean"},
			{Name: "since", Label: "С", Type: "datetime"},
			{Name: "day", Label: "День", Type: "date"},
			{Name: "about", Label: "О себе", Type: "html"},
			{Name: "kids", Label: "Дети", Type: "integer"},
		}},
		"inventory_car": {List: []customfield.Definition{{Name: "colour", Label: "Цвет", Type: "color"}}},
	}
	s.client = s.exampleClient()
	if about == template.OfOrder {
		s.exampleOrder(now)
	}
	return s
}

// said is what a template becomes.
func said(t *testing.T, s *Source, source string) string {
	t.Helper()
	parsed, err := merge.Parse(source)
	if err != nil {
		t.Fatal(err)
	}
	got, err := parsed.Execute(s.Schema(), s.Values())
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestValues(t *testing.T) {
	s := made(t, template.OfOrder)
	for name, row := range map[string]struct{ template, want string }{
		"document":            {"{{document.number}} {{document.name}}", "7 Договор"},
		"a local day":         {"{{document.date_date}} {{document.date_time}} {{document.date}}", "23.11.2026 01:30 23.11.2026 01:30"},
		"a day in words":      {"{{document.date_words.ru}}", "23 ноября 2026 года"},
		"in Kazakh":           {"{{document.date_words.kk}}", "2026 жылғы 23 қараша"},
		"company":             {"{{company.name}}, {{company.currency}}", "ТОО «Прокат», KZT"},
		"logo":                {`<img src="{{company.logo}}">`, `<img src="https://api.test/v1/tenant/3/logo/">`},
		"unset":               {"[{{company.bin}}{{client.avatar}}]", "[]"},
		"client":              {"{{client.name}} {{client.individual.iin}} {{client.legal_type.kk}}", "Қасымова Әсел Ерланқызы 921130401234 ЖК"},
		"a date":              {"{{client.individual.birth_date}}", "30.11.1992"},
		"a flag that is set":  {"{{#if client.is_individual}}физлицо{{else}}юрлицо{{/if}}", "физлицо"},
		"a flag that is not":  {"{{#if client.is_legal}}юрлицо{{/if}}", ""},
		"custom, renamed":     {"{{client.extra.Серия_паспорта}}", "N"},
		"custom, of all":      {"{{client.extra.vip}} {{client.extra.since}} {{client.extra.day}} {{client.extra.about}} {{client.extra.kids}}", "✓ 22.11.2026 14:30 22.11.2026 О себе 1"},
		"order":               {"{{order.number}} {{order.start_date}} {{order.end}}", "17 24.11.2026 27.11.2026 10:00"},
		"a total":             {"{{order.total}}", "91\u00a0400,00"},
		"a total in words":    {"{{order.total_words.ru}}", "девяносто одна тысяча четыреста тенге 00 тиын"},
		"lines":               {"{{#each order.lines}}{{number}} {{inventory.name}} {{inventory.car.number}} {{total}};{{/each}}", "1 Toyota Camry 123ABC02 81\u00a0000,00;2 Детское кресло  5\u00a0400,00;"},
		"custom of a car":     {"{{#each order.lines}}[{{inventory.car.extra.colour}}]{{/each}}", "[#1a7f37][]"},
		"services":            {"{{#each order.services}}{{name}} × {{count}}: {{price_words.en}}{{/each}}", "Доставка по Алматы × 1: five thousand tenge 00 tiyn"},
		"points":              {"{{order.point.name}}, {{order.point_return.address}}", "Аэропорт, г. Алматы, пр. Абая, 1"},
		"deposits":            {"{{order.deposit}}", "50\u00a0000,00"},
		"debt with penalties": {"{{order.debt}}", "44\u00a0400,00"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := said(t, s, row.template); got != row.want {
				t.Errorf("got  %q\nwant %q", got, row.want)
			}
		})
	}
}

// An order may have no client, no points, no times and items that are gone: everything is empty then.
func TestNothingIsSet(t *testing.T) {
	s := made(t, template.OfOrder)
	s.client, s.points, s.company.Logo = nil, nil, nil
	s.order.RentStart, s.order.RentEnd, s.order.FactStart, s.order.FactEnd = nil, nil, nil, nil
	s.lines[0].item, s.lines[1].End, s.order.Deposits = nil, 0, nil
	const all = `{{client.name}}{{client.id}}{{client.avatar}}{{client.deposit_words.ru}}{{client.extra.vip}}{{client.individual.iin}}{{client.legal.bin}}` +
		`{{client.is_individual}}{{client.legal_type.ru}}{{order.point.name}}{{order.start}}{{order.start_words.kk}}{{company.logo}}{{order.deposit}}`
	if got := said(t, s, all); got != "" {
		t.Errorf("%q", got)
	}
	const rows = "{{#each order.lines}}[{{inventory.name}}{{inventory.image}}{{inventory.sell_price_words.ru}}]{{end_date}};{{/each}}"
	if got, want := said(t, s, rows), "[]27.11.2026;[Детское кресло"; !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "];") {
		t.Errorf("%q", got)
	}
}

// What editors list is what templates may use, and every one has an example but for images.
func TestVariables(t *testing.T) {
	for _, about := range []template.Subject{template.OfClient, template.OfOrder} {
		t.Run(string(about), func(t *testing.T) {
			s := made(t, about)
			var names []string
			for _, v := range s.Variables() {
				names = append(names, v.Name)
				image := strings.HasSuffix(v.Name, "avatar") || strings.HasSuffix(v.Name, "image")
				if v.Says == "" || v.Example == "" && !image && !slices.Contains(
					[]string{"company.bin", "company.phone", "company.email", "company.country", "client.is_legal"}, v.Name) {
					t.Errorf("%+v", v)
				}
			}
			slices.Sort(names)
			if paths := s.Schema().Paths(); !slices.Equal(names, paths) {
				t.Errorf("listed %v\nusable %v", names, paths)
			}
			if about == template.OfClient && slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, "order") }) {
				t.Error("a client has an order")
			}
		})
	}
}

func TestFigures(t *testing.T) {
	for cents, want := range map[int64]string{
		0: "0,00", 5: "0,05", 99_999: "999,99", 100_000: "1\u00a0000,00", -123_456_789: "-1\u00a0234\u00a0567,89", 10_000_000_000: "100\u00a0000\u00a0000,00",
	} {
		a := money.FromCents(cents)
		if got := figures(&a); got != want {
			t.Errorf("%d: %q, want %q", cents, got, want)
		}
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"passport": "passport", "Серия паспорта": "Серия_паспорта", "a.b": "a_b", "{{x}}": "__x__", "ИИН-1": "ИИН-1",
		strings.Repeat("я", 100): strings.Repeat("я", 64),
	} {
		if got := nameOf(name); got != want {
			t.Errorf("%q: %q", name, got)
		}
	}
}

func TestLanguage(t *testing.T) {
	for extra, want := range map[string]string{"": "ru", `{"language":"kk"}`: "kk", `{"language":"en"}`: "en", `{"language":"de"}`: "ru", `[1]`: "ru"} {
		s := &Source{company: company.Company{Extra: extra}}
		if got := s.Language(); got != want {
			t.Errorf("%s: %s", extra, got)
		}
		s.company.Language = "en"
		if got := s.Language(); got != "en" {
			t.Errorf("en, with %s: %s", extra, got)
		}
	}
}
