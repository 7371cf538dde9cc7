package orders_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/web/webtest"
)

const march = "2026-03-" // the clock of a scenario begins on the 2nd at 09:30

// rental is the JSON of an order of one rental, such as of item 1 from 03T10:00 to 05T10:00.
func rental(item int, start, end string) string {
	return fmt.Sprintf(`{"status":1,"inventories":[{"inventory":%d,"start_at":"%s%s:00Z","end_at":"%s%s:00Z"}]}`,
		item, march, start, march, end)
}

// act takes a step of an order.
func act(c *webtest.Client, order int64, status int, more ...string) *webtest.Answer {
	return c.Post(fmt.Sprintf("%s%d/action/", requests, order), fmt.Sprintf(`{"status":%d%s}`, status, strings.Join(more, "")))
}

func at(when string) string { return fmt.Sprintf(`,"datetime":"%s%s:00Z"`, march, when) }

// inWay checks that an answer names exactly one conflict: that of a line.
func inWay(t *testing.T, a *webtest.Answer, line int64) {
	t.Helper()
	a.Status(409).Field("code", `"overlap"`).Field("conflicts.0.line", fmt.Sprint(line))
	if list, _ := a.Value("conflicts").([]any); len(list) != 1 {
		t.Errorf("%d conflicts", len(list))
	}
}

// What meets a booking is refused, whichever way it comes about; what touches it is not.
func TestBookingsThatMeet(t *testing.T) {
	for _, tt := range []struct {
		name, start, end string
		free             bool
	}{
		{"inside", "04T10:00", "04T12:00", false},
		{"around", "02T10:00", "06T10:00", false},
		{"equal", "03T10:00", "05T10:00", false},
		{"over its start", "02T10:00", "03T10:01", false},
		{"over its end", "05T09:59", "06T10:00", false},
		{"from its start", "03T10:00", "03T10:01", false},
		{"to its end", "05T09:59", "05T10:00", false},
		{"touching its start", "02T10:00", "03T10:00", true},
		{"touching its end", "05T10:00", "06T10:00", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			api, c := newAPI(t, webtest.Setup{})
			c.Post(requests, rental(1, "03T10:00", "05T10:00")).Status(201)
			c.Post(requests, rental(2, "20T10:00", "21T10:00")).Status(201)
			block := fmt.Sprintf(`{"start_at":"%s%s:00Z","end_at":"%s%s:00Z"}`, march, tt.start, march, tt.end)
			moved := fmt.Sprintf(`{"inventory":1,%s`, block[1:])
			if tt.free {
				c.Post(inventories+"1/blocks/", block).Status(201)
				c.Delete(inventories + "1/blocks/1/").Status(204)
				c.Patch(lines+"2/", moved).Status(200)
				c.Delete(lines + "2/").Status(204)
				c.Post(requests, rental(1, tt.start, tt.end)).Status(201)
			} else {
				inWay(t, c.Post(inventories+"1/blocks/", block).Writes(1), 1) // its number is used up
				inWay(t, c.Patch(lines+"2/", moved), 1)
				inWay(t, c.Post(requests+"2/inventories/bulk_update/", `{"inventories":[{"id":2,`+moved[1:]+`]}`), 1)
				inWay(t, c.Post(requests+"2/inventories/", moved), 1)
				inWay(t, c.Post(requests, rental(1, tt.start, tt.end)), 1)
			}
			whole(t, api)
		})
	}
}

