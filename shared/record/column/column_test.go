package column_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/decode/kz"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record/column"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// car has a value of each type.
type car struct {
	Ready  bool
	State  *int64
	Places *int64
	Owner  *int64
	Price  *money.Amount
	Bought *decode.Date
	Seen   *int64
	Due    *int64
	Phone  *string
	City   *string
	Make   *string
}

const all = column.Equal | column.In | column.Range | column.Order

func columns() []column.Column[car] {
	const texts = column.Equal | column.In | column.Order
	return []column.Column[car]{
		column.Flag("ready", "r", func(c *car) bool { return c.Ready }).For(column.Equal | column.Order),
		column.Choice("state", "s", func(c *car) *int64 { return c.State }, 0, 1, 5).For(all),
		column.Number("places", "n", func(c *car) *int64 { return c.Places }).For(all),
		column.Reference("owner", "o", func(c *car) *int64 { return c.Owner }).For(all),
		column.Amount("price", "a", func(c *car) *money.Amount { return c.Price }).For(all),
		column.Day("bought", "d", func(c *car) *decode.Date { return c.Bought }).For(all),
		column.Moment("seen", "m", func(c *car) *int64 { return c.Seen }).For(all),
		column.Digits("phone", "p", func(c *car) *string { return c.Phone }, kz.Phone, spell).For(column.Equal | column.Search),
		column.Text("city", "c", func(c *car) *string { return c.City }).For(texts),
		column.Name("make", "k", func(c *car) *string { return c.Make },
			column.Named{Names: []string{"LadaVesta", "lada_vesta"}, Stored: "lad"}, column.Named{Names: []string{"BMW"}, Stored: "bmw"}).For(texts),
		column.Second("due", "u", func(c *car) *int64 { return c.Due }).For(all),
	}
}

func spell(n int64) []string { return []string{fmt.Sprint(n), "8" + fmt.Sprint(n)[1:]} }

func to[T any](v T) *T { return &v }

func amount(t *testing.T, s string) *money.Amount {
	t.Helper()
	a, err := money.ParseAmount(s)
	if err != nil {
		t.Fatal(err)
	}
	return &a
}

func almaty() (*time.Location, error) { return time.LoadLocation("Asia/Almaty") }

