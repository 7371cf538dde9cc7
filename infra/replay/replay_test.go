package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/infra/groups"
	"github.com/tenantry/tenantry/infra/local/corpus"
	"github.com/tenantry/tenantry/infra/local/engine"
	"github.com/tenantry/tenantry/infra/underrace"
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

// Every request of every list, through the binary that is deployed for it, each in the world as it was made. What a function does has to
// be allowed to its role, and what is allowed has to be done by some event.
func TestEventsAreAnsweredAsRecorded(t *testing.T) {
	if underrace.Enabled {
		t.Skip("the functions answer from processes that the race detector doesn't watch; make race replays without it")
	}
	root := moduleRoot(t)
	names, err := corpus.Groups(root)
	if err != nil {
		t.Fatal(err)
	}
	s, err := openStage(t.Context(), t.Output())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	for _, f := range s.Template.Functions {
		if _, invoked := groups.Invoked()[f.Group()]; !invoked && !slices.Contains(names, f.Group()) { // what others call, their events call
			t.Errorf("the template's function %s has no events", f.Group())
		}
	}
	s.works = true
	for _, group := range []string{"urgent", "dispatch", "worker", "bulk", "deliver"} {
		if err := s.start(t.Context(), group); err != nil {
			t.Fatal(err)
		}
	}
	var all []shown
	var replayed, asked int // fewer are replayed where only some were chosen
	for _, group := range names {
		if err := s.start(t.Context(), group); err != nil { // outside of the subtest, whose end would be its own
			t.Fatal(err)
		}
		events, shows := s.made(t, group)
		all = append(all, shows...)
		asked += len(events)
		t.Run(group, func(t *testing.T) {
			for _, e := range events {
				t.Run(e.Name, func(t *testing.T) {
					replayed++
					s.check(t, e)
				})
			}
		})
	}
	if n := written(t, root); asked != n {
		t.Errorf("%d events of %d requests", asked, n)
	}
	if chosen := strings.Contains(flag.Lookup("test.run").Value.String(), "/"); replayed < asked && !chosen {
		t.Errorf("%d of %d events were replayed", replayed, asked)
	}
	t.Logf("%d of %d events were replayed", replayed, asked)
	if replayed == asked {
		checkRights(t, s)
	}
	t.Run("each success", func(t *testing.T) { checkSuccesses(t, all) })
	t.Run("common refusals", func(t *testing.T) { checkCommonRefusals(t, root, all) })
	t.Run("another answer", func(t *testing.T) { plantAnswers(t, s) })
	plantFaults(t, s)
}

// written counts the requests of all lists as they are written, without reading what they are.
func written(t *testing.T, root string) (n int) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, corpus.Folder, "*", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		n += strings.Count("\n"+string(content), "\n- ")
	}
	return n
}

// made makes the events of a group. Those that keep a file have to be in it, because the gateway must not have learnt to make another
// one. Files are kept by the first success of each operation, and by no other event of a group with operations.
func (s *stage) made(t *testing.T, group string) (events []corpus.Event, all []shown) {
	t.Helper()
	entries, err := corpus.Read(s.Root, group)
	if err != nil {
		t.Fatal(err)
	}
	m, err := s.maker(t.Context(), group)
	if err != nil {
		t.Fatal(err)
	}
	files, err := corpus.Files(s.Root, group)
	if err != nil {
		t.Fatal(err)
	}
	ops, seen := tables()[group], map[string]bool{}
	for _, entry := range entries {
		payload, err := s.make(t.Context(), m, entry)
		if err != nil {
			t.Fatalf("%s: %v", entry.Name, err)
		}
		e, err := entry.Expected(payload)
		if err != nil {
			t.Fatal(err)
		}
		want, err := corpus.Indented(payload)
		if err != nil {
			t.Fatalf("%s: %v", entry.Name, err)
		}
		if entry.Filed && !bytes.Equal(e.Payload, want) {
			t.Errorf("%s is not the event that its list asks for: make events", entry.ID())
		}
		of, err := showing(ops, e)
		if err != nil {
			t.Fatal(err)
		}
		if keeps := of.filed(ops, seen); keeps != entry.Filed {
			t.Errorf("%s keeps a file: %v, want %v: make events", entry.ID(), entry.Filed, keeps)
		}
		files = slices.DeleteFunc(files, func(path string) bool { return path == entry.File })
		events, all = append(events, e), append(all, of)
	}
	if len(events) == 0 || len(files) > 0 {
		t.Errorf("%s has %d events, and files that no list asks for: %v", group, len(events), files)
	}
	return events, all
}

