package restore_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/infra/operator/erase"
	"github.com/tenantry/tenantry/infra/operator/estate"
	"github.com/tenantry/tenantry/infra/operator/estate/estatetest"
	"github.com/tenantry/tenantry/infra/operator/restore"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/keyspace"
	"github.com/tenantry/tenantry/shared/tenant"
)

// company is the one that is restored.
const company tenant.ID = 1

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
func number(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: fmt.Sprint(n)}
}

// later is the table some time after the copy was made: of the company items have changed, come and gone, a member has joined and one has
// left, tokens were made and revoked, and it is suspended.
func later(was estatetest.Items) estatetest.Items {
	now := maps.Clone(was)
	of := table.Of(table.Open(nil, ""), company)
	keys := slices.SortedFunc(maps.Keys(was), func(a, b table.Key) int { return strings.Compare(a.PK+a.SK, b.PK+b.SK) })
	for i, key := range keys {
		if t, own := table.TenantOf(key.PK); !own || t != company || strings.Contains(key.PK, "#replay#") || key.PK == of.Member(0).PK {
			continue
		}
		item := maps.Clone(was[key])
		switch {
		case key == of.Company():
			item["n"] = text("Acme as it was renamed")
		case strings.HasSuffix(key.PK, "#seq"):
			item["n"] = number(table.Attributes(item).Int("n") + 3)
		case i%5 == 0:
			delete(now, key)
			continue
		case i%5 == 1:
			item["zz"] = text("changed since")
		}
		now[key] = item
	}
	add := func(key table.Key, more estatetest.Item) {
		item := estatetest.Item{"pk": text(key.PK), "sk": text(key.SK), "v": number(1)}
		maps.Copy(item, more)
		now[key] = item
	}
	suspended := maps.Clone(now[of.Company()])
	suspended["st"], suspended["sta"] = text("suspended"), number(time.Now().Add(-time.Hour).UnixMicro())
	now[of.Company()] = suspended
	// A client that came since, with a history and a value that is its own.
	add(of.Record(kinds.Client, 5), estatetest.Item{"n": text("Came since")})
	add(of.Audit(kinds.Client, 5, 1), estatetest.Item{"a": text("created")})
	add(of.Reservation("cli.iin", "900101300017"), estatetest.Item{"id": number(5)})
	// The first swap, which is gone by now: its number was given out, and so was that of its kind's next.
	add(of.Sequence(kinds.Swap), estatetest.Item{"n": number(2)})
	add(of.Audit(kinds.Swap, 1, 1), estatetest.Item{"a": text("created")})
	// A feed token, and another one that was revoked.
	hash := strings.Repeat("f", 43)
	add(of.Record(kinds.FeedToken, 5), estatetest.Item{"h": text(hash), "id": number(5)})
	add(crosstenant.Feed(hash), estatetest.Item{"t": number(1), "id": number(5)})
	for key, item := range was {
		if is := table.Attributes(item); strings.HasPrefix(key.PK, "K#") && is.Int("t") == 1 && is.Int("id") == 1 {
			delete(now, key)
			delete(now, of.Record(kinds.Key, 1))
		}
	}
	// A message to somebody who has paid for it waits, and one that came since was given up.
	add(of.Message("01SMS"), estatetest.Item{"id": text("01SMS"), "k": text("sms.deliver"), "b": text(`{"message":1}`), "pq": text("normal#1")})
	add(of.Message("01LINK"), estatetest.Item{"id": text("01LINK"), "k": text("documents.link"), "b": text(`{}`), "pq": text("failed")})
	// Ann, who owns the company, has become its manager.
	ann := maps.Clone(now[of.Member(1)])
	ann["r"], ann["f"] = text("manager"), &types.AttributeValueMemberBOOL{Value: true}
	now[of.Member(1)] = ann
	annHas := maps.Clone(now[crosstenant.Memberships(1)])
	for _, m := range table.Attributes(annHas).List("m") {
		if m.Int("t") == int64(company) {
			m = maps.Clone(m)
			m["r"] = text("manager")
			annHas["m"] = &types.AttributeValueMemberL{Value: []types.AttributeValue{&types.AttributeValueMemberM{Value: m}}}
		}
	}
	now[crosstenant.Memberships(1)] = annHas
	// Nina has accepted, and ray has left.
	add(of.Member(5), estatetest.Item{"u": number(5), "r": text("employee"), "s": number(3)})
	add(crosstenant.Memberships(5), estatetest.Item{"m": &types.AttributeValueMemberL{Value: []types.AttributeValue{
		&types.AttributeValueMemberM{Value: estatetest.Item{"t": number(1), "r": text("employee"), "h": text("acme.tenantry.test")}},
	}}})
	delete(now, of.Member(4))
	delete(now, crosstenant.Invitation("nina@example.com", 1))
	left := maps.Clone(now[crosstenant.Memberships(4)])
	left["m"] = &types.AttributeValueMemberL{}
	now[crosstenant.Memberships(4)] = left
	return now
}

