package company

import (
	"time"

	"github.com/tenantry/tenantry/shared/outbox/notify"
	"github.com/tenantry/tenantry/shared/say"
)

// Mention is how an e-mail calls the company, whose name may be anything: by its name, or if that contains an address by its host, which
// belongs to the platform or is proven.
func (c Company) Mention() say.Message {
	name, whole := notify.MailName(c.Name)
	switch {
	case name != "" && whole:
		return say.CompanyNamed(name)
	case c.Host != "":
		return say.Message(c.Host)
	}
	return say.CompanyNumbered(c.ID)
}

// Moment is a moment as an e-mail about the company writes it, in the company's zone; in UTC if nobody knows that zone any more.
func (c Company) Moment(at time.Time) say.Message {
	if zone, err := c.Zone(); err == nil {
		return say.Moment(at.In(zone))
	}
	return say.Moment(at.UTC())
}
