package restore

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/infra/operator/estate"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
)

// whole makes the company's own item that of the copy, and gives it its host back, unless another company has that by now: then it has
// none, until its owner names one. It stays suspended, and held until the end.
func (r *run) whole(ctx context.Context) error {
	if r.Users != nil {
		delete(r.company, "h")
		delete(r.company, "cl")
	}
	host, had, others := r.company.Text("h"), false, false
	err := table.Anew(ctx, table.Tries, func() (err error) {
		if r.stands, err = r.To.Company(ctx, r.is); err != nil {
			return err
		}
		if r.stands.Text(runAt) != r.id {
			return ErrOvertaken
		}
		item := clone(r.company)
		item.SetInt("ow", r.owners())
		stand(item, r.stands)
		use(item, r.stands, r.Now())
		for _, name := range []string{markAt, runAt, keptAt, newAt} {
			if value, is := r.stands[name]; is {
				item[name] = value
			}
		}
		var domain table.Attributes
		if host != "" {
			if domain, had, others, err = r.domain(ctx, host); err != nil {
				return err
			}
		}
		if others {
			delete(item, "h")
		}
		if reflect.DeepEqual(item, r.stands) && (host == "" || had || others) {
			return nil
		}
		err = r.all.Write(ctx, func(tx *table.Tx, _ int) error {
			put := r.all.Put(item).If(runAt+" = ?", r.id)
			for _, name := range standings() { // what is taken from the item that was read may have changed since
				condition, args := as(name, r.stands)
				put.If(condition, args...)
			}
			tx.Put(put, table.ErrRevision)
			if host != "" && !others {
				tx.Put(r.all.Put(domain).If("attribute_not_exists(pk) OR t = ?", r.is), table.ErrRevision)
			}
			return nil
		})
		if err == nil {
			count(r.To, r.report.Put, item)
		}
		return err
	}, nil)
	switch {
	case err != nil || host == "":
	case others:
		r.tell("The host %s is another company's now: the company has none, until its owner names one.", host)
		delete(r.company, "h")
	case !had:
		r.tell("The host %s is the company's again.", host)
	}
	return err
}

// domain is the item of a host as the company's. had tells that it is there so, others that it is another company's.
func (r *run) domain(ctx context.Context, host string) (item table.Attributes, had, others bool, err error) {
	key := crosstenant.Domain(host)
	item = table.Attributes{}
	item.SetText("pk", key.PK)
	item.SetText("sk", key.SK)
	item.SetInt("v", crosstenant.DomainVersion)
	item.SetInt("t", int64(r.is))
	var there table.Attributes
	if err = r.all.Get(ctx, key, &there); errors.Is(err, table.ErrNotFound) {
		return item, false, false, nil
	}
	had = err == nil && there.Int("t") == int64(r.is)
	return item, had, err == nil && !had, err
}

// owners counts the owners of the copy who are members here, each once.
func (r *run) owners() int64 {
	owners := map[int64]bool{}
	for _, m := range r.members {
		if m.Role == tenant.Owner && m.absent == "" {
			owners[r.here(m)] = true
		}
	}
	return int64(len(owners))
}

// standings are the attributes that say how a company stands, and what its host has agreed with it.
func standings() []string { return []string{"st", "stt", "sta", "stf", "stb", "pl"} }

// stand makes an item say how the company stands here, whatever it said in the copy: what the authorizer reads must not say for a
// moment that the company can be used. Its plan is the host's, and stays too.
func stand(item, live table.Attributes) {
	for _, name := range standings() {
		delete(item, name)
		if value, is := live[name]; is {
			item[name] = value
		}
	}
}

// use says from which day on a company uses something: not before what is there, nor before today where its zone changes, since days that
// are over may be counted. It is as where its people change the zone.
func use(item, live table.Attributes, now time.Time) {
	delete(item, "uf")
	if from := live.Text("uf"); from != "" {
		item.SetText("uf", from)
	}
	if live.Text("tz") == item.Text("tz") {
		return
	}
	before := company.Company{TimeZone: live.Text("tz"), UsedFrom: live.Text("uf")}
	if today, err := before.UseOn(now); err == nil { // a zone that nobody knows any more can be left
		item.SetText("uf", today.Format(time.DateOnly))
	}
}

// check compares what is there with the copy once more, and has the segments made anew.
func (r *run) check(ctx context.Context) error {
	others := 0
	r.raw = map[table.Key]table.Attributes{}
	if err := r.both(ctx, func(copied, live table.Attributes) error {
		if copied != nil {
			r.report.Copied++
		}
		if !reflect.DeepEqual(copied, live) {
			others++
			return nil
		}
		key := estate.KeyOf(copied)
		raw := r.raw[key]
		delete(r.raw, key)
		return r.untouched(raw, live)
	}); err != nil {
		return err
	}
	var err error
	if r.report.Stay, err = r.waiting(ctx, r.is); err != nil {
		return err
	}
	if others > 0 {
		return fmt.Errorf("%d items of company %d are not as in the copy again: something writes; run it again later", others, r.is)
	}
	if r.Segments == nil {
		return nil
	}
	if err := r.held(ctx); err != nil {
		return err
	}
	return r.Segments(ctx, r.to)
}