func restorer(copied, live *table.Conn, b estate.Bucket) *restore.Restorer {
	return &restore.Restorer{
		From: estate.Open(copied, estate.Bucket{}), To: estate.Open(live, b), Copy: "the copy", Now: time.Now,
	}
}

// stays tells whether an item of the company is one that a restore leaves as it is.
func stays(key table.Key) bool {
	p, _ := keyspace.New().Of(key.PK)
	if slices.Contains([]string{"sms", "smo", "smsaccount", "smsreport", "usage"}, estate.KindOf(key.PK)) {
		return true // what was paid, sent and used
	}
	return slices.Contains([]string{"events", "inbox", "outbox", "hooks", "allowance", "rate", "replay"}, p.Name) || key.SK == "s#"
}

// expect compares a table with what a restore has to make of it.
func expect(t *testing.T, was, before, got estatetest.Items) {
	t.Helper()
	home := table.Of(table.Open(nil, ""), company).Company()
	begun := number(table.Attributes(before[home]).Int("sta") + 1) // so that whoever read how it stood has to look again
	want := estatetest.Items{}
	unused := table.Of(table.Open(nil, ""), company).Sequence(kinds.Swap)
	if was[unused] != nil || before[unused] == nil {
		t.Error("the copy has a kind that is to be used first after it was made")
	}
	for key, item := range before {
		if of := estatetest.Of(key, item); len(of) == 0 || !slices.Contains(of, company) || stays(key) || key.PK[0] == 'U' || key == unused {
			want[key] = item
		}
	}
	for key, item := range was {
		switch of := estatetest.Of(key, item); {
		case !slices.Contains(of, company) || stays(key) || strings.HasSuffix(key.PK, "#outbox"):
			continue
		case strings.HasSuffix(key.PK, "#seq"):
			item = before[key]
		case key == home, key.PK[0] == 'K', key.PK[0] == 'F':
			before := estatetest.Items{key: before[home]}
			item = maps.Clone(item)
			item["st"], item["sta"] = before[key]["st"], begun
		}
		want[key] = item
	}
	back, entry := maps.Clone(was[crosstenant.Memberships(4)]), table.Attributes{}
	maps.Copy(entry, table.Attributes(back).List("m")[0])
	entry["st"], entry["sta"] = before[home]["st"], begun // ray, who had left, is back: while the company is suspended
	table.Attributes(back).SetList("m", []table.Attributes{entry})
	want[crosstenant.Memberships(4)] = back
	owner, again := maps.Clone(before[crosstenant.Memberships(1)]), table.Attributes{}
	maps.Copy(again, table.Attributes(owner).List("m")[0])
	again["r"], again["f"] = text("owner"), &types.AttributeValueMemberBOOL{}
	table.Attributes(owner).SetList("m", []table.Attributes{again})
	want[crosstenant.Memberships(1)] = owner
	none := maps.Clone(before[crosstenant.Memberships(5)])
	none["m"] = &types.AttributeValueMemberL{Value: []types.AttributeValue{}}
	want[crosstenant.Memberships(5)] = none
	for key, item := range want {
		if !reflect.DeepEqual(table.Attributes(got[key]), table.Attributes(item)) {
			t.Errorf("%v is\n%v, not\n%v", key, got[key], item)
		}
	}
	for key := range got {
		if want[key] == nil {
			t.Errorf("%v is left", key)
		}
	}
}

