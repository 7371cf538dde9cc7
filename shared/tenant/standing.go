package tenant

import (
	"cmp"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/say"
)

// State is whether a company can be used.
type State string

// The states. Whoever hosts the platform suspends a company and resumes it; its owner closes it, and can take that back until it is
// erased.
const (
	Active    State = ""          // as its people's roles allow; it is stored as nothing
	OnlyRead  State = "read_only" // suspended, but for reading
	Suspended State = "suspended"
	Closed    State = "closed"
	Erasing   State = "erasing" // what is left of it is no company any more
)

// Shown is the state as answers show it.
func (s State) Shown() string { return string(cmp.Or(s, "active")) }

// Standing is how a company stands with whoever hosts the platform. The company's record has it, and beside each membership, feed token
// and key for programs is a copy, so that the authorizer knows it without another read (functions/tenants/standing).
type Standing struct {
	State State `dynamo:"st,omitempty"`
	// Notice is what its people are told where they are refused; empty for the platform's own words.
	Notice say.Message `dynamo:"stt,omitempty"`
	// Full is how many records the company's plan allows, if it had as many when they were last counted; 0 if it may have more.
	Full int64 `dynamo:"stf,omitempty"`
	// Since is when it became so. Of two standings the later one counts. 0: it has never been otherwise.
	Since moment.Micros `dynamo:"sta,omitempty"`
}

// Refusal is the fault of a request to a company that stands so; nil if it may go on. reads says that the request changes nothing.
func (s Standing) Refusal(reads bool) error {
	switch s.State {
	case Active:
		return nil
	case OnlyRead:
		if reads {
			return nil
		}
		return s.suspended(say.CompanySuspendedReadOnly)
	case Suspended:
		return s.suspended(say.CompanySuspended)
	default:
		return fault.New(fault.Forbidden, cmp.Or(s.Notice, say.CompanyClosed)).With("code", "company_closed")
	}
}

func (s Standing) suspended(words say.Message) error {
	return fault.New(fault.Forbidden, cmp.Or(s.Notice, words)).With("code", "suspended")
}

// Growth is the fault of a request that is there to make records in a company that has all that its plan allows; nil if it may go on.
func (s Standing) Growth() error {
	if s.Full == 0 {
		return nil
	}
	return fault.New(fault.Forbidden, say.PlanRecords(s.Full)).
		Coded().With("limit", "records").With("most", s.Full)
}
