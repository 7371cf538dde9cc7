package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/tenantry/tenantry/functions/worker"
	"github.com/tenantry/tenantry/shared/record/bulk"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web"
)

const (
	importRows   = 1000
	importPages  = 20
	individualTo = clientsPath + "import/individual/"
)

// perRow is the highest number of write units per row of some imports.
func perRow(s *sample) (highest float64) {
	for _, c := range s.costs {
		highest = max(highest, c.write/importRows)
	}
	return highest
}

// imports measures the import of clients, the work that it leaves to the worker, and what
// other requests see of it meanwhile.
func (b *bench) imports(ctx context.Context, r *section) error {
	r.Title = "Importing " + thousands(importRows) + " clients"
	c, err := b.crm(ctx)
	if err != nil {
		return err
	}
	rounds := 1 + b.samples/100
	next := 0 // the first number that no import has used
	kinds := []struct {
		what         string
		times        int
		keyed, again bool // keyed: with an Idempotency-Key; again: with the keys of the imports before
		dry          bool
		sample       sample
	}{
		{what: fmt.Sprintf("the first, which makes %d attraction methods", len(methods)), times: 1},
		{what: "another", times: rounds},
		{what: "with an Idempotency-Key", times: rounds, keyed: true},
		{what: "that again, with its key", times: rounds, keyed: true, again: true},
		{what: "dry run", times: rounds, dry: true},
	}
	rows := [][]string{{
		fmt.Sprintf("Import of %s individuals", thousands(importRows)), "Calls", "Read units", "Write units",
		"a row", "Median", "Longest",
	}}
	for i := range kinds {
		k := &kinds[i]
		if k.again {
			next -= k.times * importRows
		}
		target, status := individualTo, http.StatusCreated
		if k.dry {
			target, status = individualTo+"?dry_run=true", http.StatusOK
		}
		for range k.times {
			var headers []string
			if k.keyed {
				headers = []string{"idempotency-key", fmt.Sprint("import-", next)}
			}
			a, err := must(ctx, c.clients, event(importing, http.MethodPost, target, individuals(next, importRows), headers...), status)
			if err != nil {
				return fmt.Errorf("%s: %w", k.what, err)
			}
			k.sample.add(a)
			if !k.dry {
				next += importRows
			}
		}
		most, times := k.sample.most(), k.sample.times
		rows = append(rows, []string{
			k.what, fmt.Sprint(most.calls), units(most.read), units(most.write), fmt.Sprintf("%.2f", perRow(&k.sample)),
			seconds(median(times)), seconds(percentile(times, 1)),
		})
	}
	var all sample
	for _, k := range kinds[:3] {
		all.costs = append(all.costs, k.sample.costs...)
		all.times = append(all.times, k.sample.times...)
	}
	most, longest := all.most(), percentile(all.times, 1)
	written := perRow(&all)
	r.judge(
		"import of "+thousands(importRows)+" individuals with unique IIN",
		most.calls <= 30 && written <= 4.2, "≤ 30 calls, ≤ 4.2 write units a row",
		"%d calls, %.2f write units a row, which has no entry of the search", most.calls, written,
	)
	r.judgeTime("the time of that, whole", longest < 3*time.Second, "< 3 s", "%s at most", seconds(longest))
	dry := kinds[4].sample.most()
	r.judge(
		"dry run of "+thousands(importRows),
		dry.calls <= 12 && dry.write == 0, "≤ 12 calls, 0 write units",
		"%d calls, %s write units", dry.calls, units(dry.write),
	)
	b.bigPages = append(
		b.bigPages,
		priced{what: "import of " + thousands(importRows) + " clients", group: "clients", cost: most, took: median(all.times)},
		priced{what: "dry run of it", group: "clients", cost: dry, took: median(kinds[4].sample.times)},
	)
	r.table(rows)
	r.text(
		"Each row with name, phone, e-mail, document, dates, attraction method and a unique IIN; one body is about %d KB. The\n"+
			"answer, over 100 KB, is kept in the bucket under an Idempotency-Key. A row has no entry in the index of changes:\n"+
			"a segment takes it from its record.",
		len(individuals(0, importRows))/1000,
	)
	if err := c.cleanUp(ctx, r, next); err != nil {
		return err
	}
	return b.whileImporting(ctx, r, c)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }

// ending is a line of the worker's log.
type ending struct {
	Kind   string  `json:"kind"`
	Result string  `json:"result"`
	Calls  int     `json:"calls"`
	Read   float64 `json:"read_units"`
	Write  float64 `json:"write_units"`
}

// journal keeps a log; each write is one line.
type journal struct {
	mu    sync.Mutex
	lines [][]byte
}

func (j *journal) Write(line []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, bytes.Clone(line))
	return len(line), nil
}

// work runs the worker as if the leases of the imports were over, so that it ends the
// imports, and returns what each took.
func (c *crm) work(ctx context.Context) (list []ending, err error) {
	log := new(journal)
	env := c.later(2 * bulk.Lease)
	env.Log = log
	worker := worker.New(env)
	for {
		n, err := worker.Sweep(ctx)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			break
		}
	}
	for _, line := range log.lines {
		var e ending
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, fmt.Errorf("the worker logged %q: %w", line, err)
		}
		if e.Kind != "clients.import" {
			continue
		}
		if e.Result != "done" {
			return nil, fmt.Errorf("an import was not ended: %s", line)
		}
		list = append(list, e)
	}
	return list, nil
}

