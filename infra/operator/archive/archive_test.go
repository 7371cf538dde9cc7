package archive_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/infra/groups"
	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/infra/operator/archive"
	"github.com/tenantry/tenantry/infra/operator/estate"
	"github.com/tenantry/tenantry/infra/operator/estate/estatetest"
	"github.com/tenantry/tenantry/infra/operator/restore"
	"github.com/tenantry/tenantry/infra/operator/stage"
	"github.com/tenantry/tenantry/infra/operator/stagetest"
	"github.com/tenantry/tenantry/infra/underrace"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/keys"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const (
	company tenant.ID = 1
	here    tenant.ID = 70000123 // what the other stage makes of it
)

// other is another stage, on which some people have accounts.
func other(t *testing.T, accounts map[string]int64) (conn *table.Conn, name string) {
	t.Helper()
	name = enginetest.Table(t)
	conn = table.Open(enginetest.Client(t), name)
	all := crosstenant.Open(conn)
	for address, user := range accounts {
		if err := errors.Join(
			all.Update(crosstenant.Email(address)).Set("v", 1).Set("u", user).Run(t.Context()),
			all.Update(crosstenant.User(user)).Set("v", 1).Set("id", user).Set("em", address).Set("fn", "Someone").Run(t.Context()),
		); err != nil {
			t.Fatal(err)
		}
	}
	if err := all.Update(crosstenant.Tenants()).Set("n", here-1).Set("v", 1).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return conn, name
}

func env(t *testing.T, name string, out *bytes.Buffer) *stage.Env {
	t.Helper()
	e, _ := stagetest.Over(t, name, "")
	e.Out, e.Yes, e.KeysFile = out, true, keysFile(t)
	return e
}

// A company is exported, and imported on another stage, where its people have other numbers: what the functions answer is the same, but
// for its number and those of users.
func TestExportAndImport(t *testing.T) {
	w := estatetest.Make(t)
	from, fromName := w.Table(t)
	folder := filepath.Join(t.TempDir(), "archive")
	var out bytes.Buffer
	if err := archive.ExportCommand(t.Context(), env(t, fromName, &out), []string{"-tenant", "1", "-to", folder}); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	if !strings.Contains(out.String(), "items/log.jsonl") || !strings.Contains(out.String(), "2 people") {
		t.Error(&out)
	}
	if err := archive.ExportCommand(t.Context(), env(t, fromName, &out), []string{"-tenant", "1", "-to", folder}); err == nil {
		t.Error("an archive is written over another one")
	}
	_, nobodyName := other(t, nil)
	if err := archive.ImportCommand(t.Context(), env(t, nobodyName, &out), []string{"-from", folder}); !errors.Is(err, restore.ErrRefused) {
		t.Errorf("without an owner: %v", err)
	}
	to, toName := other(t, map[string]int64{"ann@example.com": 501, "ray@example.com": 502})
	out.Reset()
	if err := archive.ImportCommand(t.Context(), env(t, toName, &out), []string{"-from", folder}); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	if !strings.Contains(out.String(), "Its number is 70000123.") {
		t.Error(&out)
	}
	theSame(t, from, to, here)
	var list crosstenant.MembershipsItem
	if err := crosstenant.Open(to).Get(t.Context(), crosstenant.Memberships(501), &list); err != nil || len(list.List) != 1 ||
		list.List[0].Tenant != here || list.List[0].Role != tenant.Owner {
		t.Errorf("ann is %+v, %v", list, err)
	}
	var is table.Attributes
	of := table.Of(to, here)
	if err := of.Get(t.Context(), of.Company(), &is); err != nil || is.Text("st") != "suspended" || is.Int("ow") != 1 || is.Int("cb") != 501 ||
		is.Text("h") != "" || is.Text("rst") != "" {
		t.Errorf("the company is %v, %v", is, err)
	}
}

