// Package daily has the limits of what all companies and all strangers together have sent to people in a day of UTC: they bound what
// anybody can cost the host of the platform, whoever it is and however many companies and addresses it has.
//
// What never goes in here: limits of one company, user or recipient, which the groups have.
package daily

import (
	"time"

	"github.com/tenantry/tenantry/shared/table/throttle"
)

const day = 24 * time.Hour

// SMS is the rule for SMS.
func SMS(limit int64) throttle.Rule {
	return throttle.Rule{Name: "sms", Limit: int(limit), Window: day}
}

// FreeSMS is the rule for those SMS that the free shares of companies pay, beside SMS: half of all, so that whoever has very many companies
// leaves the other half to those that pay.
func FreeSMS(limit int64) throttle.Rule {
	return throttle.Rule{Name: "sms-free", Limit: int((limit + 1) / 2), Window: day}
}

// CompanyMail is the rule for e-mails that companies have sent. It is not that of strangers, who could use it up.
func CompanyMail(limit int64) throttle.Rule {
	return throttle.Rule{Name: "mails", Limit: int(limit), Window: day}
}

// StrangerMail is the rule for e-mails that people cause who act for no company: codes, and what tells of a new password or of a
// linked identity. Whoever has very many addresses can use it up: then nobody registers, sets a new password or links an identity
// until the next day, and the host pays for no more.
func StrangerMail(limit int64) throttle.Rule {
	return throttle.Rule{Name: "codemails", Limit: int(limit), Window: day}
}

// Counts are the count of a rule for a message to somebody; none where the rule has no limit.
func Counts(r throttle.Rule, to string) []throttle.Count {
	if r.Limit == 0 {
		return nil
	}
	return []throttle.Count{r.All(to)}
}
