// Package finance is the money of a company as managers see it: accounts, transactions, refunds,
// exchanges between accounts, and statements.
//
// What never goes in here: what makes a balance right (finance/ledger), and what is paid for,
// which the groups know that post into accounts.
package finance

import (
	"github.com/tenantry/tenantry/functions/finance/ledger"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/tenant/scope"
	"github.com/tenantry/tenantry/shared/web"
)

// role is the lowest role that may see or change money; members with the right to read finance see it, too.
const role = tenant.Manager

// New is the group of finance.
func New(env app.Env) app.Group {
	operations := append(accounts().Operations(env.Now), statement(env.Now))
	operations = append(operations, transactions().Operations(env.Now)...)
	operations = append(operations, refund(env.Now))
	swaps := exchanges()
	operations = append(operations, swaps.List(env.Now), swaps.Create(env.Now), swaps.Read(env.Now), swaps.Delete(env.Now))
	return app.Group{Group: web.Group{
		Name: "finance", Resource: scope.Finance, Doc: "Accounts of a company and what is posted into them.", Zone: company.ZoneOf,
		Operations: web.ReadsFinance(operations),
	}}
}

// Searched are the kinds of the group that are searched.
func Searched() []search.Kind {
	return []search.Kind{ledger.Exchanges().Searched(), ledger.Postings().Searched()}
}
