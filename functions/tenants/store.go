package tenants

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
)

// seqVersion is the schema version of a sequence.
const seqVersion = 1

// maxCompanies is how many companies one user may be in. The authorizer reads all of them with every request, as one
// item, which costs one unit up to 4096 bytes. A company takes at most 76 bytes, if its number has 12 digits, the role
// is the longest and the host has 50 characters; 50 such companies fit into one unit. A second unit is needed only for
// a user whose companies nearly all have longer hosts.
const maxCompanies = 50

// store has the access patterns of companies. It uses the table with the platform's access,
// because it is not known beforehand to which company a request belongs.
type store struct {
	conn *table.Conn
	all  crosstenant.Table
}

func open(c *table.Conn) store { return store{conn: c, all: crosstenant.Open(c)} }

// tooMany returns the fault of a user who is in maxCompanies companies already.
func tooMany() error {
	return fault.Field(fault.NonField, say.CompaniesTooMany(maxCompanies))
}

// establish writes a company and its domain. A domain below the platform's own is reserved;
// any other is only claimed until it is proven.
func (s store) establish(tx *table.Tx, c company.Company) {
	notUnique := fault.Field("domain", say.DomainTaken)
	tx.Put(s.all.Create(c), fmt.Errorf("tenants: company %d exists", c.ID))
	if c.Claim == "" {
		tx.Put(s.all.Create(crosstenant.DomainItem{
			Item: table.At(crosstenant.Domain(c.Host), crosstenant.DomainVersion), Tenant: tenant.ID(c.ID),
		}), notUnique)
	} else {
		tx.Check(s.absent(crosstenant.Domain(c.Claim)), notUnique)
	}
}

// nextID allocates a company's number. If the answer is lost, a number stays unused.
func (s store) nextID(ctx context.Context) (tenant.ID, error) {
	var sequence struct {
		N tenant.ID `dynamo:"n"`
	}
	next := s.all.Update(crosstenant.Tenants()).Add("n", 1).Set("v", seqVersion)
	if err := table.Retry(ctx, func() error { return next.Value(ctx, &sequence) }); err != nil {
		return 0, fmt.Errorf("tenants: next number: %w", err)
	}
	return sequence.N, nil
}

func (s store) absent(k table.Key) *dynamo.ConditionCheck {
	return s.all.Table().Check("pk", k.PK).Range("sk", k.SK).IfNotExists()
}

// company reads one company.
func (s store) company(ctx context.Context, id tenant.ID) (c company.Company, err error) {
	err = s.all.Get(ctx, table.Of(s.conn, id).Company(), &c)
	return c, err
}

// taken tells whether a host belongs to a company.
func (s store) taken(ctx context.Context, host string) (bool, error) {
	err := s.all.Get(ctx, crosstenant.Domain(host), &crosstenant.DomainItem{})
	if errors.Is(err, table.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// ofUser reads a user's companies, newest first, and the user's role in each, in
// two calls.
func (s store) ofUser(ctx context.Context, user int64) (items []company.Company, roles map[tenant.ID]tenant.Role, err error) {
	list, err := s.memberships(ctx, user)
	if err != nil || len(list) == 0 {
		return nil, nil, err
	}
	roles = make(map[tenant.ID]tenant.Role, len(list))
	keys := make([]dynamo.Keyed, len(list))
	for i, m := range list {
		keys[i], roles[m.Tenant] = table.Of(s.conn, m.Tenant).Company(), m.Role
	}
	err = s.all.Table().Batch("pk", "sk").Get(keys...).Consistent(true).All(ctx, &items)
	if err != nil && !errors.Is(err, dynamo.ErrNotFound) {
		return nil, nil, fmt.Errorf("tenants: companies of user %d: %w", user, err)
	}
	slices.SortFunc(items, func(a, b company.Company) int { return cmp.Compare(b.ID, a.ID) })
	return items, roles, nil
}

func (s store) memberships(ctx context.Context, user int64) ([]tenant.Membership, error) {
	var item crosstenant.MembershipsItem
	err := s.all.Get(ctx, crosstenant.Memberships(user), &item)
	if err != nil && !errors.Is(err, table.ErrNotFound) {
		return nil, err
	}
	return item.List, nil
}
