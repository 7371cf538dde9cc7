package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"github.com/tenantry/tenantry/functions/tenants/staff"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
)

// life describes the requests of one record: create it, repeat the create with the same
// Idempotency-Key, read it, change it, delete it.
type life struct {
	what, group, path string
	server            *web.Server
	company           tenant.ID
	create            func(i int) string
	change            string
	keyed             bool    // creates have an Idempotency-Key
	names             bool    // a custom field refers to another record
	bound             float64 // write units of a create
}

// Each station is one request in a life.
const (
	creates = iota
	repeats
	reads
	changes
	removes
	stations
)

// writes measures the requests that change rental points and clients.
func (b *bench) writes(ctx context.Context, r *section) error {
	r.Title = "Changing rental points and clients"
	c, err := b.crm(ctx)
	if err != nil {
		return err
	}
	if err := c.furnish(ctx); err != nil {
		return err
	}
	point := func(i int) string {
		return fmt.Sprintf(`{"name":"Пункт проката № %d","address":"Абай даңғылы, %d"}`, i, i)
	}
	client := func(i int) string {
		p := individual(i)
		return fmt.Sprintf(`{"name":%q,"phone":%q,"individual":{"iin":%q}}`, p.name, p.phone, p.iin)
	}
	lives := []life{
		{
			what:    "a rental point",
			group:   "points",
			path:    pointsPath,
			server:  c.points,
			company: simple,
			create:  point,
			change:  `{"address":"Сәтбаев көшесі, 1"}`,
			bound:   8,
		},
		{
			what:    "a rental point with custom fields",
			group:   "points",
			path:    pointsPath,
			server:  c.points,
			company: furnished,
			keyed:   true,
			bound:   10,
			create: func(i int) string {
				return fmt.Sprintf(
					`{"name":"Пункт проката № %d","address":"Абай даңғылы, %d","extra":{"hours":"9-18","desks":%d}}`, i, i, 1+i%5,
				)
			},
			change: `{"address":"Сәтбаев көшесі, 1","extra":{"hours":"10-19","desks":1}}`,
		},
		{
			what:    "a client with an IIN",
			group:   "clients",
			path:    clientsPath,
			server:  c.clients,
			company: simple,
			create:  client,
			change:  `{"comment":"Перезвонить"}`,
			bound:   10,
		},
		{
			what:    "a client with an IIN, an attraction method and custom fields",
			group:   "clients",
			path:    clientsPath,
			server:  c.clients,
			company: furnished,
			keyed:   true,
			bound:   12,
			create: func(i int) string {
				p := individual(i)
				return fmt.Sprintf(
					`{"name":%q,"phone":%q,"attraction_method":1,"extra":{"passport":"N%08d","visits":%d},"individual":{"iin":%q}}`,
					p.name, p.phone, i, i%7, p.iin,
				)
			},
			change: `{"comment":"Перезвонить","attraction_method":2,"extra":{"passport":"N1","visits":2}}`,
		},
		{
			what:    "a client, a custom field of which names another",
			group:   "clients",
			path:    clientsPath,
			server:  c.clients,
			company: furnished,
			names:   true,
			keyed:   true,
			bound:   12,
			create: func(i int) string {
				p := individual(b.samples + i)
				return fmt.Sprintf(
					`{"name":%q,"phone":%q,"attraction_method":1,"extra":{"passport":"N%08d","brought_by":1},"individual":{"iin":%q}}`,
					p.name, p.phone, i, p.iin,
				)
			},
			change: `{"comment":"Перезвонить","attraction_method":2,"extra":{"passport":"N1","brought_by":1}}`,
		},
	}
	reading := map[string]*sample{"points": {}, "clients": {}} // by group
	rows := [][]string{{"Record", "Request", "Calls", "Read units", "Write units, average", "most", "p50", "p95"}}
	for _, l := range lives {
		samples, err := l.live(ctx, b.samples)
		if err != nil {
			return fmt.Errorf("%s: %w", l.what, err)
		}
		rows = append(rows, l.rows(samples)...)
		l.judge(b, r, samples)
		reading[l.group].costs = append(reading[l.group].costs, samples[reads].costs...)
	}
	ofPoint, ofClient := reading["points"].most(), reading["clients"].most()
	r.judge(
		"read a rental point", ofPoint.calls <= 1 && ofPoint.read <= 1, "1 call, 1 unit",
		"%d call, %s unit at most", ofPoint.calls, units(ofPoint.read),
	)
	r.judge(
		"read a client, with what its orders come to", ofClient.calls <= 1 && ofClient.read <= 2, "1 call, 2 units",
		"%d call, %s units at most", ofClient.calls, units(ofClient.read),
	)
	r.table(rows)
	r.text(
		"%d of each, one after the other. Every change and its audit record are one transaction. The write units of a create are of\n"+
			"the number and the search entry, 1 each, and 2 each of the record, the counter of live records, the audit record, the\n"+
			"reservation of an IIN, and the answer that is kept. One call reads custom fields, references and reservations; what custom\n"+
			"fields name takes another.",
		b.samples,
	)
	return nil
}

