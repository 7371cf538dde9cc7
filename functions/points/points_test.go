package points_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/points"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const all = "/v1/crm/rental_points/"

// point is the answer about a rental point of company 1 as it was made.
func point(id, name, address, extra string) string {
	return `{"id":` + id + `,"created_at":"2026-03-02T09:30:00Z","updated_at":"2026-03-02T09:30:00Z","name":"` + name +
		`","address":"` + address + `","deleted":false,"extra":` + extra + `,"tenant":1}`
}

// TestLife follows one rental point from its making to its end.
func TestLife(t *testing.T) {
	api := webtest.New(t, points.New)
	c := api.As(webtest.Employee(1))
	made := c.Post(all, `{"name":" Airport ","address":"1 Runway Road","extra":{"gate":7},"tenant":1,"deleted":true,"id":9}`).
		Status(201).JSON(point("1", "Airport", "1 Runway Road", `{"gate":7}`)).
		Header("ETag", `"1"`).Header("Location", webtest.BaseURL+all+"1/").Writes(4)
	// A call for definitions, one for the number, one that writes; the item, the counter, the number and the audit record.
	made.Calls(3).Units(1, 8)
	c.Get(all+"1/").Status(200).JSON(point("1", "Airport", "1 Runway Road", `{"gate":7}`)).Header("ETag", `"1"`).Calls(1).Units(1, 0)

	api.Clock.Step(90 * time.Second)
	changed := `{"id":1,"created_at":"2026-03-02T09:30:00Z","updated_at":"2026-03-02T09:31:30Z","name":"Airport, hall B",` +
		`"address":"1 Runway Road","deleted":false,"extra":{"gate":7},"tenant":1}`
	c.Patch(all+"1/", `{"name":"Airport, hall B"}`).Status(200).JSON(changed).Header("ETag", `"2"`).Writes(2)
	c.Patch(all+"1/", `{}`).Status(200).JSON(changed).Header("ETag", `"2"`).Writes(0)
	c.Put(all+"1/", `{"name":"Airport"}`).Status(400).JSON(`{"address":["This field is required."]}`).Writes(0)
	c.Put(all+"1/", `{"name":"Airport","address":"2 Runway Road","extra":null}`).Status(200).Field("extra", "null").
		Field("address", `"2 Runway Road"`)

	c.Delete(all + "1/").Status(204).Empty().Writes(4)
	c.Get(all + "1/").Status(404)
	c.Delete(all + "1/").Status(404).Writes(0)
	c.Put(all+"1/", `{"name":"a","address":"b"}`).Status(404).Writes(0)
	c.Get(all).Status(200).JSON(`{"count":0,"next":null,"previous":null,"results":[]}`)
	c.Post(all, `{"name":"Harbour","address":"Quay 1"}`).Status(201).Field("id", "2") // a number is given once
}

func TestRefused(t *testing.T) {
	api := webtest.New(t, points.New)
	c := api.As(webtest.Employee(1))
	long := strings.Repeat("ж", 513)
	for body, want := range map[string]string{
		`{}`:                                     `{"address":["This field is required."],"name":["This field is required."]}`,
		`{"name":"","address":" "}`:              `{"address":["This field may not be blank."],"name":["This field may not be blank."]}`,
		`{"name":null,"address":true}`:           `{"address":["Not a valid string."],"name":["This field may not be null."]}`,
		`{"name":"a","address":"` + long + `"}`:  `{"address":["Ensure this field has no more than 512 characters."]}`,
		`{"name":"a","address":"b","tenant":2}`:  `{"tenant":["Invalid pk \"2\" - object does not exist."]}`,
		`{"name":"a","address":"b","tenant":-1}`: `{"tenant":["Invalid pk \"-1\" - object does not exist."]}`,
		`{"name":"a","address":"b","extra":"` + strings.Repeat("x", 16<<10) + `"}`: `{"extra":["Ensure this field has no more than 16384 bytes."]}`,
	} {
		c.Post(all, body).Status(400).JSON(want).Writes(0)
	}
	api.As(webtest.ReadOnly(1)).Post(all, `{"name":"a","address":"b"}`).Status(403).Writes(0)
	c.Get(all).Field("count", "0")
}

