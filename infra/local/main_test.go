package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestBadFlags(t *testing.T) {
	for name, args := range map[string][]string{
		"an unknown flag":      {"-nope"},
		"an argument":          {"extra"},
		"fewer than none":      {"-seed-documents", "-1"},
		"documents of nobody":  {"-seed-documents", "5", "-demo=false"},
		"no folder":            {"-data", ""},
		"an address of no use": {"-memory", "-addr", "nowhere"},
	} {
		var out, problems bytes.Buffer
		if code := run(args, &out, &problems); code == 0 || problems.Len() == 0 || strings.Contains(out.String(), "ready") {
			t.Errorf("%s: exit %d, it says %q", name, code, problems.String())
		}
	}
}
