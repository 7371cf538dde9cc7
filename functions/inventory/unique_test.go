package inventory_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/tenantry/tenantry/functions/inventory"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// TestUniqueAmongActiveItems follows a unique_id and a number through the hands of two items.
func TestUniqueAmongActiveItems(t *testing.T) {
	api := webtest.New(t, inventory.New)
	c := api.As(webtest.Employee(1))
	c.Post(all, `{"name":"First","unique_id":"B-1","car":{"number":"123 abc 02"}}`).Status(201)
	taken := func(by int) string {
		return fmt.Sprintf(`{"unique_id":["This field must be unique."],"car":{"number":["This field must be unique."]},"taken_by":{"unique_id":%d,"car.number":%d}}`, by, by)
	}
	second := `{"name":"Second","unique_id":"B-1","car":{"number":" 123ABC02 "}}`
	c.Post(all, second).Status(400).JSON(taken(1))
	c.With("Accept", web.TypeProblem).Post(all, second).Status(400).Field("errors", `[
		{"pointer":"/car/number","code":"not_unique","detail":"This field must be unique.","params":{"id":1}},
		{"pointer":"/unique_id","code":"not_unique","detail":"This field must be unique.","params":{"id":1}}]`)
	for _, disabled := range []string{"0", "1", "2"} { // whatever takes it out of use gives back what it had
		c.Patch(all+"1/", `{"disabled":`+disabled+`}`).Status(200).Field("unique_id", `"B-1"`).Field("car.number", `"123ABC02"`)
		c.Patch(all+"1/", `{"disabled":null}`).Status(200)
	}
	c.Patch(all+"1/", `{"disabled":2}`).Status(200)
	c.Post(all, second).Status(201).Field("id", "2")
	// It can be changed while it is withdrawn, and comes back when the values are free.
	c.Patch(all+"1/", `{"comment":"Stolen, found"}`).Status(200)
	c.Patch(all+"1/", `{"disabled":null}`).Status(400).JSON(taken(2))
	c.Patch(all+"1/", `{"disabled":null,"unique_id":"B-2"}`).Status(400).
		JSON(`{"car":{"number":["This field must be unique."]},"taken_by":{"car.number":2}}`)
	c.Get(all+"1/").Field("disabled", "2").Field("unique_id", `"B-1"`)
	c.Patch(all+"2/", `{"disabled":1}`).Status(200)
	c.Patch(all+"1/", `{"disabled":null}`).Status(200).Field("unique_id", `"B-1"`)
	c.Patch(all+"2/", `{"disabled":null}`).Status(400).JSON(taken(1))
	c.Delete(all + "1/").Status(204)
	c.Patch(all+"2/", `{"disabled":null}`).Status(200)
	// Sending the values that the item has already writes nothing. Another company may use the same values.
	c.Patch(all+"2/", `{"unique_id":"B-1","car":{"number":"123abc 02"}}`).Status(200).Writes(0)
	api.As(webtest.Employee(2)).Post(all, second).Status(201)
}

// TestReturnsAtOnce: of many items that come back with one unique_id at one moment, one does.
func TestReturnsAtOnce(t *testing.T) {
	c := webtest.New(t, inventory.New).As(webtest.Employee(1))
	const items = 16
	for range items {
		c.Post(all, `{"name":"Bike","unique_id":"B-1","disabled":2}`).Status(201)
	}
	codes := make([]int, items)
	var wait sync.WaitGroup
	for i := range items {
		wait.Go(func() { codes[i] = c.Patch(fmt.Sprintf("%s%d/", all, i+1), `{"disabled":null}`).Code() })
	}
	wait.Wait()
	count := map[int]int{}
	for _, code := range codes {
		count[code]++
	}
	if count[200] != 1 || count[400] != items-1 {
		t.Errorf("answers: %v", count)
	}
	c.Get(all+"?active=true").Field("count", "1").Field("results.0.unique_id", `"B-1"`)
	c.Get(all+"?unique_id=B-1").Field("count", "1").Field("results.0.disabled", "null")
}

// TestOneReturnsManyTimes: the same return, sent many times at once, is one, and none is refused.
func TestOneReturnsManyTimes(t *testing.T) {
	c := webtest.New(t, inventory.New).As(webtest.Employee(1))
	c.Post(all, `{"name":"Bike","unique_id":"B-1","disabled":2}`).Status(201)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() { c.Patch(all+"1/", `{"disabled":null}`).Status(200) })
	}
	wait.Wait()
	c.Get(all+"1/").Header("ETag", `"2"`)
}
