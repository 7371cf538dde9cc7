package company

import (
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/say"
)

// Limit names what a plan bounds.
type Limit string

// What plans bound.
const (
	LimitRecords Limit = "records"
	LimitMembers Limit = "members"
	LimitSMS     Limit = "sms"
	LimitSeals   Limit = "seals"
)

// Plan is how much the host lets a company have and use. 0 is no limit.
type Plan struct {
	Records int64 `dynamo:"r,omitempty"` // live ones, of all kinds
	Members int64 `dynamo:"m,omitempty"` // invited persons count
	SMS     int64 `dynamo:"s,omitempty"` // segments in a month of the company's zone
	Seals   int64 `dynamo:"d,omitempty"` // documents in such a month that everybody has signed
}

// Allows tells whether there may be as many of what a limit bounds.
func (p Plan) Allows(l Limit, n int64) bool {
	most := p.Of(l)
	return most == 0 || n <= most
}

// Of returns a limit of the plan, or 0 if the plan has no such limit.
func (p Plan) Of(l Limit) int64 {
	switch l {
	case LimitRecords:
		return p.Records
	case LimitMembers:
		return p.Members
	case LimitSMS:
		return p.SMS
	case LimitSeals:
		return p.Seals
	}
	return 0
}

// Refuses is the fault of a request that would go over a limit.
func (p Plan) Refuses(l Limit) *fault.Error {
	most := p.Of(l)
	return fault.New(fault.Forbidden, l.words(most)).
		With("code", "plan").With("limit", l).With("most", most)
}

// words say how much a limit allows.
func (l Limit) words(most int64) say.Message {
	switch l {
	case LimitMembers:
		return say.PlanLimitMembers(most)
	case LimitSMS:
		return say.PlanLimitSMS(most)
	case LimitSeals:
		return say.PlanLimitSeals(most)
	case LimitRecords:
	}
	return say.PlanLimitRecords(most)
}

// PlanOf is the plan of a company; without one nothing is bounded.
func (c Company) PlanOf() Plan {
	if c.Plan == nil {
		return Plan{}
	}
	return *c.Plan
}