// mostOf is the highest value of each field.
func mostOf(list []ending) (most ending) {
	for _, e := range list {
		most.Calls, most.Read, most.Write = max(most.Calls, e.Calls), max(most.Read, e.Read), max(most.Write, e.Write)
	}
	return most
}

// cleanUp measures what the worker does after imports that succeeded, and how a
// client reads before and after that.
func (c *crm) cleanUp(ctx context.Context, r *section, clients int) error {
	one := event(importing, http.MethodGet, clientsPath+"1/", "")
	young, err := must(ctx, c.clients, one, http.StatusOK)
	if err != nil {
		return err
	}
	list, err := c.work(ctx)
	if err != nil {
		return err
	}
	if len(list)*importRows != clients {
		return fmt.Errorf("%d imports were ended, of %d clients", len(list), clients)
	}
	old, err := must(ctx, c.clients, one, http.StatusOK)
	if err != nil {
		return err
	}
	most := mostOf(list)
	r.text(
		"Afterwards, %s after an import has begun, the worker takes the mark of the import from each of its clients: %s calls, %s\n"+
			"read and %s write units at most, of %d imports. So an imported client costs %.2f write units more. Until then reading it\n"+
			"is %d calls and %s units, afterwards %d and %s.",
		bulk.Lease, thousands(most.Calls), units(most.Read), units(most.Write), len(list), most.Write/importRows, young.calls,
		units(young.read), old.calls, units(old.read),
	)
	return nil
}

// whileImporting measures page 1 of the clients four times: before an import, while it
// runs, after its process has died, and after the worker has removed what it left. The
// process of this import dies before the commit.
func (b *bench) whileImporting(ctx context.Context, r *section, c *crm) error {
	m := newProcess(c.stage)
	env := c.env
	env.Table = table.Open(m, crmTable)
	server := c.server("clients", env)
	first := event(crashing, http.MethodPost, individualTo, individuals(0, importRows))
	if _, err := must(ctx, server, first, http.StatusCreated); err != nil {
		return err
	}
	m.reset()
	second := event(crashing, http.MethodPost, individualTo, individuals(importRows, importRows))
	if _, err := must(ctx, server, second, http.StatusCreated); err != nil {
		return err
	}
	m.deadAt = m.transacted() // the commit is the last one
	rows := [][]string{{"Page 1 of " + thousands(2*importRows) + " clients", "Calls", "Units, average", "most", "p50"}}
	var all sample
	var page []byte
	look := func(when string, server *web.Server) error {
		var one sample
		for range importPages {
			a, err := must(
				ctx, server, event(crashing, http.MethodGet, fmt.Sprintf("%s?pageSize=%d", clientsPath, pageSize), ""), http.StatusOK,
			)
			if err != nil {
				return err
			}
			l, err := listOf(a)
			if err != nil {
				return err
			}
			if page == nil {
				page = a.body
			}
			if l.Count != 2*importRows || len(l.Results) != pageSize || !bytes.Equal(page, a.body) {
				return fmt.Errorf("%s: a list of %d clients, another than before the import: %.300s", when, l.Count, a.body)
			}
			one.add(a)
			all.add(a)
		}
		read, _ := one.average()
		most := one.most()
		rows = append(rows, []string{when, fmt.Sprint(most.calls), fmt.Sprintf("%.2f", read), units(most.read), ms(median(one.times))})
		return nil
	}
	if err := look("before", c.clients); err != nil {
		return err
	}
	m.reset()
	cut := event(crashing, http.MethodPost, individualTo, individuals(2*importRows, importRows))
	a, err := ask(ctx, server, cut)
	if err != nil {
		return err
	}
	if n := m.transacted(); a.status < http.StatusInternalServerError || n < m.deadAt {
		return fmt.Errorf("an import whose process died was answered %d after %d transactions", a.status, n)
	}
	if err := look("while an import of "+thousands(importRows)+" more runs, all its rows written", c.clients); err != nil {
		return err
	}
	if err := look("after its process died, its lease over", c.server("clients", c.later(2*bulk.Lease))); err != nil {
		return err
	}
	ended, err := c.work(ctx)
	if err != nil {
		return err
	}
	if err := look("after the worker has removed it", c.clients); err != nil {
		return err
	}
	most := all.most()
	r.judge(
		"page 1 of the clients, while an import runs and after one crashed",
		most.calls <= 3+standingCalls && most.read <= 12+standingUnits, "≤ 4 calls, ≤ 22 read units",
		"%d calls, %s units at most", most.calls, units(most.read),
	)
	if _, err := must(ctx, c.clients, cut, http.StatusCreated); err != nil {
		return fmt.Errorf("the same import again: %w", err)
	}
	if len(ended) == 0 {
		return errors.New("nothing was left to the worker")
	}
	r.table(rows)
	removal := mostOf(ended[len(ended)-1:])
	r.text(
		"Each %d times; every answer was the same to the byte. The import was one whose process died at its commit, and nobody\n"+
			"abandoned it. Its removal took the worker %s calls, %s read and %s write units. After that the same import was sent again,\n"+
			"and made its clients.",
		importPages, thousands(removal.Calls), units(removal.Read), units(removal.Write),
	)
	return nil
}
