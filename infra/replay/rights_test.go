package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/infra/local/corpus"
	"github.com/tenantry/tenantry/infra/local/judge"
	"github.com/tenantry/tenantry/infra/local/lambdaruntime"
	"github.com/tenantry/tenantry/infra/local/samtemplate"
)

// checkRights compares the rights that no event has used with those of which it is known who uses them.
func checkRights(t *testing.T, s *stage) {
	t.Helper()
	for _, wrong := range judge.Unexplained(s.judge.Unused(), judge.Exceptions()) {
		t.Error(wrong)
	}
}

// lack is one right less, or another one, in the section of a resource of the template.
type lack struct {
	section, pattern, instead string
	event, says               string
}

// action is a pattern of an action in a list of actions.
func action(name string) string {
	return `(?m)^ +- ` + name + `\n|` + name + `, |, ` + name + `\b`
}

// plantFaults takes single rights away from a copy of the template, and expects that an event tells which.
func plantFaults(t *testing.T, s *stage) {
	t.Helper()
	source, err := os.ReadFile(filepath.Join(s.Root, "template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []lack{
		{"PointsRole", action("dynamodb:PutItem"), "", "points/create", "points/create: points may not dynamodb:PutItem on "},
		{"PointsRole", action("dynamodb:UpdateItem"), "", "points/delete", "points may not dynamodb:UpdateItem on "},
		{"PointsRole", `T#\*#pt#\*, `, "", "points/list-search", "points/list-search: points may not dynamodb:Query on "},
		{"AuthorizerRole", action("dynamodb:BatchGetItem"), "", "authorizer/ok", "authorizer may not dynamodb:BatchGetItem on "},
		{"ClientsRole", `\$\{Bucket.Arn\}/t/\*`, "${Bucket.Arn}/u/*", "clients/avatar", "clients may not s3:GetObjectVersion on arn:aws:s3:::files/t/1/"},
		{"TemplatesRole", `!Ref RenderFunctionAliaslive`, "!Ref SealFunctionAliaslive", "templates/preview", "on arn:aws:lambda:us-east-1:123456789012:function:render"},
		{"RenderRole", action("s3:PutObject"), "", "templates/preview", "render may not s3:PutObject on arn:aws:s3:::files/render/"},
		{"DispatchRole", `/index/pending`, "/index/changes", "dispatch/sweep", "dispatch may not dynamodb:Query on "},
		{"DispatchRole", `!GetAtt BulkQueue.Arn, `, "", "dispatch/stream", "dispatch may not sqs:SendMessage on "},
		{"DeliverRole", `T#\*#hooks, T#\*#outbox`, "T#*#outbox", "deliver/queue", "deliver may not dynamodb:GetItem on "},
		{"WorkerRole", `T#\*#outbox, `, "", "bulk/queue", "bulk may not dynamodb:"},
	} {
		t.Run("without "+f.says, func(t *testing.T) {
			err := s.replayWith(t, f.plant(t, string(source)), f.event)
			if err == nil || !strings.Contains(err.Error(), f.says) {
				t.Errorf("%v; want one that says %q", err, f.says)
			}
		})
	}
}

// plant returns the template with the fault.
func (f lack) plant(t *testing.T, source string) *samtemplate.Template {
	t.Helper()
	from := strings.Index(source, "\n  "+f.section+":\n")
	if from < 0 {
		t.Fatalf("no section %s", f.section)
	}
	end := from + 1 + regexp.MustCompile(`\n  [A-Z]|$`).FindStringIndex(source[from+1:])[0]
	section := source[from:end]
	changed := regexp.MustCompile(f.pattern).ReplaceAllLiteralString(section, f.instead)
	if changed == section {
		t.Fatalf("nothing in %s is %s", f.section, f.pattern)
	}
	template, err := samtemplate.Parse([]byte(source[:from] + changed + source[end:]))
	if err != nil {
		t.Fatal(err)
	}
	return template
}

// named returns the event of a name.
func (s *stage) named(t *testing.T, id string) corpus.Event {
	t.Helper()
	entry, err := corpus.Find(s.Root, id)
	if err != nil {
		t.Fatal(err)
	}
	e, err := s.event(t.Context(), entry)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// replayWith replays an event under another template.
func (s *stage) replayWith(t *testing.T, template *samtemplate.Template, id string) error {
	t.Helper()
	e := s.named(t, id)
	other, err := s.judgeBy(template)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	usual, functions := s.judge, s.functions
	s.judge, s.functions = other, map[string]*lambdaruntime.Runtime{}
	defer func() {
		for _, f := range s.functions {
			f.Close()
		}
		s.judge, s.functions = usual, functions
	}()
	if err := s.start(t.Context(), e.Group); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if _, err := s.Reset(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	_, err = s.send(t.Context(), e)
	return err
}
