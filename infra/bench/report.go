package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"
)

// figure is one measured value. Without a bound it is only for information.
type figure struct {
	what, measured, bound string
	held                  bool
	timed                 bool // it depends on the machine
}

func (f figure) verdict() string {
	switch {
	case f.bound == "":
		return ""
	case f.held:
		return "held"
	default:
		return "**missed**"
	}
}

// section is the report of one part.
type section struct {
	title   string
	figures []figure
	body    strings.Builder // the text below the title
}

// judge adds a figure with a bound.
func (s *section) judge(what string, held bool, bound, measured string, args ...any) {
	s.figures = append(s.figures, figure{what: what, measured: fmt.Sprintf(measured, args...), bound: bound, held: held})
}

// judgeTime adds a figure whose value differs between machines, or from one hour to the next.
func (s *section) judgeTime(what string, held bool, bound, measured string, args ...any) {
	s.judge(what, held, bound, measured, args...)
	s.figures[len(s.figures)-1].timed = true
}

// text adds a paragraph.
func (s *section) text(format string, args ...any) {
	fmt.Fprintf(&s.body, format+"\n\n", args...)
}

// table adds a table; the first row is its header.
func (s *section) table(rows [][]string) {
	for i, row := range rows {
		fmt.Fprintf(&s.body, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			fmt.Fprintf(&s.body, "|%s\n", strings.Repeat("---|", len(row)))
		}
	}
	s.body.WriteByte('\n')
}

// machine is the machine that the measurements ran on.
type machine struct{ processor, system, load string }

func describe(ctx context.Context) machine {
	m := machine{
		processor: fmt.Sprintf("%d cores", runtime.NumCPU()),
		system:    runtime.GOOS + "/" + runtime.GOARCH + ", " + runtime.Version(),
		load:      load(),
	}
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(info)) {
			if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "model name" {
				m.processor += ", " + strings.TrimSpace(value)
				break
			}
		}
	} else if name, err := exec.CommandContext(ctx, "sysctl", "-n", "machdep.cpu.brand_string").Output(); err == nil {
		m.processor += ", " + strings.TrimSpace(string(name))
	}
	return m
}

// load is how busy the machine is: 2.0 means that two cores are fully used.
func load() string {
	content, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Join(strings.Fields(string(content))[:2], " and ") + " (1 and 5 minutes)"
}

func render(m machine, begun time.Time, took time.Duration, sections []*section) string {
	var b strings.Builder
	b.WriteString("# Performance\n\n")
	b.WriteString("Written by `make bench`, but for what stands at the end, from Orders on. Every figure comes through the real path:\n" +
		"gateway events into the functions' own servers, a real DynamoDB engine on disk, units as the engine counts them.\n\n")
	fmt.Fprintf(&b, "%s UTC, %s; %s; took %s.\nLoad of the machine before: %s; after: %s.\n\n",
		begun.UTC().Format("2006-01-02 15:04"), m.processor, m.system, took.Round(time.Second), m.load, load())
	var rows [][]string
	for _, s := range sections {
		for _, f := range s.figures {
			rows = append(rows, []string{f.what, f.measured, f.bound, f.verdict()})
		}
	}
	if len(rows) > 0 {
		var all section
		all.table(append([][]string{{"Figure", "Measured", "Bound", ""}}, rows...))
		b.WriteString(all.body.String())
	}
	for _, s := range sections {
		fmt.Fprintf(&b, "## %s\n\n%s", s.title, s.body.String())
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// percentile returns a percentile of times; p is between 0 and 1.
func percentile(times []time.Duration, p float64) time.Duration {
	if len(times) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(times))
	return sorted[min(len(sorted)-1, int(p*float64(len(sorted))))]
}

func median(times []time.Duration) time.Duration { return percentile(times, 0.5) }

// ms writes a time in milliseconds.
func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond)) }

// thousands writes a number with commas.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
