package penalties_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// TestFeed follows one penalty that a registry sends, and what the staff makes of it.
func TestFeed(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	feed := api.As(webtest.Feed(4, 1))
	const row = `{"outer_id":730017,"protocol_number":"KZ1","amount":"100","violation_date":"2026-03-01","violation_time":"14:05:00","description":"Speeding",` +
		`"car":{"outer_id":5,"number":"123 abc 02","tech_passport":"AA0012345","published_at":"2026-03-01T15:00:00+05:00"},` +
		`"driver":{"outer_id":6,"iin_number":"850515300017","doc_number":"N1","first_name":"Ерлан","last_name":"Ахметов","middle_name":"","doc_issue_date":"2020-02-29"},` +
		`"company":{"outer_id":7,"bin_number":"140340010302","name":"Rentals"}}`
	shown := func(at, carAt, more string) string {
		return `{"id":1,"outer_id":730017,"created_at":"2026-03-02T09:30:00Z","updated_at":"` + at + `","protocol_number":"KZ1","department_name":null,` +
			`"punishment_main":null,"violation_address":null,"violation_date":"2026-03-01","violation_time":"14:05:00","violated_at":"2026-03-01T09:05:00Z",` +
			`"payment_date":null,"discount_expires_at":null,"payment_kno":null,"payment_kbk":null,"payment_knp":null,"beneficiary_tax_office_name":null,` +
			`"beneficiary_tax_iban":null,"beneficiary_tax_bin_number":null,"pdf":null,"photo_urls":[],"state":null,` +
			`"inventory":null,"request":null,"client":null,` +
			`"driver":{"id":1,"outer_id":6,"created_at":"2026-03-02T09:30:00Z","updated_at":"2026-03-02T09:30:00Z","iin_number":"850515300017","doc_number":"N1",` +
			`"first_name":"Ерлан","last_name":"Ахметов","middle_name":"","doc_issue_date":"2020-02-29"},` +
			`"company":{"id":1,"outer_id":7,"created_at":"2026-03-02T09:30:00Z","updated_at":"2026-03-02T09:30:00Z","bin_number":"140340010302","name":"Rentals"},` +
			`"car":{"id":null,"outer_id":5,"created_at":"2026-03-02T09:30:00Z","updated_at":"` + carAt + `","published_at":"2026-03-01T10:00:00Z","tech_passport":"AA0012345",` + more + `}`
	}
	const begun, later = "2026-03-02T09:30:00Z", "2026-03-02T09:31:00Z"
	const fresh = `"number":"123ABC02"},"description":"Speeding","amount":"100.00","paid":false,"noted":false`
	reads := func(want string) { t.Helper(); c.Get(list + "1/").Status(200).JSON(want) }
	const known = `{"id":1,"outer_id":730017,"status":"updated"}`
	feed.Post(list, row).Status(201).NoHeader("ETag").NoHeader("Location").JSON(`{"id":1,"outer_id":730017,"status":"created"}`)
	reads(shown(begun, begun, fresh))
	feed.Post(list, row).Status(200).Writes(1).NoHeader("ETag").JSON(known) // the count of what it sent
	reads(shown(begun, begun, fresh))
	c.Post(list, row).Status(200).Writes(0).Header("ETag", `"1"`).NoHeader("Location").JSON(shown(begun, begun, fresh))

	// What the staff changes stays until the registry changes that field.
	api.Clock.Step(time.Minute)
	c.Patch(list+"1/", `{"paid":true,"noted":true,"description":"Ours"}`).Status(200)
	const ours = `"number":"123ABC02"},"description":"Ours","amount":"100.00","paid":true,"noted":true`
	feed.Post(list, row).Status(200).JSON(known)
	reads(shown(later, begun, ours))
	feed.Post(list, `{"outer_id":"730017","amount":"150","paid":false,"car":{"number":"777AAA01"}}`).Status(200).JSON(known)
	reads(shown("2026-03-02T09:31:00.000001Z", later, strings.NewReplacer("123ABC02", "777AAA01", "100.00", "150.00").Replace(ours)))
	feed.Post(list, `{"outer_id":730017,"description":"Parking"}`).Status(200).JSON(known)
	c.Get(list+"1/").Field("description", `"Parking"`).Field("noted", "true")
	c.Patch(list+"1/", `{"description":"Ours"}`).Status(200)
	c.Patch(list+"1/", `{"description":"Parking"}`).Status(200) // as the registry has it, again
	feed.Post(list, `{"outer_id":730017,"description":"Parking","paid":true}`).Status(200)
	c.Get(list+"1/").Field("paid", "true")
	feed.Post(list, `{"outer_id":730017,"paid":false}`).Status(200)
	c.Get(list+"1/").Field("paid", "false") // the registry has changed it twice
	feed.Post(list, `{"outer_id":730017,"driver":null,"company":{"name":null}}`).Status(200).JSON(known)
	c.Get(list+"1/").Field("driver", "null").Field("company.name", "null").Field("company.bin_number", `"140340010302"`)

	// Without an outer_id a penalty is always new. One that was deleted is made anew.
	feed.Post(list, `{"protocol_number":"KZ2"}`).Status(201).Field("id", "2").Field("outer_id", "null")
	feed.Post(list, `{"protocol_number":"KZ2","outer_id":null}`).Status(201).Field("id", "3")
	c.Delete(list + "1/").Status(204)
	feed.Post(list, `{"outer_id":730017}`).Writes(1).Status(400).JSON(`{"protocol_number":["This field is required."]}`)
	feed.Post(list, row).Status(201).Field("id", "4")
	c.Get(list+"4/").Field("paid", "false")
	c.Get("/v1/crm/history/?object=penalty:4").Status(200).Field("count", "1").Field("results.0.feed", "4").Field("results.0.user", "null")

	// A feed may do nothing else.
	for _, path := range []string{list, list + "1/", states} {
		feed.Get(path).Status(403)
	}
	feed.Patch(list+"1/", `{}`).Status(403)
	feed.Delete(list + "1/").Status(403)
	feed.Post(states, `{"name":"x"}`).Status(403)
	api.As(webtest.ReadOnly(1)).Post(list, row).Status(403)
	api.As(webtest.Employee(2)).Get(list + "4/").Status(404)
	api.As(webtest.Feed(4, 2)).Post(list, row).Status(201).Field("id", "1")
	whole(t, api)
}

