package erase_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/signing"
	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/infra/operator/erase"
	"github.com/tenantry/tenantry/infra/operator/estate"
	"github.com/tenantry/tenantry/infra/operator/estate/estatetest"
	"github.com/tenantry/tenantry/infra/underrace"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/keyspace"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

func now() time.Time { return time.Now() }

// suspend suspends a company, some time ago.
func suspend(t *testing.T, conn *table.Conn, company tenant.ID, ago time.Duration) {
	t.Helper()
	if err := crosstenant.Open(conn).Update(table.Of(conn, company).Company()).
		Set("st", "suspended").Set("sta", now().Add(-ago).UnixMicro()).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func eraser(conn *table.Conn, b estate.Bucket) *erase.Eraser {
	return &erase.Eraser{Estates: estate.Open(conn, b), Now: now}
}

// One of the companies of the known world is erased: a reading of the whole table finds nothing of it, and what is of the others is as
// it was.
func TestErase(t *testing.T) {
	const gone tenant.ID = 1
	w := estatetest.Make(t)
	conn, name := w.Table(t)
	suspend(t, conn, gone, time.Hour)
	e := eraser(conn, estatetest.Bucket(t))
	var plan bytes.Buffer
	if err := e.Plan(t.Context(), gone, &plan); err != nil || !strings.Contains(plan.String(), `Company 1, "Acme Rentals", has:`) {
		t.Fatalf("%s, %v", &plan, err)
	}
	r, err := e.Run(t.Context(), gone)
	if err != nil {
		t.Fatal(err)
	}
	var report bytes.Buffer
	if err := r.Print(&report); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"Left, as counted again: 0 items, 0 objects.", "forgets after 35 days", "logs after the stage's LogRetentionDays"} {
		if !strings.Contains(report.String(), part) {
			t.Errorf("the report lacks %q:\n%s", part, &report)
		}
	}
	if r.Gone != 2 || r.Stay != 0 || r.Sealed != 1 { // ann and ray
		t.Errorf("%d users went, %d stay, %d seals", r.Gone, r.Stay, r.Sealed)
	}
	after := estatetest.Scan(t, name)
	isGone(t, w, after, gone)

	// Once more it finds nothing, and other numbers are refused.
	if r, err = e.Run(t.Context(), gone); err != nil || len(r.Erased.Items) > 0 {
		t.Errorf("again: %+v, %v", r, err)
	}
	plan.Reset()
	if err := e.Plan(t.Context(), gone, &plan); err != nil || plan.String() != "Company 1 is gone, and nothing of it is left.\n" {
		t.Errorf("%s, %v", &plan, err)
	}
	if !reflect.DeepEqual(after, estatetest.Scan(t, name)) {
		t.Error("erasing what is gone changes something")
	}
	verify(t, conn, w)
}

// verify asks what everybody may.
func verify(t *testing.T, conn *table.Conn, w *estatetest.World) {
	t.Helper()
	api := webtest.Setup{Change: func(e *app.Env) { e.Table, e.Files = conn, filestest.New(t) }}.New(t, signing.New)
	public, sealed := api.As(webtest.Nobody()), hex.EncodeToString(w.Sealed[1])
	public.Get("/v2/documents/verify/?sha256=" + sealed).Status(200).JSON(`{"sha256":"` + sealed + `","found":true,"results":[
		{"kind":"sealed","whole":true,"sealed_at":"2026-03-02T09:30:01Z","level":"B-T","withdrawn":null,"erased":true,"signs":null,
		"methods":null,"original":null,"sealed":"` + sealed + `"}]}`)
	other := hex.EncodeToString(w.Sealed[2])
	public.Get("/v2/documents/verify/?sha256="+other).Status(200).Field("results.0.erased", "false")
	// The original is the other company's, too.
	public.Get("/v2/documents/verify/?sha256="+hex.EncodeToString(w.Originals[1])).Status(200).
		Field("results.0.kind", `"original"`).Field("results.0.sealed", `"`+other+`"`)
}

