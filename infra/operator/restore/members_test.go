package restore_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/infra/operator/estate"
	"github.com/tenantry/tenantry/infra/operator/estate/estatetest"
	"github.com/tenantry/tenantry/infra/operator/restore"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
)

// Who comes, goes and has another role is told before anything is asked, and so are the messages that wait.
func TestPlan(t *testing.T) {
	copied, live, _ := worked(t)
	r := restorer(copied, live, estate.Bucket{})
	for anew, told := range map[bool]bool{false: true, true: false} {
		var out bytes.Buffer
		if err := r.Plan(t.Context(), company, company, anew, &out); err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{
			"ray@example.com is a member again, as read-only.\n", "ann@example.com is owner again, and not manager any more.\n",
			"ann@example.com does not read finance any more.\n", "nina@example.com, who joined since, is no member any more.\n",
			"Messages that wait here stay, and are carried out as the records are then: 1 of documents.link.\n",
		} {
			if strings.Contains(out.String(), line) != told {
				t.Errorf("under a new number: %t: %q is told: %t\n%s", anew, line, !told, &out)
			}
		}
	}
}

// gone takes a user off the stage, and gives the address to another one.
func gone(t *testing.T, live *table.Conn, user int64, address string) {
	t.Helper()
	all := crosstenant.Open(live)
	if err := errors.Join(
		all.Delete(crosstenant.User(user)).Run(t.Context()), all.Delete(crosstenant.Memberships(user)).Run(t.Context()),
		all.Update(crosstenant.Email(address)).Set("u", 77).Run(t.Context()),
		all.Update(crosstenant.User(77)).Set("v", 1).Set("id", 77).Set("em", address).Run(t.Context()),
	); err != nil {
		t.Fatal(err)
	}
}

// An owner of the copy whose address is another user's by now is no member and no owner of the company, under the same number and under
// a new one. Without any owner it is not restored.
func TestAbsentOwner(t *testing.T) {
	w := estatetest.Make(t)
	copied, _ := w.Table(t)
	if err := crosstenant.Open(copied).Update(table.Of(copied, company).Member(4)).Set("r", "owner").Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := crosstenant.Open(copied).Update(table.Of(copied, company).Company()).Set("ow", 2).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	live, _ := w.Table(t)
	given(t, live, 70000122)
	gone(t, live, 4, "ray@example.com")
	all := crosstenant.Open(live)
	if err := all.Update(table.Of(live, company).Company()).Set("st", "suspended").Set("sta", time.Now().Add(-time.Hour).UnixMicro()).
		Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	r := restorer(copied, live, estatetest.Bucket(t))
	beside, err := r.Number(t.Context(), company)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // nothing more is done, or told otherwise, when it is run again
		report, err := r.Run(t.Context(), company, company)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(report.Told, "User 4 is gone, and ray@example.com has another account by now: invite that one.") {
			t.Errorf("%q", report.Told)
		}
	}
	if _, err := r.Run(t.Context(), company, beside); err != nil {
		t.Fatal(err)
	}
	for _, id := range []int64{int64(company), int64(beside)} {
		of := table.Of(live, company)
		if id != int64(company) {
			of = table.Of(live, beside)
		}
		var is, member table.Attributes
		if err := of.Get(t.Context(), of.Company(), &is); err != nil || is.Int("ow") != 1 {
			t.Errorf("company %d has %d owners, %v", id, is.Int("ow"), err)
		}
		if err := of.Get(t.Context(), of.Member(4), &member); !errors.Is(err, table.ErrNotFound) {
			t.Errorf("company %d has the member %v, %v", id, member, err)
		}
	}
	var left table.Attributes
	if err := all.Get(t.Context(), crosstenant.Memberships(4), &left); !errors.Is(err, table.ErrNotFound) {
		t.Errorf("user 4 has %v, %v", left, err)
	}

	gone(t, live, 1, "ann@example.com")
	if err := all.Update(table.Of(live, company).Company()).Set("st", "suspended").Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Run(t.Context(), company, company); !errors.Is(err, restore.ErrRefused) || !strings.Contains(err.Error(), "none of the owners") {
		t.Errorf("without owners: %v", err)
	}
}