// TestRows: each row of a list is a penalty of its own, or says why it is none.
func TestRows(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	feed := api.As(webtest.Feed(4, 1))
	feed.Post(list, `[{"outer_id":1,"protocol_number":"KZ1","amount":"5"},{"outer_id":2,"protocol_number":"KZ2"},{"protocol_number":"KZ3"}]`).Status(200).
		JSON(`[{"id":1,"outer_id":1,"status":"created","errors":{}},{"id":2,"outer_id":2,"status":"created","errors":{}},
			{"id":3,"outer_id":null,"status":"created","errors":{}}]`)
	c.Patch(list+"2/", `{"noted":true}`).Status(200)
	feed.Post(list, `[{"outer_id":2,"noted":false},{"outer_id":1,"amount":"-1"},{"outer_id":9},{"outer_id":2,"amount":1},7,
		{"outer_id":1,"amount":"6","state":1},{"outer_id":8,"protocol_number":"KZ8","state":2},{"outer_id":7,"protocol_number":"KZ7","tenant":2},
		{"outer_id":6,"protocol_number":"KZ6","violation_date":"2026-02-29","driver":{"iin_number":"12"}},{"outer_id":5,"protocol_number":"KZ5"}]`).Status(200).
		JSON(`[{"id":2,"outer_id":2,"status":"unchanged","errors":{}},
			{"id":null,"outer_id":1,"status":"refused","errors":{"amount":["Ensure this value is greater than or equal to 0."]}},
			{"id":null,"outer_id":9,"status":"refused","errors":{"protocol_number":["This field is required."]}},
			{"id":null,"outer_id":2,"status":"refused","errors":{"outer_id":["An earlier row has the same outer_id."]}},
			{"id":null,"outer_id":null,"status":"refused","errors":{"non_field_errors":["Invalid data. Expected a dictionary, but got int."]}},
			{"id":1,"outer_id":1,"status":"updated","errors":{}},
			{"id":null,"outer_id":8,"status":"refused","errors":{"state":["Invalid pk \"2\" - object does not exist."]}},
			{"id":null,"outer_id":7,"status":"refused","errors":{"tenant":["Invalid pk \"2\" - object does not exist."]}},
			{"id":null,"outer_id":6,"status":"refused","errors":{"violation_date":["Date has wrong format. Use one of these formats instead: YYYY-MM-DD."],"driver":{"iin_number":["Enter 12 digits."]}}},
			{"id":4,"outer_id":5,"status":"created","errors":{}}]`)
	c.Get(list).Status(200).Field("count", "4").Field("results.0.protocol_number", `"KZ5"`)
	c.Get(list+"1/").Field("amount", `"6.00"`).Field("state", "1")
	c.Get(list+"2/").Field("noted", "true")

	// Everything that is wrong with a row is told at once; its state is looked up, too.
	feed.Post(list, `[{"outer_id":9,"amount":"-1","state":2}]`).Status(200).Writes(1).JSON(`[{"id":null,"outer_id":9,"status":"refused","errors":{
		"amount":["Ensure this value is greater than or equal to 0."],"protocol_number":["This field is required."],
		"state":["Invalid pk \"2\" - object does not exist."]}}]`)

	// Nothing but refused rows.
	feed.Post(list, `[{"outer_id":9},{}]`).Status(200).Writes(1).Field("0.status", `"refused"`).Field("1.errors", `{"protocol_number":["This field is required."]}`)
	feed.Post(list, `[]`).Status(400).JSON(`{"non_field_errors":["This list may not be empty."]}`)
	feed.Post(list, "["+strings.Repeat("{},", 500)+"{}]").Status(400).JSON(`{"non_field_errors":["Ensure this field has no more than 500 elements."]}`)

	// The same request again is answered as the first, whether it takes one transaction or several.
	for _, n := range []int{2, 75} {
		keyed := feed.With("Idempotency-Key", fmt.Sprint("k", n))
		body := several(n, "")
		first := keyed.Post(list, body).Status(200).NoHeader("Idempotent-Replayed")
		count := c.Get(list).Int("count")
		if again := keyed.Post(list, body).Status(200).Writes(0).Header("Idempotent-Replayed", "true"); string(again.Body()) != string(first.Body()) {
			t.Errorf("another answer: %s", again.Body())
		}
		if now := c.Get(list).Int("count"); now != count {
			t.Errorf("%d penalties, and %d after the same request", count, now)
		}
		keyed.Post(list, several(n+1, "")).Status(422)
	}
	whole(t, api)
}

