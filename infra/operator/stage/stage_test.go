package stage_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/infra/operator/stage"
	"github.com/tenantry/tenantry/shared/keys"
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

// parameters is a stack that has these parameters, and whose resources are called as in its template.
type parameters map[string]string

func (parameters) Resource(_ context.Context, id string) (string, error) { return id, nil }

func (p parameters) Parameters(context.Context) (map[string]string, error) { return p, nil }

// Chains are made by the keys of the stack, or by those of the platform's file of keys; the command makes no such file.
func TestChains(t *testing.T) {
	const arn = "arn:aws:kms:eu-central-1:123456789012:key/"
	kept := filepath.Join(t.TempDir(), "keys.json")
	if _, err := keys.FromFile(kept); err != nil {
		t.Fatal(err)
	}
	own, first := keys.FromKMS(nil, named("ChainKey")).Secrets(keys.Chains), keys.FromKMS(nil, named("one", "two")).Secrets(keys.Chains)
	file, _ := keys.FromFile(kept)
	for name, c := range map[string]struct {
		e    stage.Env
		want []keys.ID
	}{
		"its own":     {stage.Env{Stack: parameters{"ChainKeys": ""}}, own},
		"a list":      {stage.Env{Stack: parameters{"ChainKeys": arn + "one," + arn + "two"}}, first},
		"a file":      {stage.Env{KeysFile: kept}, file.Secrets(keys.Chains)},
		"no stack":    {stage.Env{}, nil},
		"a file less": {stage.Env{KeysFile: kept + ".none"}, nil},
	} {
		got, err := c.e.Chains(t.Context())
		if c.want == nil {
			if err == nil {
				t.Errorf("%s: no error", name)
			}
			continue
		}
		if err != nil || !slices.Equal(got.Secrets(keys.Chains), c.want) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if _, err := os.Stat(kept + ".none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file of keys was made: %v", err)
	}
}

func named(list ...string) keys.Names {
	return keys.Names{Secrets: map[keys.Use][]string{keys.Chains: list}}
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
