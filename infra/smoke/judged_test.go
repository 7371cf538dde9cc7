package main

import (
	"bytes"
	"testing"

	"github.com/tenantry/tenantry/infra/local/judge"
	"github.com/tenantry/tenantry/infra/local/platform"
)

// The walk passes where each function may do only what its role may, the worker and the functions that others call too. What no recorded
// event uses of their rights, and the walk is said to use, it uses.
func TestWalkIsJudged(t *testing.T) {
	// It makes the demo company as well, which uses rights that the walk does not.
	p, err := platform.Start(t.Context(), platform.Options{Addr: "127.0.0.1:0", Demo: true, Patient: true, Judged: true, Out: t.Output()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	var out bytes.Buffer
	if status := run(t.Context(), []string{"-url", p.URL}, nothing, &out, &out); status != 0 {
		t.Errorf("status %d\n%s", status, &out)
	}
	for _, d := range p.Judge.Denials() {
		t.Error(d)
	}
	for _, wrong := range judge.Unwalked(p.Judge.Unused(), judge.Exceptions()) {
		t.Error(wrong)
	}
}
