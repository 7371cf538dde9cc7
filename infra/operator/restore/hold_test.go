package restore_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/infra/operator/erase"
	"github.com/tenantry/tenantry/infra/operator/estate"
	"github.com/tenantry/tenantry/infra/operator/estate/estatetest"
	"github.com/tenantry/tenantry/infra/operator/restore"
	"github.com/tenantry/tenantry/infra/operator/stagetest"
	"github.com/tenantry/tenantry/infra/operator/suspend"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
)

// sleeper is a program that stops before one of its transactions, as a laptop that sleeps, until something was done.
type sleeper struct {
	dynamodbiface.DynamoDBAPI
	at    int64
	do    func()
	calls atomic.Int64
}

func (s *sleeper) TransactWriteItems(
	ctx context.Context, in *dynamodb.TransactWriteItemsInput, opts ...func(*dynamodb.Options),
) (*dynamodb.TransactWriteItemsOutput, error) {
	if s.calls.Add(1) == s.at {
		s.do()
	}
	return s.DynamoDBAPI.TransactWriteItems(ctx, in, opts...)
}

// worked is a copy of the known world, and what has become of it since it was made.
func worked(t *testing.T) (copied, live *table.Conn, name string) {
	t.Helper()
	w := estatetest.Make(t)
	copied, _ = w.Table(t)
	name = enginetest.Table(t)
	estatetest.Fill(t, name, later(w.Items))
	return copied, table.Open(enginetest.Client(t), name), name
}

// A run that has paused writes nothing any more once another run has begun, whichever of its writes it paused before: not while the other
// one is at it, and not after the company was resumed and written to.
func TestOvertaken(t *testing.T) {
	w := estatetest.Make(t)
	copied, _ := w.Table(t)
	before := later(w.Items)
	api := enginetest.Client(t)
	paused := func(at int64, after bool) (writes int64) {
		name := enginetest.Table(t)
		estatetest.Fill(t, name, before)
		live := table.Open(api, name)
		var there estatetest.Items
		s := &sleeper{DynamoDBAPI: api, at: at, do: func() {
			second := restorer(copied, live, estatetest.Bucket(t))
			if !after {
				second.Segments = func(context.Context, *table.Tenant) error { return estatetest.ErrKilled } // it ends before its end
			}
			if _, err := second.Run(t.Context(), company, company); (err != nil) == after {
				t.Fatal(err)
			}
			if after {
				of := table.Of(live, company)
				if err := errors.Join(
					of.Update(of.Company()).Remove("st", "stt", "sta").Run(t.Context()),
					of.Update(of.Record(kinds.Client, 999)).Set("v", 1).Set("id", 999).Set("n", "Came after").Run(t.Context()),
					of.Update(of.Sequence(kinds.Client)).Set("n", 999).Run(t.Context()),
				); err != nil {
					t.Fatal(err)
				}
			}
			there = estatetest.Scan(t, name)
		}}
		_, err := restorer(copied, table.Open(s, name), estatetest.Bucket(t)).Run(t.Context(), company, company)
		if at == 0 {
			if err != nil {
				t.Fatal(err)
			}
			return s.calls.Load()
		}
		if at > 1 && !errors.Is(err, restore.ErrOvertaken) || err == nil {
			t.Errorf("paused before write %d: %v", at, err)
		}
		same(t, "after the pause", there, estatetest.Scan(t, name))
		return 0
	}
	all := paused(0, true)
	t.Logf("%d writes", all)
	for at := int64(1); at <= all; at += 8 {
		paused(at, true)
	}
	for at := int64(2); at <= all; at += 16 {
		paused(at, false)
	}
}

// Between looking at a company and beginning, it is resumed; or a restore begins between the look and the write of an erasing.
func TestLookedAt(t *testing.T) {
	copied, live, name := worked(t)
	api := enginetest.Client(t)
	of := table.Of(live, company)
	s := &sleeper{DynamoDBAPI: api, at: 1, do: func() {
		if err := of.Update(of.Company()).Set("sta", time.Now().UnixMicro()).Run(t.Context()); err != nil { // suspended anew
			t.Fatal(err)
		}
	}}
	if _, err := restorer(copied, table.Open(s, name), estatetest.Bucket(t)).Run(t.Context(), company, company); !errors.Is(err, restore.ErrRefused) {
		t.Errorf("%v", err)
	}
	before := estatetest.Scan(t, name)
	s = &sleeper{DynamoDBAPI: api, at: 1, do: func() {
		r := restorer(copied, live, estatetest.Bucket(t))
		r.AtOnce, r.Segments = true, func(context.Context, *table.Tenant) error { return estatetest.ErrKilled }
		if _, err := r.Run(t.Context(), company, company); !errors.Is(err, estatetest.ErrKilled) {
			t.Fatal(err)
		}
		before = estatetest.Scan(t, name)
	}}
	e := &erase.Eraser{Estates: estate.Open(table.Open(s, name), estate.Bucket{}), Now: time.Now, AtOnce: true}
	if _, err := e.Run(t.Context(), company); !errors.Is(err, erase.ErrRefused) {
		t.Errorf("%v", err)
	}
	same(t, "refused", before, estatetest.Scan(t, name))
}

