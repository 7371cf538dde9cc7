package world

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/tenants/export"
	"github.com/tenantry/tenantry/infra/groups"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
)

// derived are the kinds whose records follow from others, so that no export has them.
var derived = map[kinds.Code]bool{kinds.MetricRow: true}

// exportedRecords reads an export of company 1: the records of each part, by what they are of and their ids. It checks sizes, counts and
// hashes of the manifest.
func exportedRecords(t *testing.T, w *World, e export.Export) map[string]json.RawMessage {
	t.Helper()
	read := func(p export.Part) []byte {
		t.Helper()
		data, err := w.env.Files.GetTemporary(t.Context(), 1, uuid.MustParse(p.UUID))
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != p.SHA256 || int64(len(data)) != p.Size {
			t.Errorf("%s is not what it was", p.Name)
		}
		return data
	}
	var m export.Manifest
	if err := json.Unmarshal(read(*e.Manifest), &m); err != nil {
		t.Fatal(err)
	}
	found, counts := map[string]json.RawMessage{}, map[string]int64{}
	for i, p := range e.Parts {
		if named := m.Parts[i]; named.Name != p.Name || named.SHA256 != p.SHA256 || named.Records != p.Records {
			t.Errorf("the manifest has %+v for %+v", named, p)
		}
		for line := range bytes.SplitSeq(bytes.TrimSpace(read(p)), []byte("\n")) {
			var has struct {
				ID  int64
				URL string
			}
			if err := json.Unmarshal(line, &has); err != nil {
				t.Fatalf("%s: %v", p.Name, err)
			}
			counts[p.Of]++
			name := fmt.Sprintf("%s:%d", p.Of, has.ID)
			if p.Of == "file" {
				name += has.URL
			}
			if _, twice := found[name]; twice {
				t.Errorf("%s is there twice", name)
			}
			found[name] = line
		}
	}
	if !reflect.DeepEqual(counts, m.Counts) {
		t.Errorf("the parts have %v, the manifest %v", counts, m.Counts)
	}
	return found
}

// Each live record of a company is in its export, as GET of its path shows it. A kind that is forgotten fails here.
func TestAnExportHasEveryRecord(t *testing.T) {
	w := create(t)
	c, ann := w.caller(), w.Values()["ann.access"]
	if a := ask(t, c, ann, http.MethodPost, "/v1/tenant/1/export/", ""); a.Status != http.StatusAccepted {
		t.Fatal(a)
	}
	scope := record.Scope{Table: table.Of(w.env.Table, 1), Now: time.Now}
	key := outbox.NewKeyed(scope.Table.Message, export.Kind, export.Whole, time.Now()).Key()
	if done, err := c.worker.Deliver(t.Context(), key); err != nil || !done {
		t.Fatal(done, err)
	}
	e, err := export.Last(t.Context(), scope)
	if err != nil || e.Ended == 0 || len(e.Failed) > 0 {
		t.Fatalf("%+v, %v", e, err)
	}
	found := exportedRecords(t, w, e)
	items, err := w.scan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, it := range items {
		code, ours := strings.CutPrefix(table.Attributes(it).Text("pk"), "T#1#")
		kind := kinds.Of(kinds.Code(code))
		if !ours || kind.Code == "" || derived[kind.Code] {
			continue
		}
		id := table.Attributes(it).Int("id")
		got, there := found[fmt.Sprintf("%s:%d", kind.Name, id)]
		if !there {
			t.Errorf("%s %d is not in the export", kind.Name, id)
			continue
		}
		checked++
		if kind.One(id) == "" || kind.Code == kinds.SMSOperation { // nobody can read one by itself
			continue
		}
		a := ask(t, c, ann, http.MethodGet, kind.One(id), "")
		var want, is any
		if json.Unmarshal(a.Body, &want) != nil || json.Unmarshal(got, &is) != nil || a.Status != http.StatusOK {
			t.Fatalf("%s %d: %s", kind.Name, id, a)
		}
		if !reflect.DeepEqual(is, want) {
			t.Errorf("%s %d is exported as %s, and is %s", kind.Name, id, got, a.Body)
		}
	}
	if checked < 60 {
		t.Errorf("only %d records were checked", checked)
	}
	for _, name := range []string{"company:1", "rental_settings:0", "sms_account:0", "service_tariff:1", "stage:1", "deposit:1", "fee:1", "custom_field:1"} {
		if found[name] == nil {
			t.Errorf("the export has no %s", name)
		}
	}
}

// Whoever makes an export dies again and again, and in the end it is what one is that nobody disturbed.
func TestAnExportThatDies(t *testing.T) {
	w := create(t)
	env := w.env
	groups.Link(&env)
	scope := record.Scope{Table: table.Of(env.Table, 1), Now: time.Now}
	// exported is an export that is made in turns of so many steps; each second turn dies before its end.
	exported := func(steps int, dies bool) map[string]json.RawMessage {
		t.Helper()
		e := export.Export{Item: table.At(scope.Table.Export(), export.Version), ID: uuid.NewString(), Turn: 1, Base: "https://api.tenantry.test"}
		if err := scope.Table.Put(e).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		deaths := 0
		for turn := 0; e.Ended == 0; turn++ {
			now, calls, dying := time.Now(), 0, dies && turn%2 == 0
			m := export.Maker{Files: env.Files, NewUUID: uuid.New, Now: func() time.Time { return now }}
			m.Show = func(ctx context.Context, payload []byte) ([]byte, error) {
				now = now.Add(time.Second)
				if calls++; dying && calls == steps {
					deaths++
					return nil, errors.New("it is dead")
				}
				return env.Show(ctx, payload)
			}
			own := func(string) (any, error) { return map[string]int{"id": 1}, nil }
			if err := export.GoOn(t.Context(), scope, m, own, now.Add(time.Duration(steps)*time.Second)); err != nil && !dying {
				t.Fatal(err)
			}
			var err error
			if e, err = export.Last(t.Context(), scope); err != nil {
				t.Fatal(err)
			}
		}
		if dies && deaths < 3 {
			t.Errorf("it died %d times", deaths)
		}
		return exportedRecords(t, w, e)
	}
	want := exported(1000, false)
	for _, steps := range []int{2, 3, 5} {
		got := exported(steps, true)
		if len(got) != len(want) {
			t.Errorf("in turns of %d: %d records, want %d", steps, len(got), len(want))
		}
		for name, body := range want {
			if string(got[name]) != string(body) {
				t.Errorf("in turns of %d: %s is %s, and was %s", steps, name, got[name], body)
			}
		}
	}
}
