package rebuild_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/clients"
	"github.com/tenantry/tenantry/functions/pack"
	"github.com/tenantry/tenantry/infra/command"
	"github.com/tenantry/tenantry/infra/operator/rebuild"
	"github.com/tenantry/tenantry/infra/operator/stage"
	"github.com/tenantry/tenantry/infra/operator/stagetest"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// all is how many clients there are: enough for segments.
const all = search.Small + 5

// company makes company 7 with clients of which segments know, as if it were two hours ago.
func company(t *testing.T, n int) (*stagetest.Stage, *webtest.Client) {
	t.Helper()
	s := stagetest.New(t)
	s.Now = func() time.Time { return time.Now().Add(-2 * time.Hour) }
	of := table.Of(s.Conn, 7)
	if err := of.Create(table.At(of.Company(), 1)).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	owner := webtest.Setup{Change: func(e *app.Env) { e.Table, e.Now = s.Conn, s.Now }}.New(t, clients.New).As(webtest.Owner(7))
	for i := range n {
		owner.Post("/v1/crm/clients/", fmt.Sprintf(`{"name":"Client %d"}`, i)).Status(201)
	}
	s.Now = time.Now
	e, _ := s.Env()
	m := pack.Merger(app.Env{Table: s.Conn, Files: e.Files, Now: s.Now, NewUUID: uuid.New, Config: app.Config{SearchMemory: 1 << 26}})
	if err := m.Anew(t.Context(), of, kinds.Client, pack.Wait(t.Context())); err != nil {
		t.Fatal(err)
	}
	if err := m.Merge(t.Context(), of, kinds.Client, false); err != nil && !strings.Contains(err.Error(), "later") {
		t.Fatal(err)
	}
	return s, owner
}