// A company that was suspended is about to be resumed, and a restore begins between the look and the write: it is not resumed.
func TestResumedMeanwhile(t *testing.T) {
	copied, live, name := worked(t)
	api := enginetest.Client(t)
	began := false
	s := &sleeper{DynamoDBAPI: api, at: 1, do: func() {
		began = true
		r := restorer(copied, live, estatetest.Bucket(t))
		r.Segments = func(context.Context, *table.Tenant) error { return estatetest.ErrKilled }
		if _, err := r.Run(t.Context(), company, company); !errors.Is(err, estatetest.ErrKilled) {
			t.Fatal(err)
		}
	}}
	e, _ := stagetest.Over(t, name, "")
	e.Yes, e.Conn = true, table.Open(s, name)
	if err := suspend.Resume(t.Context(), e, []string{"-tenant", "1"}); err == nil || !strings.Contains(err.Error(), "not restored") || !began {
		t.Errorf("%v", err)
	}
	var item table.Attributes
	if err := crosstenant.Open(live).Get(t.Context(), table.Of(live, company).Company(), &item); err != nil || item.Text("st") != "suspended" {
		t.Errorf("%v, %v", item, err)
	}
}

// A restore that can't go on, because its copy is gone, is ended: by another copy if that is meant, or by erasing all that it has made,
// wherever it was killed. A run that had only paused ends then.
func TestUnfinished(t *testing.T) {
	const first tenant.ID = 70000123
	w := estatetest.Make(t)
	copied, _ := w.Table(t)
	api := enginetest.Client(t)
	begin := func() (live *table.Conn, name string) {
		live, name = w.Table(t)
		given(t, live, first-1)
		return live, name
	}
	run := func(api dynamodbiface.DynamoDBAPI, name string) error {
		r := restorer(copied, table.Open(api, name), estate.Bucket{})
		if _, err := r.Number(t.Context(), company); err != nil {
			return err
		}
		_, err := r.Run(t.Context(), company, first)
		return err
	}
	whole := &estatetest.Killer{}
	_, name := begin()
	if err := run(whole.Table(api), name); err != nil {
		t.Fatal(err)
	}
	for at := int64(3); at <= int64(whole.Writes()); at += 9 {
		live, name := begin()
		before := estatetest.Scan(t, name)
		k := &estatetest.Killer{At: at}
		if err := run(k.Table(api), name); !errors.Is(err, estatetest.ErrKilled) {
			t.Fatalf("killed at %d: %v", at, err)
		}
		e := &erase.Eraser{Estates: estate.Open(live, estate.Bucket{}), Now: time.Now, AtOnce: true}
		if _, err := e.Run(t.Context(), first); !errors.Is(err, erase.ErrRefused) || !strings.Contains(err.Error(), "say -unfinished") {
			t.Errorf("killed at %d: %v", at, err)
		}
		e.Unfinished = true
		if _, err := e.Run(t.Context(), first); err != nil {
			t.Errorf("killed at %d: %v", at, err)
		}
		after := estatetest.Scan(t, name)
		for key, item := range after {
			if before[key] == nil && !strings.HasPrefix(key.PK, "H#") {
				t.Errorf("killed at %d: %v is left: %v", at, key, item)
			}
		}
		if _, err := restorer(copied, live, estate.Bucket{}).Run(t.Context(), company, first); !errors.Is(err, restore.ErrRefused) {
			t.Errorf("killed at %d, erased, and run again: %v", at, err)
		}
	}

	live, name := begin()
	s := &sleeper{DynamoDBAPI: api, at: 9, do: func() {
		e := &erase.Eraser{Estates: estate.Open(live, estate.Bucket{}), Now: time.Now, AtOnce: true, Unfinished: true}
		if _, err := e.Run(t.Context(), first); err != nil {
			t.Fatal(err)
		}
	}}
	if err := run(s, name); !errors.Is(err, restore.ErrOvertaken) {
		t.Errorf("a run that paused while its company was erased: %v", err)
	}
	if n, err := estate.Open(live, estate.Bucket{}).Count(t.Context(), first, estate.Numbers{}); err != nil || len(n.Items) > 0 {
		t.Errorf("%+v, %v", n, err)
	}
}