// A company is restored to what the copy has, while another one is written to.
func TestTheSameNumber(t *testing.T) {
	w := estatetest.Make(t)
	copied, _ := w.Table(t)
	name := enginetest.Table(t)
	before := later(w.Items)
	estatetest.Fill(t, name, before)
	live := table.Open(enginetest.Client(t), name)
	r := restorer(copied, live, estatetest.Bucket(t))
	searched := 0
	r.Segments = func(_ context.Context, of *table.Tenant) error {
		if searched++; of.ID() != company {
			t.Errorf("segments of %d", of.ID())
		}
		return nil
	}
	ctx, stop := context.WithCancel(t.Context())
	var wait sync.WaitGroup
	written := int64(0)
	counter := table.Of(live, 2).Company()
	wait.Go(func() {
		for ctx.Err() == nil {
			if err := crosstenant.Open(live).Update(counter).Add("zz", 1).Run(t.Context()); err != nil {
				t.Error(err)
			}
			written++
		}
	})
	report, err := r.Run(t.Context(), company, company)
	stop()
	wait.Wait()
	if err != nil {
		t.Fatal(err)
	}
	got := estatetest.Scan(t, name)
	if n := table.Attributes(got[counter]).Int("zz"); n != written || n == 0 {
		t.Errorf("%d of %d writes of the other company are there", n, written)
	}
	delete(got[counter], "zz")
	expect(t, w.Items, before, got)
	if searched != 1 || report.Copied < 400 || report.Left["listing.sweep"] != 2 || report.Stay["sms.deliver"] < 1 ||
		report.Stay["documents.link"] != 1 {
		t.Errorf("searched %d times, %+v", searched, report)
	}
	for _, told := range []string{
		"Feed tokens: 1 that came since are removed.", "nina@example.com, who joined since, is no member any more.",
		"ray@example.com is a member again, as read-only.", "ann@example.com is owner again, and not manager any more.",
		"ann@example.com does not read finance any more.",
		"Keys for programs: 1 that were not there any more are back.", "Invitations: 1 that were not there any more are back.",
	} {
		if !slices.Contains(report.Told, told) {
			t.Errorf("%q is not told: %q", told, report.Told)
		}
	}
	// Once more there is nothing to do.
	again, err := r.Run(t.Context(), company, company)
	if err != nil || len(again.Removed.Items) > 0 || !reflect.DeepEqual(undated(got), undated(without(estatetest.Scan(t, name), counter))) {
		t.Errorf("again: %+v, %v", again, err)
	}
}

func without(items estatetest.Items, key table.Key) estatetest.Items {
	delete(items[key], "zz")
	return items
}

