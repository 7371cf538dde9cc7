package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/infra/groups"
	"github.com/tenantry/tenantry/infra/local/engine"
	"github.com/tenantry/tenantry/shared/web/webtest/match"
)

func moduleRoot(t *testing.T) string {
	t.Helper()
	root, err := engine.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// Every event, through the binary that is deployed for it, each in the world as it was made. What a function does has to be allowed
// to its role, and what is allowed has to be done by some event.
func TestEventsAreAnsweredAsRecorded(t *testing.T) {
	root := moduleRoot(t)
	names, err := recordedGroups(root)
	if err != nil {
		t.Fatal(err)
	}
	s, err := openStage(t.Context(), root, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.close)
	for _, f := range s.template.Functions {
		if _, invoked := groups.Invoked()[f.Group()]; !invoked && !slices.Contains(names, f.Group()) { // what others call, their events call
			t.Errorf("the template's function %s has no events", f.Group())
		}
	}
	s.works = true
	if err := s.start(t.Context(), "worker"); err != nil {
		t.Fatal(err)
	}
	var replayed, asked int // fewer are replayed where only some were chosen
	for _, group := range names {
		if err := s.start(t.Context(), group); err != nil { // outside of the subtest, whose end would be its own
			t.Fatal(err)
		}
		paths, err := eventsOf(root, group)
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s has no events: %v", group, err)
		}
		asked += len(paths)
		t.Run(group, func(t *testing.T) {
			checkEvents(t, s, group)
			for _, path := range paths {
				t.Run(strings.TrimSuffix(filepath.Base(path), suffix), func(t *testing.T) {
					replayed++
					replayEvent(t, s, path)
				})
			}
		})
	}
	if replayed == asked {
		checkRights(t, s)
	}
	plantFaults(t, s)
}

// checkEvents makes each event of a group again: the gateway must not have learnt to make another.
func checkEvents(t *testing.T, s *stage, group string) {
	t.Helper()
	list, err := requestsOf(s.root, group)
	if err != nil {
		t.Fatal(err)
	}
	g, err := s.gateway(t.Context(), group)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range list {
		payload, err := g.event(t.Context(), a)
		if err != nil {
			t.Fatalf("%s: %v", a.Name, err)
		}
		want, err := indented(s.world.Globalise(payload))
		if err != nil {
			t.Fatalf("%s: %v", a.Name, err)
		}
		got, err := os.ReadFile(filepath.Join(s.root, folder, group, a.Name+suffix))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s/%s is not the event that requests.yaml asks for: make events", group, a.Name)
		}
	}
}

