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
	"github.com/tenantry/tenantry/shared/enum"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/record/column"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/record/search/segment"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// car has a value of each type.
type car struct {
	record.Meta
	Ready  bool           `dynamo:"ry"`
	State  *state         `dynamo:"st,omitempty"`
	Places *int64         `dynamo:"pl,omitempty"`
	Owner  *int64         `dynamo:"ow,omitempty"`
	Price  *money.Amount  `dynamo:"pr"`
	Bought *decode.Date   `dynamo:"bo,omitempty"`
	Seen   *moment.Micros `dynamo:"se,omitempty"`
	Due    *moment.Micros `dynamo:"du,omitempty"`
	Phone  *string        `dynamo:"ph,omitempty"`
	City   *string        `dynamo:"ci,omitempty"`
	Plate  *string        `dynamo:"pt,omitempty"`
	Make   *string        `dynamo:"mk,omitempty"`
}

type state int64

func (state) Values() []enum.Value {
	return enum.Numbers(map[state]string{0: "new", 1: "used", 5: "worn"})
}

func columns() []column.Column[*car] {
	return []column.Column[*car]{
		column.Flag("ready", "r", func(c *car) bool { return c.Ready }),
		column.Choice("state", "s", func(c *car) *state { return c.State }),
		column.Number("places", "n", func(c *car) *int64 { return c.Places }),
		column.Reference("owner", "o", func(c *car) *int64 { return c.Owner }),
		column.Amount("price", "a", func(c *car) *money.Amount { return c.Price }),
		column.Day("bought", "d", func(c *car) *decode.Date { return c.Bought }),
		column.Moment("seen", "m", func(c *car) *moment.Micros { return c.Seen }),
		column.Digits("phone", "p", func(c *car) *string { return c.Phone }, kz.Phone, segment.Spelling{Width: 1, Trunk: true}),
		column.Text("city", "c", func(c *car) *string { return c.City }),
		column.Code("plate", "l", func(c *car) *string { return c.Plate }, func(text string) string { return strings.ReplaceAll(text, " ", "") }),
		column.Name("make", "k", func(c *car) *string { return c.Make },
			column.Named{Names: []string{"LadaVesta", "lada_vesta"}, Stored: "lad"}, column.Named{Names: []string{"BMW"}, Stored: "bmw"}),
		column.Second("due", "w", func(c *car) *moment.Micros { return c.Due }),
		column.Flag("secret", "x", func(*car) bool { return true }).Hide(),
	}
}

func kind() *record.Kind[*car] {
	return &record.Kind[*car]{Kind: kinds.Of(kinds.RentalPoint), Columns: columns(), Unaudited: true}
}

