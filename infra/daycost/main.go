// Command daycost writes into docs/deploying.md what a company's day costs, and what a stage costs while idle: the requests of day.yaml at
// the measured prices of docs/performance.json, and the sum of the table of what remains without requests. `go generate
// ./infra/daycost` runs it.
//
//	go run ./infra/daycost -day FILE
//
// prints what a day of other requests costs, in the form of day.yaml, and writes nothing.
//
// What never goes in here: prices of its own, and measuring, which are infra/bench.
package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/tenantry/tenantry/infra/command"
	"github.com/tenantry/tenantry/infra/local/engine"
)

//go:generate go run .

//go:embed day.yaml
var dayText []byte

const (
	document = "docs/deploying.md"
	figures  = "docs/performance.json"
	// eventUnits are the write units of a change's event, 3 and 4, which the prices of requests leave out.
	eventUnits = 7
	days       = 30
)

func main() {
	command.Main("daycost", func(_ context.Context, args []string, out io.Writer) error {
		root, err := engine.ModuleRoot()
		if err != nil {
			return err
		}
		return run(root, args, out)
	})
}

func run(root string, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("daycost", flag.ContinueOnError)
	other := flags.String("day", "", "print what the day of a `file` costs, in the form of infra/daycost/day.yaml")
	if err := flags.Parse(args); err != nil {
		return err
	}
	file := filepath.Join(root, document)
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	measured, err := os.ReadFile(filepath.Join(root, figures))
	if err != nil {
		return err
	}
	if *other != "" {
		asked, err := os.ReadFile(*other)
		if err != nil {
			return err
		}
		_, table, err := parts(string(text), measured, asked)
		if err != nil {
			return fmt.Errorf("%s: %w", *other, err)
		}
		_, err = io.WriteString(out, table)
		return err
	}
	written, err := write(string(text), measured, dayText)
	if err != nil {
		return err
	}
	return os.WriteFile(file, []byte(written), 0o644) //nolint:gosec // for everybody to read
}

// day is what is asked for in a day.
type day struct {
	Orders   int
	Requests []struct {
		What, Request string
		Times         int
		Writes        bool // it leaves an event
	}
}

// write returns the document with what is between its marks made anew.
func write(text string, measured, of []byte) (string, error) {
	idle, table, err := parts(text, measured, of)
	if err != nil {
		return "", err
	}
	if text, err = between(text, "idle", idle); err != nil {
		return "", err
	}
	return between(text, "day", table)
}

// parts returns what a stage costs while idle, by the document's table, and what a day costs.
func parts(text string, measured, of []byte) (idle, table string, err error) {
	var d day
	if err := yaml.Unmarshal(of, &d); err != nil {
		return "", "", fmt.Errorf("the day: %w", err)
	}
	costs, err := read(measured)
	if err != nil {
		return "", "", err
	}
	requests, err := d.table(costs)
	if err != nil {
		return "", "", err
	}
	first, all, err := sums(text)
	if err != nil {
		return "", "", err
	}
	idle = fmt.Sprintf("Together %.2f $ a month for an account's first stage, %.2f $ where nothing is free any more, and the bytes.\n",
		first, all)
	return idle, requests + d.all(costs, first, all), nil
}

// costs are the prices of a million of each request, that of a million write units, and whose prices they are.
type costs struct {
	million   map[string]float64
	writeUnit float64
	whose     string
}

var assumed = regexp.MustCompile(`^Assumed: (.+?), first tier.* and ([0-9.]+) a million write units`)

func read(measured []byte) (costs, error) {
	c := costs{million: map[string]float64{}}
	var report struct {
		Sections []struct {
			Part   string
			Blocks []struct {
				Text    string
				Columns []string
				Rows    [][]string
			}
		}
	}
	if err := json.Unmarshal(measured, &report); err != nil {
		return c, fmt.Errorf("%s: %w", figures, err)
	}
	for _, s := range report.Sections {
		if s.Part != "prices" {
			continue
		}
		for _, b := range s.Blocks {
			sum := slices.Index(b.Columns, "**Sum**")
			for _, row := range b.Rows {
				price, err := strconv.ParseFloat(strings.Trim(row[sum], "*"), 64)
				if err != nil {
					return c, fmt.Errorf("%s: %s: %w", figures, row[0], err)
				}
				c.million[row[0]] = price
			}
			if found := assumed.FindStringSubmatch(b.Text); found != nil {
				c.whose = found[1]
				c.writeUnit, _ = strconv.ParseFloat(found[2], 64) // digits and a point
			}
		}
	}
	if len(c.million) == 0 || c.writeUnit == 0 {
		return c, fmt.Errorf("%s has no prices of requests, or not of what units", figures)
	}
	return c, nil
}

