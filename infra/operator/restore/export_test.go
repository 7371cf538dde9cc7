package restore_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/infra/operator/estate"
	"github.com/tenantry/tenantry/infra/operator/estate/estatetest"
	"github.com/tenantry/tenantry/infra/operator/restore"
	"github.com/tenantry/tenantry/infra/operator/stagetest"
	"github.com/tenantry/tenantry/infra/operator/tableexport"
	"github.com/tenantry/tenantry/infra/operator/tableexport/exporttest"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

// An export, in a folder or in S3, restores what a copy of the table restores, under the same number and under a new one.
func TestExport(t *testing.T) {
	w := estatetest.Make(t)
	_, copied := w.Table(t)
	before := later(w.Items)
	restored := func(args func(name string) []string) (estatetest.Items, string) {
		t.Helper()
		name := enginetest.Table(t)
		estatetest.Fill(t, name, before)
		e, out := stagetest.Over(t, name, "y\n")
		if err := restore.Command(t.Context(), e, append([]string{"-tenant", "1"}, args(name)...)); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return estatetest.Scan(t, name), out.String()
	}
	want, _ := restored(func(string) []string { return []string{"-from", copied} })
	got, said := restored(func(name string) []string { return []string{"-export", exporttest.Write(t, name, w.Items)} })
	for _, part := range []string{
		"The export is of the table arn:aws:dynamodb:dynoxide:000000000000:table/", ", of 2026-11-27 07:28:34 UTC. It is read whole.",
		`The copy has of company 1, "Acme Rentals":`, "Company 1 is what the copy has",
		"Delete the export: it is paid by its size, and holds all companies.",
	} {
		if !strings.Contains(said, part) {
			t.Errorf("%q is not said:\n%s", part, said)
		}
	}
	same(t, "of a folder", want, got)
	got, _ = restored(func(name string) []string {
		e, _ := stagetest.Over(t, name, "")
		return []string{"-export", exporttest.Upload(t, e.S3, e.Bucket, exporttest.Write(t, name, w.Items)) + "/"}
	})
	same(t, "of S3", want, got)

	live, name := w.Table(t)
	given(t, live, 70000122)
	e, out := stagetest.Over(t, name, "y\n")
	if err := restore.Command(t.Context(), e, []string{"-tenant", "1", "-as", "new", "-export", exporttest.Write(t, name, w.Items)}); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !strings.Contains(out.String(), "Its number is 70000123.") {
		t.Error(out)
	}
	theSame(t, live, company, 70000123)
}

// An export that can't be read wholly, or is another stage's, is refused, and nothing is written.
func TestExportRefused(t *testing.T) {
	w := estatetest.Make(t)
	name := enginetest.Table(t)
	estatetest.Fill(t, name, later(w.Items))
	before := estatetest.Scan(t, name)
	folder := func(change func(folder string) error) string {
		t.Helper()
		made := exporttest.Write(t, name, w.Items)
		if err := change(made); err != nil {
			t.Fatal(err)
		}
		return made
	}
	says := func(file, was, is string) func(string) error {
		return func(folder string) error {
			path := filepath.Join(folder, file)
			content, err := os.ReadFile(path)
			return errors.Join(err, os.WriteFile(path, bytes.Replace(content, []byte(was), []byte(is), 1), 0o600))
		}
	}
	for place, c := range map[string]struct {
		want string
		is   error
	}{
		folder(says("manifest-files.json", `"itemCount":`, `"itemCount":1`)):           {"by manifest-files.json", tableexport.ErrUnfit},
		folder(says("manifest-summary.json", "FULL_EXPORT", "INCREMENTAL_EXPORT")):     {"INCREMENTAL_EXPORT", tableexport.ErrUnfit},
		folder(says("manifest-summary.json", "DYNAMODB_JSON", "ION")):                  {"ION", tableexport.ErrUnfit},
		folder(func(f string) error { return os.RemoveAll(filepath.Join(f, "data")) }): {"data/part0qzxw4m2yexample.json.gz: open", tableexport.ErrUnfit},
		folder(func(f string) error {
			path := filepath.Join(f, "data", "part2qzxw4m2yexample.json.gz")
			content, err := os.ReadFile(path)
			content[len(content)/2] ^= 1
			return errors.Join(err, os.WriteFile(path, content, 0o600))
		}): {"data/part2qzxw4m2yexample.json.gz: its MD5 is ", tableexport.ErrUnfit},
		folder(says("manifest-summary.json", `/`+name+`","table`, `/elsewhere","table`)): {"table/elsewhere, and this stage has arn:", restore.ErrRefused},
		folder(says("manifest-summary.json", `"tableArn":"arn:aws:dynamodb:dynoxide:000000000000:`,
			`"tableArn":"arn:aws:dynamodb:dynoxide:123456789012:`)): {"dynoxide:123456789012:table/" + name + ", and", restore.ErrRefused},
		folder(says("manifest-summary.json", `"tableArn":"arn:aws:dynamodb:dynoxide:`,
			`"tableArn":"arn:aws:dynamodb:eu-central-1:`)): {"eu-central-1:000000000000:table/" + name + ", and", restore.ErrRefused},
		folder(says("manifest-files.json", `"itemCount":`, `"itemCount":0,"itemCounts":`)): {"by manifest-files.json", tableexport.ErrUnfit},
	} {
		e, out := stagetest.Over(t, name, "y\n")
		err := restore.Command(t.Context(), e, []string{"-tenant", "1", "-export", place})
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, not %q\n%s", err, c.want, out)
		}
	}
	for want, args := range map[string][]string{
		"either the copy of the table with -from or its export with": {"-tenant", "1", "-from", "a", "-export", "b"},
		"the copy has no company 77":                                 {"-tenant", "77", "-export", exporttest.Write(t, name, w.Items)},
	} {
		e, _ := stagetest.Over(t, name, "y\n")
		if err := restore.Command(t.Context(), e, args); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, not %q", args, err, want)
		}
	}
	same(t, "refused", before, estatetest.Scan(t, name))
}

