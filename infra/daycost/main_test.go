package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/infra/local/engine"
)

func TestWhatIsCommittedIsCurrent(t *testing.T) {
	root, err := engine.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, document))
	if err != nil {
		t.Fatal(err)
	}
	measured, err := os.ReadFile(filepath.Join(root, figures))
	if err != nil {
		t.Fatal(err)
	}
	want, err := write(string(text), measured, dayText)
	if err != nil || want != string(text) {
		t.Errorf("%s is not what the prices say (%v): run go generate ./infra/daycost", document, err)
	}
}

const (
	small = `{"sections":[{"part":"prices","blocks":[{"columns":["Request","**Sum**"],"rows":[["orders/create","**40.00**"],["orders/list","**2.50**"]]},
	{"text":"Assumed: list prices of Frankfurt, first tier, no free one: 0.15 a million read and 0.80 a million write units, more."}]}]}`
	marked = `# Deploying

## What it costs while idle

| What | How much | Price |
|---|---|---|
| Keys | six | 6.00 $ |
| Queries | many | about 0.08 $ |
| Polls | many | 0.38 $ (0.78 $) |
| Log lines | few | 0 (0.01 $) |
| Bytes | some | by size |

<!-- Begin of idle, by go generate ./infra/daycost -->
old
<!-- End of idle -->

## A day

<!-- Begin of day, by go generate ./infra/daycost -->
<!-- End of day -->

The end.
`
)

func TestWrite(t *testing.T) {
	const one = "orders: 50\nrequests:\n- {what: Orders, request: orders/create, times: 50, writes: true}\n- {what: Lists, request: orders/list, times: 400}\n"
	got, err := write(marked, []byte(small), []byte(one))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Together 6.46 $ a month for an account's first stage, 6.87 $ where",
		"| Orders | `orders/create` | 50 | 40.00 | 0.00200 $ |",
		"| Lists | `orders/list` | 400 | 2.50 | 0.00100 $ |",
		"| The events of what changed | | 50 | 5.60 | 0.00028 $ |", // seven units of 0.80
		"| **All** | | 450 | | **0.0033 $** |",
		"**0.10 $ in a month of 30 days** for 13500 requests, 7.29 $ a million, at list prices of Frankfurt.",
		"The end.",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %q:\n%s", want, got)
		}
	}
	if again, err := write(got, []byte(small), []byte(one)); err != nil || again != got {
		t.Errorf("written again it differs: %v\n%s", err, again)
	}
	for says, of := range map[string][3]string{
		"has no orders/made":     {marked, small, "requests: [{request: orders/made}]"},
		"no marks around day":    {strings.Replace(marked, "End of day", "Day", 1), small, one},
		"no table of what":       {strings.Replace(marked, "| Keys | six | 6.00 $ |\n", "", 1)[:20], small, one},
		"has no prices of":       {marked, `{"sections":[]}`, one},
		"performance.json: unex": {marked, `{`, one},
	} {
		if _, err := write(of[0], []byte(of[1]), []byte(of[2])); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", says, err)
		}
	}
}

// A day of other requests is printed, and nothing is written.
func TestAnotherDay(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{document: marked, figures: small, "other.yaml": "orders: 7\nrequests: [{what: Many, request: orders/list, times: 1000}]\n"} {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	if err := run(root, []string{"-day", filepath.Join(root, "other.yaml")}, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"In a day of 7 orders", "| Many | `orders/list` | 1000 | 2.50 | 0.00250 $ |", "All in all"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("lacks %q: %s", want, &out)
		}
	}
	if text, err := os.ReadFile(filepath.Join(root, document)); err != nil || string(text) != marked {
		t.Errorf("the document is written: %v", err)
	}
	if err := run(root, []string{"-day", filepath.Join(root, "none.yaml")}, &out); err == nil {
		t.Error("a file that isn't there has a day")
	}
}

// What a month costs has the requests, what remains while idle, and two metrics of each function that the requests name besides one of KMS.
func TestAll(t *testing.T) {
	d := day{Requests: []struct {
		What, Request string
		Times         int
		Writes        bool
	}{{"Orders", "orders/create", 1000, false}, {"Lists", "orders/list", 1000, false}}}
	said := d.all(costs{million: map[string]float64{"orders/create": 40, "orders/list": 2.5}}, 8, 9)
	// 30 days of 0.0425 $, and 21 metrics of 10 functions, of which nine are still free.
	if !strings.Contains(said, "All in all 12.88 $ a month**") || !strings.Contains(said, " 16.57 $ where") || !strings.Contains(said, "21 custom metrics at 0.30 $: two of each of 10 functions") {
		t.Error(said)
	}
}
