package judge

import (
	"maps"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/infra/local/policy"
)

// Right is one thing that a statement allows to a role: an action, one of several resources, or one of the patterns of keys of a
// statement that writes or is about an index.
type Right struct {
	Role      string // its name, which is mostly that of a group
	Statement string // the statement's Sid; of a key's policy it follows the key's name
	Right     string
}

func (r Right) String() string { return r.Role + " " + r.Statement + " " + r.Right }

// use keeps what has allowed a request.
func (j *Judge) use(role string, d policy.Decision) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, m := range d.By {
		for _, right := range rightsOf(role, m.Statement, m.Actions, m.Resources, m.Values) {
			j.used[right] = true
		}
	}
}

// rightsOf returns the rights of a statement that these parts of it are.
func rightsOf(role string, s policy.Statement, actions, resources, values []string) (all []Right) {
	name := s.Sid
	if len(s.Principals) > 0 {
		name = s.Policy + "." + s.Sid
	}
	parts := slices.Clone(actions)
	if !onlyReads(s) {
		parts = append(parts, values...)
	}
	if len(s.Resources) > 1 {
		for _, resource := range resources {
			if _, function, ok := strings.Cut(resource, ":function:"); ok {
				resource, _, _ = strings.Cut(function, ":") // whatever alias of it
			}
			parts = append(parts, resource[strings.LastIndex(resource, ":")+1:])
		}
	}
	for _, part := range parts {
		all = append(all, Right{role, name, part})
	}
	return all
}

// onlyReads tells whether a statement only reads items of the table. Of which kinds these may be follows from what records may refer
// to, and that is more than events can show.
func onlyReads(s policy.Statement) bool {
	reads := []string{"dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query", "dynamodb:ConditionCheckItem"}
	return !slices.ContainsFunc(s.Actions, func(action string) bool { return !slices.Contains(reads, action) }) &&
		!slices.ContainsFunc(s.Resources, func(resource string) bool { return strings.Contains(resource, "/index/") })
}

// Unused returns the rights that no request has used since the judge was opened, in order.
func (j *Judge) Unused() []Right {
	j.mu.Lock()
	defer j.mu.Unlock()
	granted := map[Right]bool{}
	for _, r := range j.roles {
		var statements []policy.Statement
		for _, d := range r.policies {
			statements = append(statements, d.Statements...)
		}
		for _, d := range j.resources {
			for _, s := range d.Statements {
				if s.Names(r.arn) {
					statements = append(statements, s)
				}
			}
		}
		for _, s := range statements {
			for _, right := range rightsOf(r.name, s, s.Actions, s.Resources, s.Values()) {
				if s.Effect != "Deny" {
					granted[right] = true
				}
			}
		}
	}
	maps.DeleteFunc(granted, func(r Right, _ bool) bool { return j.used[r] })
	return slices.SortedFunc(maps.Keys(granted), func(a, b Right) int { return strings.Compare(a.String(), b.String()) })
}