// The item is kept free after each rental, for whoever books it, but not before a block, and not
// before a hand-out. Lines of one call keep it free for each other.
func TestBuffer(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	api.As(webtest.Manager(1)).Put("/v1/crm/settings/rental/", `{"buffer":3600}`).Status(200)
	c.Post(requests, rental(1, "03T10:00", "05T10:00")).Status(201)
	inWay(t, c.Post(requests, rental(1, "05T10:59", "06T10:00")), 1)
	inWay(t, c.Post(requests, rental(1, "02T10:00", "03T09:01")), 1)
	c.Post(requests, rental(1, "05T11:00", "06T10:00")).Status(201)
	c.Post(requests, rental(1, "02T10:00", "03T09:00")).Status(201)
	c.Post(inventories+"1/blocks/", `{"start_at":"2026-03-06T10:00:00Z","end_at":"2026-03-06T12:00:00Z"}`).Status(201)
	c.Post(requests, rental(1, "06T12:00", "07T10:00")).Status(201)
	pair := func(end string) string {
		return `{"inventories":[{"inventory":2,"start_at":"2026-03-06T10:00:00Z","end_at":"2026-03-07T10:00:00Z"},` +
			`{"inventory":2,"start_at":"2026-03-04T10:00:00Z","end_at":"2026-03-06T` + end + `:00Z"}]}`
	}
	c.Post(requests, pair("09:01")).Status(400).
		JSON(`{"inventories":[{},{"inventory":["Another line of this call has the item at this time."]}]}`)
	c.Post(requests, pair("09:00")).Status(201)
	whole(t, api)
}

// An item that is overdue can be booked from now on, but not handed out until it is back.
func TestOverdue(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	c.Post(requests, rental(1, "02T08:00", "02T12:00")).Status(201)
	act(c, 1, 2).Status(200)
	api.Clock.Step(5 * time.Hour) // 14:30
	inWay(t, c.Post(requests, rental(1, "02T13:00", "02T18:00")), 1)
	c.Post(requests, rental(1, "02T14:30", "02T18:00")).Status(201)
	c.Post(requests, strings.ReplaceAll(rental(1, "02T10:00", "05T10:00"), march, "2026-04-")).Status(201)
	a := act(c, 2, 2)
	inWay(t, a, 1)
	a.Field("conflicts.0.overdue", "true").Field("conflicts.0.end_at", `"2026-03-02T12:00:00Z"`)
	api.Clock.Step(time.Hour)
	act(c, 1, 4).Status(200).Field("inventories.0.fact_end_at", `"2026-03-02T15:30:00Z"`)
	act(c, 2, 2).Status(200).Field("inventories.0.fact_start_at", `"2026-03-02T15:30:00Z"`)
	whole(t, api)
}

// A hand-out and a return may be told later; a hand-out not over what was.
func TestBackDated(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	c.Post(requests, rental(1, "02T08:00", "02T12:00")).Status(201)
	c.Post(requests, rental(1, "02T12:00", "02T18:00")).Status(201)
	act(c, 1, 2, at("02T08:15")).Status(200).Field("inventories.0.fact_start_at", `"2026-03-02T08:15:00Z"`)
	act(c, 1, 4, at("02T08:14")).Status(400).JSON(`{"datetime":["Line 1 was handed out after this."]}`)
	act(c, 1, 4, at("02T09:00")).Status(200).Field("rent_fact_end", `"2026-03-02T09:00:00Z"`)
	inWay(t, act(c, 2, 2, at("02T08:59")), 1)
	act(c, 2, 2, at("02T09:32")).Status(400).
		JSON(`{"datetime":["Ensure this value is not after now, 2026-03-02T09:30:00Z."]}`)
	act(c, 2, 2, at("02T09:00")).Status(200)
	whole(t, api)
}

// Moments in Russian and Kazakh texts are in words and on the company's clock. Programs get them as in all answers.
func TestMomentsInWords(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	c.Post(requests, rental(1, "02T08:00", "02T12:00")).Status(201)
	for language, want := range map[string][2]string{
		"en": {"Ensure this value is not after now, 2026-03-02T09:30:00Z.", "from 2026-03-02T08:00:00Z to 2026-03-02T12:00:00Z"},
		"ru": {"Это время ещё не наступило. Сейчас 2 марта 2026, 14:30 (UTC+5).", "с 2 марта 2026, 13:00 (UTC+5) по 2 марта 2026, 17:00 (UTC+5)"},
		"kk": {
			"Бұл уақыт әлі болған жоқ. Қазір: 2026 ж. 2 наурыз, 14:30 (UTC+5).",
			"2026 ж. 2 наурыз, 13:00 (UTC+5) – 2026 ж. 2 наурыз, 17:00 (UTC+5)",
		},
	} {
		in := c.In(t).With("Accept-Language", language)
		act(in, 1, 2, at("02T09:32")).Status(400).JSON(`{"datetime":["` + want[0] + `"]}`)
		act(in.With("Accept", "application/problem+json"), 1, 2, at("02T09:32")).Status(400).
			Field("errors.0.params", `{"now":"2026-03-02T09:30:00Z"}`)
		if told := in.Get(requests + "1/timeline/").Status(200).Body(); !strings.Contains(string(told), want[1]) {
			t.Errorf("%s: %s", language, told)
		}
	}
	whole(t, api)
}