// isGone fails if a reading of the whole table finds anything of a company, or anything else that is not as it was.
func isGone(t *testing.T, w *estatetest.World, after estatetest.Items, gone tenant.ID) {
	t.Helper()
	space, its := keyspace.New(), map[string]bool{}
	others := map[string]bool{"nina@example.com": true} // she was invited, and has an account of her own
	for key, item := range w.Items {
		of := estatetest.Of(key, item)
		for _, text := range estatetest.Texts(item) {
			if _, own := table.TenantOf(key.PK); own && slices.Contains(of, gone) {
				its[text] = true
			} else if own {
				others[text] = true
			}
		}
	}
	noName := regexp.MustCompile(`^([0-9-]*|[0-9-]{8,10}T[0-9:.]*Z|[a-z]+#[0-9]+|[a-z_.]+)$`) // numbers, times, places in an index, our words
	maps.DeleteFunc(its, func(text string, _ bool) bool { return others[text] || len(text) < 6 || noName.MatchString(text) })
	for _, text := range map[tenant.ID][]string{
		1: {"Acme Rentals", "ann@example.com", "ray@example.com", "To sign: signed"}, 2: {"Borealis", "bob@example.com"},
	}[gone] {
		if !its[text] {
			t.Errorf("%q is not among what is looked for", text)
		}
	}
	byTime := map[string]int{}
	for key, item := range after {
		p, _ := space.Of(key.PK)
		switch {
		case p.Found == keyspace.ByTime:
			if table.Attributes(item).Int("ttl") == 0 {
				t.Errorf("%v ends by its time, and has none", key)
			}
			byTime[p.Key]++
		case slices.Contains(estatetest.Of(key, item), gone):
			t.Errorf("%v is left", key)
		case len(estatetest.Of(key, item)) == 0: // what is of others is compared below
			for _, text := range estatetest.Texts(item) {
				for its := range its {
					if strings.Contains(text, its) {
						t.Errorf("%v holds %q", key, its)
					}
				}
			}
		}
	}
	t.Logf("ends by its time: %v", byTime)
	for key, item := range w.Items {
		of := estatetest.Of(key, item)
		if len(of) > 0 && !slices.Contains(of, gone) && !reflect.DeepEqual(after[key], item) {
			t.Errorf("%v of company %v is not as it was", key, of)
		}
	}
}