func replayEvent(t *testing.T, s *stage, path string) {
	t.Helper()
	e, err := readEvent(path)
	if err != nil {
		t.Fatal(err)
	}
	if e.want == nil {
		t.Fatalf("no %s: make events", filepath.Base(answerOf(path)))
	}
	got, err := s.answer(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	if diffs := got.differences(e.want); len(diffs) > 0 {
		t.Errorf("the answer differs:\n  %s", strings.Join(diffs, "\n  "))
	}
}

// The events are those that requests.yaml asks for, and no others.
func TestEventsAreThoseAskedFor(t *testing.T) {
	root := moduleRoot(t)
	names, err := recordedGroups(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range names {
		list, err := requestsOf(root, group)
		if err != nil {
			t.Fatal(err)
		}
		paths, err := eventsOf(root, group)
		if err != nil {
			t.Fatal(err)
		}
		var want, got []string
		for _, a := range list {
			want = append(want, a.Name)
		}
		for _, path := range paths {
			got = append(got, strings.TrimSuffix(filepath.Base(path), suffix))
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(want, got) {
			t.Errorf("%s: events %v, asked for %v: make events", group, got, want)
		}
	}
}

// What `make replay` says and how it ends.
func TestReplayOfOneEvent(t *testing.T) {
	path := filepath.Join(moduleRoot(t), folder, "documents", "list-no-token"+suffix)
	for _, c := range []struct {
		args   []string
		status int
		says   []string
	}{
		{[]string{path}, 0, []string{"401\n", `"detail": "Authentication credentials were not provided."`, "As recorded."}},
		{[]string{answerOf(path)}, 1, []string{"is not an event"}},
		{[]string{"events/documents/nothing.json"}, 1, []string{"no such file"}},
		{[]string{}, 1, []string{"say which event"}},
		{[]string{"-unknown"}, 2, []string{"unknown"}},
	} {
		var out bytes.Buffer
		if status := run(t.Context(), c.args, &out, &out); status != c.status {
			t.Errorf("%v: status %d, want %d", c.args, status, c.status)
		}
		for _, text := range c.says {
			if !strings.Contains(out.String(), text) {
				t.Errorf("%v: it does not say %q:\n%s", c.args, text, out.String())
			}
		}
	}
}

// Each way in which an answer can be another one is told.
func TestAnotherAnswerIsTold(t *testing.T) {
	raw := []byte(`{"statusCode":401,"headers":{"content-type":"application/json","server-timing":"x"},"body":"{\"detail\":\"No.\"}"}`)
	got, err := read(raw)
	if err != nil {
		t.Fatal(err)
	}
	for want, diff := range map[string]string{
		`{"status":401,"headers":{"Content-Type":"application/json"},"body":{"detail":"No."}}`:  "",
		`{"status":403,"headers":{"Content-Type":"application/json"},"body":{"detail":"No."}}`:  "status: 401, want 403",
		`{"status":401,"headers":{},"body":{"detail":"No."}}`:                                   `headers: Content-Type is not wanted ("application/json")`,
		`{"status":401,"headers":{"Content-Type":"application/json"},"body":{"detail":"Yes."}}`: `body.detail: "No.", want "Yes."`,
		`{"status":401,"headers":{"Content-Type":"application/json"}}`:                          `body: body is not wanted ({"detail":"No."})`,
		`{"answer":{}}`: "body: answer is missing",
	} {
		tree, err := match.Parse([]byte(want))
		if err != nil {
			t.Fatal(err)
		}
		diffs := strings.Join(got.differences(tree), "\n")
		if diff == "" && diffs != "" || !strings.Contains(diffs, diff) {
			t.Errorf("against %s: %q, want %q", want, diffs, diff)
		}
	}
}

func TestGeneralise(t *testing.T) {
	today := time.Now().Format(`"` + time.DateOnly + `"`)
	for _, c := range []struct{ a, b, want string }{
		{`{"id":1,"name":"x"}`, `{"id":1,"name":"x"}`, `{"id":1,"name":"x"}`},
		{`{"id":1}`, `{"id":2}`, `{"id":"<int>"}`},
		{`"0b9e4c1a-1f2d-4a5b-8c7d-0123456789ab"`, `"0b9e4c1a-1f2d-4a5b-8c7d-0123456789ab"`, `"0b9e4c1a-1f2d-4a5b-8c7d-0123456789ab"`},
		{`"0b9e4c1a-1f2d-4a5b-8c7d-0123456789ab"`, `"1b9e4c1a-1f2d-4a5b-8c7d-0123456789ab"`, `"<uuid>"`},
		{`"2026-03-02T09:30:00Z"`, `"2026-03-02T09:30:00Z"`, `"<datetime>"`},
		{`"2025-12-31"`, `"2025-12-31"`, `"2025-12-31"`},
		{today, today, `"<date>"`},
		{`"http://a/b?X-Amz-Signature=1"`, `"http://a/b?X-Amz-Signature=1"`, `"<url>"`},
		{`["a","b"]`, `["a","c"]`, `["a","<string>"]`},
		{`["a"]`, `["a","b"]`, `"<any>"`},
		{`{"Retry-After":"59"}`, `{"Retry-After":"59"}`, `{"Retry-After":"<string>"}`},
		{`"Expected available in 59 seconds."`, `"Expected available in 59 seconds."`, `"Expected available in <int> seconds."`},
		{`null`, `"x"`, `"<any>"`},
	} {
		var trees [3]any
		for i, text := range []string{c.a, c.b, c.want} {
			var err error
			if trees[i], err = match.Parse([]byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		got, want := pretty(generalise(trees[0], trees[1])), pretty(trees[2])
		if got != want {
			t.Errorf("%s and %s: %s, want %s", c.a, c.b, got, want)
		}
	}
}
