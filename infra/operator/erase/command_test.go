package erase_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/infra/local/bucket/buckettest"
	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/infra/operator/erase"
	"github.com/tenantry/tenantry/infra/operator/estate"
	"github.com/tenantry/tenantry/infra/operator/estate/estatetest"
	"github.com/tenantry/tenantry/infra/operator/stage"
	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
)

// The command tells what the company has, and asks before it writes.
func TestCommand(t *testing.T) {
	w := estatetest.Make(t)
	conn, name := w.Table(t)
	client, bucket := buckettest.Client(t)
	run := func(in string, args ...string) (string, error) {
		var out bytes.Buffer
		err := erase.Command(t.Context(), &stage.Env{
			Table: name, DB: enginetest.Client(t), Conn: conn, Bucket: bucket, S3: client, Files: filestest.New(t), Now: time.Now,
			In: strings.NewReader(in), Out: &out,
		}, args)
		return out.String(), err
	}
	if _, err := run("y\n"); err == nil || !strings.Contains(err.Error(), "name the company with -tenant") {
		t.Error(err)
	}
	if said, err := run("y\n", "-tenant", "2"); !errors.Is(err, erase.ErrRefused) || said != "" {
		t.Errorf("%q, %v", said, err)
	}
	suspend(t, conn, 2, time.Minute)
	if _, err := run("y\n", "-tenant", "2"); !errors.Is(err, erase.ErrRefused) {
		t.Error(err)
	}
	before := len(estatetest.Scan(t, name))
	said, err := run("n\n", "-tenant", "2", "-now")
	if !errors.Is(err, stage.ErrUnconfirmed) || !strings.Contains(said, `Company 2, "Borealis", has:`) || len(estatetest.Scan(t, name)) != before {
		t.Errorf("%s, %v", said, err)
	}
	said, err = run("", "-tenant", "2", "-now", "-yes")
	for _, part := range []string{"Erased of company 2:", "items, ", "Left, as counted again: 0 items, 0 objects.", "the stage's LogRetentionDays"} {
		if err != nil || !strings.Contains(said, part) {
			t.Fatalf("%q is not said, %v:\n%s", part, err, said)
		}
	}
	isGone(t, w, estatetest.Scan(t, name), 2)

	// What a restore that had only paused has stored since goes when it is run again, which it says.
	if strings.Contains(said, "may have stored it") {
		t.Error(said)
	}
	if _, err := filestest.New(t).Put(t.Context(), 2, uuid.New(), "text/plain", []byte("late")); err != nil {
		t.Fatal(err)
	}
	said, err = run("", "-tenant", "2", "-unfinished", "-yes")
	for _, part := range []string{
		"Company 2 is gone, and something of it is left.", "Left, as counted again: 0 items, 0 objects.", "Run this again once nothing of it runs.",
	} {
		if err != nil || !strings.Contains(said, part) {
			t.Errorf("%q is not said, %v:\n%s", part, err, said)
		}
	}
}

// What is done nightly erases who is closed, and goes on with what an earlier night did not end.
func TestClosed(t *testing.T) {
	conn, name := estatetest.Make(t).Table(t)
	e := &stage.Env{Table: name, Conn: conn, Now: time.Now, Out: &bytes.Buffer{}}
	at := time.Now().Add(-time.Hour).Truncate(time.Microsecond)
	all := crosstenant.Open(conn)
	for company, state := range map[tenant.ID]string{2: "closed", 3: erase.Erasing, 4: "suspended"} {
		if err := all.Update(table.Of(conn, company).Company()).Set("st", state).Set("sta", at.UnixMicro()).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for company, want := range map[tenant.ID]struct {
		since  time.Time
		closed bool
	}{1: {}, 2: {at, true}, 3: {closed: true}, 4: {}, 6: {}} {
		since, closed, err := erase.Closed(t.Context(), e, company)
		if err != nil || closed != want.closed || !since.Equal(want.since) {
			t.Errorf("company %d: %v, %t, %v", company, since, closed, err)
		}
	}
	if err := erase.Company(t.Context(), e, 2); err == nil || !strings.Contains(err.Error(), "-bucket") {
		t.Errorf("without a bucket: %v", err)
	}
	client, bucket := buckettest.Client(t)
	e.S3, e.Bucket = client, bucket
	if err := erase.Company(t.Context(), e, 2); err != nil {
		t.Error(err)
	}
	if left, err := estate.Open(conn, estate.Bucket{}).Company(t.Context(), 2); err != nil || left != nil {
		t.Errorf("%v is left, %v", left, err)
	}
}