// What may not be restored is refused, and nothing is written.
func TestRefused(t *testing.T) {
	w := estatetest.Make(t)
	copied, _ := w.Table(t)
	live, name := w.Table(t)
	r := restorer(copied, live, estate.Bucket{})
	all := crosstenant.Open(live)
	set := func(values map[string]any) {
		t.Helper()
		u := all.Update(table.Of(live, company).Company())
		for name, value := range values {
			u = u.Set(name, value)
		}
		if err := u.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	refused := func(was, is tenant.ID, want string) {
		t.Helper()
		before := estatetest.Scan(t, name)
		if _, err := r.Run(t.Context(), was, is); !errors.Is(err, restore.ErrRefused) || !strings.Contains(err.Error(), want) {
			t.Errorf("%d as %d: %v, not %q", was, is, err, want)
		}
		if !reflect.DeepEqual(before, estatetest.Scan(t, name)) {
			t.Errorf("%d as %d was refused, and something is written", was, is)
		}
	}
	refused(1, 1, "company 1 is active; suspend it first")
	refused(9, 9, "the copy has no company 9")
	refused(1, 9, "there is no company 9")
	refused(1, 2, "company 2 is another company")
	set(map[string]any{"st": "suspended", "sta": time.Now().Add(-time.Minute).UnixMicro()})
	refused(1, 1, "company 1 is suspended only since ")
	set(map[string]any{"st": "closed", "sta": time.Now().Add(-time.Hour).UnixMicro()})
	refused(1, 1, "company 1 is closed; suspend it first")
	set(map[string]any{"rst": "company 1 of another copy"})
	refused(1, 1, "company 1 is being restored from company 1 of another copy; end that first")
	if err := crosstenant.Open(copied).Update(table.Of(copied, 1).Company()).Set("st", erase.Erasing).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	refused(1, 1, "company 1 was being erased in the copy")
}

// Killed at any write, and run again, it ends as if it had not been killed.
func TestKilled(t *testing.T) {
	w := estatetest.Make(t)
	copied, _ := w.Table(t)
	before := later(w.Items)
	run := func(name string, k *estatetest.Killer) error {
		_, err := restorer(copied, table.Open(k.Table(enginetest.Client(t)), name), estatetest.Bucket(t)).Run(t.Context(), company, company)
		return err
	}
	begin := func() string {
		name := enginetest.Table(t)
		estatetest.Fill(t, name, before)
		return name
	}
	whole := &estatetest.Killer{}
	name := begin()
	if err := run(name, whole); err != nil {
		t.Fatal(err)
	}
	want := estatetest.Scan(t, name)
	t.Logf("%d writes", whole.Writes())
	for at := 1; at <= whole.Writes(); at++ {
		name := begin()
		if err := run(name, &estatetest.Killer{At: int64(at), After: at%2 == 0}); !errors.Is(err, estatetest.ErrKilled) {
			t.Fatalf("killed at %d: %v", at, err)
		}
		if err := run(name, &estatetest.Killer{}); err != nil {
			t.Fatalf("killed at %d, and run again: %v", at, err)
		}
		same(t, fmt.Sprintf("killed at %d", at), undated(want), undated(estatetest.Scan(t, name)))
	}
}

// undated are items without the moments of standings: each restore that begins makes a new one.
func undated(items estatetest.Items) estatetest.Items {
	for _, item := range items {
		delete(item, "sta")
		for _, m := range table.Attributes(item).List("m") {
			delete(m, "sta")
		}
	}
	return items
}

func same(t *testing.T, when string, want, got estatetest.Items) {
	t.Helper()
	for key, item := range got {
		if !reflect.DeepEqual(want[key], item) {
			t.Errorf("%s: %v is %v, not %v", when, key, item, want[key])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%s: %d items, not %d", when, len(got), len(want))
	}
}

// A company that was erased by mistake comes back whole, with the members who went with it; its files are gone, and that is told.
func TestAfterErasing(t *testing.T) {
	w := estatetest.Make(t)
	copied, _ := w.Table(t)
	live, name := w.Table(t)
	if err := crosstenant.Open(live).Update(table.Of(live, company).Company()).
		Set("st", "closed").Set("sta", time.Now().Add(-time.Hour).UnixMicro()).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	e := &erase.Eraser{Estates: estate.Open(live, estatetest.Bucket(t)), Now: time.Now}
	if _, err := e.Run(t.Context(), company); err != nil {
		t.Fatal(err)
	}
	report, err := restorer(copied, live, estatetest.Bucket(t)).Run(t.Context(), company, company)
	if err != nil {
		t.Fatal(err)
	}
	got := estatetest.Scan(t, name)
	for key, item := range w.Items {
		if !slices.Contains(estatetest.Of(key, item), company) || key.PK[0] == 'U' || strings.HasSuffix(key.PK, "#outbox") ||
			strings.Contains(key.PK, "#replay#") {
			continue
		}
		if key == table.Of(live, company).Company() {
			is := table.Attributes(got[key])
			if is.Text("st") != "suspended" || is.Text("n") != "Acme Rentals" || is.Text("h") != "acme.tenantry.test" || is["rst"] != nil {
				t.Errorf("the company is %v", got[key])
			}
			continue
		}
		if key.PK[0] == 'F' || key.PK[0] == 'K' { // which say that the company is suspended
			if table.Attributes(got[key]).Text("st") != "suspended" {
				t.Errorf("%v opens the company: %v", key, got[key])
			}
			for _, name := range []string{"st", "stt", "sta"} {
				delete(got[key], name)
			}
		}
		if !reflect.DeepEqual(got[key], item) {
			t.Errorf("%v is %v, not %v", key, got[key], item)
		}
	}
	for _, key := range []table.Key{
		crosstenant.User(1), crosstenant.User(4), crosstenant.Email("ann@example.com"), crosstenant.Email("ray@example.com"),
	} {
		if !reflect.DeepEqual(got[key], w.Items[key]) {
			t.Errorf("%v is %v, not %v", key, got[key], w.Items[key])
		}
	}
	var list crosstenant.MembershipsItem
	if err := crosstenant.Open(live).Get(t.Context(), crosstenant.Memberships(1), &list); err != nil || len(list.List) != 1 ||
		list.List[0].Tenant != 1 || list.List[0].Role != tenant.Owner || list.List[0].Host != "acme.tenantry.test" {
		t.Errorf("ann has %+v, %v", list, err)
	}
	for _, told := range []string{
		"There are no files of the company: records that had some name what is gone.", "User 1, ann@example.com, was gone and is back.",
	} {
		if !slices.Contains(report.Told, told) {
			t.Errorf("%q is not told: %q", told, report.Told)
		}
	}
	for key := range got {
		if key.SK == "erased" {
			t.Errorf("%v is left", key)
		}
	}
}