// furnish gives the company custom fields, and the records that clients refer to.
func (c *crm) furnish(ctx context.Context) error {
	t := table.Of(c.env.Table, furnished)
	place := staff.Member{Item: table.At(t.Member(user), staff.MemberVersion), User: user, Role: tenant.Owner}
	if err := t.Put(place).Run(ctx); err != nil { // only a member may define custom fields
		return err
	}
	for _, step := range []struct {
		server     *web.Server
		path, body string
	}{
		{c.settings, fieldsPath, `{"key":"rental_point","name":"hours","label":"Hours","type":"string","required":true}`},
		{c.settings, fieldsPath, `{"key":"rental_point","name":"desks","label":"Desks","type":"integer"}`},
		{c.settings, fieldsPath, `{"key":"client","name":"passport","label":"Passport","type":"string","required":true}`},
		{c.settings, fieldsPath, `{"key":"client","name":"visits","label":"Visits","type":"integer"}`},
		{c.settings, fieldsPath, `{"key":"client","name":"brought_by","label":"Brought by","type":"client"}`},
		{c.clients, methodsPath, `{"name":"Instagram"}`},
		{c.clients, methodsPath, `{"name":"Walk-in"}`},
		{c.clients, clientsPath, `{"name":"Первый клиент","extra":{"passport":"N0"}}`},
	} {
		if _, err := must(ctx, step.server, event(furnished, http.MethodPost, step.path, step.body), http.StatusCreated); err != nil {
			return err
		}
	}
	return nil
}

// live sends all requests of the life for several records.
func (l life) live(ctx context.Context, times int) (samples [stations]sample, err error) {
	ask := func(station int, method, path, body string, status int, headers ...string) (a answer, err error) {
		a, err = must(ctx, l.server, event(l.company, method, path, body, headers...), status)
		if err != nil {
			return a, fmt.Errorf("%s %s: %w", method, path, err)
		}
		samples[station].add(a)
		return a, nil
	}
	for i := range times {
		var key []string
		if l.keyed {
			key = []string{"idempotency-key", fmt.Sprintf("%s-%t-%d", l.group, l.names, i)}
		}
		body := l.create(i)
		made, err := ask(creates, http.MethodPost, l.path, body, http.StatusCreated, key...)
		if err != nil {
			return samples, err
		}
		if l.keyed {
			again, err := ask(repeats, http.MethodPost, l.path, body, http.StatusCreated, key...)
			if err != nil || string(again.body) != string(made.body) {
				return samples, fmt.Errorf("sent again, it is answered %.300s: %w", again.body, err)
			}
		}
		var record struct{ ID int64 }
		if err := json.Unmarshal(made.body, &record); err != nil {
			return samples, err
		}
		one := l.path + strconv.FormatInt(record.ID, 10) + "/"
		if _, err := ask(reads, http.MethodGet, one, "", http.StatusOK); err != nil {
			return samples, err
		}
		if _, err := ask(changes, http.MethodPatch, one, l.change, http.StatusOK); err != nil {
			return samples, err
		}
		if _, err := ask(removes, http.MethodDelete, one, "", http.StatusNoContent); err != nil {
			return samples, err
		}
	}
	return samples, nil
}

// station names what the request at a station does.
func (l life) station(i int) string {
	name := [stations]string{"create", "create again, replayed", "read", "change", "delete"}[i]
	if i == creates && l.keyed {
		name += " with an Idempotency-Key"
	}
	return name
}

func (l life) rows(samples [stations]sample) (rows [][]string) {
	for i := range samples {
		s := &samples[i]
		if len(s.costs) == 0 {
			continue
		}
		most := s.most()
		_, write := s.average()
		rows = append(rows, []string{
			l.what, l.station(i), fmt.Sprint(most.calls), units(most.read), fmt.Sprintf("%.2f", write), units(most.write),
			ms(median(s.times)), ms(percentile(s.times, 0.95)),
		})
	}
	return rows
}

// judge compares the costs of a life with its bounds. If a custom field refers to
// another record, the requests need one more call; such a life is only reported.
func (l life) judge(b *bench, r *section, samples [stations]sample) {
	create, change, remove := samples[creates].most(), samples[changes].most(), samples[removes].most()
	if !l.names {
		calls := max(create.calls, change.calls, remove.calls)
		r.judge("create, change and delete "+l.what, calls <= 4 && create.write <= l.bound,
			fmt.Sprintf("≤ 3 calls and a batch each, create ≤ %s write units", units(l.bound)),
			"%d, %d and %d calls; %s, %s and %s write units", create.calls, change.calls, remove.calls,
			units(create.write), units(change.write), units(remove.write))
	}
	for _, i := range []int{creates, reads, changes, removes} {
		if !l.names {
			b.bigPages = append(b.bigPages, priced{
				what:  l.station(i) + ": " + l.what,
				group: l.group,
				cost:  samples[i].most(),
				took:  median(samples[i].times),
			})
		}
	}
}
