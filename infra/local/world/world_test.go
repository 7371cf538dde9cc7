package world

import (
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tenantry/tenantry/infra/local/bucket/buckettest"
	"github.com/tenantry/tenantry/infra/local/engine"
	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/infra/local/samtemplate"
	"github.com/tenantry/tenantry/infra/local/steps"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/keyspace"
	"github.com/tenantry/tenantry/shared/tenant"
)

func create(t *testing.T) *World {
	t.Helper()
	root, err := engine.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	template, err := samtemplate.Load(filepath.Join(root, "template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	w, err := New(t.Context(), Engines{Template: template, Table: enginetest.Endpoint(t), Files: buckettest.Bucket(t)}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// facts are the keys of a world's items and the words of its documents, without what is of one copy alone: windows of
// throttles and ids of messages that were delivered.
func facts(t *testing.T, w *World) map[string]string {
	t.Helper()
	facts, delivered := map[string]string{}, regexp.MustCompile("\x00outbox#([ub]#)?0")
	for key, it := range w.items {
		if strings.HasPrefix(key, "R#") || delivered.MatchString(key) && !strings.Contains(key, "\x00outbox#0000") {
			continue
		}
		facts[key] = fmt.Sprint(it["n"], it["u"])
		if strings.HasPrefix(key, "T#1#outbox") || strings.HasPrefix(key, "G#") {
			facts[key] = ""
		}
	}
	return facts
}

func TestTheWorldIsAlwaysTheSame(t *testing.T) {
	one, two := create(t), create(t)
	for name, value := range one.Values() {
		if two.Values()[name] != value {
			t.Errorf("%s is %q and %q", name, value, two.Values()[name])
		}
	}
	a, b := facts(t, one), facts(t, two)
	if len(a) < 40 {
		t.Errorf("only %d items: %v", len(a), a)
	}
	if len(a) != len(b) {
		t.Errorf("%d items and %d", len(a), len(b))
	}
	for key := range a {
		if _, ok := b[key]; !ok {
			t.Errorf("only one has %q", key)
		}
	}
}

func ask(t *testing.T, c *caller, token, method, path, body string) *steps.Answer {
	t.Helper()
	a, err := c.send(t.Context(), token, steps.Request{Method: method, Path: path, Body: []byte(body)})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestResetUndoesEverything(t *testing.T) {
	w := create(t)
	before := w.items
	if changed, err := w.Reset(t.Context()); err != nil || changed {
		t.Errorf("an untouched world: %v %v", changed, err)
	}
	c := w.caller()
	ann := w.Values()["ann.access"]
	for _, r := range [][3]string{
		{http.MethodPost, "/v2/documents/", `{"name":"New"}`},
		{http.MethodDelete, "/v2/documents/1/", ""},
		{http.MethodPatch, "/v2/documents/2/", `{"name":"Other"}`},
		{http.MethodPost, "/v2/documents/", fmt.Sprintf(`{"source":1,"file":%q}`, w.Values()["upload.file"])},
		{http.MethodPost, "/v1/auth/cross_login/", `{"token":"` + w.Values()["cross.token"] + `"}`},
	} {
		if a := ask(t, c, ann, r[0], r[1], r[2]); a.Status >= http.StatusMultipleChoices {
			t.Fatal(a)
		}
	}
	if changed, err := w.Reset(t.Context()); err != nil || !changed {
		t.Errorf("a changed world: %v %v", changed, err)
	}
	after, err := w.scan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(len(after)) != fmt.Sprint(len(before)) {
		t.Errorf("%d items, want %d", len(after), len(before))
	}
	if a := ask(t, c, ann, http.MethodGet, "/v2/documents/", ""); fmt.Sprint(a.Value("count")) != "10" {
		t.Errorf("%v documents, want 10: %s", a.Value("count"), a)
	}
	// The upload can be taken again.
	body := fmt.Sprintf(`{"source":1,"file":%q}`, w.Values()["upload.file"])
	if a := ask(t, c, ann, http.MethodPost, "/v2/documents/", body); a.Status != http.StatusCreated {
		t.Error(a)
	}
}

func TestAnAgedWorldIsMadeAnew(t *testing.T) {
	w := create(t)
	before := w.Values()
	w.made = w.made.Add(-fresh)
	if _, err := w.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	if time.Since(w.made) > fresh {
		t.Error("still old")
	}
	if fmt.Sprint(before) != fmt.Sprint(w.Values()) {
		t.Errorf("%v, want %v", w.Values(), before)
	}
}

func TestFill(t *testing.T) {
	w := &World{values: steps.Values{"a": "1", "b.c": "2"}}
	if got, err := w.Fill(`{"x":"${a}","y":"${b.c}"}`); err != nil || got != `{"x":"1","y":"2"}` {
		t.Errorf("%s %v", got, err)
	}
	if _, err := w.Fill("${nothing}"); err == nil || !strings.Contains(err.Error(), "nothing") {
		t.Errorf("%v", err)
	}
}

// TestEveryItemIsFound proves what an export or the end of a company depends on: each item is of a registered kind, and
// each item of a company is found by the company's name or by the numbers that it gave out, or expires by itself.
func TestEveryItemIsFound(t *testing.T) {
	w := create(t)
	space := keyspace.New()
	last := map[string]int64{} // by company and kind
	for _, it := range w.items {
		if n, ok := it["n"].(*types.AttributeValueMemberN); ok && strings.HasSuffix(text(it["pk"]), "#seq") {
			last[text(it["pk"])], _ = strconv.ParseInt(n.Value, 10, 64)
		}
	}
	companies := map[tenant.ID]map[string]bool{}
	for _, it := range w.items {
		pk, sk := text(it["pk"]), text(it["sk"])
		p, known := space.Of(pk)
		if !known || !space.Item(pk, sk) {
			t.Errorf("%s %s is not registered", pk, sk)
			continue
		}
		company, own := table.TenantOf(pk)
		if p.Found == keyspace.ByTime && it["ttl"] == nil {
			t.Errorf("%s %s is ended by its time, and has none", pk, sk)
		}
		if !own || p.Found == keyspace.ByTime {
			continue
		}
		if companies[company] == nil {
			companies[company] = map[string]bool{}
			for pk := range space.Named(company) {
				companies[company][pk] = true
			}
			for pk := range space.Numbered(company, func(k kinds.Code) int64 { return last["T#"+company.String()+"#"+string(k)+"#seq"] }) {
				companies[company][pk] = true
			}
		}
		if !companies[company][pk] {
			t.Errorf("%s %s of company %d is not found", pk, sk, company)
		}
	}
	if len(companies) < 2 {
		t.Errorf("companies: %v", companies)
	}
}
