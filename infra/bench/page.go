package main

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// lineWidth is where lines of prose are broken.
const lineWidth = 130

//go:embed shown.yaml
var shownText []byte

// shown are the requests that the page shows: their names in the table of prices, and what they are called where that says little.
func shown() (list [][2]string) {
	_ = yaml.Unmarshal(shownText, &list) // TestThePage sees that all of it is shown
	return list
}

// page is docs/performance.md: what requests cost, and which bounds hold.
func (r *report) page() string {
	var b strings.Builder
	b.WriteString("# Performance\n\n<!-- Written by infra/bench from performance.json. -->\n\n")
	text := func(format string, args ...any) { b.WriteString(wrap(fmt.Sprintf(format, args...)) + "\n") }
	text("`make bench` measures, and writes [performance.json](performance.json), which has every figure, and this page, which has the " +
		"most wanted ones. All come through the real path: gateway events go into the functions' own servers, the table is a real " +
		"DynamoDB engine on disk, and units are what that engine counts. `go run ./infra/bench -only size,start -write` measures single " +
		"parts anew.")
	b.WriteString("## What a request costs\n\n")
	costs, assumed := r.costs()
	b.WriteString(markdown(costs) + "\n")
	text("Lists are pages of 20. `p50` is the time on this machine, the local engine's included. The last column is US dollars for a " +
		"million requests. It counts the authorizer, which the calls and units leave out. " +
		"Not in it: a change's event, 3 and 4 write units.")
	text("%s", assumed)
	b.WriteString("## Bounds\n\n")
	b.WriteString(markdown(r.bounds()) + "\n## When it was measured\n\n")
	for _, line := range r.dates() {
		b.WriteString(strings.TrimSuffix(wrap("- "+line), "\n") + "\n")
	}
	return b.String()
}

// costs returns the table of what the shown requests cost, and what is assumed for the prices.
func (r *report) costs() (table block, assumed string) {
	table.Columns = []string{"Request", "Calls", "Read units", "Write units", "p50", "A million"}
	for _, s := range r.Sections {
		if s.Part != "prices" {
			continue
		}
		for _, of := range s.Blocks {
			if strings.HasPrefix(of.Text, "Assumed: ") {
				assumed = of.Text
			}
			for _, one := range shown() {
				i := slices.IndexFunc(of.Rows, func(row []string) bool { return row[0] == one[0] })
				if i < 0 {
					continue
				}
				row, what := of.Rows[i], one[0]
				if one[1] != "" {
					what = one[1] + " (`" + one[0] + "`)"
				}
				table.Rows = append(table.Rows, []string{what, row[1], row[2], row[3], row[4], strings.Trim(row[len(row)-1], "*")})
			}
		}
	}
	return table, assumed
}

// bounds returns the table of all bounds.
func (r *report) bounds() (table block) {
	table.Columns = []string{"What", "Measured", "Bound", ""}
	for _, s := range r.Sections {
		for _, f := range s.Figures {
			if f.Bound != "" {
				table.Rows = append(table.Rows, []string{f.What, f.Measured, f.Bound, strings.TrimSuffix(f.verdict()+": "+f.Why, ": ")})
			}
		}
	}
	return table
}

// dates tells of each run which sections are its. That of the most is told first, and its sections aren't named.
func (r *report) dates() (lines []string) {
	titles := map[string][]string{}
	var runs []string
	for _, s := range r.Sections {
		if titles[s.Measured] == nil {
			runs = append(runs, s.Measured)
		}
		titles[s.Measured] = append(titles[s.Measured], s.Title)
	}
	slices.SortStableFunc(runs, func(a, b string) int { return len(titles[b]) - len(titles[a]) })
	for i, run := range runs {
		if i == 0 {
			titles[run] = []string{"all but what follows"}
		}
		lines = append(lines, strings.Join(titles[run], "; ")+": "+run+".")
	}
	return lines
}

// markdown writes a table.
func markdown(table block) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| %s |\n|%s\n", strings.Join(table.Columns, " | "), strings.Repeat("---|", len(table.Columns)))
	for _, row := range table.Rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
	}
	return b.String()
}

// wrap breaks a paragraph into lines.
func wrap(paragraph string) string {
	var b strings.Builder
	width := 0
	for _, word := range strings.Fields(paragraph) {
		length := len([]rune(word))
		switch {
		case width == 0:
		case width+1+length > lineWidth:
			b.WriteByte('\n')
			width = 0
		default:
			b.WriteByte(' ')
			width++
		}
		b.WriteString(word)
		width += length
	}
	return b.String() + "\n"
}
