package main

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/patience"
)

// What the table consumes does not depend on the machine: these bounds hold in
// every run, with few documents too. Times are never looked at here, nor is
// an engine hurried that is slow because the machine is busy.
func TestTheBoundsOfCallsAndUnits(t *testing.T) {
	b := &bench{documents: 1200, clients: 1200, searched: 400, samples: 20, out: t.Output()}
	sections, err := b.measure(patience.AtLeast(t.Context(), time.Minute), []string{"authorizer", "create", "writes", "import", "metrics", "client-search", "client-lists", "search", "lists", "grown"})
	if err != nil {
		t.Fatal(err)
	}
	judged := 0
	for _, s := range sections {
		for _, f := range s.Figures {
			if f.Timed {
				continue
			}
			if judged++; !f.Held {
				t.Errorf("%s: %s, the bound is %s", f.What, f.Measured, f.Bound)
			}
		}
	}
	if judged != 23 {
		t.Errorf("%d figures were judged", judged)
	}
}

func TestBounds(t *testing.T) {
	s := &section{Title: "Of something"}
	s.judge("calls", true, "≤ 2", "%d", 2)
	s.judgeTime("time", false, "≤ 1 ms", "%s", ms(1500*time.Microsecond))
	got := markdown((&report{Sections: []*section{s}}).bounds())
	for _, want := range []string{"| calls | 2 | ≤ 2 | held |\n", "| time | 1.5 ms | ≤ 1 ms | **missed** |\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if !s.Figures[1].Timed || s.Figures[0].Timed {
		t.Error("what is timed is not what was judged so")
	}
}