// table is what a day costs, request by request, and a month.
func (d day) table(c costs) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "| In a day of %d orders | Request | Times | A million | A day |\n|---|---|---|---|---|\n", d.Orders)
	requests, events, sum := 0, 0, 0.0
	for _, r := range d.Requests {
		price, there := c.million[r.Request]
		if !there {
			return "", fmt.Errorf("the day: %s has no %s", figures, r.Request)
		}
		cost := price * float64(r.Times) / 1e6
		fmt.Fprintf(&b, "| %s | `%s` | %d | %.2f | %.5f $ |\n", r.What, r.Request, r.Times, price, cost)
		requests, sum = requests+r.Times, sum+cost
		if r.Writes {
			events += r.Times
		}
	}
	event := eventUnits * c.writeUnit
	cost := event * float64(events) / 1e6
	sum += cost
	fmt.Fprintf(&b, "| The events of what changed | | %d | %.2f | %.5f $ |\n", events, event, cost)
	fmt.Fprintf(&b, "| **All** | | %d | | **%.4f $** |\n\n", requests, sum)
	million := sum / float64(requests) * 1e6
	fmt.Fprintf(&b, "That is **%.2f $ in a month of %d days** for %d requests, %.2f $ a million, at %s.\n",
		days*sum, days, days*requests, million, c.whose)
	fmt.Fprintf(&b, "Twenty companies with 100,000 such requests a month each cost %.2f $ together, and the stage by itself once.\n",
		2*million)
	return b.String(), nil
}

// Custom metrics: each function in use sends two, and KMS has one (docs/operations.md).
const (
	perMetric  = 0.30 // $ a month, where it is sent in each hour
	freeOnes   = 10   // of an account
	freeLeft   = freeOnes - 1
	background = 9 // functions that no request of the table names: authorizer, dispatch, urgent, worker, bulk, deliver, pack, seal, render
)

// all is what a stage of that day costs in a month, with what remains while idle.
func (d day) all(c costs, idle, more float64) string {
	groups := map[string]bool{}
	sum := 0.0
	for _, r := range d.Requests {
		group, _, _ := strings.Cut(r.Request, "/")
		groups[group] = true
		sum += c.million[r.Request] * float64(r.Times) / 1e6
		if r.Writes {
			sum += eventUnits * c.writeUnit * float64(r.Times) / 1e6
		}
	}
	functions := len(groups) + background
	metrics := 2*functions + 1
	return fmt.Sprintf("\n**All in all %.2f $ a month** for an account's first stage, %.2f $ where nothing is free any more:\n"+
		"the requests, what remains while idle, and %d custom metrics at %.2f $: two of each of %d functions and `KmsCalls`.\n"+
		"Nine are free: an account has ten, and what remains while idle uses one. Metrics are billed for the hours in which they\n"+
		"are sent, so a stage whose only company works ten hours a day pays less than half of theirs. Cold starts, bytes, SMS,\n"+
		"e-mails and the functions that carry out messages come besides.\n",
		days*sum+idle+perMetric*float64(max(0, metrics-freeLeft)), days*sum+more+perMetric*float64(metrics), metrics, perMetric, functions)
}

var amount = regexp.MustCompile(`([0-9]+(?:\.[0-9]+)?)(?: \$)?`)

// sums adds the table of what remains while idle: the first figure of each row's price, and the one in brackets where there is one.
func sums(text string) (first, all float64, err error) {
	_, after, found := strings.Cut(text, "\n## What it costs while idle\n")
	section, _, _ := strings.Cut(after, "\n## ")
	rows := 0
	for line := range strings.SplitSeq(section, "\n") {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if len(cells) != 3 {
			continue
		}
		prices := amount.FindAllStringSubmatch(cells[2], -1)
		if len(prices) == 0 {
			continue
		}
		rows++
		one, _ := strconv.ParseFloat(prices[0][1], 64) // digits and a point
		other, _ := strconv.ParseFloat(prices[len(prices)-1][1], 64)
		first, all = first+one, all+other
	}
	if !found || rows == 0 {
		return 0, 0, errors.New(document + " has no table of what it costs while idle")
	}
	return first, all, nil
}

// between puts a text between the marks of a part of the document.
func between(text, part, what string) (string, error) {
	begin, end := "<!-- Begin of "+part+", by go generate ./infra/daycost -->\n", "<!-- End of "+part+" -->\n"
	before, rest, begins := strings.Cut(text, begin)
	_, after, ends := strings.Cut(rest, end)
	if !begins || !ends {
		return "", fmt.Errorf("%s has no marks around %s", document, part)
	}
	return before + begin + "\n" + what + "\n" + end + after, nil
}