// TestAFeedOfAFullCompany: where the plan has no room for new penalties, those that are known go on, and the others say why not.
func TestAFeedOfAFullCompany(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	api.As(webtest.Feed(4, 1)).Post(list, `{"outer_id":1,"protocol_number":"KZ1","amount":"5"}`).Status(201)
	full := webtest.Feed(4, 1)
	full.Standing = tenant.Standing{Full: 1}
	feed, why := api.As(full), "The company's plan allows 1 records, and it had reached them when they were last counted. "+
		"They are counted at night: what is deleted counts from the next one."
	feed.Post(list, `{"outer_id":2,"protocol_number":"KZ2"}`).Writes(1).Status(403). // the count of what it sent
												JSON(`{"detail":"` + why + `","code":"plan","limit":"records","most":1}`)
	feed.Post(list, `{"outer_id":1,"amount":"6"}`).Status(200)
	feed.Post(list, `[{"outer_id":1,"amount":"7"},{"outer_id":2,"protocol_number":"KZ2"},{"outer_id":3}]`).Status(200).
		JSON(`[{"id":1,"outer_id":1,"status":"updated","errors":{}},
			{"id":null,"outer_id":2,"status":"refused","errors":{"non_field_errors":["` + why + `"]}},
			{"id":null,"outer_id":3,"status":"refused","errors":{"protocol_number":["This field is required."]}}]`)
	c.Get(list).Status(200).Field("count", "1").Field("results.0.amount", `"7.00"`)
	whole(t, api)
}