// A parameter takes exactly the records that its words mean, and refuses what its column
// can't have as the field would.
func TestParameters(t *testing.T) {
	midnight := time.Date(2026, 3, 2, 0, 0, 0, 0, time.FixedZone("", 5*60*60)).UnixMicro() // of Almaty
	hour := time.Hour.Microseconds()
	cars := []car{
		{},
		{Ready: true, State: to[int64](0), Places: to[int64](-3), Owner: to[int64](7), Price: amount(t, "0"), Bought: to(decode.Date("1969-12-31"))},
		{State: to[int64](5), Places: to[int64](0), Owner: to[int64](8), Price: amount(t, "-0.01"), Bought: to(decode.Date("2026-03-02"))},
		{Seen: to(midnight - 1), Phone: to("+77011234567"), City: to("Алматы"), Make: to("lad"), Price: amount(t, "99999999999999.99")},
		{Seen: &midnight, City: to("Астана, Есиль"), Make: to("bmw"), Places: to[int64](1 << 62), Due: to(midnight + 999_999)},
		{Seen: to(midnight + 24*hour - 1)},
		{Seen: to(midnight + 24*hour)},
	}
	for _, tt := range []struct{ param, value, want string }{
		{"ready", "true", "1"},
		{"ready", "False", "0 2 3 4 5 6"},
		{"ready", "1", "1"},
		{"ready", "maybe", fault.BadBoolean},
		{"state", "0", "1"},
		{"state", "7", `"7" is not a valid choice.`},
		{"state__in", "0, 5", "1 2"},
		{"state__in", "0,7", `"7" is not a valid choice.`},
		{"state__gte", "1", "2"},
		{"places", "0", "2"},
		{"places", "x", fault.BadInteger},
		{"places__gte", "-3", "1 2 4"},
		{"places__lte", "-1", "1"},
		{"owner", "8", "2"},
		{"owner", "9223372036854775808", fault.BadInteger},
		{"owner__in", "7,8,9", "1 2"},
		{"price", "0.00", "1"},
		{"price", "0.001", fault.BadDecimals},
		{"price__gte", "0", "1 3"},
		{"price__lte", "-0.01", "2"},
		{"bought", "2026-03-02", "2"},
		{"bought", "2026-02-30", fault.BadDate},
		{"bought__lte", "1970-01-01", "1"},
		{"seen", "2026-03-01T19:00:00Z", "4"},
		{"seen", "2026-03-02T00:00", "4"},
		{"seen", "2026-03-02", "4 5"},
		{"seen__gte", "2026-03-02", "4 5 6"},
		{"seen__lte", "2026-03-02", "3 4 5"},
		{"seen", "yesterday", fault.BadDatetime},
		{"due", "2026-03-02T00:00:00", "4"},
		{"due__gte", "2026-03-02", "4"},
		{"due__gte", "2026-03-02T00:00:01", ""},
		{"phone", "8 (701) 123-45-67", "3"},
		{"phone", "+7 701 123 45 68", ""},
		{"phone", "nobody", ""},
		{"city", "алматы", "3"},
		{"city", "астана, есиль", "4"},
		{"city__in", "астана, есиль", ""},
		{"city__in", "алматы,нигде", "3"},
		{"make", "LADA_vesta", "3"},
		{"make", "ladavesta", "3"},
		{"make", "lad", `"lad" is not a valid choice.`},
		{"make__in", "BMW,LadaVesta", "3 4"},
	} {
		t.Run(tt.param+"="+tt.value, func(t *testing.T) {
			if got := found(t, cars, tt.param, tt.value); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// found are the cars that a parameter takes, or what is wrong with it.
func found(t *testing.T, cars []car, param, value string) string {
	t.Helper()
	for _, c := range columns() {
		for _, p := range c.Parameters() {
			if p.Name != param {
				continue
			}
			var q search.Query
			if err := p.Add(&q, value, almaty); err != nil {
				var wrong column.Wrong
				if !errors.As(err, &wrong) {
					t.Fatal(err)
				}
				return wrong.Error()
			}
			return taken(t, cars, q)
		}
	}
	t.Fatalf("no parameter is called %s", param)
	return ""
}

// taken are the cars that a query takes, of which every value fits its entry whole.
func taken(t *testing.T, cars []car, q search.Query) string {
	t.Helper()
	var list []string
	company := table.Of(tabletest.New(t), 7)
	for i := range cars {
		v := valuesOf(&cars[i])
		fits := q.Filter == nil || q.Filter(search.New(company, "zz", v, search.TextBytes).Entry(1))
		for _, one := range q.Texts {
			text, has := v.Texts[one.Field]
			fits = fits && has && slices.ContainsFunc(one.Texts, func(s string) bool { return search.Fold(s) == search.Fold(text) })
		}
		if fits {
			list = append(list, fmt.Sprint(i))
		}
	}
	return strings.Join(list, " ")
}

func valuesOf(c *car) search.Values {
	v := search.Values{Numbers: map[string]int64{}, Texts: map[string]string{}}
	for _, column := range columns() {
		column.Put(c, &v)
	}
	return v
}

// A moment without an offset means nothing where nobody says which zone it is of, and a
// zone that can't be read is no fault of the caller.
func TestZones(t *testing.T) {
	seen := columns()[6].Parameters()[0]
	var q search.Query
	if err := seen.Add(&q, "2026-03-02", nil); err == nil || err.Error() != fault.BadDatetime {
		t.Errorf("without a zone: %v", err)
	}
	down := errors.New("down")
	if err := seen.Add(&q, "2026-03-02", func() (*time.Location, error) { return nil, down }); !errors.Is(err, down) {
		t.Errorf("with no zone to be had: %v", err)
	}
	if err := seen.Add(&q, "2026-03-02T00:00:00+05:00", nil); err != nil {
		t.Errorf("with an offset: %v", err)
	}
}

// A column takes no more room of an entry than it says.
func TestRoom(t *testing.T) {
	city := strings.Repeat("город ", 10)
	largest := car{
		Ready: true, State: to[int64](5), Places: to[int64](-9_223_372_036_854_775_807), Owner: to[int64](999_999_999_999), Price: amount(t, "-99999999999999.99"),
		Bought: to(decode.Date("9999-12-31")), Seen: to[int64](253_402_300_799_999_999),
		Due: to[int64](-62_135_596_800_000_000), Phone: to("+999999999999999"), City: &city, Make: to("lad"),
	}
	company := table.Of(tabletest.New(t), 7)
	for _, c := range columns() {
		v := search.Values{Numbers: map[string]int64{}, Texts: map[string]string{}}
		bare := search.New(company, "zz", v, search.TextBytes).X.Size()
		c.Put(&largest, &v)
		if size := search.New(company, "zz", v, search.TextBytes).X.Size() - bare; size > c.Most() {
			t.Errorf("%s takes %d bytes, and says %d", c.Name, size, c.Most())
		}
	}
}

func TestWholeNumbers(t *testing.T) {
	phone := columns()[7]
	for text, want := range map[string]string{
		"+7 (701) 123-45-67": "77011234567", "8 701 123 45 67": "87011234567", "7011234567": "7011234567", " 00 7 701 123 45 67 ": "77011234567",
		"701 12": "", "Анна": "", "": "",
	} {
		if got, _ := phone.Whole(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if word, ok := columns()[0].Whole("1"); ok {
		t.Errorf("a flag is searched: %q", word)
	}
}
