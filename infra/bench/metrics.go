package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	clientdomain "github.com/tenantry/tenantry/functions/clients/client"
	"github.com/tenantry/tenantry/functions/inventory/group"
	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/functions/metrics/row"
	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
)

const (
	metricsPath = "/v1/crm/metrics/general/"
	rowsPerDay  = 1000
	// generalDays is how many days one call of general shows.
	generalDays = 400
	// subjects is how many items, groups and clients the rows name in turn: a page names different ones.
	subjects = 200
)

// metrics measures the rows and the days of a company with very many rows.
func (b *bench) metrics(ctx context.Context, r *section) error {
	r.Title = "Metrics"
	c, err := b.crm(ctx)
	if err != nil {
		return err
	}
	if err := found(ctx, c.env.Table, measuring); err != nil {
		return err
	}
	if err := c.name(ctx, table.Of(c.env.Table, measuring)); err != nil {
		return err
	}
	days := max(b.documents/rowsPerDay, 3)
	first := time.Date(2023, time.January, 1, 0, 0, 0, 0, time.UTC)
	if err := b.accrue(ctx, c, first, days); err != nil {
		return err
	}
	function := c.server("metrics", c.env)
	date := func(day int) string { return first.AddDate(0, 0, min(day, days-1)).Format(time.DateOnly) }
	rows := [][]string{{"Page", "Calls", "Read units", "p50", "p95"}}
	var bounded sample
	for _, kind := range []struct {
		what  string
		query func(n int) string
		free  bool // of the bound
	}{
		{"of a day", func(n int) string { return "date=" + date(n*7) + "&page=" + fmt.Sprint(1+n%50) }, false},
		{"of a month", func(n int) string {
			return fmt.Sprintf("date__gte=%s&date__lte=%s&page=%d", date(n*7), date(n*7+30), 1+n*3%50)
		}, false},
		{"of a month, the oldest first", func(n int) string {
			return fmt.Sprintf("date__gte=%s&date__lte=%s&ordering=date&page=last", date(n*7), date(n*7+30))
		}, false},
		{"of a type of a month", func(n int) string {
			return fmt.Sprintf("date__gte=%s&date__lte=%s&type=delivery&page=%d", date(n*7), date(n*7+30), 1+n%5)
		}, false},
		{"of all days", func(n int) string { return "page=" + fmt.Sprint(1+n*days%(days*rowsPerDay/pageSize)) }, true},
		{"of a day, by profit", func(n int) string { return "date=" + date(n*7) + "&ordering=-profit" }, true},
		{"of a month, by profit", func(n int) string {
			return fmt.Sprintf("date__gte=%s&date__lte=%s&ordering=-profit", date(n*7), date(n*7+30))
		}, true},
	} {
		var s sample
		for n := range b.samples {
			target := fmt.Sprintf("%sdetail/?pageSize=%d&%s", metricsPath, pageSize, kind.query(n))
			a, err := must(ctx, function, event(measuring, http.MethodGet, target, ""), http.StatusOK)
			if err != nil {
				return err
			}
			s.add(a)
			if !kind.free {
				bounded.add(a)
			}
		}
		most := s.most()
		rows = append(rows, []string{
			kind.what, fmt.Sprint(most.calls), units(most.read), ms(median(s.times)), ms(percentile(s.times, 0.95)),
		})
	}
	most := bounded.most()
	r.judge("page of rows of a day or a month, of "+thousands(days*rowsPerDay), most.calls <= 4 && most.read <= 75,
		"≤ 4 calls, ≤ 75 read units", "%d calls, %s units at most", most.calls, units(most.read))
	last := first.AddDate(0, 0, generalDays-1).Format(time.DateOnly)
	target := fmt.Sprintf("%s?date__gte=%s&date__lte=%s&pageSize=%d", metricsPath, date(0), last, generalDays)
	a, err := must(ctx, function, event(measuring, http.MethodGet, target, ""), http.StatusOK)
	if err != nil {
		return err
	}
	r.judge(fmt.Sprintf("%d days in sums", generalDays), a.cost.calls <= 3 && a.cost.read <= 60,
		"≤ 3 calls, ≤ 60 read units", "%d calls, %s units", a.cost.calls, units(a.cost.read))
	r.table(rows)
	r.text("Pages of %d, each %d times; at most. The rows of a page name an item, a group and a client each, which others of the\n"+
		"page don't name.", pageSize, b.samples)
	return nil
}

// name puts the items, groups and clients that rows name.
func (c *crm) name(ctx context.Context, t *table.Tenant) error {
	first := record.Meta{Revision: 1, Created: moment.Of(c.env.Now()), Updated: moment.Of(c.env.Now())}
	var all []any
	for id := int64(1); id <= subjects; id++ {
		it, of := item.Item{Meta: first, Name: "Bicycle"}, group.Group{Meta: first, Name: "Bicycles"}
		who := clientdomain.Client{Meta: first, Name: "Assel"}
		item.Kind().Place(t, &it, id)
		group.Kind().Place(t, &of, id)
		clientdomain.Kind().Place(t, &who, id)
		all = append(all, it, of, who)
	}
	_, err := t.Table().Batch("pk", "sk").Write().Put(all...).Run(ctx)
	return err
}

// accrue gives a company rows on some days, in the shares that orders have.
func (b *bench) accrue(ctx context.Context, c *crm, first time.Time, days int) error {
	s := record.Scope{Table: table.Of(c.env.Table, measuring), Now: c.env.Now}
	id, status := int64(0), order.Reserved
	for day := range days {
		rows := make([]row.Row, rowsPerDay)
		for n := range rows {
			id++
			of, about := row.Inventory, id%subjects+1
			switch {
			case n%10 < 3:
				of = row.Request
			case n%10 == 3:
				of = row.Delivery
			}
			rows[n] = row.New(of, id)
			rows[n].Date = decode.Date(first.AddDate(0, 0, day).Format(time.DateOnly))
			rows[n].Order, rows[n].Status, rows[n].Client, rows[n].Point = &about, &status, &about, &about
			rows[n].Item, rows[n].Group = &about, &about
			rows[n].Prediction, rows[n].Profit = money.Whole(10_000+id%5000), money.Whole(id%5000)
		}
		if err := row.Seed(ctx, s, rows); err != nil {
			return err
		}
	}
	return nil
}
