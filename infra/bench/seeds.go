package main

import (
	"context"
	"net/http"
	"time"

	people "github.com/tenantry/tenantry/functions/clients/client"
	"github.com/tenantry/tenantry/functions/finance/ledger"
	"github.com/tenantry/tenantry/functions/inventory/group"
	"github.com/tenantry/tenantry/functions/inventory/item"
	metrics "github.com/tenantry/tenantry/functions/metrics/row"
	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/table"
)

const (
	accountsPath = "/v1/finances/accounts/"

	stated       = 100_000 // postings of the account
	statedMonths = 36
	rowsPerDay   = 1000
	// subjects is how many items, groups and clients the rows of metrics name in turn: a page names different ones.
	subjects = 200
)

// firstDay is the first of which there are postings, and rows of metrics.
var firstDay = time.Date(2023, time.January, 1, 6, 0, 0, 0, time.UTC)

func dayAfter(n int) decode.Date { return decode.Date(firstDay.AddDate(0, 0, n).Format(time.DateOnly)) }

// ledger gives an account its postings, a part of them each day: the records in batches, and what is booked in one unit of work.
func (b *bench) ledger(ctx context.Context, _ *section) error {
	finance, err := b.client(ctx, "stating", "finance")
	if err != nil {
		return err
	}
	if _, err := finance.send(ctx, http.MethodPost, accountsPath, `{"name":"Касса"}`); err != nil {
		return err
	}
	b.months = statedMonths
	t := table.Of(b.stage.conn, finance.company)
	accounts, postings := ledger.Accounts(), ledger.Postings()
	var booked []record.Day
	id := int64(0)
	const days = statedMonths * 365 / 12
	for n := range days {
		day := record.Day{Date: dayAfter(n), Most: ledger.MaxDaily, Full: fault.ErrUnavailable}
		var batch []any
		for i := range stated*(n+1)/days - stated*n/days {
			id++
			p := ledger.Posting{
				Account: 1, Amount: money.Whole(1), Day: day.Date, Sort: ledger.SortPlain,
				Date: moment.Of(firstDay.AddDate(0, 0, n).Add(time.Duration(i) * time.Second)),
			}
			p.Revision, p.Created, p.Updated = 1, p.Date, p.Date
			postings.Place(t, &p, id)
			day.Count, day.Sum, day.Check = day.Count+1, money.Whole(day.Count+1), day.Check+p.Check()
			batch = append(batch, p)
		}
		if _, err := t.Table().Batch("pk", "sk").Write().Put(batch...).Run(ctx); err != nil {
			return err
		}
		booked = append(booked, day)
	}
	scope := record.Scope{Table: t, Now: time.Now, Actor: audit.Actor{User: user, Request: "seed", At: time.Now()}}
	return scope.Do(ctx, nil, func(w *record.Work) error {
		account, err := accounts.Edit(ctx, w, 1)
		if err != nil {
			return err
		}
		account.Name = "Касса с прошлым"
		for _, day := range booked {
			accounts.Book(w, 1, day)
		}
		return nil
	})
}

// metrics gives a company rows on some days, in the shares that orders have, and the items, groups and clients that they name.
func (b *bench) metrics(ctx context.Context, _ *section) error {
	t, err := b.tenant(ctx, "measuring")
	if err != nil {
		return err
	}
	first := record.Meta{Revision: 1, Created: moment.Of(time.Now()), Updated: moment.Of(time.Now())}
	var all []any
	for id := int64(1); id <= subjects; id++ {
		it, of := item.Item{Meta: first, Name: "Bicycle"}, group.Group{Meta: first, Name: "Bicycles"}
		who := people.Client{Meta: first, Name: "Assel"}
		item.Kind().Place(t, &it, id)
		group.Kind().Place(t, &of, id)
		people.Kind().Place(t, &who, id)
		all = append(all, it, of, who)
	}
	if _, err := t.Table().Batch("pk", "sk").Write().Put(all...).Run(ctx); err != nil {
		return err
	}
	days := max(b.documents/rowsPerDay, 3)
	b.months, b.texts["rows"] = days/30, thousands(days*rowsPerDay)
	kinds := []metrics.Type{metrics.Request, metrics.Request, metrics.Request, metrics.Delivery}
	id, status := int64(0), order.Reserved
	for day := range days {
		list := make([]metrics.Row, rowsPerDay)
		for n := range list {
			id++
			kind, about := metrics.Inventory, id%subjects+1
			if n%10 < len(kinds) {
				kind = kinds[n%10]
			}
			list[n] = metrics.New(kind, id)
			list[n].Date, list[n].Status = dayAfter(day), &status
			list[n].Order, list[n].Client, list[n].Point, list[n].Item, list[n].Group = &about, &about, &about, &about, &about
			list[n].Prediction, list[n].Profit = money.Whole(10_000+id%5000), money.Whole(id%5000)
		}
		if err := metrics.Seed(ctx, record.Scope{Table: t, Now: time.Now}, list); err != nil {
			return err
		}
	}
	return nil
}
