package tenants

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/functions/tenants/staff"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
)

const (
	invitationDays     = 14
	invitationLifetime = invitationDays * 24 * time.Hour
	// sweepAfter is how long an invitation stays in the table after it has expired.
	sweepAfter = 24 * time.Hour

	// maxInvitations is how many invitations are listed. How many there can be is bounded by the throttle of an
	// address and the lifetime of an invitation.
	maxInvitations = 50

	invitationVersion = 1
)

// invitationItem says that an address is invited into a company. The role is in the staff
// record, which stays when the invitation is swept.
type invitationItem struct {
	table.Item
	Tenant tenant.ID `dynamo:"t"`
	Staff  int64     `dynamo:"s"`   // number of the staff record
	By     int64     `dynamo:"vo"`  // the user who gave the role, and who must still be allowed to give it when it is accepted
	Until  int64     `dynamo:"u"`   // Unix milliseconds
	TTL    int64     `dynamo:"ttl"` // Unix seconds, only for the sweep; readers check Until
}

func (i invitationItem) open(now time.Time) bool { return now.UnixMilli() < i.Until }

var (
	errInvitationOver = fault.New(fault.NotFound, say.InvitationOver)
	errExpiredRole    = fault.Field("role", say.InvitationExpired)
)

// offer adds an invitation of an address to a transaction.
func (s store) offer(tx *table.Tx, address string, i invitationItem, now time.Time) {
	until := now.Add(invitationLifetime)
	i.Item = table.At(crosstenant.Invitation(address, i.Tenant), invitationVersion)
	i.Until, i.TTL = until.UnixMilli(), until.Add(sweepAfter).Unix()
	tx.Put(s.all.Create(i), fault.Field("email", say.NotUnique))
}

// vouch records the user who is responsible for the role of an invitation: the one who changed
// it last.
func (s store) vouch(tx *table.Tx, address string, id tenant.ID, staffID, user int64, now time.Time) {
	tx.Update(s.all.Update(crosstenant.Invitation(address, id)).Set("vo", user).
		If("s = ? AND u > ?", staffID, now.UnixMilli()), errExpiredRole)
}

// withdraw ends an invitation, even if it was swept already. The transaction also depends on
// the revision of the staff record, which tells whether it was accepted meanwhile.
func (s store) withdraw(tx *table.Tx, address string, id tenant.ID, staffID int64) {
	tx.Delete(s.all.Delete(crosstenant.Invitation(address, id)).If("attribute_not_exists(pk) OR s = ?", staffID), table.ErrRevision)
}

// invitation reads the invitation of an address into a company, expired or not.
func (s store) invitation(ctx context.Context, address string, company tenant.ID) (i invitationItem, err error) {
	err = s.all.Get(ctx, crosstenant.Invitation(address, company), &i)
	if errors.Is(err, table.ErrNotFound) {
		return i, fault.ErrNotFound
	}
	return i, err
}

// invitations reads the open invitations of an address, the latest first, and at most
// maxInvitations.
func (s store) invitations(ctx context.Context, address string, now time.Time) (list []invitationItem, err error) {
	err = s.all.Table().Get("pk", crosstenant.Invitations(address)).
		Range("sk", dynamo.BeginsWith, crosstenant.InvitationPrefix).Consistent(true).All(ctx, &list)
	if err != nil {
		return nil, fmt.Errorf("tenants: invitations: %w", err)
	}
	list = slices.DeleteFunc(list, func(i invitationItem) bool { return !i.open(now) })
	slices.SortFunc(list, func(a, b invitationItem) int {
		return cmp.Or(cmp.Compare(b.Until, a.Until), cmp.Compare(b.Tenant, a.Tenant))
	})
	return list[:min(len(list), maxInvitations)], nil
}

// offered is an invitation and the records that decide whether it is valid, all read at one
// time.
type offered struct {
	invitationItem
	company company.Company
	found   dynamo.Item  // the item of the invitee
	invitee staff.Staff  // the zero value if the invitation has ended meanwhile
	inviter staff.Member // the zero value if the inviter is no longer a member
}

// vouched tells whether the user who gave the role may still give that role.
func (o offered) vouched() bool {
	return o.inviter.Role.Covers(toTouch("", o.invitee.Role))
}

// ended tells whether the invitation was answered or withdrawn meanwhile.
func (o offered) ended() bool { return o.company.ID == 0 || o.invitee.ID == 0 || o.invitee.IsActive() }

// offered reads the records to which invitations refer, with one call for each hundred items.
func (s store) offered(ctx context.Context, list ...invitationItem) ([]offered, error) {
	keys := make([]table.Key, 0, 3*len(list))
	of := func(i invitationItem) (company, invitee, inviter table.Key) {
		t := table.Of(s.conn, i.Tenant)
		return t.Company(), t.Record(kinds.Staff, i.Staff), t.Member(i.By)
	}
	for _, i := range list {
		company, invitee, inviter := of(i)
		keys = append(keys, company, invitee, inviter)
	}
	items, err := s.all.GetMany(ctx, keys...)
	if err != nil {
		return nil, err
	}
	result := make([]offered, len(list))
	for n, i := range list {
		o := &result[n]
		o.invitationItem = i
		company, invitee, inviter := of(i)
		o.found = items[invitee]
		err := errors.Join(into(items[company], &o.company), into(items[invitee], &o.invitee), into(items[inviter], &o.inviter))
		if err != nil {
			return nil, err
		}
	}
	return result, nil
}

// into decodes an item. Without an item it leaves the value as it is.
func into(item dynamo.Item, to any) error {
	if item == nil {
		return nil
	}
	return dynamo.UnmarshalItem(item, to)
}

// stands makes the transaction fail if a member's role has changed.
func (s store) stands(tx *table.Tx, id tenant.ID, m staff.Member) {
	k := table.Of(s.conn, id).Member(m.User)
	tx.Check(s.all.Table().Check("pk", k.PK).Range("sk", k.SK).If("r = ?", m.Role), table.ErrRevision)
}
