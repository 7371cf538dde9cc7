package say_test

import (
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/say"
)

// A moment within a text is in words but in English, on the clock that is asked for only then.
func TestMomentsWithin(t *testing.T) {
	at := time.Date(2026, time.March, 2, 21, 4, 59, 5000, time.UTC)
	body, err := encode.JSON([]say.Message{say.EventSoldFrom(say.EventLineAdded, at)})
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	clock := func() *time.Location {
		asked++
		return time.FixedZone("", 5*3600)
	}
	for _, c := range []struct {
		language say.Language
		zone     func() *time.Location
		want     string
		asked    int
	}{
		{say.English, clock, `["The line was added: sold from 2026-03-02T21:04:59.000005Z"]`, 0},
		{say.Russian, clock, `["Позиция добавлена: продажа с 3 марта 2026, 02:04 (UTC+5)"]`, 1},
		{say.Kazakh, nil, `["Позиция қосылды: сатылуы – 2026 ж. 2 наурыз, 21:04 (UTC)"]`, 1},
	} {
		if got := string(say.Spoken(body, c.language, c.zone)); got != c.want || asked != c.asked {
			t.Errorf("%s: %s, asked for the zone %d times", c.language, got, asked)
		}
	}
}

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