// What single parts have measured takes the place of what they had, and nothing else changes: what is written by hand stays, and so
// does the reason of a bound that is missed again.
func TestPartsMeasuredAnew(t *testing.T) {
	r := &report{Sections: []*section{
		{Part: "size", Title: "Size", Measured: "then", Figures: []figure{
			{What: "a", Measured: "9", Bound: "< 8", Why: "of b"}, {What: "c", Measured: "9", Bound: "< 8", Why: "of d"},
		}},
		{Part: "own", Title: "Own", Measured: "then"},
		{Title: "Orders", Measured: "then"},
	}}
	r.take([]*section{
		{Part: "size", Title: "Size", Measured: "now", Figures: []figure{
			{What: "a", Measured: "8.5", Bound: "< 8"}, {What: "c", Measured: "7", Bound: "< 8", Held: true},
		}},
		{Part: "start", Title: "Start", Measured: "now"},
	})
	var got []string
	for _, s := range r.Sections {
		got = append(got, s.Title+" "+s.Measured)
	}
	if want := "Size now, Start now, Own then, Orders then"; strings.Join(got, ", ") != want {
		t.Errorf("%q, want %q", got, want)
	}
	page := r.page()
	for _, want := range []string{
		"| a | 8.5 | < 8 | **missed**: of b |\n| c | 7 | < 8 | held |\n", "- all but what follows: now.\n- Own; Orders: then.\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	r.Sections = []*section{{Title: "T", Blocks: []block{{Columns: []string{"a", `"b`}, Rows: [][]string{{"< 1", "],\n["}}}}}}
	content, err := r.encode()
	again := &report{}
	if err = errors.Join(err, json.Unmarshal(content, again)); err != nil || !reflect.DeepEqual(r, again) ||
		!strings.Contains(string(content), `["a", "\"b"],`) {
		t.Errorf("%v: %s", err, content)
	}
}

// The page is short, has all that it is to show, and says why a bound is missed. That it is what the data makes of it is seen by
// .ci/generated.
func TestThePage(t *testing.T) {
	r, err := readReport("../../docs/performance.json")
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(r.page(), "\n"); lines > 150 {
		t.Errorf("docs/performance.md has %d lines, and may have 150", lines)
	}
	if costs, assumed := r.costs(); len(costs.Rows) != 42 || len(shown()) != 42 || assumed == "" {
		t.Errorf("%d of %d requests are shown, assuming %q", len(costs.Rows), len(shown()), assumed)
	}
	for _, s := range r.Sections {
		for _, f := range s.Figures {
			if f.missed() && f.Why == "" {
				t.Errorf("%s: %s, the bound is %s, and nothing says why: put it into docs/performance.json", f.What, f.Measured, f.Bound)
			}
		}
		if s.Measured == "" {
			t.Errorf("%s: nothing says when it was measured", s.Title)
		}
	}
}

func TestHolesAreTheirShare(t *testing.T) {
	for _, share := range []float64{0.3, 0.97} {
		keep, kept := holes(1, share), 0
		for id := range int64(100_000) {
			if keep(id) {
				kept++
			}
		}
		if got := 1 - float64(kept)/100_000; got < share-0.01 || got > share+0.01 {
			t.Errorf("%.3f of the ids are holes, want %.2f", got, share)
		}
	}
}

func TestSmallSums(t *testing.T) {
	times := []time.Duration{5, 1, 4, 2, 3}
	if median(times) != 3 || percentile(times, 0) != 1 || percentile(times, 1) != 5 || median(nil) != 0 {
		t.Error("percentiles are wrong")
	}
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := thousands(n); got != want {
			t.Errorf("%d is written %s", n, got)
		}
	}
	p := priced{cost: cost{calls: 2, read: 4, write: 8}, took: 3 * time.Millisecond, signs: 1}
	// 10 ms for two calls, and 3 ms on half a core.
	if got := p.billed(wholeCore / 2); got != 17*time.Millisecond {
		t.Errorf("billed %s", got)
	}
	at := prices["eu-central-1"]
	d := p.price(at, 1024, true)
	if d[items] != 4*at.readUnit+8*at.writeUnit || d[gateway] != at.gatewayRequest || d[others] != at.kmsSign ||
		d[functions] <= at.lambdaRequest {
		t.Errorf("%+v", d)
	}
}

func TestFill(t *testing.T) {
	b := &bench{searched: 10_000, months: 2, texts: map[string]string{"company": "c"}}
	last := &answer{body: []byte(`{"results":[{"id":9},{"id":7}]}`)}
	for text, want := range map[string]string{
		"{n} {n%3} {id} {ids 3}": "4 2 9 9,8,7", "{month} {monthend}": "2023-01-01 2023-01-31", `{"a":"{phone 4}"}`: `{"a":"0004"}`,
		"{searched} of {company}": "10,000 of c", "{items 1}": `{"data":[{"name":"Велосипед № 0"}]}`,
	} {
		if got := b.fill(text, 4, last); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	if a, b := b.fill("{individuals 2}", 0, nil), b.fill("{individuals 2}", 0, nil); a == b {
		t.Errorf("%s twice", a)
	}
}

// What scenarios.yaml lists is measured by a part, and what has a bound has a limit.
func TestScenarios(t *testing.T) {
	all, err := readScenarios()
	if err != nil || len(all) < 10 {
		t.Fatal(len(all), err)
	}
	for name, list := range all {
		if !slices.ContainsFunc(parts(), func(p part) bool { return p.name == name }) {
			t.Errorf("no part is called %s", name)
		}
		for _, s := range list {
			limited := !s.limits.none() || s.Rush.Rate > 0
			for _, q := range s.Ask {
				limited = limited || !q.limits.none()
			}
			if limited != (s.Bound != "") {
				t.Errorf("%s: the bound is %q, and it has a limit: %t", s.What, s.Bound, limited)
			}
		}
	}
}

func TestLimits(t *testing.T) {
	three, ten := 3.0, 10.0
	l := limits{Calls: &three, Write: &ten}
	for c, want := range map[cost]bool{{3, 99, 10}: true, {4, 0, 0}: false, {1, 0, 10.5}: false} {
		if l.hold(c) != want {
			t.Errorf("%v holds: %t", c, !want)
		}
	}
	if l.none() || !(limits{}).none() {
		t.Error("what has limits has none")
	}
	if got := told([]cost{{3, 0, 8}, {2, 0, 6.5}}); got != "3 calls, 0 read and 8 write units; 2 calls, 0 read and 6.5 write units" {
		t.Error(got)
	}
}