// A hand-out can be told for 31 days: the calendar forgets who had the item before. A return can be told whenever it was.
func TestAHandOutLiesAtMost31DaysBack(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	c.Post(requests, `{"status":1,"inventories":[{"inventory":1,"start_at":"2026-01-10T10:00:00Z","end_at":"2026-03-20T10:00:00Z"}]}`).Status(201)
	order := c.Get(requests + "1/").Status(200).Body()
	act(c, 1, 2, `,"datetime":"2026-01-30T09:29:59Z"`).Status(400).Writes(0).
		JSON(`{"datetime":["Ensure this value is at most 31 days back, not before 2026-01-30T09:30:00Z."]}`)
	act(c, 1, 2, `,"order_inventories":[9],"datetime":"2025-01-10T10:00:00Z"`).Status(400).
		JSON(`{"datetime":["Ensure this value is at most 31 days back, not before 2026-01-30T09:30:00Z."],
			"order_inventories":{"0":["Invalid pk \"9\" - object does not exist."]}}`)
	if now := c.Get(requests + "1/").Status(200).Body(); string(now) != string(order) {
		t.Errorf("the order was %s and is %s", order, now)
	}
	act(c, 1, 2, `,"datetime":"2026-01-30T09:30:00Z"`).Status(200).Field("inventories.0.fact_start_at", `"2026-01-30T09:30:00Z"`)
	api.Clock.Step(60 * 24 * time.Hour)
	act(c, 1, 4, at("01T10:00")).Status(200).Field("rent_fact_end", `"2026-03-01T10:00:00Z"`)
	whole(t, api)
}

// What was booked for the time of a late return waits for it, and is handed out afterwards.
func TestLateReturn(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	c.Post(requests, rental(1, "02T08:00", "02T10:00")).Status(201)
	c.Post(requests, rental(1, "02T10:00", "02T12:00")).Status(201)
	c.Post(requests, rental(1, "02T12:00", "02T14:00")).Status(201)
	act(c, 1, 2).Status(200)
	api.Clock.Step(90 * time.Minute) // 11:00
	inWay(t, act(c, 2, 2), 1)
	act(c, 1, 4).Status(200)
	inWay(t, act(c, 2, 2, at("02T10:59")), 1)
	// The line that waits can be extended up to the next one, and sent back as it is.
	c.Patch(lines+"2/", `{"extra":{"a":1}}`).Status(200)
	c.Post(requests+"2/inventories/", `{"inventory":1,"start_at":"2026-03-02T15:00:00Z","end_at":"2026-03-02T16:00:00Z"}`).Status(201)
	c.Post(requests+"2/inventories/bulk_update/", `{"inventories":[{"id":2,"extra":{"a":2}},{"id":4,"start_at":"2026-03-02T15:30:00Z"}]}`).
		Status(200).Field("inventories.0.extra", `{"a":2}`)
	inWay(t, c.Patch(lines+"2/", `{"end_at":"2026-03-02T12:01:00Z"}`), 3)
	act(c, 2, 2, `,"order_inventories":[2]`).Status(200).Field("inventories.0.fact_start_at", `"2026-03-02T11:00:00Z"`)
	whole(t, api)
}

