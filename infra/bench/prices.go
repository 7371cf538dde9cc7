package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tenantry/tenantry/infra/groups"
	"github.com/tenantry/tenantry/infra/local/corpus"
	"github.com/tenantry/tenantry/infra/local/world"
	"github.com/tenantry/tenantry/shared/web"
)

// Assumed values, for what can't be measured here.
const (
	tableCall   = 5 * time.Millisecond // a call of the table on AWS
	wholeCore   = 1769                 // MB of memory that come with one core
	gatewayLog  = 200                  // bytes that the gateway's access log has for a request
	lineLog     = 26                   // bytes that CloudWatch adds to each line
	priceRounds = 3
)

// priced is what one kind of request consumes, without its authorizer.
type priced struct {
	what, group string
	cost
	took                            time.Duration
	logged, signs, macs, puts, gets int
}

// dollars is the price of a million requests.
type dollars [5]float64

const (
	gateway = iota
	functions
	items
	others
	logs
)

// billed is the time that Lambda would bill. It is the measured time, made longer because
// little memory brings only a part of a core, plus the assumed time of the table calls on AWS.
func (p priced) billed(memory int) time.Duration {
	stretch := max(1, wholeCore/float64(memory))
	t := time.Duration(float64(p.took)*stretch) + time.Duration(p.calls)*tableCall
	return time.Duration(math.Ceil(float64(t)/float64(time.Millisecond))) * time.Millisecond
}

func (p priced) price(at rates, memory int, asked bool) (d dollars) {
	d[functions] = at.lambdaRequest + at.lambdaGBSeconds*float64(memory)/1024*p.billed(memory).Seconds()
	d[items] = p.read*at.readUnit + p.write*at.writeUnit
	d[others] = float64(p.signs)*at.kmsSign + float64(p.macs)*at.kmsMAC + float64(p.puts)*at.s3Write + float64(p.gets)*at.s3Read
	bytes := 0 // Lambda logs nothing of an invocation by itself: SystemLogLevel is WARN
	if p.logged > 0 {
		bytes += p.logged + lineLog
	}
	if asked { // by the gateway for a client
		d[gateway] = at.gatewayRequest
		bytes += gatewayLog + lineLog
	}
	d[logs] = float64(bytes) / 1e3 * at.logGigabyte // a million of them, in gigabytes
	return d
}

// prices has each recorded event that succeeds answered, and reports what a million such
// requests cost.
func (b *bench) prices(ctx context.Context, r *section) error {
	region, err := stageRegion(filepath.Join(b.root, "samconfig.toml"))
	if err != nil {
		return err
	}
	at := prices[region]
	one, err := b.authorize(ctx, 1)
	if err != nil {
		return err
	}
	who := priced{group: "authorizer", cost: one.most(), took: median(one.times)}
	authorized := who.price(at, b.memory("authorizer"), false)
	all, err := b.consumed(ctx)
	if err != nil {
		return err
	}
	rows := [][]string{
		{"Request", "Calls", "Read units", "Write units", "Here", "Billed", "Gateway", "Functions", "Table", "KMS, S3", "Logs", "**Sum**"},
	}
	for _, p := range append(all, b.bigPages...) {
		if p.logged == 0 {
			p.logged = all[0].logged
		}
		row := []string{p.what, fmt.Sprint(p.calls), units(p.read), units(p.write), ms(p.took), fmt.Sprint(p.billed(b.memory(p.group)))}
		sum := 0.0
		for i, x := range p.price(at, b.memory(p.group), true) {
			row = append(row, fmt.Sprintf("%.2f", x+authorized[i]))
			sum += x + authorized[i]
		}
		rows = append(rows, append(row, fmt.Sprintf("**%.2f**", sum)))
	}
	r.table(rows)
	r.text(
		"US dollars a million, the authorizer's invocation included in every row (it is asked before public requests too): it reads\n"+
			"%s units in %d call, is billed %s and costs %.2f of each sum. Calls, units, KMS and S3 requests and log lines are\n"+
			"measured: each row is a recorded event of `events/`, or a page or search of the large companies above, answered by the\n"+
			"function's own server. `Here` is its time on this machine, the local engine's included.",
		units(who.read), who.calls, who.billed(b.memory("authorizer")), authorized[functions]+authorized[items],
	)
	r.text(
		"Assumed: on-demand list prices of %s, %s, of %s, first tier, no free one: HTTP API %.2f and Lambda %.2f a million requests,\n"+
			"Lambda arm64 %.7f a GB-second, DynamoDB %.4f a million read and %.4f a million write units, KMS %.0f a million signatures\n"+
			"and %.0f a million HMACs, S3 %.2f a million PUT or COPY and %.2f a million GET or HEAD, CloudWatch Logs %.2f a GB. Billed\n"+
			"is the time here, stretched to the share of a core that the memory brings (%d MB are one core), plus %s for each call of\n"+
			"the table, rounded up to a millisecond: more than it will be, as the local engine's time is in it too. The\n"+
			"gateway's access log has %d bytes a request, CloudWatch adds %d to each line, and Lambda logs nothing by itself\n"+
			"(SystemLogLevel: WARN). Not included: cold starts, stored bytes, bytes sent to clients, messages of e-mail and SMS and the\n"+
			"functions that send them.",
		region, at.name, priceDate, at.gatewayRequest, at.lambdaRequest, at.lambdaGBSeconds/1e6, at.readUnit, at.writeUnit, at.kmsSign,
		at.kmsMAC, at.s3Write, at.s3Read, at.logGigabyte,
		wholeCore, tableCall, gatewayLog, lineLog,
	)
	return nil
}