// Another copy takes over from one that is gone, if that is said.
func TestInstead(t *testing.T) {
	w := estatetest.Make(t)
	copied, _ := w.Table(t)
	name := enginetest.Table(t)
	before := later(w.Items)
	estatetest.Fill(t, name, before)
	live := table.Open(enginetest.Client(t), name)
	// That copy had a client more than there has been since: it has written the history, and no counter yet.
	const more = 500
	of := table.Of(live, company)
	history := of.Audit(kinds.Client, more, 1)
	if err := errors.Join(
		of.Update(of.Company()).Set("rst", "company 1 of a copy that is gone").Set("rsr", "a run").
			Set("rsk", map[string]int64{string(kinds.Client): more}).Run(t.Context()),
		of.Update(history).Set("v", 1).Set("a", "created").Run(t.Context()),
	); err != nil {
		t.Fatal(err)
	}
	r := restorer(copied, live, estatetest.Bucket(t))
	if _, err := r.Run(t.Context(), company, company); !errors.Is(err, restore.ErrRefused) || !strings.Contains(err.Error(), "a copy that is gone") {
		t.Errorf("%v", err)
	}
	r.Instead = true
	if _, err := r.Run(t.Context(), company, company); err != nil {
		t.Fatal(err)
	}
	got := estatetest.Scan(t, name)
	same(t, "instead", undated(clientsOf(w.Items)), undated(clientsOf(got)))
	if got[history] != nil || table.Attributes(got[of.Sequence(kinds.Client)]).Int("n") != more {
		t.Errorf("%v, %v", got[history], got[of.Sequence(kinds.Client)])
	}
}

// clientsOf are the clients of the company.
func clientsOf(items estatetest.Items) estatetest.Items {
	of := table.Of(table.Open(nil, ""), company)
	some := estatetest.Items{}
	for key, item := range items {
		if key.PK == of.Records(kinds.Client) {
			some[key] = item
		}
	}
	return some
}

// What the host has agreed with the company that there is does not come to stand beside it: neither its plan nor that this is full. With
// its own number, after an erasing, it comes back; whether it is full is counted anew.
func TestPlanOfTheCopy(t *testing.T) {
	const first tenant.ID = 70000123
	w := estatetest.Make(t)
	copied, _ := w.Table(t)
	live, _ := w.Table(t)
	given(t, live, first-1)
	was := crosstenant.Open(copied).Update(table.Of(copied, company).Company())
	if err := was.Set("pl", map[string]int64{"r": 3}).Set("stf", 3).Set("stb", map[string]int64{"stf": 3}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	stands := func(is tenant.ID) (item table.Attributes) {
		t.Helper()
		if err := crosstenant.Open(live).Get(t.Context(), table.Of(live, is).Company(), &item); err != nil {
			t.Fatal(err)
		}
		if item["stf"] != nil || item["stb"] != nil || item.Text("st") != "suspended" || item.Text("stt") != "The company is not open yet." ||
			item["rst"] != nil || item["rsr"] != nil || item["rsk"] != nil || item["rsn"] != nil {
			t.Errorf("company %d is %v", is, item)
		}
		return item
	}
	r := restorer(copied, live, estatetest.Bucket(t))
	if _, err := r.Number(t.Context(), company); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Run(t.Context(), company, first); err != nil {
		t.Fatal(err)
	}
	if item := stands(first); item["pl"] != nil {
		t.Errorf("%v has a plan", item)
	}
	e := &erase.Eraser{Estates: estate.Open(live, estate.Bucket{}), Now: time.Now, AtOnce: true}
	if err := crosstenant.Open(live).Update(table.Of(live, company).Company()).Set("st", "suspended").Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Run(t.Context(), company); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Run(t.Context(), company, company); err != nil {
		t.Fatal(err)
	}
	if item := stands(company); item.Map("pl").Int("r") != 3 {
		t.Errorf("%v has no plan", item)
	}
}

// A copy that is not there is said to be that.
func TestNoSuchCopy(t *testing.T) {
	e, _ := stagetest.Over(t, enginetest.Table(t), "")
	e.Yes = true
	if err := restore.Command(t.Context(), e, []string{"-tenant", "1", "-from", "nosuch"}); err == nil ||
		err.Error() != "there is no table nosuch" {
		t.Errorf("%v", err)
	}
}
