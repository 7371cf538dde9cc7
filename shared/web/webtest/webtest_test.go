package webtest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// note is the record of a small group that the harness is tried on.
type note struct {
	table.Item
	Text string `dynamo:"t"`
}

type noteIn struct {
	ID   int64 `path:"id"`
	Body struct {
		Text decode.Optional[string] `json:"text" required:"true"`
	}
}

type noteOut struct {
	ID        int64  `json:"id"`
	Text      string `json:"text"`
	CreatedAt string `json:"created_at"`
	Tag       string `json:"tag"`
}

func notes(env app.Env) app.Group {
	put := func(ctx context.Context, r *web.Request, in *noteIn) (noteOut, error) {
		n := note{Item: table.At(r.Table.Record(kinds.Document, in.ID), 1), Text: in.Body.Text.Value}
		err := r.Table.Write(ctx, func(tx *table.Tx, _ int) error {
			tx.Put(r.Table.Put(n), nil)
			tx.Check(r.Table.Exists(r.Table.Company()), fault.ErrNotFound)
			return nil
		})
		return noteOut{in.ID, n.Text, env.Now().Format(time.RFC3339), env.NewUUID().String()}, err
	}
	found := func(ctx context.Context, r *web.Request, _ *struct{}) (web.None, error) {
		return web.None{}, r.Table.Put(table.At(r.Table.Company(), 1)).Run(ctx)
	}
	spill := func(ctx context.Context, r *web.Request, in *noteIn) (web.None, error) {
		if err := r.Table.Put(note{Item: table.At(r.Table.Record(kinds.Document, in.ID), 1)}).Run(ctx); err != nil {
			return web.None{}, err
		}
		return web.None{}, fault.ErrNotFound
	}
	fail := func(context.Context, *web.Request, *struct{}) (web.None, error) {
		return web.None{}, errors.New("the notes burnt")
	}
	return app.Group{Group: web.Group{Name: "notes", Operations: []web.Operation{
		web.Op(web.Operation{ID: "notes-fail", Method: "GET", Path: "/v1/notes/fail/"}, fail),
		web.Op(web.Operation{ID: "notes-put", Method: "PUT", Path: "/v1/notes/{id}/"}, put),
		web.Op(web.Operation{ID: "notes-found", Method: "POST", Path: "/v1/notes/", Status: 201}, found),
		web.Op(web.Operation{ID: "notes-spill", Method: "POST", Path: "/v1/notes/{id}/spill/"}, spill),
	}}}
}

// other has a longer prefix within that of notes.
func other(app.Env) app.Group {
	who := func(_ context.Context, r *web.Request, _ *struct{}) (map[string]any, error) {
		return map[string]any{"tenant": r.Principal.Tenant, "role": r.Principal.Role, "basis": r.Principal.Basis, "ip": r.IP}, nil
	}
	return app.Group{Group: web.Group{Name: "other", Operations: []web.Operation{
		web.Op(web.Operation{ID: "who", Method: "GET", Path: "/v1/notes/who/"}, who),
	}}}
}

func TestScenario(t *testing.T) {
	api := webtest.New(t, notes, other)
	owner := api.As(webtest.Owner(1))
	put := owner.Put("/v1/notes/7/", `{"text":"a"}`).Status(404)
	put.JSON(`{"detail":"Not found."}`).Calls(1).NotContain("text")
	owner.Post("/v1/notes/", nil).Status(201).Writes(1).Empty().Calls(1).Units(0, 1)
	api.Clock.Step(time.Hour)
	owner.Put("/v1/notes/7/", map[string]any{"text": " a "}).Status(200).Writes(1).Calls(1).Units(0, 4).
		JSON(`{"id":7,"text":"a","created_at":"2026-03-02T10:30:00Z","tag":"<uuid>"}`).
		Field("created_at", `"<datetime>"`).NoHeader("Location").Header("Content-Type", "application/json")
	api.As(webtest.Employee(2)).From("198.51.100.9").Get("/v1/notes/who/").Status(200).
		JSON(`{"tenant":2,"role":"employee","basis":"only","ip":"198.51.100.9"}`)
	owner.With("X-Tenant-Id", "1").Get("/v1/notes/who/").Status(200).Field("basis", `"header"`)
	owner.With("X-Tenant-Id", "2").Get("/v1/notes/who/").Status(403)
	api.As(webtest.Nobody()).Get("/v1/notes/who/").Status(401)
	api.As(webtest.BadToken()).Get("/v1/notes/who/").Status(401)
	api.As(webtest.Unknown()).Get("/v1/notes/who/").Status(503)
	if !strings.Contains(api.Log(), `"Route":"notes-put"`) {
		t.Errorf("log: %s", api.Log())
	}
}

