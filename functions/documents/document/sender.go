package document

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/functions/tenants/usage"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Sender is a document's company as its signers meet it, with how it stands and what its plan has room for.
type Sender struct {
	SeenCompany
	company company.Company
	table   *table.Tenant
}

// SenderOf reads the company of a document. It costs one unit.
func SenderOf(ctx context.Context, t *table.Tenant) (s Sender, err error) {
	s.table = t
	if err := t.Get(ctx, t.Company(), &s.company); err != nil {
		return s, fmt.Errorf("document: company %d: %w", t.ID(), err)
	}
	c := &s.company
	s.SeenCompany = SeenCompany{Name: c.Name, BIN: c.BIN, Phone: c.Phone, Email: c.Email, TimeZone: c.TimeZone}
	return s, nil
}

// paused are what a signer is told where the company can't have anything signed, by the code of what its people are told. What the host
// has to say about that is for them alone.
var paused = map[string]say.Message{
	PausedByHost: say.SignCompanySuspended, PausedByPlan: say.SignCompanyFull, "company_closed": say.SignCompanyClosed,
}

// Paused turns a refusal of a company, or of its plan, into what its signers are told: the same code, and none of the words. Other
// errors stay.
func Paused(err error) error {
	f, is := fault.As(err)
	if !is || f.Code != fault.Forbidden {
		return err
	}
	code, _ := f.Members["code"].(string)
	if told, is := paused[code]; is {
		return fault.New(fault.Forbidden, told).With("code", code).Because(err)
	}
	return err
}

// Signing is the fault of a signer who would change something; nil if the company takes signatures.
func (s Sender) Signing() error { return Paused(s.company.Refusal(false)) }

// Reading is the fault of a signer who reads a document. One that is sealed is the signer's as much as the company's: it can be read
// however the company stands, until it is erased.
func (s Sender) Reading(d *Document) error {
	if d.Seal != nil && s.company.State != tenant.Erasing {
		return nil
	}
	return Paused(s.company.Refusal(true))
}

// Why a signer can't sign at the moment, as faults name it too.
const (
	PausedByHost = "suspended"
	PausedByPlan = "plan"
)

// Seen is a document as one of its signers sees it. Where the plan bounds sealed documents and only this signer is missing, it costs
// one unit more.
func (s Sender) Seen(ctx context.Context, d *Document, id uuid.UUID, v Viewer) (Seen, error) {
	v.Company = s.SeenCompany
	seen, err := d.Seen(id, v)
	if err != nil || seen.Withdrawn != nil || seen.Sign.Status == Signed || seen.Sign.Status == Rejected {
		return seen, err
	}
	if s.company.State != tenant.Active {
		seen.Paused = new(PausedByHost)
		return seen, nil
	}
	err = s.RoomFor(ctx, d, id, v.Now)
	if _, full := fault.As(err); full {
		seen.Paused, err = new(PausedByPlan), nil
	}
	return seen, err
}

// RoomFor is the fault of a signer whose signature would be the last one, where the company's plan has no room for the seal after it.
func (s Sender) RoomFor(ctx context.Context, d *Document, id uuid.UUID, now time.Time) error {
	if d.IsSigned() || !d.isLast(id) {
		return nil
	}
	return usage.RoomForSeal(ctx, s.table, s.company, now)
}

// isLast tells whether everybody but the signer of a sign has signed.
func (d *Document) isLast(id uuid.UUID) bool {
	for i := range d.Signs {
		if s := &d.Signs[i]; s.UUID != id && s.Status != Signed {
			return false
		}
	}
	return true
}
