package show

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/show/job"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/invoke"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web"
)

// sized are servers with clients, each of as many bytes as its number; number 1 can't be read.
func sized() servers {
	type input struct {
		ID int64 `path:"id"`
	}
	group := web.Group{Name: "sized", Operations: []web.Operation{web.Op(
		web.Operation{ID: "sized", Method: http.MethodGet, Path: "/v1/crm/clients/{id}/"},
		func(_ context.Context, _ *web.Request, in *input) (*web.Reply[string], error) {
			if in.ID == 1 {
				panic("nobody can read it")
			}
			text := strings.Repeat("<", int(in.ID)-len(`""`))
			return &web.Reply[string]{Header: map[string]string{"ETag": web.ETag(7)}, Body: web.Body(text)}, nil
		},
	)}}
	server := web.NewServer(group, web.Config{Table: table.Open(nil, "never-asked"), Now: time.Now})
	return servers{kinds.Client: func() *web.Server { return server }}
}

func ask(t *testing.T, base string, objects ...string) ([]job.Shown, error) {
	t.Helper()
	return job.Ask(t.Context(), invoke.Function(sized().answer), 7, base, objects)
}

const base = "https://api.tenantry.test"

// An answer fits into one of Lambda, whatever is asked for.
func TestWhatIsTooLarge(t *testing.T) {
	const largest, larger = "client:262144", "client:262145"
	objects := []string{larger}
	for range job.MaxAnswer/job.MaxRecord - 1 {
		objects = append(objects, largest)
	}
	objects = append(objects, "client:262100", "client:100", "client:44", "client:2")
	shown, err := ask(t, base, objects...)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	for i, one := range shown {
		large := objects[i] == larger || objects[i] == "client:100" || objects[i] == "client:2"
		if one.Revision == nil || *one.Revision != 7 || one.TooLarge != large || (one.Record == nil) != large {
			t.Errorf("%s, number %d: %d bytes, too large: %t", objects[i], i, len(one.Record), one.TooLarge)
		}
		sum += len(one.Record)
	}
	if sum != job.MaxAnswer {
		t.Errorf("%d bytes fit", sum)
	}
}

// What has no path, or no name that is known, has no record; nor does that fail what else is asked for.
func TestWhatHasNoPath(t *testing.T) {
	shown, err := ask(t, base, "company:7", "stage:3", "unicorn:1", "client", "")
	if err != nil {
		t.Fatal(err)
	}
	for i, one := range shown {
		if one.Revision != nil || one.Record != nil || one.TooLarge {
			t.Errorf("number %d: %+v", i, one)
		}
	}
}

// A record that can't be read fails no other one.
func TestARecordThatFails(t *testing.T) {
	shown, err := ask(t, base, "client:1", "client:2")
	if err != nil || len(shown) != 2 || !shown[0].Fails || shown[0].Record != nil || shown[1].Fails || shown[1].Record == nil {
		t.Errorf("%+v, %v", shown, err)
	}
}

func TestWhatFails(t *testing.T) {
	for name, c := range map[string]struct {
		base    string
		objects []string
		says    string
	}{
		"no base":                    {"", nil, "no request"},
		"more than may be asked for": {base, make([]string, job.Most+1), "no request"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := ask(t, c.base, c.objects...); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, want one that says %q", err, c.says)
			}
		})
	}
	for _, payload := range []string{"", "{}", `{"company":0,"base":"https://a"}`} {
		if _, err := sized().answer(t.Context(), []byte(payload)); err == nil {
			t.Errorf("%q: nobody minds", payload)
		}
	}
	few := func(context.Context, []byte) ([]byte, error) { return []byte("[]"), nil }
	if _, err := job.Ask(t.Context(), few, 7, base, []string{"client:2"}); err == nil {
		t.Error("an answer to fewer objects: nobody minds")
	}
}

// A server is made when it is needed, and once.
func TestServersAreMadeWhenTheyAreNeeded(t *testing.T) {
	all := open(app.Env{Table: table.Open(nil, "never-asked"), Now: time.Now})
	if all[kinds.Client] == nil || all[kinds.Company] != nil {
		t.Fatalf("%d kinds", len(all))
	}
	if a, b := all[kinds.Client](), all[kinds.Agent](); a != b {
		t.Error("a group has two servers")
	}
}
