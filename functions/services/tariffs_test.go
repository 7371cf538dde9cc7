package services_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/history"
	"github.com/tenantry/tenantry/functions/services"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const tariffs = all + "1/tarifs/"

// shop is company 1 with the services 1 and 2, and company 2 with a service 1.
func shop(t *testing.T) (api *webtest.API, c *webtest.Client) {
	t.Helper()
	api = webtest.New(t, services.New, history.New)
	c = api.As(webtest.Employee(1))
	c.Post(all, `{"name":"Delivery"}`).Status(201)
	c.Post(all, `{"name":"Return"}`).Status(201)
	api.As(webtest.Employee(2)).Post(all, `{"name":"Theirs"}`).Status(201)
	return api, c
}

// TestTariffs follows one tariff from its making to its end, in its own list and in the service.
func TestTariffs(t *testing.T) {
	api, c := shop(t)
	day := `{"id":1,"service":1,"name":"Day","price":"5000.00","one_time_payment":false,"published":true,"duriation":86400,"tenant":1,` +
		`"created_at":"2026-03-02T09:30:00Z","updated_at":"2026-03-02T09:30:00Z"}`
	c.Post(tariffs, `{"service":"1","name":" Day ","price":5000,"duriation":"86400","id":9,"tenant":1}`).Status(201).JSON(day).
		Header("ETag", `"1"`).Header("Location", webtest.BaseURL+tariffs+"1/").Calls(3).Units(1, 7).Writes(3)
	api.Clock.Step(90 * time.Second)
	once := `{"id":2,"service":1,"name":null,"price":"0.00","one_time_payment":true,"published":false,"duriation":null,"tenant":1,` +
		`"created_at":"2026-03-02T09:31:30Z","updated_at":"2026-03-02T09:31:30Z"}`
	c.Post(tariffs, `{"service":1,"one_time_payment":true,"published":false,"duriation":0}`).Status(201).JSON(once)
	c.Get(tariffs).Status(200).JSON(`[`+day+`,`+once+`]`).Calls(1).Units(1, 0)
	c.Get(all+"1/").Status(200).Field("tarifs", `[`+day+`,`+once+`]`).Header("ETag", `"3"`).Field("updated_at", `"2026-03-02T09:31:30Z"`)
	c.Get(all).Status(200).Field("results.1.tarifs", `[`+day+`,`+once+`]`).Calls(2)
	c.Get(all + "2/tarifs/").Status(200).JSON(`[]`)

	changed := strings.NewReplacer(`5000.00`, `-0.50`, `86400`, `null`, `"Day"`, `""`, `"updated_at":"2026-03-02T09:30:00Z"`, `"updated_at":"2026-03-02T09:31:30Z"`).Replace(day)
	c.Put(tariffs+"1/", `{"service":1,"name":"","price":"-.5","duriation":0}`).Status(200).JSON(changed).Header("ETag", `"2"`).Calls(2).Units(1, 6)
	c.Patch(tariffs+"1/", `{"duriation":null}`).Status(200).JSON(changed).Header("ETag", `"2"`).Writes(0)
	c.Get(tariffs+"2/").Status(200).JSON(once).Header("ETag", `"1"`)
	c.Delete(tariffs + "1/").Status(204).Empty()
	c.Get(tariffs + "1/").Status(404)
	c.Get(tariffs).Status(200).JSON(`[` + once + `]`)
	c.Post(all+"2/tarifs/", `{"service":2,"name":"Hour"}`).Status(201).Field("id", "3") // a number is given once, in a company
	c.Get(all + "2/tarifs/2/").Status(404)
	c.Delete(all + "1/").Status(204)
	c.Get(tariffs).Status(404)
	c.Get(tariffs + "2/").Status(404)
}

func TestTariffsThatAreRefused(t *testing.T) {
	api, c := shop(t)
	c.Post(tariffs, `{"service":1,"name":"Day"}`).Status(201)
	for name, test := range map[string]struct{ body, want string }{
		"no service":         {`{"name":"a"}`, `{"service":["This field is required."]}`},
		"null":               {`{"service":null}`, `{"service":["This field may not be null."]}`},
		"another service":    {`{"service":2}`, `{"service":["Invalid pk \"2\" - object does not exist."]}`},
		"none":               {`{"service":99}`, `{"service":["Invalid pk \"99\" - object does not exist."]}`},
		"no number":          {`{"service":"one"}`, `{"service":["A valid integer is required."]}`},
		"with all else":      {`{"service":2,"price":"x","duriation":-1}`, `{"service":["Invalid pk \"2\" - object does not exist."],"price":["A valid number is required."],"duriation":["Ensure this value is greater than or equal to 0."]}`},
		"a name too long":    {`{"service":1,"name":"` + strings.Repeat("ж", 256) + `"}`, `{"name":["Ensure this field has no more than 255 characters."]}`},
		"three decimals":     {`{"service":1,"price":0.001}`, `{"price":["Ensure that there are no more than 2 decimal places."]}`},
		"fifteen digits":     {`{"service":1,"price":"-100000000000000"}`, `{"price":["Ensure that there are no more than 14 digits before the decimal point."]}`},
		"too long":           {`{"service":1,"duriation":3153600001}`, `{"duriation":["Ensure this value is less than or equal to 3153600000."]}`},
		"a part of a second": {`{"service":1,"duriation":1.5}`, `{"duriation":["A valid integer is required."]}`},
		"the wrong tenant":   {`{"service":1,"tenant":2}`, `{"tenant":["Invalid pk \"2\" - object does not exist."]}`},
	} {
		t.Run(name, func(t *testing.T) {
			c.In(t).Post(tariffs, test.body).Status(400).JSON(test.want)
			c.In(t).Put(tariffs+"1/", test.body).Status(400).JSON(test.want)
		})
	}
	c.Patch(tariffs+"1/", `{"service":2}`).Status(400).JSON(`{"service":["Invalid pk \"2\" - object does not exist."]}`)
	c.Post(all+"99/tarifs/", `{"service":99}`).Status(404).JSON(`{"detail":"Not found."}`)
	c.Post(all+"2/tarifs/", `{"service":1}`).Status(400).JSON(`{"service":["Invalid pk \"1\" - object does not exist."]}`)
	c.Patch(all+"2/tarifs/1/", `{"name":"a"}`).Status(404)
	api.As(webtest.ReadOnly(1)).Post(tariffs, `{"service":1}`).Status(403)
	// Nothing of one company is seen or touched by another, which has a service of that number.
	theirs := api.As(webtest.Employee(2))
	theirs.Get(tariffs).Status(200).JSON(`[]`)
	theirs.Get(tariffs + "1/").Status(404)
	theirs.Put(tariffs+"1/", `{"service":1}`).Status(404)
	theirs.Delete(tariffs + "1/").Status(404)
	theirs.Post(all+"2/tarifs/", `{"service":2}`).Status(404)
}

