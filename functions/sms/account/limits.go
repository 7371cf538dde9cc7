package account

import (
	"strconv"
	"time"

	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table/throttle"
)

const day = 24 * time.Hour // of UTC

// Limits bound what is sent to people, in a day: by a user in all companies, by a company, from a company to one person, and from all
// companies to one person. The limit of a company for a person is much lower than the person's; otherwise one company could prevent
// all others from reaching that person. A rule without a limit doesn't count.
type Limits struct {
	User, Company, OneToOne, Recipient throttle.Rule

	by int64 // the user; 0: whose unit of work it is
}

// By are the limits of what a user has to answer for, whoever's unit of work it is.
func (l Limits) By(user int64) Limits {
	l.by = user
	return l
}

// Rules are those of the limits that count.
func (l Limits) Rules() (list []throttle.Rule) {
	for _, r := range []throttle.Rule{l.User, l.Company, l.OneToOne, l.Recipient} {
		if r.Limit > 0 {
			list = append(list, r)
		}
	}
	return list
}

// counts are the counts of a message to somebody.
func (l Limits) counts(w *record.Work, to string) (list []throttle.Count) {
	company, by := w.Scope().Table.ID().String(), sender(w)
	if l.by != 0 {
		by = []string{strconv.FormatInt(l.by, 10)}
	}
	add := func(r throttle.Rule, subject ...string) {
		if r.Limit > 0 {
			list = append(list, r.Of(subject...))
		}
	}
	if by != nil {
		add(l.User, by...)
	}
	add(l.Company, company)
	add(l.OneToOne, company, to)
	add(l.Recipient, to)
	return list
}

// sender is who sends in a unit of work, as the limits of a user count: a user in all companies, or a program by its key. It is nil for
// the platform by itself, and for a signer.
func sender(w *record.Work) []string {
	by := w.Scope().Actor
	switch {
	case by.Key != 0:
		return []string{"key", w.Scope().Table.ID().String(), strconv.FormatInt(by.Key, 10)}
	case by.User != 0:
		return []string{strconv.FormatInt(by.User, 10)}
	}
	return nil
}

// Links are the limits of links to sign by, by SMS and by e-mail together.
func Links() Limits {
	return Limits{
		User:      throttle.Rule{Name: "link-user", Limit: 500, Window: day},
		Company:   throttle.Rule{Name: "link-company", Limit: LinksOfCompany, Window: day},
		OneToOne:  throttle.Rule{Name: "link-pair", Limit: 20, Window: day},
		Recipient: throttle.Rule{Name: "link-to", Limit: 50, Window: day},
	}
}

// LinksOfCompany is how many links a company may send in a day.
const LinksOfCompany = 1000

// Codes are the limits of codes to sign with. A signer asks for them; the user is who has added the sign (Limits.By).
func Codes() Limits {
	return Limits{
		User:      throttle.Rule{Name: "code-user", Limit: CodesOfCompany, Window: day},
		Company:   throttle.Rule{Name: "code-company", Limit: CodesOfCompany, Window: day},
		OneToOne:  throttle.Rule{Name: "code-pair", Limit: CodesOfPhone, Window: day},
		Recipient: throttle.Rule{Name: "code-to", Limit: 100, Window: day},
	}
}

// CodesOfCompany is how many codes the signers of a company may have sent in a day, and those of all companies to whom one user has
// added them: in a small company one user adds all.
const CodesOfCompany = 2000

// CodesOfPhone is how many codes a company may have sent to a telephone in a day: a sign, which counts its own, can be removed and added
// again.
const CodesOfPhone = 50

// Paid are the limits of messages that a company words and pays, by telephones. What one company pays can use up a telephone's limit
// for others' messages of this kind, but not for links and codes.
func Paid() Limits {
	return Limits{
		User:      throttle.Rule{Name: "text-user", Limit: 10_000, Window: day},
		Company:   throttle.Rule{Name: "text-company", Limit: 20_000, Window: day},
		Recipient: throttle.Rule{Name: "text-to", Limit: 50, Window: day},
	}
}
