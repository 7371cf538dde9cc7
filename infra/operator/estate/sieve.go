package estate

import (
	"strings"

	"github.com/tenantry/tenantry/infra/operator/memtable"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/keyspace"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Sieve chooses of the items of a whole table, in whatever order they come, those that the rest of this package reads of one company: its
// own, those of no company that are its, and its members with the identities by which they sign in. Of people it holds the items of all
// until the end, because who is a member is known only then; no sign-in of anybody.
type Sieve struct {
	t     tenant.ID
	space *keyspace.Space
	all   memtable.Table
}

// Sift makes a sieve.
func Sift(t tenant.ID) *Sieve { return &Sieve{t: t, space: keyspace.New()} }

// Wants tells by its key whether an item may be one of them. An item that isn't wanted need not be read any further.
func (s *Sieve) Wants(key table.Key) bool {
	p, known := s.space.Of(key.PK)
	if !known || p.Found == keyspace.ByTime {
		return false
	}
	if t, own := table.TenantOf(key.PK); own {
		return t == s.t
	}
	switch p.Name {
	case "user":
		return key.SK == crosstenant.User(0).SK || key.SK == crosstenant.Memberships(0).SK ||
			strings.HasPrefix(key.SK, crosstenant.Link(0, "").SK)
	case "email":
		return strings.HasPrefix(key.SK, crosstenant.InvitationPrefix)
	case "identity", "host", "feed", "program", "sign", "fingerprint":
		return true
	}
	return false
}

// Add adds an item that is wanted, if it is one of them.
func (s *Sieve) Add(item table.Attributes) {
	key := KeyOf(item)
	if _, own := table.TenantOf(key.PK); own || s.personal(key.PK) || names(item, s.t) {
		s.all.Add(item)
	}
}

func (s *Sieve) personal(pk string) bool {
	p, _ := s.space.Of(pk)
	return p.Name == "user" || p.Name == "identity"
}

// Table is what was added, once all items have come.
func (s *Sieve) Table() (*memtable.Table, error) {
	members := map[int64]bool{}
	partitions := map[string]bool{}
	for _, member := range s.all.Partition(table.Of(table.Open(nil, ""), s.t).Member(0).PK) {
		user := table.Attributes(member).Int("u")
		members[user], partitions[crosstenant.User(user).PK] = true, true
	}
	s.all.Delete(func(pk string) bool {
		if !s.personal(pk) || partitions[pk] {
			return false
		}
		for _, item := range s.all.Partition(pk) {
			if members[table.Attributes(item).Int("u")] && KeyOf(item).SK == crosstenant.Identity("").SK {
				return false
			}
		}
		return true
	})
	return &s.all, s.all.Sort()
}