// Killed at a write, and run again from the export, it ends as if it had not been killed.
func TestExportKilled(t *testing.T) {
	w := estatetest.Make(t)
	before := later(w.Items)
	folder := exporttest.Write(t, "tenantry", w.Items)
	run := func(name string, k *estatetest.Killer, is tenant.ID, numbered bool) error {
		x, err := tableexport.Open(t.Context(), nil, folder)
		if err != nil {
			return err
		}
		held, err := x.Company(t.Context(), company)
		if err != nil {
			return err
		}
		r := restore.Restorer{
			From: estate.Open(table.Open(held, x.Table), estate.Bucket{}), Copy: x.ARN, Now: time.Now,
			To: estate.Open(table.Open(k.Table(enginetest.Client(t)), name), k.Bucket(estatetest.Bucket(t))),
		}
		if !numbered {
			if _, err := r.Number(t.Context(), company); err != nil {
				return err
			}
		}
		_, err = r.Run(t.Context(), company, is)
		return err
	}
	for _, is := range []tenant.ID{company, 70000123} {
		begin := func() string {
			name := enginetest.Table(t)
			estatetest.Fill(t, name, before)
			given(t, table.Open(enginetest.Client(t), name), 70000122)
			if _, err := estate.Open(table.Open(nil, ""), estatetest.Bucket(t)).DeleteObjects(t.Context(), 70000123); err != nil {
				t.Fatal(err)
			}
			return name
		}
		first := 1
		if is != company {
			first = 3 // the number, and the company's item
		}
		whole, name := &estatetest.Killer{}, begin()
		if err := run(name, whole, is, is == company); err != nil {
			t.Fatal(err)
		}
		want := estatetest.Scan(t, name)
		step := max(1, whole.Writes()/4)
		t.Logf("%d: %d writes, killed at each %d.", is, whole.Writes(), step)
		for at := first; at <= whole.Writes(); at += step {
			name := begin()
			if err := run(name, &estatetest.Killer{At: int64(at), After: at/step%2 == 0}, is, is == company); !errors.Is(err, estatetest.ErrKilled) {
				t.Fatalf("killed at %d: %v", at, err)
			}
			if err := run(name, &estatetest.Killer{}, is, true); err != nil {
				t.Fatalf("killed at %d, and run again: %v", at, err)
			}
			got := estatetest.Scan(t, name)
			if is == company {
				same(t, "killed", want, got)
			} else if len(got) != len(want) {
				t.Errorf("killed at %d: %d items, not %d", at, len(got), len(want))
			}
		}
		of := table.Of(table.Open(nil, ""), is)
		if item := table.Attributes(want[of.Company()]); item.Text("rst") != "" || item.Text("st") != "suspended" {
			t.Errorf("the company is %v", item)
		}
	}
}