// reporter catches what a check reports.
type reporter struct {
	testing.TB
	said []string
}

func (r *reporter) Helper() {}

func (r *reporter) Errorf(format string, args ...any) {
	r.said = append(r.said, fmt.Sprintf(format, args...))
}

func (r *reporter) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	panic(r)
}

func TestChecksFail(t *testing.T) {
	api := webtest.New(t, notes)
	owner := api.As(webtest.Owner(1))
	owner.Post("/v1/notes/", nil).Status(201)
	put := func(c *webtest.Client) *webtest.Answer { return c.Put("/v1/notes/7/", `{"text":"a"}`) }
	for _, c := range []struct {
		name, want string
		check      func(*webtest.Client)
	}{
		{"status", "status 200, want 201", func(c *webtest.Client) { put(c).Status(201) }},
		{"a failed request has written", "1 items written, want 0", func(c *webtest.Client) {
			c.Post("/v1/notes/8/spill/", `{"text":"a"}`).Status(404)
		}},
		{"writes", "1 items written, want 2", func(c *webtest.Client) { put(c).Writes(2) }},
		{"calls", "1 calls, want at most 0", func(c *webtest.Client) { put(c).Calls(0) }},
		{"units", "write units, want at most 0 and 1", func(c *webtest.Client) { put(c).Units(0, 1) }},
		{"missing key", "other is missing", func(c *webtest.Client) { put(c).JSON(`{"other":1}`) }},
		{"key too many", "tag is not wanted", func(c *webtest.Client) {
			put(c).JSON(`{"id":7,"text":"a","created_at":"<any>"}`)
		}},
		{"value", `text: "a", want "b"`, func(c *webtest.Client) { put(c).Field("text", `"b"`) }},
		{"matcher", `want "<uuid>"`, func(c *webtest.Client) { put(c).Field("text", `"<uuid>"`) }},
		{"type", "want a list of 1", func(c *webtest.Client) { put(c).Field("text", `["a"]`) }},
		{"path", "no nothing.here", func(c *webtest.Client) { put(c).Value("nothing.here") }},
		{"contains", "the body contains", func(c *webtest.Client) { put(c).NotContain("created_at") }},
		{"header", "Content-Type is", func(c *webtest.Client) { put(c).Header("Content-Type", "text/plain") }},
		{"no header", "want none", func(c *webtest.Client) { put(c).NoHeader("content-type") }},
		{"not empty", "want none", func(c *webtest.Client) { put(c).Empty() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &reporter{TB: t}
			func() {
				defer func() {
					if v := recover(); v != nil && v != any(r) {
						panic(v)
					}
				}()
				c.check(owner.In(r))
			}()
			if !strings.Contains(strings.Join(r.said, "\n"), c.want) {
				t.Errorf("reported %q, want %q", r.said, c.want)
			}
		})
	}
}

// A test that fails tells what the functions did, and why one failed.
func TestFailuresShowTheLog(t *testing.T) {
	failed := &failing{TB: t}
	api := webtest.New(failed, notes, other)
	for range 11 {
		api.As(webtest.ReadOnly(3)).Get("/v1/notes/who/").Status(200)
	}
	api.As(webtest.Owner(3)).Get("/v1/notes/fail/").Status(500)
	for _, f := range failed.cleanups {
		f()
	}
	log := strings.Join(failed.logs, "\n")
	for want, n := range map[string]int{
		"200 GET who, user 31 of company 3: 0 calls, 0 read and 0 write units\n": 9,
		"500 GET notes-fail, user 34 of company 3":                               1, "the notes burnt\n": 1, "_aws": 0,
	} {
		if got := strings.Count(log, want); got != n {
			t.Errorf("%d times %q, want %d, in\n%s", got, want, n, log)
		}
	}
}

// failing is a test that has failed.
type failing struct {
	testing.TB
	cleanups []func()
	logs     []string
}

func (f *failing) Failed() bool { return true }

func (f *failing) Cleanup(c func()) { f.cleanups = append(f.cleanups, c) }

func (f *failing) Logf(format string, args ...any) {
	f.logs = append(f.logs, fmt.Sprintf(format, args...))
}
