package say_test

import (
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/say"
)

func TestMoment(t *testing.T) {
	at := time.Date(2026, time.January, 2, 15, 4, 59, 0, time.UTC)
	for _, c := range []struct {
		at         time.Time
		en, ru, kk string
	}{
		{at, "2 January 2026, 15:04 (UTC)", "2 января 2026, 15:04 (UTC)", "2026 ж. 2 қаңтар, 15:04 (UTC)"},
		{
			at.In(time.FixedZone("", 5*3600)).AddDate(0, 4, 29),
			"31 May 2026, 20:04 (UTC+5)", "31 мая 2026, 20:04 (UTC+5)", "2026 ж. 31 мамыр, 20:04 (UTC+5)",
		},
		{
			at.In(time.FixedZone("", -3*3600-1800)).AddDate(0, 11, 0),
			"2 December 2026, 11:34 (UTC-3:30)", "2 декабря 2026, 11:34 (UTC-3:30)", "2026 ж. 2 желтоқсан, 11:34 (UTC-3:30)",
		},
	} {
		m := say.Moment(c.at)
		if m.In(say.English) != c.en || m.In(say.Russian) != c.ru || m.In(say.Kazakh) != c.kk {
			t.Errorf("%s: %s, %s, %s", c.at, m.In(say.English), m.In(say.Russian), m.In(say.Kazakh))
		}
	}
	for month := time.January; month <= time.December; month++ { // each is its own
		if got, want := say.Moment(time.Date(2026, month, 1, 0, 0, 0, 0, time.UTC)).In(say.English), "1 "+month.String()+" 2026, 00:00 (UTC)"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