// A company that nobody suspended, or that has not rested, is not touched; nor is one that is resumed meanwhile.
func TestRefused(t *testing.T) {
	w := estatetest.Make(t)
	conn, name := w.Table(t)
	e := eraser(conn, estate.Bucket{})
	refused := func(company tenant.ID, want string) {
		t.Helper()
		before := estatetest.Scan(t, name)
		_, err := e.Run(t.Context(), company)
		if !errors.Is(err, erase.ErrRefused) || !strings.Contains(err.Error(), want) {
			t.Errorf("company %d: %v, not %q", company, err, want)
		}
		if plan := e.Plan(t.Context(), company, &bytes.Buffer{}); !errors.Is(plan, erase.ErrRefused) {
			t.Errorf("company %d: it is planned: %v", company, plan)
		}
		if !reflect.DeepEqual(before, estatetest.Scan(t, name)) {
			t.Errorf("company %d was refused, and something is written", company)
		}
	}
	refused(1, "company 1 is active; suspend it first")
	refused(99, "no company was ever given the number 99")
	refused(0, "no company was ever given the number 0")
	suspend(t, conn, 1, 14*time.Minute)
	refused(1, "company 1 is suspended only since ")
	stands := func(state string) {
		t.Helper()
		if err := crosstenant.Open(conn).Update(table.Of(conn, 1).Company()).Set("st", state).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	stands("read_only")
	refused(1, "company 1 is read_only")
	stands("suspended")
	e.AtOnce = true
	if _, err := e.Run(t.Context(), 1); err != nil {
		t.Error(err)
	}
}

// Whoever is in another company, or is invited into one, stays, and leaves only the company that is erased.
func TestWhoStays(t *testing.T) {
	w := estatetest.Make(t)
	conn, _ := w.Table(t)
	all := crosstenant.Open(conn)
	suspend(t, conn, 3, time.Hour) // cara has 3, 4 and 5
	r, err := eraser(conn, estatetest.Bucket(t)).Run(t.Context(), 3)
	if err != nil || r.Gone != 0 || r.Stay != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	var list crosstenant.MembershipsItem
	if err := all.Get(t.Context(), crosstenant.Memberships(3), &list); err != nil || len(list.List) != 2 || list.List[0].Tenant != 4 {
		t.Errorf("%+v, %v", list, err)
	}
	// Bob, whose only company this is, is invited into 4: now, and then no longer.
	for until, stays := range map[time.Duration]int{time.Hour: 1, -time.Hour: 0} {
		conn, name := w.Table(t)
		all = crosstenant.Open(conn)
		if err := all.Update(crosstenant.Invitation("bob@example.com", 4)).
			Set("v", 1).Set("t", 4).Set("s", 1).Set("u", now().Add(until).UnixMilli()).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		suspend(t, conn, 2, time.Hour)
		if r, err = eraser(conn, estatetest.Bucket(t)).Run(t.Context(), 2); err != nil || r.Stay != stays || r.Gone != 1-stays {
			t.Errorf("%+v, %v", r, err)
		}
		left := 0
		for key := range estatetest.Scan(t, name) {
			if key.PK == crosstenant.User(2).PK || key == crosstenant.Email("bob@example.com") || strings.HasPrefix(key.PK, "I#") {
				left++
			}
		}
		if (left > 0) != (stays > 0) {
			t.Errorf("%d items of bob are left, and he stays: %d", left, stays)
		}
	}
}

// Killed at any write, and run again, it ends as if it had not been killed.
func TestKilled(t *testing.T) {
	const gone tenant.ID = 1
	w := estatetest.Make(t)
	store := filestest.New(t)
	begin := func() (name string) {
		conn, name := w.Table(t)
		suspend(t, conn, gone, time.Hour)
		if _, err := store.Put(t.Context(), gone, uuid.New(), "text/plain", []byte("a file")); err != nil {
			t.Fatal(err)
		}
		return name
	}
	run := func(name string, k *estatetest.Killer) error {
		conn := table.Open(k.Table(enginetest.Client(t)), name)
		_, err := eraser(conn, k.Bucket(estatetest.Bucket(t))).Run(t.Context(), gone)
		return err
	}
	name, whole := begin(), &estatetest.Killer{}
	if err := run(name, whole); err != nil {
		t.Fatal(err)
	}
	want := estatetest.Scan(t, name)
	most := 40
	if underrace.Enabled {
		most = 8
	}
	step := max(1, whole.Writes()/most)
	t.Logf("%d writes, killed at each %d.", whole.Writes(), step)
	for at := 1; at <= whole.Writes(); at += step {
		name := begin()
		k := &estatetest.Killer{At: int64(at), After: at/step%2 == 0}
		if err := run(name, k); !errors.Is(err, estatetest.ErrKilled) {
			t.Fatalf("killed at %d: %v", at, err)
		}
		if err := run(name, &estatetest.Killer{}); err != nil {
			t.Fatalf("killed at %d, and run again: %v", at, err)
		}
		got := estatetest.Scan(t, name)
		for key, item := range got {
			if !reflect.DeepEqual(want[key], item) {
				t.Errorf("killed at %d: %v is %v, not %v", at, key, item, want[key])
			}
		}
		if len(got) != len(want) {
			t.Errorf("killed at %d: %d items are left, not %d", at, len(got), len(want))
		}
	}
}