// An early return frees the rest, and an extension takes what is free.
func TestEarlyReturnAndExtension(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	c.Post(requests, rental(1, "02T09:00", "05T09:00")).Status(201)
	c.Post(requests, rental(1, "06T09:00", "07T09:00")).Status(201)
	c.Post(requests+"1/inventories/", `{"inventory":2,"start_at":"2026-03-02T09:00:00Z","end_at":"2026-03-05T09:00:00Z"}`).Status(201)
	act(c, 1, 2).Status(200)
	inWay(t, c.Patch(lines+"1/", `{"end_at":"2026-03-06T09:01:00Z"}`), 2)
	c.Patch(lines+"1/", `{"end_at":"2026-03-06T09:00:00Z"}`).Status(200).Field("end_at", `"2026-03-06T09:00:00Z"`)
	c.Patch(lines+"1/", `{"start_at":"2026-03-02T08:00:00Z"}`).Status(409).Field("code", `"out"`)
	// The start alone moves, too.
	inWay(t, c.Patch(lines+"2/", `{"start_at":"2026-03-06T08:59:00Z"}`), 1)
	c.Patch(lines+"2/", `{"start_at":"2026-03-06T12:00:00Z"}`).Status(200)
	c.Post(requests, rental(1, "06T09:00", "06T12:00")).Status(201)
	act(c, 3, 3).Status(200)
	inWay(t, c.Post(requests, rental(1, "02T10:30", "05T09:00")), 1)
	api.Clock.Step(time.Hour)
	act(c, 1, 4, `,"order_inventories":[1]`).Status(200).Field("inventories.0.price", `"12000.00"`).Field("penalty_amount", `"0.00"`)
	c.Post(requests, rental(1, "02T10:30", "05T09:00")).Status(201)
	c.Patch(lines+"1/", `{"end_at":"2026-03-03T09:00:00Z"}`).Status(409).Field("code", `"returned"`)
	whole(t, api)
}

// Lines of an order exchange their items and their times in one call. Lines that stay as they are
// write nothing.
func TestExchange(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	c.Post(requests, `{"status":1,"inventories":[`+
		`{"inventory":1,"start_at":"2026-03-03T10:00:00Z","end_at":"2026-03-04T10:00:00Z"},`+
		`{"inventory":1,"start_at":"2026-03-04T10:00:00Z","end_at":"2026-03-05T10:00:00Z"},`+
		`{"inventory":2,"start_at":"2026-03-03T10:00:00Z","end_at":"2026-03-05T10:00:00Z"}]}`).Status(201)
	update := func(body string) *webtest.Answer {
		return c.Post(requests+"1/inventories/bulk_update/", `{"inventories":[`+body+`]}`)
	}
	update(`{"id":1,"inventory":1},{"id":2,"inventory":1}`).Status(200).Writes(0)
	update(`{"id":2,"start_at":"2026-03-03T10:00:00Z","end_at":"2026-03-04T10:00:00Z"},`+
		`{"id":1,"start_at":"2026-03-04T10:00:00Z","end_at":"2026-03-05T10:00:00Z"}`).Status(200).
		Field("inventories.0.start_at", `"2026-03-04T10:00:00Z"`).Field("inventories.1.start_at", `"2026-03-03T10:00:00Z"`)
	// The second one makes room for the first one, whichever is named first.
	update(`{"id":1,"start_at":"2026-03-03T20:00:00Z"},{"id":2,"end_at":"2026-03-03T20:00:00Z"}`).Status(200)
	update(`{"id":2,"end_at":"2026-03-03T22:00:00Z"},{"id":1,"start_at":"2026-03-03T22:00:00Z"}`).Status(200)
	inWay(t, update(`{"id":3,"inventory":1},{"id":1,"inventory":2}`), 2)
	update(`{"id":2,"inventory":2},{"id":1,"inventory":2}`).Status(409)
	update(`{"id":2,"inventory":2},{"id":3,"extra":{"a":1}}`).Status(400).
		JSON(`{"inventories":[{},{"inventory":["Another line of this call has the item at this time."]}]}`)
	update(`{"id":3,"inventory":1},{"id":1,"inventory":2},{"id":2,"inventory":2}`).Status(200).
		Field("inventories.2.inventory.id", "1").Field("inventories.0.inventory.id", "2")
	inWay(t, c.Post(requests, rental(1, "03T10:00", "03T11:00")), 3)
	inWay(t, c.Post(requests, rental(2, "03T10:00", "03T11:00")), 2)
	whole(t, api)
}
