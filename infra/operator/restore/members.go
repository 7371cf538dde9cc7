package restore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/tenantry/tenantry/functions/tenants/staff"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
)

// member is a member of the company in the copy, and what he can be here.
type member struct {
	staff.Member

	item   table.Attributes // of the copy
	email  string           // empty if it is nowhere
	absent string           // why he can be no member here, a sentence; empty if he can
}

// members returns the members that the company has in the copy, and tells of each whether he can be one again: he has an account here, or
// gets his own back. It refuses a company none of whose owners can, because nobody could let anybody in then.
func (r *Restorer) members(ctx context.Context, was tenant.ID) (list []member, err error) {
	owners, absent := 0, 0
	for item, err := range r.From.Partition(ctx, r.From.Of(was).Member(0).PK) {
		if err != nil {
			return nil, err
		}
		m := member{item: item}
		if err := item.Decode(&m.Member); err != nil {
			return nil, err
		}
		if m.email, m.absent, err = r.whereabouts(ctx, m.User); err != nil {
			return nil, err
		}
		list = append(list, m)
		if m.Role == tenant.Owner {
			if owners++; m.absent != "" {
				absent++
			}
		}
	}
	if owners > 0 && owners == absent {
		err = fmt.Errorf("%w: none of the owners in the copy has an account here, or can have it back: one has to register", ErrRefused)
	}
	return list, err
}

// Owned is a refusal if none of the owners of a company of the copy can be a member here.
func (r *Restorer) Owned(ctx context.Context, was tenant.ID) error {
	_, err := r.members(ctx, was)
	return err
}

// whereabouts is a user's address, and why he can't be here; that is empty if he is here, or can come back.
func (r *Restorer) whereabouts(ctx context.Context, user int64) (email, absent string, err error) {
	if r.Users != nil {
		if r.Users[user] == 0 {
			absent = fmt.Sprintf("User %d of the copy has no account here.", user)
		}
		return "", absent, nil
	}
	var here, was, address table.Attributes
	switch err := r.To.All().Get(ctx, crosstenant.User(user), &here); {
	case err == nil:
		return here.Text("em"), "", nil
	case !errors.Is(err, table.ErrNotFound):
		return "", "", err
	}
	switch err := r.From.All().Get(ctx, crosstenant.User(user), &was); {
	case errors.Is(err, table.ErrNotFound):
		return "", fmt.Sprintf("User %d is neither here nor in the copy.", user), nil
	case err != nil:
		return "", "", err
	}
	email = was.Text("em")
	if err := r.To.All().Get(ctx, crosstenant.Email(email), &address); err != nil && !errors.Is(err, table.ErrNotFound) {
		return "", "", err
	}
	if holder := address.Int("u"); holder != 0 && holder != user {
		absent = takenAddress(user, email)
	}
	return email, absent, nil
}

// here is the number that a member of the copy has here.
func (r *Restorer) here(m member) int64 {
	if r.Users != nil {
		return r.Users[m.User]
	}
	return m.User
}

func takenAddress(user int64, email string) string {
	return fmt.Sprintf("User %d is gone, and %s has another account by now: invite that one.", user, email)
}

// comings says who of the members comes, goes and has other rights, compared with those who are members here now, a sentence each. There
// is nothing to compare where the company comes to stand under another number.
func (r *Restorer) comings(ctx context.Context, list []member, was, is tenant.ID) (told []string, err error) {
	for _, m := range list {
		if m.absent != "" && r.Users == nil { // an import tells of all people
			told = append(told, m.absent)
		}
	}
	if was != is || r.Users != nil {
		return told, nil
	}
	here := map[int64]staff.Member{}
	for item, err := range r.To.Partition(ctx, r.To.Of(is).Member(0).PK) {
		var m staff.Member
		if err == nil {
			err = item.Decode(&m)
		}
		if err != nil {
			return nil, err
		}
		here[m.User] = m
	}
	for _, m := range list {
		now, is := here[m.User]
		delete(here, m.User)
		switch {
		case m.absent != "":
		case !is:
			told = append(told, fmt.Sprintf("%s is a member again, as %s.", m.email, m.Role))
		case now.Role != m.Role:
			told = append(told, fmt.Sprintf("%s is %s again, and not %s any more.", m.email, m.Role, now.Role))
		}
		switch {
		case m.absent != "" || m.Finance == (is && now.Finance):
		case m.Finance:
			told = append(told, fmt.Sprintf("%s reads finance again.", m.email))
		default:
			told = append(told, fmt.Sprintf("%s does not read finance any more.", m.email))
		}
	}
	for _, user := range slices.Sorted(maps.Keys(here)) {
		name := fmt.Sprintf("User %d", user)
		if email, _, err := r.whereabouts(ctx, user); err != nil {
			return nil, err
		} else if email != "" {
			name = email
		}
		told = append(told, fmt.Sprintf("%s, who joined since, is no member any more.", name))
	}
	return told, nil
}

// waiting counts the messages that wait at the company here, and those that were given up, by kind.
func (r *Restorer) waiting(ctx context.Context, is tenant.ID) (map[string]int, error) {
	kinds := map[string]int{}
	if is == 0 { // a number that is not given yet
		return kinds, nil
	}
	for item, err := range r.To.Partition(ctx, r.To.Of(is).Message("").PK) {
		if err != nil {
			return nil, err
		}
		if item.Text("pq") != "" {
			kinds[item.Text("k")]++
		}
	}
	return kinds, nil
}
