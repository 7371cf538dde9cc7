package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestIsGeneric(t *testing.T) {
	for symbol, want := range map[string]bool{
		"github.com/tenantry/tenantry/shared/record.Kind[go.shape.*uint8].Read":                                          true,
		"github.com/tenantry/tenantry/shared/record.(*one[go.shape.*uint8]).prepare.func1":                               true,
		"github.com/tenantry/tenantry/shared/record.Kind[*github.com/tenantry/tenantry/functions/orders/order.Line].Get": false, // a wrapper
		"github.com/tenantry/tenantry/shared/record.(*Work).Load":                                                        false,
		"slices.SortFunc[go.shape.[]*github.com/tenantry/tenantry/functions/orders/order.Line]":                          false, // not ours
	} {
		if got := isGeneric(symbol); got != want {
			t.Errorf("%s: %t", symbol, got)
		}
	}
}

// TestGeneric measures a program whose generic code is known.
func TestGeneric(t *testing.T) {
	t.Chdir("../..")
	binary := filepath.Join(t.TempDir(), "points")
	if err := compile(t.Context(), "functions/points/lambda", binary); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(binary); err != nil || info.Size() == 0 {
		t.Fatal(info, err)
	}
	bytes, functions, err := generic(binary)
	if err != nil || functions < 100 || bytes < 100*functions || bytes > bound {
		t.Errorf("%d bytes in %d functions, %v", bytes, functions, err)
	}
}
