package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

//go:embed scenarios.yaml
var scenariosText []byte

// scenario is what is asked of a company again and again, and what an answer may cost. scenarios.yaml has them, by parts.
type scenario struct {
	What    string // the figure
	Bound   string
	Group   string        // whose function answers
	Company string        // which is founded when it is named first; without a name it is left out
	Ahead   time.Duration // by which the function's clock is ahead
	Given   []request     // sent before
	Ask     []request     // sent in turns
	Rounds  int           // how often; 0 is as often as usual
	Warm    bool          // a round before them is not counted, because it reads what an instance keeps
	Fresh   bool          // each round is of a new instance, which has answered another company's page
	limits  `yaml:",inline"`
	Median  timeLimit // of the slowest request
	Longest timeLimit
	Priced  string // the row that it has in the table of prices
	Rush    rush   // sent by many callers at the same time
}

// request is one request of a scenario. In its texts, what is in braces is replaced: see fill.
type request struct {
	Send   string // the method and the address
	Body   string
	Keyed  bool   // it has an Idempotency-Key
	Group  string // if another function answers than the scenario's
	Times  int    // how often it is sent, if it is given
	Shows  string // what its answer has to contain
	limits `yaml:",inline"`
}

// limits are what an answer may cost. A request of a scenario without any is not judged.
type limits struct{ Calls, Read, Write *float64 }

func (l limits) none() bool { return l.Calls == nil && l.Read == nil && l.Write == nil }

func (l limits) hold(c cost) bool {
	within := func(x float64, limit *float64) bool { return limit == nil || x <= *limit }
	return within(float64(c.calls), l.Calls) && within(c.read, l.Read) && within(c.write, l.Write)
}

// timeLimit is a figure that judges times.
type timeLimit struct {
	What, Bound string
	Within      time.Duration
}

// readScenarios reads scenarios.yaml. Unknown keys are an error, because a misspelt bound would never be judged.
func readScenarios() (all map[string][]scenario, err error) {
	decoder := yaml.NewDecoder(bytes.NewReader(scenariosText))
	decoder.KnownFields(true)
	if err := decoder.Decode(&all); err != nil {
		return nil, fmt.Errorf("scenarios.yaml: %w", err)
	}
	return all, nil
}

// scenarios measures the scenarios of a part.
func (b *bench) scenarios(ctx context.Context, r *section, part string) error {
	all, err := readScenarios()
	if err != nil {
		return err
	}
	for _, s := range all[part] {
		s.What, s.Company, s.Priced = b.fill(s.What, 0, nil), b.fill(s.Company, 0, nil), b.fill(s.Priced, 0, nil)
		switch {
		case s.Rush.Rate > 0:
			err = b.rush(ctx, r, s)
		case s.Company != "": // it would be between the sizes, and a small run has none
			var samples []sample
			if samples, err = b.measured(ctx, s); err == nil {
				b.judge(r, s, samples)
			}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.What, err)
		}
	}
	return nil
}

// judge compares what a scenario took with what it may.
func (b *bench) judge(r *section, s scenario, samples []sample) {
	var judged []cost
	var all sample
	var slowest time.Duration
	held := true
	for i, one := range samples {
		l := s.Ask[i].limits
		if l.none() {
			l = s.limits
		}
		all.costs, all.times = append(all.costs, one.costs...), append(all.times, one.times...)
		slowest = max(slowest, median(one.times))
		if !l.none() {
			held = held && l.hold(one.most())
			judged = append(judged, one.most())
		}
	}
	if !s.limits.none() {
		judged = []cost{all.most()}
	}
	if len(judged) > 0 {
		r.judge(s.What, held, s.Bound, "%s", told(judged))
	}
	for _, l := range []struct {
		timeLimit
		took time.Duration
	}{{s.Median, slowest}, {s.Longest, percentile(all.times, 1)}} {
		if l.What != "" {
			r.judgeTime(b.fill(l.What, 0, nil), l.took <= l.Within, l.Bound, "%s", ms(l.took))
		}
	}
	if s.Priced != "" {
		p := priced{what: s.Priced, group: s.Group, cost: all.most(), took: median(all.times), gets: samples[0].gets}
		b.bigPages = append(b.bigPages, p)
	}
}

// told writes what requests cost, at most.
func told(costs []cost) string {
	var each []string
	for _, c := range costs {
		each = append(each, fmt.Sprintf("%d calls, %s read and %s write units", c.calls, units(c.read), units(c.write)))
	}
	return strings.Join(each, "; ")
}

