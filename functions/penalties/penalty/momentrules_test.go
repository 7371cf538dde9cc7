package penalty

import (
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
)

func TestHappenIn(t *testing.T) {
	almaty := time.FixedZone("Asia/Almaty", 5*60*60)
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		date decode.Date
		at   decode.Time
		zone *time.Location
		want string // the moment, or the field that is wrong
	}{
		"a time of the company":   {"2026-03-02", "14:30:00", almaty, "2026-03-02T09:30:00Z"},
		"another day in UTC":      {"2026-03-02", "02:00:00", almaty, "2026-03-01T21:00:00Z"},
		"a time that was skipped": {"2026-03-29", "02:30:00", berlin, "violation_time"},
		"before there are years":  {"0001-01-01", "00:00:00", almaty, "violation_date"},
	} {
		p, errs := Penalty{Fields: Fields{Date: &tt.date, Time: &tt.at}}, fault.FieldErrors{}
		p.happenIn(tt.zone, errs)
		got := ""
		for field := range errs {
			got = field
		}
		if p.ViolatedAt != nil {
			got += p.ViolatedAt.Time().UTC().Format(time.RFC3339)
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}
