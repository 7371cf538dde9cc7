package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/functions/finance/ledger"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web"
)

const (
	accountsPath     = "/v1/finances/accounts/"
	transactionsPath = "/v1/finances/transactions/"

	postingsBound = 40 // a second
	statedDays    = 3 * 365
	stated        = 100_000
)

// ledger measures one account into which many post, and one that has very many postings.
func (b *bench) ledger(ctx context.Context, r *section) error {
	r.Title = "Accounts"
	c, err := b.crm(ctx)
	if err != nil {
		return err
	}
	on := func(api dynamodbiface.DynamoDBAPI) *web.Server {
		env := c.env
		env.Table = table.Open(api, crmTable)
		return c.server("finance", env)
	}
	all, err := b.rush(
		ctx, on,
		func(api dynamodbiface.DynamoDBAPI) error {
			if err := found(ctx, table.Open(api, crmTable), trading); err != nil {
				return err
			}
			_, err := must(ctx, on(api), event(trading, http.MethodPost, accountsPath, `{"name":"Касса"}`), http.StatusCreated)
			return err
		},
		event(trading, http.MethodPost, transactionsPath, `{"account":1,"amount":"1"}`),
		event(trading, http.MethodGet, accountsPath, ""),
	)
	if err != nil {
		return err
	}
	var accounts []struct{ Balance string }
	if err := json.Unmarshal(all.after.body, &accounts); err != nil {
		return err
	}
	balance, err := strconv.ParseFloat(accounts[0].Balance, 64)
	if err != nil || int64(balance) < all.done || int64(balance) > all.done+all.failed { // one that failed may have been stored
		return fmt.Errorf("the balance is %s after %d postings of 1", accounts[0].Balance, all.done)
	}
	r.judgeTime(
		"16 callers who post into one account", all.failed == 0 && all.rate >= postingsBound, "none failed, ≥ 40 a second",
		"%d failed of %s, %.0f a second", all.failed, thousands(int(all.done+all.failed)), all.rate,
	)
	r.judge("list of accounts with their balances", all.after.calls <= 2, "≤ 2 calls", "%d calls", all.after.calls)
	r.text(
		"For %s, with items locked as above: %.1f writing calls a posting, p50 %s, p95 %s. All of them add to one item, so they wait for\n"+
			"each other.",
		rushTime, all.writesEach(), ms(median(all.times)), ms(percentile(all.times, 0.95)),
	)
	return b.statements(ctx, r, c)
}

// statements measures pages of the statement of an account with very many postings.
func (b *bench) statements(ctx context.Context, r *section, c *crm) error {
	if err := found(ctx, c.env.Table, stating); err != nil {
		return err
	}
	finance := c.server("finance", c.env)
	if _, err := must(ctx, finance, event(stating, http.MethodPost, accountsPath, `{"name":"Касса"}`), http.StatusCreated); err != nil {
		return err
	}
	first := time.Date(2023, time.January, 1, 6, 0, 0, 0, time.UTC)
	if err := b.post(ctx, c, first); err != nil {
		return err
	}
	var pages sample
	for month := range statedDays / 30 {
		from := first.AddDate(0, month, 0)
		for _, page := range []string{"1", "70", "last"} {
			path := fmt.Sprintf("%s1/statement/?date__gte=%s&date__lte=%s&pageSize=%d&page=%s", accountsPath,
				from.Format(time.DateOnly), from.AddDate(0, 1, -1).Format(time.DateOnly), pageSize, page)
			a, err := must(ctx, finance, event(stating, http.MethodGet, path, ""), http.StatusOK)
			if err != nil {
				return err
			}
			pages.add(a)
		}
	}
	most := pages.most()
	r.judge(
		"page of the statement of a month, of an account with "+thousands(stated)+" postings", most.calls <= 4 && most.read <= 30,
		"≤ 4 calls, ≤ 30 read units", "%d calls, %s units at most", most.calls, units(most.read),
	)
	r.text("The first, the 70th and the last page of each month of three years: p50 %s, p95 %s.",
		ms(median(pages.times)), ms(percentile(pages.times, 0.95)))
	return nil
}

// post gives the account its postings, a part of them each day: the records in batches, and what is booked in
// one unit of work.
func (b *bench) post(ctx context.Context, c *crm, first time.Time) error {
	t, one := table.Of(c.env.Table, stating), money.Whole(1)
	postings, daily := ledger.Postings(), stated/statedDays
	days := map[decode.Date][]ledger.Posting{}
	id := int64(0)
	for day := range statedDays {
		at := first.AddDate(0, 0, day)
		date := decode.Date(at.Format(time.DateOnly))
		n := daily
		if day < stated%statedDays {
			n++
		}
		var batch []any
		for i := range n {
			id++
			p := ledger.Posting{
				Account: 1, Amount: one, Date: moment.Of(at.Add(time.Duration(i) * time.Second)), Day: date, Sort: ledger.SortPlain,
			}
			p.Revision, p.Created, p.Updated = 1, p.Date, p.Date
			postings.Place(t, &p, id)
			days[date] = append(days[date], p)
			batch = append(batch, p)
		}
		if _, err := t.Table().Batch("pk", "sk").Write().Put(batch...).Run(ctx); err != nil {
			return err
		}
	}
	scope := record.Scope{Table: t, Now: c.env.Now, Actor: audit.Actor{User: user, Request: "seed", At: c.env.Now()}}
	return scope.Do(ctx, nil, func(w *record.Work) error {
		accounts := ledger.Accounts()
		account, err := accounts.Edit(ctx, w, 1)
		if err != nil {
			return err
		}
		account.Name = "Касса с прошлым"
		for date, list := range days {
			n := int64(len(list))
			d := record.Day{Date: date, Count: n, Sum: money.Whole(n), Most: ledger.MaxDaily, Full: fault.ErrUnavailable}
			for i := range list {
				d.Check += list[i].Check()
			}
			accounts.Book(w, 1, d)
		}
		return nil
	})
}