// created is when the first of the cars was made. Each of the next is made a day later, and so changed.
var created = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// stored writes cars, whose ids follow each other from 1.
func stored(t *testing.T, cars ...car) record.Scope {
	t.Helper()
	now := created
	s := record.Scope{Table: table.Of(tabletest.New(t), 7), Now: func() time.Time { return now }, Actor: audit.Actor{User: 3, Request: "r"}}
	for i := range cars {
		now = created.AddDate(0, 0, i)
		s.Actor.At = now
		if err := s.Do(t.Context(), nil, func(w *record.Work) error {
			kind().Create(w, "", &cars[i])
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

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
	midnight := moment.Of(time.Date(2026, 3, 2, 0, 0, 0, 0, time.FixedZone("", 5*60*60))) // of Almaty
	hour := moment.Micros(time.Hour.Microseconds())
	far := "Усть-Каменогорск, за рекой, у самого моста, дом "
	s := stored(
		t,
		car{},
		car{Ready: true, State: to[state](0), Places: to[int64](-3), Owner: to[int64](7), Price: amount(t, "0"), Bought: to(decode.Date("1969-12-31"))},
		car{State: to[state](5), Places: to[int64](0), Owner: to[int64](8), Price: amount(t, "-0.01"), Bought: to(decode.Date("2026-03-02"))},
		car{Seen: to(midnight - 1), Phone: to("+77011234567"), City: to("Алматы"), Make: to("lad"), Price: amount(t, "99999999999999.99")},
		car{Seen: &midnight, City: to("Астана, Есиль"), Make: to("bmw"), Places: to[int64](1 << 62), Due: to(midnight + 999_999)},
		car{Seen: to(midnight + 24*hour - 1), City: to(far + "2"), Plate: to("123ABC02")},
		car{Seen: to(midnight + 24*hour), City: to(far + "1"), Plate: to(""), Phone: to("+77770000000")},
	)
	for _, tt := range []struct{ param, value, want string }{
		{"ready", "true", "1"},
		{"ready", "False", "0 2 3 4 5 6"},
		{"ready", "1", "1"},
		{"ready", "maybe", say.InvalidBoolean.Error()},
		{"ready__in", "true", "1"},
		{"ready__in", "0,1", "0 1 2 3 4 5 6"},
		{"ready__in", "0,x", say.InvalidBoolean.Error()},
		{"ready__isnull", "true", ""},
		{"ready__isnull", "0", "0 1 2 3 4 5 6"},
		{"state", "0", "1"},
		{"state", "7", `"7" is not a valid choice.`},
		{"state__in", "0, 5", "1 2"},
		{"state__in", "0,7", `"7" is not a valid choice.`},
		{"state__gte", "1", "2"},
		{"state__lte", "1", "1"},
		{"state__lte", "2", `"2" is not a valid choice.`},
		{"state__isnull", "true", "0 3 4 5 6"},
		{"state__isnull", "false", "1 2"},
		{"state__isnull", "", say.InvalidBoolean.Error()},
		{"places", "0", "2"},
		{"places", "x", say.InvalidInteger.Error()},
		{"places__in", "0,-3,0", "1 2"},
		{"places__gte", "-3", "1 2 4"},
		{"places__gte", "-2", "2 4"},
		{"places__lte", "-1", "1"},
		{"places__isnull", "1", "0 3 5 6"},
		{"owner", "8", "2"},
		{"owner", "9223372036854775808", say.InvalidInteger.Error()},
		{"owner__in", "7,8,9", "1 2"},
		{"owner__in", strings.Repeat("8,", 99) + "7", "1 2"},
		{"owner__in", strings.Repeat("8,", 100) + "7", "Ensure this field has no more than 100 elements."},
		{"owner__in", "", say.InvalidInteger.Error()},
		{"owner__gte", "8", "2"},
		{"owner__lte", "8", "1 2"},
		{"owner__isnull", "maybe", say.InvalidBoolean.Error()},
		{"price", "0.00", "1"},
		{"price", "0.001", say.TooManyDecimals.Error()},
		{"price__in", "0,-0.01", "1 2"},
		{"price__gte", "0", "1 3"},
		{"price__lte", "-0.01", "2"},
		{"price__lte", "x", "A valid number is required."},
		{"price__isnull", "false", "1 2 3"},
		{"bought", "2026-03-02", "2"},
		{"bought", "2026-02-30", say.InvalidDate.Error()},
		{"bought__in", "2026-03-02,1969-12-31", "1 2"},
		{"bought__gte", "1970-01-01", "2"},
		{"bought__lte", "1970-01-01", "1"},
		{"bought__isnull", "true", "0 3 4 5 6"},
		{"seen", "2026-03-01T19:00:00Z", "4"},
		{"seen", "2026-03-02T00:00", "4"},
		{"seen", "2026-03-02", "4 5"},
		{"seen__in", "2026-03-02, 2026-03-01T18:59:59.999999Z", "3 4 5"},
		{"seen__gte", "2026-03-02", "4 5 6"},
		{"seen__lte", "2026-03-02", "3 4 5"},
		{"seen__isnull", "true", "0 1 2"},
		{"seen", "yesterday", say.InvalidDatetime.Error()},
		{"due", "2026-03-02T00:00:00", "4"},
		{"due__gte", "2026-03-02", "4"},
		{"due__gte", "2026-03-02T00:00:01", ""},
		{"phone", "8 (701) 123-45-67", "3"},
		{"phone", "+7 701 123 45 68", ""},
		{"phone", "nobody", ""},
		{"phone__in", "8 701 123 45 67,nobody", "3"},
		{"phone__gte", "+7 701 123 45 68", "6"},
		{"phone__lte", "nobody", ""},
		{"phone__gte", "nobody", ""},
		{"phone__isnull", "false", "3 6"},
		{"city", "алматы", "3"},
		{"city", "астана, есиль", "4"},
		{"city", far + "2", "5"},
		{"city", far, ""},
		{"city__in", "астана, есиль", ""},
		{"city__in", "алматы,нигде", "3"},
		{"city__gte", "АЛМАТЫ", "3 4 5 6"},
		{"city__gte", "алматыя", "4 5 6"},
		{"city__gte", far + "2", "5"},
		{"city__lte", far + "1", "3 4 6"},
		{"city__lte", far, "3 4"},
		{"city__lte", "ә", "3 4"},
		{"city__isnull", "true", "0 1 2"},
		{"plate", "123 abc 02", "5"},
		{"plate__gte", "123 ABC 03", ""},
		{"plate__isnull", "false", "5"},
		{"make", "LADA_vesta", "3"},
		{"make", "ladavesta", "3"},
		{"make", "lad", `"lad" is not a valid choice.`},
		{"make__in", "BMW,LadaVesta", "3 4"},
		{"make__isnull", "true", "0 1 2 5 6"},
		{"id__in", "1,3,99", "0 2"},
		{"id__in", strings.Repeat("2,", 999) + "1", "0 1"},
		{"id__in", strings.Repeat("2,", 1000) + "1", "Ensure this field has no more than 1000 elements."},
		{"id__in", "1,x", say.InvalidInteger.Error()},
		{"id__gte", "6", "5 6"},
		{"id__lte", "2", "0 1"},
		{"created_at", "2026-01-02", "1"},
		{"created_at__gte", "2026-01-06T12:00:00Z", "5 6"},
		{"created_at__lte", "2026-01-01", "0"},
		{"created_at__isnull", "true", ""},
		{"updated_at__in", "2026-01-02,2026-01-03", "1 2"},
		{"updated_at__gte", "x", say.InvalidDatetime.Error()},
	} {
		t.Run(tt.param+"="+tt.value[:min(len(tt.value), 40)], func(t *testing.T) {
			if got := found(t, s, tt.param, tt.value); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// found are the cars that a parameter takes, or what is wrong with it.
func found(t *testing.T, s record.Scope, param, value string) string {
	t.Helper()
	for _, f := range kind().Fields() {
		for _, by := range f.Comparisons() {
			if f.Name+string(by) != param {
				continue
			}
			c, err := f.Condition(by, value, almaty)
			var wrong say.Message
			switch {
			case errors.As(err, &wrong):
				return wrong.Error()
			case err != nil:
				t.Fatal(err)
			}
			return taken(t, s, search.Query{Where: []segment.Condition{c}, Order: []segment.By{{Field: segment.ID}}})
		}
	}
	t.Fatalf("no parameter is called %s", param)
	return ""
}

// taken are the cars that a query takes, in its order.
func taken(t *testing.T, s record.Scope, q search.Query) string {
	t.Helper()
	page, _, err := kind().Page(t.Context(), s, q, record.Window{Size: 100})
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for i := range page {
		list = append(list, fmt.Sprint(page[i].ID-1))
	}
	return strings.Join(list, " ")
}

// Records without a value come last, and first where the order descends; those that are equal are the newest first.
func TestOrders(t *testing.T) {
	s := stored(
		t,
		car{Ready: true, State: to[state](5), Price: amount(t, "2"), Phone: to("+77770000000"), City: to("ель"), Make: to("lad")},
		car{Places: to[int64](-1), Bought: to(decode.Date("2026-03-02")), City: to("Ёлка"), Seen: to[moment.Micros](5)},
		car{State: to[state](0), Places: to[int64](3), Owner: to[int64](1), Price: amount(t, "-1"), Phone: to("+77011234567"), City: to("елец"), Make: to("bmw")},
	)
	for name, want := range map[string]string{
		"ready": "2 1 0", "state": "2 0 1", "places": "1 2 0", "owner": "2 1 0", "price": "2 0 1", "bought": "1 2 0", "seen": "1 2 0",
		"phone": "2 0 1", "city": "2 1 0", "plate": "2 1 0", "make": "2 0 1", "due": "2 1 0", "id": "0 1 2", "created_at": "0 1 2", "updated_at": "0 1 2",
	} {
		t.Run(name, func(t *testing.T) {
			for _, f := range kind().Fields() {
				if f.Name != name {
					continue
				}
				if got := taken(t, s, search.Query{Order: []segment.By{f.By(false)}}); got != want {
					t.Errorf("got %q, want %q", got, want)
				}
			}
		})
	}
}

// The values of a type that states them describe the column, by themselves or within its own words.
func TestChoices(t *testing.T) {
	c := columns()[1]
	if want := []string{"0", "1", "5"}; !slices.Equal(c.Choices, want) || c.Says != "0 new, 1 used, 5 worn" {
		t.Errorf("%q, %q", c.Choices, c.Says)
	}
	if got := c.Doc("Of the car: {values}").Says; got != "Of the car: 0 new, 1 used, 5 worn" {
		t.Errorf("got %q", got)
	}
}

// A hidden column is for conditions of code.
func TestHidden(t *testing.T) {
	s := stored(t, car{}, car{})
	if got := taken(t, s, search.Query{Where: []segment.Condition{segment.Has("x")}}); got != "1 0" {
		t.Errorf("got %q", got)
	}
	for _, f := range kind().Fields() {
		if hidden := f.Letter == "x"; hidden != (len(f.Comparisons()) == 0) {
			t.Errorf("%s is compared by %v", f.Name, f.Comparisons())
		}
	}
}

// A moment without an offset means nothing where nobody says which zone it is of, and a
// zone that can't be read is no fault of the caller.
func TestZones(t *testing.T) {
	seen := columns()[6]
	if _, err := seen.Condition(column.Equal, "2026-03-02", nil); err == nil || err.Error() != say.InvalidDatetime.Error() {
		t.Errorf("without a zone: %v", err)
	}
	down := errors.New("down")
	if _, err := seen.Condition(column.AtLeast, "2026-03-02", func() (*time.Location, error) { return nil, down }); !errors.Is(err, down) {
		t.Errorf("with no zone to be had: %v", err)
	}
	if _, err := seen.Condition(column.Equal, "2026-03-02T00:00:00+05:00", nil); err != nil {
		t.Errorf("with an offset: %v", err)
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