// TestAFeedReadsNothing: whatever a feed sends, and however often, its answers say nothing of a
// penalty that it has not sent itself; the answers that are kept for it neither.
func TestAFeedReadsNothing(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	c.Post(list, `{"outer_id":1,"protocol_number":"KZ1","amount":"100","description":"Secret","car":{"number":"123ABC02"},"driver":{"last_name":"Secret"}}`).Status(201)
	c.Patch(list+"1/", `{"noted":true}`).Status(200)
	feed := api.As(webtest.Feed(4, 1))
	keyed := feed.With("Idempotency-Key", "f1")
	for _, again := range []string{"", "true"} {
		keyed.Post(list, `{"outer_id":1}`).Status(200).Header("Idempotent-Replayed", again).NoHeader("ETag").
			JSON(`{"id":1,"outer_id":1,"status":"updated"}`)
		feed.Post(list, `[{"outer_id":1}]`).Status(200).JSON(`[{"id":1,"outer_id":1,"status":"unchanged","errors":{}}]`)
	}
	// The staff sees all of it, and keeps whole answers.
	staff := c.With("Idempotency-Key", "f1")
	for range 2 {
		staff.Post(list, `{"outer_id":1}`).Status(200).Field("description", `"Secret"`).Field("driver.last_name", `"Secret"`)
	}
}

// TestFeedsAreLimited: a feed may send 5,000 rows an hour, one by one or together. What is too much
// writes nothing, and holds up neither the staff nor other feeds.
func TestFeedsAreLimited(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	feed := api.As(webtest.Feed(4, 1))
	rows := "[" + strings.Repeat(`{},`, 499) + `{}]` // refused, and counted
	for range 9 {
		feed.Post(list, rows).Status(200)
	}
	feed.Post(list, `{"protocol_number":"KZ1"}`).Status(201)
	feed.Post(list, rows).Status(429).Header("Retry-After", "1800").Field("detail", `"Request was throttled. Expected available in 1800 seconds."`).Writes(0)
	feed.Post(list, "["+strings.Repeat(`{},`, 498)+`{}]`).Status(200) // 499 were left
	feed.With("Idempotency-Key", "late").Post(list, `{"protocol_number":"KZ2"}`).Status(429).Writes(0)
	c.Get(list).Status(200).Field("count", "1")
	c.Post(list, `{"protocol_number":"KZ2"}`).Status(201)
	api.As(webtest.Feed(5, 1)).Post(list, `{"protocol_number":"KZ3"}`).Status(201)
	api.As(webtest.Feed(4, 2)).Post(list, `{"protocol_number":"KZ3"}`).Status(201)
	api.Clock.Step(30 * time.Minute)
	feed.With("Idempotency-Key", "late").Post(list, `{"protocol_number":"KZ2"}`).Status(201)
}

// several are n rows; id is text before the number of a row in its outer_id, and rows without it have none.
func several(n int, id string) string {
	rows := make([]string, n)
	for i := range rows {
		outer := ""
		if id != "" {
			outer = fmt.Sprintf(`"outer_id":%s%d,`, id, 1000+i)
		}
		rows[i] = fmt.Sprintf(`{%s"protocol_number":"KZ26030%05d","description":"Превышение установленной скорости движения на величину от 10 до 20 км/ч",`+
			`"department_name":"УАП ДП г. Алматы","punishment_main":"Штраф","amount":"19660.00","violation_address":"г. Алматы, пр. Аль-Фараби",`+
			`"violation_date":"2026-03-01","violation_time":"%02d:%02d:00","discount_expires_at":"2026-03-08T00:00:00+05:00","payment_kbk":"204108",`+
			`"car":{"number":"%03dABC02","tech_passport":"AA%08d"},"driver":{"first_name":"Ерлан","last_name":"Ахметов","middle_name":"Серикович"}}`,
			outer, i, i/60%24, i%60, i, i)
	}
	return "[" + strings.Join(rows, ",") + "]"
}
