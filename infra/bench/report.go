package main

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
)

// missed tells whether a figure has a bound that it doesn't hold.
func (f figure) missed() bool { return f.Bound != "" && !f.Held }

func (f figure) verdict() string {
	switch {
	case f.Bound == "":
		return ""
	case f.Held:
		return "held"
	default:
		return "**missed**"
	}
}

// judge adds a figure with a bound.
func (s *section) judge(what string, held bool, bound, measured string, args ...any) {
	s.Figures = append(s.Figures, figure{What: what, Measured: fmt.Sprintf(measured, args...), Bound: bound, Held: held})
}

// judgeTime adds a figure whose value differs between machines, or from one hour to the next.
func (s *section) judgeTime(what string, held bool, bound, measured string, args ...any) {
	s.judge(what, held, bound, measured, args...)
	s.Figures[len(s.Figures)-1].Timed = true
}

// text adds a paragraph.
func (s *section) text(format string, args ...any) {
	s.Blocks = append(s.Blocks, block{Text: joined(fmt.Sprintf(format, args...))})
}

// table adds a table; the first row is its header.
func (s *section) table(rows [][]string) {
	s.Blocks = append(s.Blocks, block{Columns: rows[0], Rows: rows[1:]})
}

var model = regexp.MustCompile(`(?m)^model name\s*: (.*)$`)

// described tells when a run was, on what machine, and how busy that was before and after.
func described(begun time.Time, before string) string {
	processor := fmt.Sprintf("%d cores", runtime.NumCPU())
	info, _ := os.ReadFile("/proc/cpuinfo") // other systems than Linux have no such file, and only the cores are told
	if name := model.FindSubmatch(info); name != nil {
		processor += ", " + string(name[1])
	}
	return fmt.Sprintf("%s UTC, %s, %s: load %s before, %s after",
		begun.UTC().Format("2006-01-02 15:04"), runtime.Version(), processor, before, load())
}

// load is how busy the machine was in the last minute: 2.0 means that two cores were fully used.
func load() string {
	content, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	one, _, _ := strings.Cut(string(content), " ")
	return one
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
