package services_test

import (
	"fmt"
	"regexp"
	"sync"
	"testing"

	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/functions/services"
	"github.com/tenantry/tenantry/shared/table/tabletest"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// The slug is the name's, with the first suffix that is free, and stays with the service.
func TestSlugs(t *testing.T) {
	api := webtest.New(t, services.New)
	c, theirs := api.As(webtest.Employee(1)), api.As(webtest.Employee(2))
	made := func(name, slug string) *webtest.Answer {
		t.Helper()
		return c.Post(all, map[string]any{"name": name}).Status(201).Field("slug", `"`+slug+`"`)
	}
	made("Мойка салона", "moyka-salona")
	made("МОЙКА  САЛОНА!", "moyka-salona-2").Calls(4).Units(21, 10) // one call more: it looks at nineteen suffixes at once
	made("Moyka salona 3", "moyka-salona-3")
	made("Мойка салона", "moyka-salona-4")
	made("Moyka salona 2", "moyka-salona-2-2")
	made("洗车", "service")
	made("???", "service-2")
	theirs.Post(all, `{"name":"Мойка салона"}`).Status(201).Field("slug", `"moyka-salona"`)

	c.Patch(all+"1/", `{"name":"Химчистка"}`).Status(200).Field("slug", `"moyka-salona"`)
	c.Patch(all+"1/", `{"slug":"mine"}`).Status(200).Field("slug", `"moyka-salona"`).Writes(0)
	made("Мойка салона", "moyka-salona-5")
	c.Delete(all + "2/").Status(204)
	made("Мойка салона", "moyka-salona-2")
	c.Delete(all + "1/").Status(204)
	made("Мойка салона", "moyka-salona")
	c.With("Idempotency-Key", "k").Post(all, `{"name":"Once"}`).Status(201).Field("slug", `"once"`)
	c.With("Idempotency-Key", "k").Post(all, `{"name":"Once"}`).Status(201).Field("slug", `"once"`).Writes(0)
}

// However many services have one name, one more takes few calls.
func TestManyOfOneName(t *testing.T) {
	api := webtest.New(t, services.New)
	c := api.As(webtest.Employee(1))
	for i := range 20 {
		slug := "wash"
		if i > 0 {
			slug = fmt.Sprintf("wash-%d", i+1)
		}
		c.Post(all, `{"name":"Wash"}`).Status(201).Field("slug", `"`+slug+`"`).Calls(4)
	}
	further := regexp.MustCompile(`^wash-(2[1-9]|[3-9][0-9]|1[0-9][0-9]|200)$`)
	for range 30 {
		if slug := c.Post(all, `{"name":"Wash"}`).Status(201).Calls(5).Text("slug"); !further.MatchString(slug) {
			t.Errorf("the slug is %s", slug)
		}
	}
}

// Of services that are made of one name at once, all are made, each with a slug of its own.
func TestSlugRaces(t *testing.T) {
	locks := func(a dynamodbiface.DynamoDBAPI) dynamodbiface.DynamoDBAPI {
		return tabletest.Wrap(a, tabletest.Locks(), 1)
	}
	for name, setup := range map[string]webtest.Setup{"the engine's": {}, "as AWS locks": {Table: locks}} {
		t.Run(name, func(t *testing.T) {
			c := setup.New(t, services.New).As(webtest.Employee(1))
			const many = 16
			slugs := make([]string, many)
			var wait sync.WaitGroup
			for i := range slugs {
				wait.Go(func() { slugs[i] = c.Post(all, `{"name":"Wash"}`).Status(201).Text("slug") })
			}
			wait.Wait()
			own := map[string]bool{}
			for _, slug := range slugs {
				own[slug] = true
			}
			if len(own) != many || !own["wash"] {
				t.Errorf("%d services have the slugs %v", many, slugs)
			}
			c.Get(all).Status(200).Field("count", fmt.Sprint(many))
		})
	}
}