// theSame asks the functions for what two companies of two stages have.
func theSame(t *testing.T, from, to *table.Conn, is tenant.ID) {
	t.Helper()
	store := filestest.New(t)
	api := func(conn *table.Conn) *webtest.API {
		all := groups.All()
		var made []app.New
		for _, name := range slices.Sorted(maps.Keys(all)) {
			made = append(made, all[name])
		}
		return webtest.Setup{Change: func(e *app.Env) { e.Table, e.Files = conn, store }}.New(t, made...)
	}
	a, b := api(from), api(to)
	users := regexp.MustCompile(`("created_by"|"manager"|"user"|"field":"(?:created_by|manager)","from":null,"to"):(1|4)([,}])`)
	paths := []string{
		"/v2/documents/1/", "/v1/crm/requests/1/", "/v1/crm/requests/3/", "/v1/sales/leads/?manager=USER", "/v1/crm/history/?object=lead:1",
		"/v1/crm/history/?object=document:1", "/v1/crm/history/?object=order:3", "/v1/crm/history/?object=key:2", "/v1/finances/accounts/1/",
	}
	for _, k := range kinds.All() {
		switch {
		case k.Code == kinds.CustomField:
			paths = append(paths, "/v1/crm/settings/custom_fields_list/?key=client")
		case k.Path != "":
			paths = append(paths, k.Path)
		case !slices.Contains([]kinds.Code{ // within others, or the company itself; rows of metrics are made of the others
			kinds.Tariff, kinds.Deposit, kinds.Fee, kinds.Stage, kinds.Company, kinds.MetricRow, kinds.Block, kinds.Move,
		}, k.Code):
			t.Errorf("%s has no list to be compared", k.Code)
		}
	}
	for _, path := range paths {
		one := a.As(webtest.Owner(company)).Get(strings.ReplaceAll(path, "USER", "1"))
		other := b.As(webtest.Owner(is)).Get(strings.ReplaceAll(path, "USER", "501"))
		want := one.Body()
		for _, says := range []string{`"tenant":%s`, `"field":"tenant","from":null,"to":%s}`} {
			want = bytes.ReplaceAll(want, fmt.Appendf(nil, says, company), fmt.Appendf(nil, says, is))
		}
		want = users.ReplaceAllFunc(want, func(found []byte) []byte {
			parts := users.FindSubmatch(found)
			return fmt.Appendf(nil, "%s:%s%s", parts[1], map[string]string{"1": "501", "4": "502"}[string(parts[2])], parts[3])
		})
		// Stages of signs are part of what was signed, and stay.
		want = bytes.ReplaceAll(want, []byte(`"method":null,"user":501`), []byte(`"method":null,"user":1`))
		if one.Code() != 200 || !bytes.Equal(want, other.Body()) {
			t.Errorf("%s: %d\n%s\n%s", path, one.Code(), want, other.Body())
		}
	}
	var item table.Attributes
	of := table.Of(to, is)
	if err := of.Get(t.Context(), of.Record(kinds.Document, 1), &item); err != nil {
		t.Fatal(err)
	}
	d := new(document.Document)
	if err := item.Decode(d); err != nil {
		t.Fatal(err)
	}
	f := d.FileOf(document.SealedFile)
	if text, err := store.Get(t.Context(), is, f.ID, f.Version, 99); err != nil || string(text) != "sealed" {
		t.Errorf("the sealed file is %q, %v", text, err)
	}
}

// An archive that was changed, or not ended, is refused.
func TestBrokenArchives(t *testing.T) {
	w := estatetest.Make(t)
	conn, _ := w.Table(t)
	e := estate.Open(conn, estatetest.Bucket(t))
	for name, c := range map[string]struct {
		change func(folder string) error
		want   string
	}{
		"no manifest": {func(folder string) error { return os.Remove(filepath.Join(folder, "manifest.json")) }, "is no archive, or was not ended"},
		"an item less": {func(folder string) error {
			path := filepath.Join(folder, "items", "live.jsonl")
			content, err := os.ReadFile(path)
			_, rest, _ := bytes.Cut(content, []byte("\n"))
			return errors.Join(err, os.WriteFile(path, rest, 0o600))
		}, "items/live.jsonl is not what was exported"},
		"a file less": {func(folder string) error { return os.Remove(filepath.Join(folder, "items", "log.jsonl")) }, "no such file"},
		"another format": {func(folder string) error {
			path := filepath.Join(folder, "manifest.json")
			content, err := os.ReadFile(path)
			return errors.Join(err, os.WriteFile(path, bytes.Replace(content, []byte(`"format": 1`), []byte(`"format": 2`), 1), 0o600))
		}, "the archive is of format 2"},
	} {
		folder := filepath.Join(t.TempDir(), "archive")
		if _, err := archive.Export(t.Context(), e, company, folder, time.Now()); err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Read(folder); err != nil {
			t.Fatal(err)
		}
		if err := c.change(folder); err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Read(folder); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, not %q", name, err, c.want)
		}
	}
	if _, err := archive.Export(t.Context(), e, 99, t.TempDir(), time.Now()); err == nil {
		t.Error("a company that is not there is exported")
	}
}