// memory is the memory in MB that the template gives a group's function.
func (b *bench) memory(group string) int {
	return cmp.Or(b.template.Functions[b.functions[group]].MemoryMB, 128) // Lambda's own default
}

// consumed answers all recorded events that succeed, each in a fresh world.
func (b *bench) consumed(ctx context.Context) (all []priced, err error) {
	w := b.stage.world
	asked, _, err := b.env("authorizer", nil)
	if err != nil {
		return nil, err
	}
	made := groups.All()
	for _, name := range slices.Sorted(maps.Keys(b.functions)) {
		if made[name] == nil {
			continue
		}
		list, err := successes(ctx, b.root, name, corpus.NewMaker(b.template, w, authorizerOf(asked), name))
		if err != nil {
			return nil, err
		}
		env, used, err := b.env(name, nil)
		if err != nil {
			return nil, err
		}
		server := env.Server(made[name](env))
		for _, e := range list {
			p, err := priceEvent(ctx, w, server, e.Payload, used)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", e.ID(), err)
			}
			p.what, p.group = e.ID(), name
			all = append(all, p)
		}
	}
	return all, nil
}

// priceEvent answers one event a few times.
func priceEvent(ctx context.Context, w *world.World, server *web.Server, payload []byte, used *counts) (p priced, err error) {
	var all sample
	for range priceRounds {
		if _, err := w.Reset(ctx); err != nil {
			return p, err
		}
		*used = counts{}
		a, err := must(ctx, server, w.Localise(payload))
		if err != nil {
			// What it spent the time before isn't in the table, such as a code of the issuer of identities.
			if err = w.Renew(ctx); err != nil {
				return p, err
			}
			*used = counts{}
			a, err = must(ctx, server, w.Localise(payload))
		}
		if err != nil {
			return p, err
		}
		all.add(a)
	}
	p.cost, p.took = all.most(), median(all.times)
	p.logged, p.signs, p.macs = int(used.logged.Load()), int(used.signs.Load()), int(used.macs.Load())
	p.puts, p.gets = int(used.puts.Load()), int(used.gets.Load())
	return p, nil
}

// successes makes the events of a group that are answered with success. HEAD requests
// are left out, because they cost the same as GET.
func successes(ctx context.Context, root, group string, m *corpus.Maker) (list []corpus.Event, err error) {
	entries, err := corpus.Read(root, group)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		payload, err := m.Event(ctx, entry)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", entry.ID(), err)
		}
		e, err := entry.Expected(payload)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", entry.ID(), err)
		}
		method, _, _ := strings.Cut(entry.Request, " ")
		answer, _ := e.Want.(map[string]any)
		status := fmt.Sprint(answer["status"])
		succeeds := strings.HasPrefix(status, "2") || strings.HasPrefix(status, "3") && status != "301" && status != "308"
		if succeeds && method != http.MethodHead && method != http.MethodOptions {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(a, b corpus.Event) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}
