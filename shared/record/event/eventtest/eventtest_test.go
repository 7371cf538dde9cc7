package eventtest

import (
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record/event"
)

type named struct {
	event.On
	name event.Name
}

func (n named) Name() event.Name { return n.name }

type part struct {
	Good int `json:"good" doc:"Something."`
	Bad  int `json:"bad"`
}

type whole struct {
	named
	part
	Amount  money.Amount `json:"amount" doc:"What it costs."`
	Nested  []*part      `json:"nested" doc:"More of it."`
	Unnamed string       `doc:"It."`
	Hidden  string       `json:"-" doc:"It."`
	Large   string       `json:"large" doc:"lower case."`
}

// What an event lacks is found.
func TestProblems(t *testing.T) {
	of := func(name event.Name) named { return named{event.Of(1), name} }
	for name, c := range map[string]struct {
		sample event.Sample
		want   []string
	}{
		"right":      {event.Sample{Event: of("client.greeted"), Doc: "It was greeted."}, nil},
		"no kind":    {event.Sample{Event: of("nothing.greeted"), Doc: "It was greeted."}, []string{"begins with no kind", "begins with no kind"}},
		"no verb":    {event.Sample{Event: of("client"), Doc: "It was greeted."}, []string{"no name of an event"}},
		"automatic":  {event.Sample{Event: of("client.updated"), Doc: "It was greeted."}, []string{"by itself"}},
		"no doc":     {event.Sample{Event: of("client.greeted")}, []string{"no sentence"}},
		"no record":  {event.Sample{Event: named{name: "client.greeted"}, Doc: "It."}, []string{"about no record"}},
		"its fields": {event.Sample{Event: whole{named: of("client.greeted")}, Doc: "It."}, []string{"part.Bad has no doc", "Nested.Bad has no doc", "Unnamed has no name", "Hidden has no name", "Large has no doc"}},
		"too large":  {event.Sample{Event: whole{named: of("client.greeted"), Large: strings.Repeat("x", 2000)}, Doc: "It."}, []string{"1 KB"}},
	} {
		got := problems(c.sample)
		for _, want := range c.want {
			if !slices.ContainsFunc(got, func(problem string) bool { return strings.Contains(problem, want) }) {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
		if len(c.want) == 0 && len(got) > 0 || name == "its fields" && len(got) != len(c.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}
