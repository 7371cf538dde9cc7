package stage_test

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/infra/operator/stage"
)

// Whoever doesn't confirm has done nothing, and is told so.
func TestAsk(t *testing.T) {
	for name, c := range map[string]struct {
		in     string
		yes    bool
		goesOn bool
		says   string // of the error
	}{
		"y":             {in: "y\n", goesOn: true},
		"yes":           {in: " YES \r\n", goesOn: true},
		"y at the end":  {in: "y", goesOn: true},
		"no":            {in: "n\n", says: "not confirmed"},
		"an empty line": {in: "\n", says: "not confirmed"},
		"another word":  {in: "yep\n", says: "not confirmed"},
		"nobody":        {in: "", says: "nobody answered; scripts say -yes"},
		"a script":      {in: "", yes: true, goesOn: true},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			e := &stage.Env{In: strings.NewReader(c.in), Out: &out, Yes: c.yes}
			err := e.Ask("This removes 7.", "It can't be undone.")
			if (err == nil) != c.goesOn || err != nil && (!errors.Is(err, stage.ErrUnconfirmed) || !strings.Contains(err.Error(), c.says)) {
				t.Errorf("%v", err)
			}
			if !strings.HasPrefix(out.String(), "This removes 7.\nIt can't be undone.\n") {
				t.Errorf("%q", out.String())
			}
			if asked := strings.Contains(out.String(), "Go on?"); asked == c.yes {
				t.Errorf("asked: %t", asked)
			}
		})
	}
	in := strings.NewReader("y\nrest")
	e := &stage.Env{In: in, Out: io.Discard}
	if err := e.Ask(); err != nil {
		t.Fatal(err)
	}
	if rest, _ := io.ReadAll(in); string(rest) != "rest" {
		t.Errorf("the question took more than its line: %q is left", rest)
	}
}

func TestWhere(t *testing.T) {
	for args, want := range map[string]stage.Where{
		"-table a -bucket b":                    {Table: "a", Bucket: "b"},
		"-local":                                {Local: "http://127.0.0.1:8000"},
		"-local http://127.0.0.1:8711":          {Local: "http://127.0.0.1:8711"},
		"--local http://127.0.0.1:8711/":        {Local: "http://127.0.0.1:8711"},
		"-local=http://127.0.0.1:8711 -table t": {Local: "http://127.0.0.1:8711", Table: "t"},
		"-local companies":                      {Local: "http://127.0.0.1:8000"},
	} {
		var got stage.Where
		f := flag.NewFlagSet("test", flag.ContinueOnError)
		got.Define(f)
		if err := f.Parse(stage.Joined(strings.Fields(args))); err != nil || got != want {
			t.Errorf("%s: %+v, %v", args, got, err)
		}
	}
}

// What can't be opened says what is lacking.
func TestOpenFails(t *testing.T) {
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for want, w := range map[string]stage.Where{
		"say which stage":        {},
		"leave out -table,":      {Local: other.URL, Table: "t"},
		"is no platform of make": {Local: other.URL},
		"no platform answers at": {Local: gone.URL},
		"is no address such as":  {Local: "127.0.0.1:8000"},
	} {
		if _, err := stage.Open(t.Context(), w, func(string) string { return "" }); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, not %q", w, err, want)
		}
	}
}
