package tenants

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/functions/tenants/staff"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
)

// provenKind is the message that checks the proof of a claimed host.
const provenKind outbox.Kind = "tenants.domain"

// claimBody names the host; the company is in the message's key.
type claimBody struct {
	Host string `json:"host"`
}

const (
	proofName  = "_tenantry."
	proofValue = "tenantry-company="

	proofTime  = 7 * 24 * time.Hour // how long the record is looked for
	firstPause = time.Minute
	maxPause   = 6 * time.Hour
	lookupTime = 5 * time.Second

	// chunk is how many memberships one transaction changes; a transaction may have 100
	// operations.
	chunk = 90
)

// prove checks once for the TXT record of a claimed host. If the record exists, the company
// gets the host; otherwise the message is tried again later.
func (g *group) prove(ctx context.Context, m outbox.Message) error {
	var claim claimBody
	scope, err := record.OpenMessage(g.env.Table, m, g.env.Now, &claim)
	if err != nil {
		return err
	}
	id := scope.Table.ID()
	c, err := g.store.company(ctx, id)
	switch {
	case errors.Is(err, table.ErrNotFound):
		return fmt.Errorf("%w: company %d does not exist", outbox.ErrDrop, id)
	case err != nil:
		return err
	case c.Host == claim.Host: // an earlier attempt has proven the host, and was interrupted after that
		return g.store.spread(ctx, id, claim.Host)
	case c.Claim != claim.Host:
		return fmt.Errorf("%w: company %d claims %s no more", outbox.ErrDrop, id, claim.Host)
	}
	proven, err := g.proven(ctx, id, claim.Host)
	if !proven {
		now := g.env.Now()
		age := now.Sub(m.At)
		if age >= proofTime {
			return fmt.Errorf("%w: %s was not proven in time (%w)", outbox.ErrDrop, claim.Host, err)
		}
		return outbox.Later{Until: now.Add(min(max(age/4, firstPause), maxPause))}
	}
	if err := g.store.grant(ctx, id, claim.Host); err != nil {
		return err
	}
	return g.store.spread(ctx, id, claim.Host)
}

// proven tells whether the record exists. If it does not, err says what was found instead.
func (g *group) proven(ctx context.Context, id tenant.ID, host string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	// The dot at the end prevents the resolver from adding the machine's own domain.
	records, err := g.env.LookupTXT(ctx, proofName+host+".")
	if err != nil {
		return false, err
	}
	want := proofValue + id.String()
	if slices.ContainsFunc(records, func(r string) bool { return strings.TrimSpace(r) == want }) {
		return true, nil
	}
	return false, fmt.Errorf("%d other records", len(records))
}

// grant reserves a proven host and gives it to the company and to as many of
// its members as one transaction holds, the company's creator among them.
func (s store) grant(ctx context.Context, id tenant.ID, host string) error {
	stale, err := s.stale(ctx, id, host)
	if err != nil {
		return err
	}
	err = s.all.Write(ctx, func(tx *table.Tx, _ int) error {
		tx.Put(s.all.Create(crosstenant.DomainItem{Item: table.At(crosstenant.Domain(host), crosstenant.DomainVersion), Tenant: id}),
			fmt.Errorf("%w: another company has proven %s", outbox.ErrDrop, host))
		tx.Update(s.all.Update(table.Of(s.conn, id).Company()).Set("h", host).Remove("cl").If("cl = ?", host),
			fmt.Errorf("tenants: company %d changed", id))
		for _, at := range stale[:min(chunk, len(stale))] {
			s.move(tx, id, at, host)
		}
		return nil
	})
	if err != nil && table.Unavailable(err) {
		if c, lookErr := s.company(ctx, id); lookErr == nil && c.Host == host {
			return nil
		}
	}
	return err
}

// spread gives a company's host to those of its members who don't have it yet.
func (s store) spread(ctx context.Context, id tenant.ID, host string) error {
	stale, err := s.stale(ctx, id, host)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(stale, chunk) {
		if err := s.all.Write(ctx, func(tx *table.Tx, _ int) error {
			for _, at := range part {
				s.move(tx, id, at, host)
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// move writes the host to one membership, if the membership is still at the same place.
func (s store) move(tx *table.Tx, id tenant.ID, at membershipAt, host string) {
	tx.Update(s.all.Update(crosstenant.Memberships(at.user)).Set(at.path()+".h", host).If(at.path()+".t = ?", id),
		fmt.Errorf("tenants: memberships of user %d changed", at.user))
}

// stale finds the memberships of a company that have another host.
func (s store) stale(ctx context.Context, id tenant.ID, host string) ([]membershipAt, error) {
	var members []staff.Member
	partition := table.Of(s.conn, id).Member(0).PK
	if err := s.all.Table().Get("pk", partition).Consistent(true).All(ctx, &members); err != nil {
		return nil, fmt.Errorf("tenants: members of company %d: %w", id, err)
	}
	keys := make([]dynamo.Keyed, len(members))
	for i, m := range members {
		keys[i] = crosstenant.Memberships(m.User)
	}
	if len(keys) == 0 {
		return nil, nil
	}
	var items []crosstenant.MembershipsItem
	err := s.all.Table().Batch("pk", "sk").Get(keys...).Consistent(true).All(ctx, &items)
	if err != nil && !errors.Is(err, dynamo.ErrNotFound) {
		return nil, fmt.Errorf("tenants: memberships of company %d: %w", id, err)
	}
	users := make(map[string]int64, len(members))
	for _, m := range members {
		users[crosstenant.Memberships(m.User).PK] = m.User
	}
	var list []membershipAt
	for _, item := range items {
		for i, m := range item.List {
			if m.Tenant == id && m.Host != host {
				list = append(list, membershipAt{user: users[item.PK], index: i})
			}
		}
	}
	return list, nil
}