// measured sends the requests of a scenario, and returns what each took.
func (b *bench) measured(ctx context.Context, s scenario) ([]sample, error) {
	c, err := b.client(ctx, s.Company, s.Group, later(s.Ahead))
	if err != nil {
		return nil, err
	}
	last, err := b.prepare(ctx, s, c)
	if err != nil {
		return nil, err
	}
	samples := make([]sample, len(s.Ask))
	rounds := s.Rounds
	if rounds == 0 {
		rounds = b.samples
	}
	if s.Warm {
		rounds++
	}
	for round := range rounds {
		if s.Fresh { // what connects to the engine is no part of its first search
			if c, err = b.client(ctx, hundred, s.Group); err == nil {
				_, _, err = c.page(ctx, documentsPath)
			}
			if err != nil {
				return nil, err
			}
			c.company = b.stage.companies[s.Company]
		}
		for i, q := range s.Ask {
			a, err := b.send(ctx, q, c, round, last)
			if err != nil {
				return nil, err
			}
			if a.named() != 0 {
				last = &a
			}
			if s.Fresh {
				samples[i].gets = int(c.used.gets.Load())
			}
			if round > 0 || !s.Warm {
				samples[i].add(a)
			}
		}
	}
	return samples, nil
}

// prepare sends what a scenario is given, and returns the last answer.
func (b *bench) prepare(ctx context.Context, s scenario, c client) (last *answer, err error) {
	for _, q := range s.Given {
		c := c
		if q.Group != "" {
			if c, err = b.client(ctx, s.Company, q.Group); err != nil {
				return nil, err
			}
		}
		before := last
		for n := range max(1, q.Times) {
			a, err := b.send(ctx, q, c, n, before)
			if err != nil {
				return nil, err
			}
			last = &a
		}
	}
	return last, nil
}

// send sends a request of a scenario.
func (b *bench) send(ctx context.Context, q request, c client, round int, last *answer) (answer, error) {
	method, target, _ := strings.Cut(b.fill(q.Send, round, last), " ")
	var headers []string
	if q.Keyed {
		headers = []string{"idempotency-key", url.PathEscape(q.Send) + strconv.Itoa(round)}
	}
	a, err := c.send(ctx, method, target, b.fill(q.Body, round, last), headers...)
	if err == nil && !strings.Contains(string(a.body), q.Shows) {
		err = fmt.Errorf("not shown: %s in %.300s", q.Shows, a.body)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", target, err)
	}
	return a, err
}

// named is the number of the record that an answer shows, or of the first one of a page.
func (a *answer) named() int64 {
	var shown struct {
		ID      int64
		Results []struct{ ID int64 }
	}
	if err := json.Unmarshal(a.body, &shown); err != nil {
		return 0 // it shows no record
	}
	if len(shown.Results) > 0 {
		return shown.Results[0].ID
	}
	return shown.ID
}

var placeholder = regexp.MustCompile(`\{([a-z]+)(?:([% ])(\d+))?\}`)

// fill replaces what is in braces: {n} counts the rounds, {n%3} is 1, 2 or 3 by turns, {id} is the record that was shown last, and
// {ids 3} are it and the two before it; {iin} and the like are of the person whose number is the round's, {month} and {monthend} the
// days between which the rows of a month are. The rest are texts that parts have set.
func (b *bench) fill(text string, round int, last *answer) string {
	return placeholder.ReplaceAllStringFunc(text, func(found string) string {
		parts := placeholder.FindStringSubmatch(found)
		n, _ := strconv.Atoi(parts[3]) // 0 if the text has no number
		month := firstDay.AddDate(0, round%max(1, b.months), 0)
		switch parts[1] {
		case "n":
			if n > 0 {
				return strconv.Itoa(1 + round%n)
			}
			return strconv.Itoa(round)
		case "id", "ids":
			var ids []string
			for i := range max(1, n) {
				ids = append(ids, strconv.FormatInt(last.named()-int64(i), 10))
			}
			return strings.Join(ids, ",")
		case "iin", "phone", "name":
			value := individual(round)[parts[1]]
			if n > 0 { // its last letters
				value = value[len(value)-n:]
			}
			return value
		case "individuals":
			b.imported += n
			return rows(b.imported-n, n, individual)
		case "items":
			return rows(0, n, func(n int) row { return row{"name": fmt.Sprint("Велосипед № ", n)} })
		case "month":
			return month.Format(time.DateOnly)
		case "monthend":
			return month.AddDate(0, 1, -1).Format(time.DateOnly)
		case "searched", "clients", "documents":
			return thousands(map[string]int{"searched": b.searched, "clients": b.clients, "documents": b.documents}[parts[1]])
		default:
			return b.texts[parts[1]]
		}
	})
}