// A service has at most 50 tariffs, also where they are made at once.
func TestMostTariffs(t *testing.T) {
	_, c := shop(t)
	for i := range 47 {
		c.Post(tariffs, fmt.Sprintf(`{"service":1,"name":"%d"}`, i)).Status(201)
	}
	codes := make([]int, 6)
	var wait sync.WaitGroup
	for i := range codes {
		wait.Go(func() { codes[i] = c.Post(tariffs, `{"service":1,"price":"-1"}`).Code() })
	}
	wait.Wait()
	made := 0
	for _, code := range codes {
		if code == 201 {
			made++
		} else if code != 400 {
			t.Errorf("status %d", code)
		}
	}
	if made != 3 {
		t.Errorf("%d were made: %v", made, codes)
	}
	c.Post(tariffs, `{"service":1}`).Status(400).JSON(`{"non_field_errors":["There can be at most 50 tariffs."]}`)
	c.Delete(tariffs + "1/").Status(204)
	c.Post(tariffs, `{"service":1}`).Status(201)
}

// A tariff has a revision of its own, and changes of two tariffs at once are not lost.
func TestRevisionsOfTariffs(t *testing.T) {
	_, c := shop(t)
	c.Post(tariffs, `{"service":1,"name":"a"}`).Status(201)
	c.Post(tariffs, `{"service":1,"name":"b"}`).Status(201)
	c.With("If-Match", `"1"`).Patch(tariffs+"1/", `{"price":1}`).Status(200).Header("ETag", `"2"`)
	c.With("If-Match", `"1"`).Patch(tariffs+"1/", `{"price":2}`).Status(412).Field("etag", `"\"2\""`)
	c.With("If-Match", `"1"`).Delete(tariffs + "1/").Status(412)
	c.With("If-Match", `"1"`).Patch(tariffs+"2/", `{"price":2}`).Status(200)
	c.With("If-None-Match", `"2"`).Get(tariffs + "1/").Status(304).Empty()
	c.With("If-Match", `"3"`).Patch(all+"1/", `{"name":"Old"}`).Status(412) // the tariffs are a part of the service

	var wait sync.WaitGroup
	for _, path := range []string{"1/", "2/"} {
		wait.Go(func() { c.Patch(tariffs+path, `{"name":"new"}`).Status(200) })
	}
	wait.Go(func() { c.Patch(all+"1/", `{"name":"Renamed"}`).Status(200) })
	wait.Wait()
	c.Get(all+"1/").Field("name", `"Renamed"`).Field("tarifs.0.name", `"new"`).Field("tarifs.1.name", `"new"`).Field("tarifs.0.price", `"1.00"`)

	keyed := c.With("Idempotency-Key", "k")
	first := keyed.Post(tariffs, `{"service":1,"name":"once"}`).Status(201).Field("id", "3")
	keyed.Post(tariffs, `{"service":1,"name":"once"}`).Status(201).JSON(string(first.Body())).Writes(0)
}

// The history of a service names the tariff that changed, and tells no more of it than what changed.
func TestHistoryOfTariffs(t *testing.T) {
	_, c := shop(t)
	c.Post(tariffs, `{"service":1,"name":"Day","price":5000,"duriation":86400}`).Status(201)
	c.Post(tariffs, `{"service":1,"name":"Hour","price":500,"duriation":3600}`).Status(201)
	c.Patch(tariffs+"2/", `{"price":"600"}`).Status(200)
	c.Delete(tariffs + "1/").Status(204)
	told := c.Get("/v1/crm/history/?object=service:1").Status(200).Field("count", "5")
	told.Field("results.1.changes", `[{"field":"tarifs.2.price","from":"500.00","to":"600.00"}]`).Field("results.1.action", `"changed"`)
	for i, want := range map[int]string{0: `"from":{`, 3: `"to":{`} {
		a := fmt.Sprint(told.Value(fmt.Sprintf("results.%d.changes", i)))
		if !strings.Contains(a, "tarifs.1") || strings.Contains(a, "tarifs.2") {
			t.Errorf("change %d is %s, want %s", i, a, want)
		}
	}
	c.Get("/v1/crm/history/?object=service:2").Status(200).Field("count", "1").NotContain("tarifs.")
}
