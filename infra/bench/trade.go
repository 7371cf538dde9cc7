package main

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tenantry/tenantry/shared/web"
)

const (
	servicesPath = "/v1/crm/services/"
	groupsPath   = "/v1/crm/groups/"
	itemsPath    = "/v1/crm/inventories/"
	funnelsPath  = "/v1/sales/funnels/"
	leadsPath    = "/v1/sales/leads/"

	boardLeads   = 10_000
	leadCreators = 4
)

// trade measures what changes services, inventory, leads and transactions, and what reads and moves many
// of them at once.
func (b *bench) trade(ctx context.Context, r *section) error {
	r.Title = "Services, inventory, leads and transactions"
	c, err := b.crm(ctx)
	if err != nil {
		return err
	}
	services, inventory := c.server("services", c.env), c.server("inventory", c.env)
	finance, sales := c.server("finance", c.env), c.server("sales", c.env)
	if err := found(ctx, c.env.Table, trading); err != nil {
		return err
	}
	for _, step := range []struct {
		server     *web.Server
		path, body string
	}{
		{inventory, groupsPath, `{"name":"Эконом"}`},
		{inventory, groupsPath, `{"name":"Кроссоверы"}`},
		{finance, accountsPath, `{"name":"Касса"}`},
		{sales, funnelsPath, `{"name":"Аренда"}`},
		{sales, funnelsPath + "1/stages/", `{"name":"Новая заявка"}`},
		{sales, funnelsPath + "1/stages/", `{"name":"Переговоры"}`},
	} {
		if _, err := must(ctx, step.server, event(trading, http.MethodPost, step.path, step.body), http.StatusCreated); err != nil {
			return err
		}
	}
	rows := [][]string{{"Record", "Request", "Calls", "Read units", "Write units, average", "most", "p50", "p95"}}
	for _, l := range []life{
		{
			what: "a service", group: "services", path: servicesPath, server: services, change: `{"price":"3500"}`, bound: 14,
			create: func(i int) string {
				return fmt.Sprintf(`{"name":"Доставка № %d","type":0,"price":"3000"}`, i)
			},
		},
		{
			what: "an item of a group, with a unique_id and a plate", group: "inventory", path: itemsPath, server: inventory,
			change: `{"comment":"На мойке"}`, bound: 14,
			create: func(i int) string {
				const body = `{"name":"Kia Rio № %d","unique_id":"C-%d","group":1,"car":{"brand":"Kia","number":"%03d KZA 02"}}`
				return fmt.Sprintf(body, i, i, i)
			},
		},
		{
			what: "a lead", group: "sales", path: leadsPath, server: sales, change: `{"stage":2}`, bound: 14,
			create: func(i int) string { return fmt.Sprintf(`{"funnel":1,"stage":1,"price":"%d"}`, 1000*(1+i)) },
		},
		{
			what: "a transaction", group: "finance", path: transactionsPath, server: finance, change: `{"amount":"16000"}`, bound: 14,
			create: func(int) string { return `{"account":1,"amount":"15000","comment":"Оплата аренды"}` },
		},
	} {
		l.company = trading
		samples, err := l.live(ctx, b.samples)
		if err != nil {
			return fmt.Errorf("%s: %w", l.what, err)
		}
		rows = append(rows, l.rows(samples)...)
		l.judge(b, r, samples)
	}
	r.table(rows)
	r.text("%d of each, one after the other.", b.samples)
	if err := b.moves(ctx, r, c); err != nil {
		return err
	}
	return b.board(ctx, r, sales)
}

// moves measures bulk_update, by items that an import has made.
func (b *bench) moves(ctx context.Context, r *section, c *crm) error {
	rows := make([]string, importRows)
	for i := range rows {
		rows[i] = fmt.Sprintf(`{"name":"Велосипед № %d"}`, i)
	}
	inventory := c.server("inventory", c.env)
	body := `{"data":[` + strings.Join(rows, ",") + `]}`
	if _, err := must(ctx, inventory, event(trading, http.MethodPost, itemsPath+"import/", body), http.StatusCreated); err != nil {
		return err
	}
	a, err := must(ctx, inventory, event(trading, http.MethodGet, itemsPath+"?pageSize=1", ""), http.StatusOK)
	if err != nil {
		return err
	}
	page, err := listOf(a)
	if err != nil {
		return err
	}
	newest := page.Results[0].ID
	later := c.server("inventory", c.later(time.Hour)) // when the import has ended for long
	for _, of := range []struct{ n, calls int }{{45, 4}, {importRows, 60}} {
		ids := make([]string, of.n)
		for i := range ids {
			ids[i] = strconv.FormatInt(newest-int64(i), 10)
		}
		body := `{"id":2,"inventories":[` + strings.Join(ids, ",") + `]}`
		a, err := must(ctx, later, event(trading, http.MethodPost, itemsPath+"bulk_update/", body), http.StatusCreated)
		if err != nil {
			return err
		}
		r.judge(
			fmt.Sprintf("bulk_update of %s items", thousands(of.n)), a.calls <= of.calls, fmt.Sprintf("≤ %d calls", of.calls),
			"%d calls, %.1f write units an item, %s", a.calls, a.write/float64(of.n), ms(a.took),
		)
	}
	return nil
}

// board measures the board of a funnel with many leads.
func (b *bench) board(ctx context.Context, r *section, sales *web.Server) error {
	g, within := errgroup.WithContext(ctx)
	g.SetLimit(leadCreators)
	for i := range boardLeads {
		g.Go(func() error {
			body := fmt.Sprintf(`{"funnel":1,"stage":%d,"price":"1000"}`, 1+i%2)
			_, err := must(within, sales, event(trading, http.MethodPost, leadsPath, body), http.StatusCreated)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	a, err := must(ctx, sales, event(trading, http.MethodGet, funnelsPath+"1/board/", ""), http.StatusOK)
	if err != nil {
		return err
	}
	if want := fmt.Sprintf(`"count":%d,"sum":"%d.00"`, boardLeads/2, boardLeads/2*1000); strings.Count(string(a.body), want) != 2 {
		return fmt.Errorf("the board is %s", a.body)
	}
	r.judge("board of "+thousands(boardLeads)+" leads", a.calls <= 4 && a.read <= 150, "≤ 4 calls, ≤ 150 read units",
		"%d calls, %s units", a.calls, units(a.read))
	return nil
}
