package archive_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"reflect"
	"regexp"
	"testing"
	"time"

	"github.com/tenantry/tenantry/infra/operator/archive"
	"github.com/tenantry/tenantry/infra/operator/estate"
	"github.com/tenantry/tenantry/infra/operator/estate/estatetest"
	"github.com/tenantry/tenantry/infra/operator/restore"
	"github.com/tenantry/tenantry/shared/table"
)

// An import goes on only with the company that it has begun: not with the one that was exported, not with a stranger who has its number on
// another stage, and not with its own once that is whole.
func TestGoingOn(t *testing.T) {
	w := estatetest.Make(t)
	from, fromName := w.Table(t)
	folder := filepath.Join(t.TempDir(), "archive")
	if _, err := archive.Export(t.Context(), estate.Open(from, estatetest.Bucket(t)), company, folder, time.Now()); err != nil {
		t.Fatal(err)
	}
	of := table.Of(from, company)
	if err := of.Update(of.Company()).Set("st", "suspended").Set("sta", time.Now().Add(-time.Hour).UnixMicro()).Set("n", "Renamed since").
		Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := archive.ImportCommand(t.Context(), env(t, fromName, &out), []string{"-from", folder}); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	before := estatetest.Scan(t, fromName)
	number := regexp.MustCompile(`Its number is ([0-9]+)`).FindStringSubmatch(out.String())
	if number == nil {
		t.Fatal(&out)
	}
	for _, as := range []string{"1", "2", number[1]} { // the exported one, another one, and the imported one
		err := archive.ImportCommand(t.Context(), env(t, fromName, &out), []string{"-from", folder, "-as", as})
		if !errors.Is(err, restore.ErrRefused) {
			t.Errorf("-as %s: %v", as, err)
		}
	}
	if !reflect.DeepEqual(estatetest.Scan(t, fromName), before) {
		t.Error("what was refused has written something")
	}
}