// TestCompanies: nothing of one company is seen or touched by another.
func TestCompanies(t *testing.T) {
	api := webtest.New(t, points.New)
	one, two := api.As(webtest.Owner(1)), api.As(webtest.Owner(2))
	one.Post(all, `{"name":"Secret","address":"Here"}`).Status(201)
	two.Get(all).Status(200).Field("count", "0").NotContain("Secret")
	two.Get(all+"?search=secret").Status(200).Field("count", "0")
	two.Get(all + "1/").Status(404).JSON(`{"detail":"Not found."}`)
	two.Put(all+"1/", `{"name":"a","address":"b"}`).Status(404).Writes(0)
	two.Patch(all+"1/", `{"name":"a"}`).Status(404).Writes(0)
	two.Delete(all + "1/").Status(404).Writes(0)
	one.Get(all+"1/").Status(200).Field("name", `"Secret"`)
}

func TestList(t *testing.T) {
	api := webtest.New(t, points.New)
	c := api.As(webtest.Employee(1))
	for i := range 12 {
		c.Post(all, fmt.Sprintf(`{"name":"Пункт %02d","address":"a"}`, i+1)).Status(201)
	}
	c.Delete(all + "5/").Status(204)
	c.Get(all+"?pageSize=3&page=2").Status(200).Field("count", "11").Field("results.0.id", "9").
		Field("next", `"`+webtest.BaseURL+all+`?page=3&pageSize=3"`).Field("previous", `"`+webtest.BaseURL+all+`?pageSize=3"`)
	c.Get(all+"?ordering=name&pageSize=1").Status(200).Field("results.0.name", `"Пункт 01"`)
	c.Get(all+"?page=last&pageSize=10").Status(200).Field("results.0.id", "1")
	c.Get(all+"?search=%D0%9F%D0%A3%D0%9D%D0%9A%D0%A2%20%D0%BF%D1%83%20").Status(200).Field("count", "11")
	c.Get(all+"?search=05").Status(200).Field("count", "0")
	c.Get(all + "?page=4&pageSize=5").Status(404).JSON(`{"detail":"Invalid page."}`)
}

// TestPreconditions: a change that was decided on what is no longer so is
// refused, and of changes at once none is lost.
func TestPreconditions(t *testing.T) {
	api := webtest.New(t, points.New)
	c := api.As(webtest.Employee(1))
	c.Post(all, `{"name":"a","address":"b"}`).Status(201)
	c.With("If-None-Match", `"1"`).Get(all+"1/").Status(304).Empty().Header("ETag", `"1"`)
	c.With("If-Match", `"1"`).Patch(all+"1/", `{"name":"c"}`).Status(200)
	c.With("If-Match", `"1"`).Patch(all+"1/", `{"name":"d"}`).Status(412).Field("etag", `"\"2\""`).Writes(0)
	c.With("If-Match", `"1"`).Delete(all + "1/").Status(412).Writes(0)
	c.With("If-None-Match", `"1"`).Get(all+"1/").Status(200).Field("name", `"c"`)

	var wg sync.WaitGroup
	for _, body := range []string{`{"name":"x"}`, `{"address":"y"}`} {
		wg.Go(func() { c.Patch(all+"1/", body).Status(200) })
	}
	wg.Wait()
	c.Get(all+"1/").Field("name", `"x"`).Field("address", `"y"`).Header("ETag", `"4"`)
}

// TestIdempotency: a lost answer never makes two rental points.
func TestIdempotency(t *testing.T) {
	api := webtest.New(t, points.New)
	c := api.As(webtest.Employee(1)).With("Idempotency-Key", "k1")
	first := c.Post(all, `{"name":"a","address":"b"}`).Status(201).NoHeader("Idempotent-Replayed")
	c.Post(all, `{"name":"a","address":"b"}`).Status(201).JSON(string(first.Body())).Writes(0).
		Header("Idempotent-Replayed", "true").Header("ETag", `"1"`).Header("Location", first.Get("Location"))
	c.Post(all, `{"name":"a","address":"c"}`).Status(422).Writes(0)
	c.With("Idempotency-Key", "k2").Post(all, `{"name":""}`).Status(400)
	c.With("Idempotency-Key", "k2").Post(all, `{"name":"c","address":"d"}`).Status(201) // what was refused is not kept
	api.Clock.Step(25 * time.Hour)
	c.Post(all, `{"name":"a","address":"b"}`).Status(201).Field("id", "3")

	var wg sync.WaitGroup
	ids := make(chan int64, 8)
	for range 8 {
		wg.Go(func() {
			ids <- c.With("Idempotency-Key", "race").Post(all, `{"name":"r","address":"r"}`).Status(201).Int("id")
		})
	}
	wg.Wait()
	close(ids)
	id := <-ids
	for other := range ids {
		if other != id {
			t.Errorf("rental points %d and %d were made", id, other)
		}
	}
	c.Get(all+"?search=r").Field("count", "1")
}
