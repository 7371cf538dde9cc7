package documents_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/functions/documents"
	"github.com/tenantry/tenantry/infra/presstest"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// seeding is of the company 1 and its owner.
func seeding(n int, change ...func(*documents.Seeding)) documents.Seeding {
	s := documents.Seeding{Company: 1, User: 14, N: n, Samples: documents.Samples{
		Contents: []string{"<h1>Договор</h1>", "<h1>Agreement</h1>"},
		Name: func(random *rand.Rand, number int) (string, int) {
			language := random.IntN(2)
			return fmt.Sprintf("%s № %d", []string{"Договор", "Agreement"}[language], number), language
		},
	}}
	for _, c := range change {
		c(&s)
	}
	return s
}

func TestSeed(t *testing.T) {
	api := newAPI(t)
	c := api.As(webtest.Owner(1))
	c.Post(all, `{"name":"the first"}`).Status(201)
	var heard []int
	if err := documents.Seed(t.Context(), api.Env, seeding(321, func(s *documents.Seeding) {
		s.Progress = func(done int) { heard = append(heard, done) }
	})); err != nil {
		t.Fatal(err)
	}
	if len(heard) != 4 || heard[3] != 321 || !slices.IsSorted(heard) {
		t.Errorf("progress: %v", heard)
	}
	var list web.List[documents.Document]
	if err := json.Unmarshal(c.Get(all+"?pageSize=1000").Status(200).Body(), &list); err != nil {
		t.Fatal(err)
	}
	if list.Count != 322 || len(list.Results) != 322 {
		t.Fatalf("%d of %d documents", len(list.Results), list.Count)
	}
	last := "9999"
	for i, d := range list.Results {
		if d.ID != int64(322-i) || d.CreatedAt > last || d.UpdatedAt < d.CreatedAt || d.Name == "" {
			t.Errorf("row %d: %+v, the one before it of %s", i, d, last)
		}
		last = d.CreatedAt
	}
	newest := list.Results[0]
	if newest.CreatedBy == nil || *newest.CreatedBy != 14 || len(newest.Files) != 1 {
		t.Fatalf("%+v", newest)
	}
	if body, _ := served(t, c, newest.Files[0].File); !strings.HasPrefix(presstest.PageOf(t, body).HTML, "<h1>") {
		t.Errorf("served %q", body)
	}
	c.Get(all + "?search=ДОГОВОР+%E2%84%96+2").Status(200).Calls(3)
	api.As(webtest.Owner(2)).Get(all).Status(200).Field("count", "0")
	c.Post(all, `{}`).Status(201).Field("id", "323")
}

// TestSeedHoles: what is not wanted is a hole, as if it had been deleted.
func TestSeedHoles(t *testing.T) {
	api := newAPI(t)
	c := api.As(webtest.Owner(1))
	wanted := func(id int64) bool { return id%100 == 50 }
	if err := documents.Seed(t.Context(), api.Env, seeding(990, func(s *documents.Seeding) { s.Keep = wanted })); err != nil {
		t.Fatal(err)
	}
	list := c.Get(all+"?pageSize=4&page=last").Status(200).Field("count", "10")
	if got := ids(list); got != "150 50" {
		t.Errorf("ids %s", got)
	}
	c.Post(all, `{}`).Status(201).Field("id", "991")
}

// TestBounds: what a list of a company with 100 documents costs, whatever page.
func TestBounds(t *testing.T) {
	api := newAPI(t)
	c := api.As(webtest.Owner(1))
	if err := documents.Seed(t.Context(), api.Env, seeding(100)); err != nil {
		t.Fatal(err)
	}
	for _, page := range []string{"1", "2", "3", "5", "last"} {
		c.Get(all+"?pageSize=20&page="+page).Status(200).Calls(2).Units(4, 0)
	}
	c.Get(all+"?pageSize=20&search=%E2%84%96+1").Status(200).Calls(3).Units(12, 0)
	c.Get(all+"50/").Status(200).Calls(1).Units(1, 0)
}

func BenchmarkSeed(b *testing.B) {
	const n = 5000
	api := newAPI(b)
	for b.Loop() {
		if err := documents.Seed(b.Context(), api.Env, seeding(n)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "documents/s")
}
