package history

import (
	"encoding/json"
	"testing"

	"github.com/tenantry/tenantry/shared/record/audit"
)

// Entries of before the uuids of signs were secret hold them.
func TestConceal(t *testing.T) {
	for name, row := range map[string]struct{ field, from, to, wantFrom, wantTo string }{
		"a list":            {"signs", `[]`, `[{"id":1,"uuid":"x","stages":[{"uuid":"y"}]}]`, `[]`, `[{"id":1,"stages":[{"uuid":null}],"uuid":null}]`},
		"an element":        {"signs.1", `{"uuid":"x"}`, `null`, `{"uuid":null}`, `null`},
		"another member":    {"signs.1.status", `0`, `1`, `0`, `1`},
		"a text":            {"signs.1.signer.name", `"\"uuid\""`, `"b"`, `"\"uuid\""`, `"b"`},
		"numbers in a list": {"signs.1.method_allowed", `[1,"uuid"]`, `[2]`, `[1,"uuid"]`, `[2]`},
		"the record's own":  {"uuid", `null`, `"x"`, `null`, `"x"`},
		"another list":      {"signsx.1", `{"uuid":"x"}`, `null`, `{"uuid":"x"}`, `null`},
	} {
		t.Run(name, func(t *testing.T) {
			entries := []audit.Entry{{Changes: []audit.Change{{Field: row.field, From: json.RawMessage(row.from), To: json.RawMessage(row.to)}}}}
			if err := conceal(entries, "signs.uuid"); err != nil {
				t.Fatal(err)
			}
			if c := entries[0].Changes[0]; string(c.From) != row.wantFrom || string(c.To) != row.wantTo {
				t.Errorf("from %s to %s", c.From, c.To)
			}
			if err := conceal(entries, ""); err != nil {
				t.Fatal(err)
			}
		})
	}
}
