// Package sms is the SMS of a company: an account that is topped up, and messages that are paid from
// it. A message is paid when it is left in the outbox; for a telephone that it can't be sent to, the
// price is given back.
//
// What never goes in here: how a provider is talked to (shared/outbox/notify), and what an SMS costs and who may send how many
// (functions/sms/account).
package sms

import (
	"github.com/tenantry/tenantry/functions/sms/account"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/table/throttle"
	"github.com/tenantry/tenantry/shared/tenant/scope"
	"github.com/tenantry/tenantry/shared/web"
)

type group struct {
	env  app.Env
	door *account.Door
}

func newGroup(env app.Env) *group {
	c := env.Config.SMS
	return &group{env, account.NewDoor(
		account.Terms{Sends: c.Provider != "", Rates: c.Rates, Free: c.Free, Daily: c.Daily}, throttle.Open(env.Table, env.Now))}
}

// New is the group of SMS.
func New(env app.Env) app.Group {
	g := newGroup(env)
	list := g.messages()
	all := append(g.accountOperations(), list.List(env.Now), sends(list.Create(env.Now)), list.Read(env.Now), g.callback())
	return app.Group{Group: web.Group{
		Name: "sms", Resource: scope.SMS,
		Doc: "SMS of a company, and the account that they are paid from.", Zone: company.ZoneOf, Operations: all,
	}, Work: Bulk(env)}
}

// Searched are the kinds of the group that are searched.
func Searched() []search.Kind {
	return []search.Kind{messages().Searched()}
}

// sends describes the operation that sends a message.
func sends(op web.Operation) web.Operation {
	op.Faults = append(op.Faults, fault.Throttled, fault.Forbidden)
	op.MakesRecords = false // a plan bounds what is sent by its segments
	op.Summary = "Send an SMS"
	op.Doc = "Costs the price of its country for each segment and telephone; a telephone in a country without a price, or " +
		"whose number none of its mobile telephones has, is 400 with the code country. The text is the company's " +
		"own, sent as it is. An account with less than that is 400 with the code sms_balance; more segments than the company's plan has " +
		"room for in the month are 403 with the code plan. Delivery follows: it is tried for 30 minutes, and what can't be sent until " +
		"then is FAILED and given back. How many may be sent in a day of UTC is bounded by user, company and telephone, and for the " +
		"platform."
	return op
}

// Bulk says what the messages of the group mean.
func Bulk(env app.Env) outbox.Work {
	g := newGroup(env)
	return outbox.Work{deliverKind: g.deliver}
}
