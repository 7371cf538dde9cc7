package restore

import (
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/table"
)

// A company that gets another zone back uses nothing on days that its zone of before has ended: they may be counted.
func TestUse(t *testing.T) {
	of := func(zone, from string) table.Attributes {
		item := table.Attributes{}
		item.SetText("tz", zone)
		if from != "" {
			item.SetText("uf", from)
		}
		return item
	}
	now := time.Date(2026, 3, 2, 22, 0, 0, 0, time.UTC) // in Almaty it is the 3rd
	for name, c := range map[string]struct {
		copied, live table.Attributes
		want         string
	}{
		"the same zone":             {of("Asia/Almaty", ""), of("Asia/Almaty", ""), ""},
		"that was changed before":   {of("Asia/Almaty", ""), of("Asia/Almaty", "2026-02-01"), "2026-02-01"},
		"only in the copy":          {of("Asia/Almaty", "2026-01-01"), of("Asia/Almaty", ""), ""},
		"another, further west":     {of("Europe/London", "2026-01-01"), of("Asia/Almaty", "2026-02-01"), "2026-03-03"},
		"another, and days to come": {of("Europe/London", ""), of("Asia/Almaty", "2026-03-04"), "2026-03-04"},
		"one that nobody knows":     {of("Europe/London", ""), of("Mars/Base", "2026-02-01"), "2026-02-01"},
	} {
		if use(c.copied, c.live, now); c.copied.Text("uf") != c.want {
			t.Errorf("%s: from %q, want %q", name, c.copied.Text("uf"), c.want)
		}
	}
}
