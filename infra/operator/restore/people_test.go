package restore_test

import (
	"errors"
	"maps"
	"testing"
	"time"

	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/infra/operator/estate/estatetest"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
)

// Who comes back wholly has the identities that he had, but for those that another user has by now, wherever the restore was killed.
func TestIdentitiesComeBack(t *testing.T) {
	const user, other = 1, 77
	w := estatetest.Make(t)
	add := func(key table.Key, more estatetest.Item) {
		w.Items[key] = estatetest.Item{"pk": text(key.PK), "sk": text(key.SK), "v": number(1), "ep": number(0)}
		maps.Copy(w.Items[key], more)
	}
	for _, hash := range []string{"kept", "taken"} {
		add(crosstenant.Link(user, "issuer of "+hash), estatetest.Item{"i": text(hash)})
		add(crosstenant.Identity(hash), estatetest.Item{"u": number(user)})
	}
	copied, _ := w.Table(t)
	address := crosstenant.Email(table.Attributes(w.Items[crosstenant.User(user)]).Text("em"))
	maps.DeleteFunc(w.Items, func(key table.Key, item estatetest.Item) bool {
		return key.PK == crosstenant.User(user).PK || key == address ||
			key.SK == crosstenant.Identity("").SK && table.Attributes(item).Int("u") == user
	})
	for at := int64(1); at <= 4; at++ {
		live, name := w.Table(t)
		of := table.Of(live, company)
		if err := errors.Join(
			of.Update(of.Company()).Set("st", "suspended").Set("sta", time.Now().Add(-time.Hour).UnixMicro()).Run(t.Context()),
			crosstenant.Open(live).Update(crosstenant.Identity("taken")).Set("v", 1).Set("u", other).Run(t.Context()),
		); err != nil {
			t.Fatal(err)
		}
		k := &estatetest.Killer{At: at, After: true}
		_, err := restorer(copied, table.Open(k.Table(enginetest.Client(t)), name), estatetest.Bucket(t)).Run(t.Context(), company, company)
		if !errors.Is(err, estatetest.ErrKilled) {
			t.Fatalf("killed at %d: %v", at, err)
		}
		report, err := restorer(copied, live, estatetest.Bucket(t)).Run(t.Context(), company, company)
		if err != nil {
			t.Fatalf("killed at %d, and run again: %v", at, err)
		}
		got := estatetest.Scan(t, name)
		holds := func(hash string) int64 { return table.Attributes(got[crosstenant.Identity(hash)]).Int("u") }
		if holds("kept") != user || holds("taken") != other || got[crosstenant.Link(user, "issuer of kept")] == nil ||
			got[crosstenant.Link(user, "issuer of taken")] != nil {
			t.Errorf("killed at %d: user %d and user %d, %v, %q", at, holds("kept"), holds("taken"), got[crosstenant.User(user)], report.Told)
		}
	}
}