// spoil takes two records away behind the platform's back, renames a third, and sets the sequence back.
func spoil(t *testing.T, s *stagetest.Stage) {
	t.Helper()
	of := table.Of(s.Conn, 7)
	for _, id := range []int64{2, 3} {
		if err := of.Delete(of.Record(kinds.Client, id)).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := of.Update(of.Record(kinds.Client, 5)).Set("n", "Renamed").Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := of.Update(of.Sequence(kinds.Client)).Add("n", -1).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// What differs is told, and nothing is changed with -compare; then it is made anew, and lists and creates are right again.
func TestWhatDiffersIsMadeAnew(t *testing.T) {
	s, owner := company(t, all)
	if said, err := s.Run(t.Context(), rebuild.Run, "-tenant", "7", "-compare"); err != nil || !strings.Contains(said, "Nothing differs.") {
		t.Fatalf("%v\n%s", err, said)
	}
	spoil(t, s)
	lines := []string{
		"cli: the last number given out is 204, and there is a record 205",
		"cli: counters say 205 records, there are 203; they differ at the ids 1-9",
		"cli: 1 of 203 entries say something else than their records [5]",
		"cli: 203 records in 1 segments: 0 lacking, 1 other [5], 2 ghosts [2 3]",
	}
	for range 2 {
		said, err := s.Run(t.Context(), rebuild.Run, "-tenant", "7", "-compare")
		if !errors.Is(err, command.ErrFound) {
			t.Errorf("%v", err)
		}
		for _, line := range lines {
			if !strings.Contains(said, line) {
				t.Errorf("%q isn't told in:\n%s", line, said)
			}
		}
	}
	said, err := s.Run(t.Context(), rebuild.Run, "-tenant", "7")
	if !errors.Is(err, command.ErrFound) || !strings.Contains(said, "mended") {
		t.Errorf("%v\n%s", err, said)
	}
	if said, err := s.Run(t.Context(), rebuild.Run, "-tenant", "7", "-kind", "cli"); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
	owner.Get("/v1/crm/clients/?limit=1").Field("count", "203")
	owner.Post("/v1/crm/clients/", `{"name":"The next"}`).Status(201).Field("id", "206")
	owner.Get("/v1/crm/clients/?limit=1").Field("count", "204")
}

// One part alone is compared, and what is asked wrongly is told.
func TestFlags(t *testing.T) {
	s, _ := company(t, all)
	spoil(t, s)
	if said, err := s.Run(t.Context(), rebuild.Run, "-tenant", "7", "-compare", "-part", "entries"); !errors.Is(err, command.ErrFound) ||
		strings.Contains(said, "counters say") {
		t.Errorf("%v\n%s", err, said)
	}
	for args, want := range map[string]string{
		"":                        "name the company",
		"-tenant 8":               "there is no company 8",
		"-tenant 7 -part words":   "none of",
		"-tenant 7 -kind nothing": "no kind",
		"-tenant 7 cli":           "belongs to no flag",
	} {
		if _, err := s.Run(t.Context(), rebuild.Run, strings.Fields(args)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", args, err)
		}
	}
	e, _ := s.Env()
	e.Yes = false
	if err := rebuild.Run(t.Context(), e, []string{"-tenant", "7"}); !errors.Is(err, stage.ErrUnconfirmed) {
		t.Errorf("nobody confirms: %v", err)
	}
}

// It does all of that by its own rights.
func TestRights(t *testing.T) {
	s, _ := company(t, all)
	spoil(t, s)
	of := table.Of(s.Conn, 7)
	if err := of.Update(of.Record(kinds.Client, 5)).Set("x", []byte(search.Packed("lost"))).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	// A range that an import has committed in a kind without segments, which nobody needs any more.
	d, r := listing.Of(of, kinds.Inventory, nil), listing.Range{From: 1, To: 9}
	for _, write := range []func(tx *table.Tx) error{
		func(tx *table.Tx) error { return d.Hide(tx, r) },
		func(tx *table.Tx) error { d.Commit(tx, r); return nil },
	} {
		if err := of.Write(t.Context(), func(tx *table.Tx, _ int) error { return write(tx) }); err != nil {
			t.Fatal(err)
		}
	}
	e := s.Judged(t, "rebuild", nil)
	run := func() {
		t.Helper()
		if err := rebuild.Run(t.Context(), e, []string{"-tenant", "7"}); !errors.Is(err, command.ErrFound) {
			t.Error(err)
		}
	}
	run()
	removeSegments(t, s)
	run()
	e.Now = func() time.Time { return time.Now().Add(2 * time.Hour) } // files of before are deleted then
	spoil(t, s)
	removeSegments(t, s)
	run()
}

// removeSegments takes the segments out of the bucket.
func removeSegments(t *testing.T, s *stagetest.Stage) {
	t.Helper()
	e, _ := s.Env()
	prefix := "search/7/cli/"
	list, err := e.S3.ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{Bucket: &s.Bucket, Prefix: &prefix})
	if err != nil || len(list.Contents) == 0 {
		t.Fatal(list, err)
	}
	versions, err := e.S3.ListObjectVersions(t.Context(), &s3.ListObjectVersionsInput{Bucket: &s.Bucket, Prefix: &prefix})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range versions.Versions {
		if _, err := e.S3.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: &s.Bucket, Key: v.Key, VersionId: v.VersionId}); err != nil {
			t.Fatal(err)
		}
	}
}

// found is the command where it is no error that something differed.
func found(ctx context.Context, e *stage.Env, args []string) error {
	if err := rebuild.Run(ctx, e, args); !errors.Is(err, command.ErrFound) {
		return err
	}
	return nil
}

func TestKilled(t *testing.T) {
	stagetest.Killed(t, func(t *testing.T) *stagetest.Stage {
		s, _ := company(t, 10) // interrupted merges are tried in shared/record/search
		spoil(t, s)
		return s
	}, found, strings.Fields("-tenant 7 -kind cli"), func(t *testing.T, s *stagetest.Stage, _ string) {
		if said, err := s.Run(t.Context(), rebuild.Run, "-tenant", "7", "-compare"); err != nil {
			t.Errorf("%v\n%s", err, said)
		}
	})
}