// check replays an event.
func (s *stage) check(t *testing.T, e corpus.Event) {
	t.Helper()
	if e.Want == nil {
		t.Fatalf("%s has no answer: make events", e.ID())
	}
	got, err := s.answer(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	if diffs := got.differences(e.Want); len(diffs) > 0 {
		t.Errorf("the answer differs from %s:\n  %s", e.Told, strings.Join(diffs, "\n  "))
	}
}

// plantAnswers changes the expected answer of a request in a copy of its list, and expects that its replay tells.
func plantAnswers(t *testing.T, s *stage) {
	t.Helper()
	const list = "events/documents/lists.yaml"
	content, err := os.ReadFile(filepath.Join(s.Root, list))
	if err != nil {
		t.Fatal(err)
	}
	whole := string(content)
	from := strings.Index(whole, "- name: list-no-token\n")
	if from < 0 {
		t.Fatal("list-no-token is not in lines of its own")
	}
	for _, c := range []struct{ right, wrong, says string }{
		{"status: 401", "status: 403", "status: 401, want 403"},
		{"credentials were not", "credentials have not", "body.detail: "},
		{"  answered: {", `  answered: {"Etag": "\"1\"", `, "headers: Etag is missing"},
		{"  answered: ", "  # answered: ", "Www-Authenticate is not wanted"},
	} {
		root := t.TempDir()
		planted := whole[:from] + strings.Replace(whole[from:], c.right, c.wrong, 1)
		if err := os.MkdirAll(filepath.Join(root, filepath.Dir(list)), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, list), []byte(planted), 0o600); err != nil {
			t.Fatal(err)
		}
		entry, err := corpus.Find(root, "documents/list-no-token")
		if err != nil {
			t.Fatal(err)
		}
		e, err := s.event(t.Context(), entry)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.answer(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		if diffs := strings.Join(got.differences(e.Want), "\n"); !strings.Contains(diffs, c.says) {
			t.Errorf("with %s: %q, want %q", c.wrong, diffs, c.says)
		}
	}
}

// What `make replay` says and how it ends.
func TestReplayOfOneEvent(t *testing.T) {
	file := filepath.Join(moduleRoot(t), "events", "documents", "list.json")
	copied := filepath.Join(t.TempDir(), "event.json")
	for _, c := range []struct {
		args   []string
		status int
		says   []string
	}{
		{[]string{"documents/list-no-token"}, 0, []string{"401\n", `"detail": "Authentication credentials were not provided."`, "As recorded."}},
		{[]string{file}, 0, []string{"200\n", "As recorded."}},
		{[]string{"-write", copied, "documents/list-no-token"}, 0, []string{"documents/list-no-token is written to " + copied}},
		{[]string{"documents/nothing"}, 1, []string{`no list of documents has "nothing"`}},
		{[]string{"nothing/list"}, 1, []string{"has no list of requests"}},
		{[]string{corpus.AnswerFile(file)}, 1, []string{"is not an event"}},
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
	e, err := corpus.ReadFile(copied)
	if err != nil || !strings.HasPrefix(string(e.Payload), "{\n  \"version\": \"2.0\",\n") || !strings.Contains(string(e.Payload), `"verdict": "missing"`) {
		t.Errorf("%v: %s", err, e.Payload)
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