// first is when the first run of an import was.
var first = time.Date(2026, time.March, 3, 10, 0, 0, 0, time.UTC)

// marked tells that what was signed elsewhere has the marks of the first run, which hold.
func marked(t *testing.T, name string, id int64, chains keys.Keys) {
	t.Helper()
	d := get(t, table.Open(enginetest.Client(t), name), here, id)
	for i := range d.Signs {
		s := &d.Signs[i]
		if s.Elsewhere == nil || s.Elsewhere.At != first.UnixMicro() {
			t.Errorf("sign %d: %+v", s.ID, s.Elsewhere)
		}
		if _, err := (document.Chain{Keys: chains}).Links(t.Context(), d, s); err != nil {
			t.Error(err)
		}
	}
	if len(d.Signs) == 0 {
		t.Error("nobody signs the document")
	}
}

// An import that is killed at any write goes on where it ended, under the number that it was given.
func TestImportKilled(t *testing.T) {
	w := estatetest.Make(t)
	from, _ := w.Table(t)
	signed, _ := siteOf(t, from, keysOf(t, keysFile(t))).begins()
	folder := filepath.Join(t.TempDir(), "archive")
	if _, err := archive.Export(t.Context(), estate.Open(from, estatetest.Bucket(t)), company, folder, time.Now()); err != nil {
		t.Fatal(err)
	}
	chains := keysOf(t, keysFile(t))
	run := func(name string, k *estatetest.Killer, numbered bool) error {
		now := first
		if numbered { // a day later
			now = first.AddDate(0, 0, 1)
		}
		i, err := archive.Open(t.Context(), folder, restore.Restorer{
			To:  estate.Open(table.Open(k.Table(enginetest.Client(t)), name), k.Bucket(estatetest.Bucket(t))),
			Now: func() time.Time { return now }, Arrives: archive.Marks(document.NewArrivals(chains)),
		})
		if err == nil && !numbered {
			_, err = i.Number(t.Context(), company)
		}
		if err == nil {
			_, err = i.Run(t.Context(), company, here)
		}
		return err
	}
	begin := func() string {
		t.Helper()
		conn, name := other(t, map[string]int64{"ann@example.com": 501})
		if _, err := estate.Open(conn, estatetest.Bucket(t)).DeleteObjects(t.Context(), here); err != nil {
			t.Fatal(err)
		}
		return name
	}
	whole, name := &estatetest.Killer{}, begin()
	if err := run(name, whole, false); err != nil {
		t.Fatal(err)
	}
	marked(t, name, signed, chains)
	want := len(estatetest.Scan(t, name))
	const numbering = 2
	most := 20
	if underrace.Enabled {
		most = 4
	}
	step := max(1, (whole.Writes()-numbering)/most)
	t.Logf("%d writes, killed at each %d.", whole.Writes(), step)
	for at := numbering + 1; at <= whole.Writes(); at += step {
		name := begin()
		if err := run(name, &estatetest.Killer{At: int64(at), After: at/step%2 == 0}, false); !errors.Is(err, estatetest.ErrKilled) {
			t.Fatalf("killed at %d: %v", at, err)
		}
		if err := run(name, &estatetest.Killer{}, true); err != nil {
			t.Fatalf("killed at %d, and run again: %v", at, err)
		}
		if got := len(estatetest.Scan(t, name)); got != want {
			t.Errorf("killed at %d: %d items, not %d", at, got, want)
		}
		marked(t, name, signed, chains)
	}
}
