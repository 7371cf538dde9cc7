package main

import (
	"io"
	"strings"
	"testing"
	"time"
)

// What the table consumes does not depend on the machine: these bounds hold in
// every run, with few documents too. Times are never looked at here.
func TestTheBoundsOfCallsAndUnits(t *testing.T) {
	b := &bench{documents: 1200, clients: 1200, searched: 400, samples: 20, out: io.Discard, begun: time.Now()}
	sections, err := b.measure(t.Context(), []string{"authorizer", "create", "writes", "import", "metrics", "client-search", "client-lists", "search", "lists", "grown"})
	if err != nil {
		t.Fatal(err)
	}
	judged := 0
	for _, s := range sections {
		for _, f := range s.figures {
			if f.timed {
				continue
			}
			if judged++; !f.held {
				t.Errorf("%s: %s, the bound is %s", f.what, f.measured, f.bound)
			}
		}
	}
	if judged != 23 {
		t.Errorf("%d figures were judged", judged)
	}
}

func TestRender(t *testing.T) {
	s := &section{title: "Of something"}
	s.judge("calls", true, "≤ 2", "%d", 2)
	s.judgeTime("time", false, "≤ 1 ms", "%s", ms(1500*time.Microsecond))
	s.table([][]string{{"a", "b"}, {"1", "2"}})
	s.text("That is %s.", "all")
	got := render(machine{processor: "a processor"}, time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC), time.Minute, []*section{s})
	for _, want := range []string{
		"| calls | 2 | ≤ 2 | held |\n", "| time | 1.5 ms | ≤ 1 ms | **missed** |\n", "## Of something\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nThat is all.\n",
		"2026-03-02 09:30 UTC, a processor",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if !s.figures[1].timed || s.figures[0].timed {
		t.Error("what is timed is not what was judged so")
	}
}

// What was written by hand stays where the report is written again.
func TestWrittenByHand(t *testing.T) {
	old := "# Performance\n" + handMark + "\n## Orders\n"
	if kept := byHand(old); kept != handMark+"\n## Orders\n" || byHand("new\n"+kept) != kept || byHand("# Performance\n") != "" {
		t.Errorf("kept %q", kept)
	}
}

func TestHolesAreTheirShare(t *testing.T) {
	for _, share := range []float64{0.3, 0.97} {
		keep, kept := holes(1, share), 0
		for id := range int64(100_000) {
			if keep(id) {
				kept++
			}
		}
		if got := 1 - float64(kept)/100_000; got < share-0.01 || got > share+0.01 {
			t.Errorf("%.3f of the ids are holes, want %.2f", got, share)
		}
	}
}

func TestSmallSums(t *testing.T) {
	times := []time.Duration{5, 1, 4, 2, 3}
	if median(times) != 3 || percentile(times, 0) != 1 || percentile(times, 1) != 5 || median(nil) != 0 {
		t.Error("percentiles are wrong")
	}
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := thousands(n); got != want {
			t.Errorf("%d is written %s", n, got)
		}
	}
	if n := matches([]string{"a b", "b c", "abc"}, "B A"); n != 2 {
		t.Errorf("%d matches", n)
	}
	p := priced{cost: cost{calls: 2, read: 4, write: 8}, took: 3 * time.Millisecond, signs: 1}
	// 10 ms for two calls, and 3 ms on half a core.
	if got := p.billed(wholeCore / 2); got != 17*time.Millisecond {
		t.Errorf("billed %s", got)
	}
	at := prices["eu-central-1"]
	d := p.price(at, 1024, true)
	if d.table != 4*at.readUnit+8*at.writeUnit || d.gateway != at.gatewayRequest || d.others != at.kmsSign || d.functions <= at.lambdaRequest {
		t.Errorf("%+v", d)
	}
}
