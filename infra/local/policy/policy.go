// Package policy decides whether a role may do what a request asks for, by the rules of AWS's IAM: a statement that denies
// decides, then one that allows; what no statement names is denied.
//
// It is made for the policies of template.yaml. An element, an operator, a condition key or a variable that it doesn't know is an
// error when a policy is read, and never a decision. What there is on AWS beside the policies of roles, keys and buckets never goes
// in here: boundaries, sessions, organisations, grants, other accounts.
package policy

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Kind says what a policy belongs to.
type Kind int

// Policies of roles name no principal, those of resources name one in each statement.
const (
	OfRole Kind = iota
	OfResource
)

// Document is a policy that was read.
type Document struct {
	Name       string
	Statements []Statement
}

// Statement is one statement of a policy.
type Statement struct {
	Policy, Sid        string
	Deny               bool
	Actions, Resources []string
	// Principals are ARNs of roles, the account's as arn:aws:iam::<account>:root, or *. It is empty in a role's own policy.
	Principals []string

	conditions []condition
}

// Parse reads a policy: maps, lists and texts, as they are decoded of JSON or of a template whose references were resolved.
func Parse(name string, kind Kind, tree any) (Document, error) {
	d := Document{Name: name}
	fields, ok := tree.(map[string]any)
	if !ok {
		return d, fmt.Errorf("policy %s: %T is no policy", name, tree)
	}
	for key := range fields {
		if key != "Version" && key != "Statement" {
			return d, fmt.Errorf("policy %s: element %s is not known here", name, key)
		}
	}
	if fields["Version"] != "2012-10-17" {
		return d, fmt.Errorf("policy %s: version %v is not known here", name, fields["Version"])
	}
	statements, ok := fields["Statement"].([]any)
	if !ok {
		statements = []any{fields["Statement"]}
	}
	for i, tree := range statements {
		s, err := parseStatement(kind, tree)
		if err != nil {
			return d, fmt.Errorf("policy %s: statement %d: %w", name, i+1, err)
		}
		s.Policy = name
		if s.Sid == "" {
			s.Sid = fmt.Sprint(i + 1)
		}
		d.Statements = append(d.Statements, s)
	}
	return d, nil
}

func parseStatement(kind Kind, tree any) (Statement, error) {
	var s Statement
	fields, ok := tree.(map[string]any)
	if !ok {
		return s, fmt.Errorf("%T is no statement", tree)
	}
	var err error
	for element, value := range fields {
		switch element {
		case "Sid":
			s.Sid, ok = value.(string)
			if !ok {
				err = fmt.Errorf("%v is no Sid", value)
			}
		case "Effect":
			s.Deny = value == "Deny"
			if !s.Deny && value != "Allow" {
				err = fmt.Errorf("effect %v", value)
			}
		case "Action":
			s.Actions, err = patterns(value)
		case "Resource":
			s.Resources, err = patterns(value)
		case "Condition":
			s.conditions, err = parseConditions(value)
		case "Principal":
			s.Principals, err = parsePrincipals(value)
		default:
			err = fmt.Errorf("element %s is not known here", element)
		}
		if err != nil {
			return s, err
		}
	}
	switch {
	case fields["Effect"] == nil || len(s.Actions) == 0 || len(s.Resources) == 0:
		err = errors.New("effect, action and resource are needed")
	case kind == OfRole && fields["Principal"] != nil:
		err = errors.New("a principal in a role's own policy")
	case kind == OfResource && len(s.Principals) == 0:
		err = errors.New("no principal")
	}
	for _, action := range s.Actions {
		if service, _, ok := strings.Cut(action, ":"); action != "*" && (!ok || strings.ContainsAny(service, "*?")) {
			err = fmt.Errorf("%q is no action", action)
		}
	}
	for _, resource := range s.Resources {
		if resource != "*" && strings.Count(resource, ":") < 5 || resource != "*" && !strings.HasPrefix(resource, "arn:") {
			err = fmt.Errorf("%q is no ARN", resource)
		}
	}
	return s, err
}

// parsePrincipals reads whom a statement is about. A service of AWS is no role, so a statement about services decides nothing here.
func parsePrincipals(tree any) ([]string, error) {
	if tree == "*" {
		return []string{"*"}, nil
	}
	fields, ok := tree.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("principal %v is not known here", tree)
	}
	var all []string
	for of, value := range fields {
		names, err := texts(value)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			switch {
			case of == "Service":
				all = append(all, "service "+name)
			case of == "AWS" && (name == "*" || strings.HasPrefix(name, "arn:") && !strings.ContainsAny(name, "*?")):
				all = append(all, name)
			default:
				return nil, fmt.Errorf("principal %s %s is not known here", of, name)
			}
		}
	}
	return all, nil
}

// patterns reads one text or a list of texts. A variable in one is an error.
func patterns(tree any) ([]string, error) {
	list, err := texts(tree)
	for _, text := range list {
		if strings.Contains(text, "${") {
			return nil, fmt.Errorf("variables such as in %s are not known here", text)
		}
	}
	return list, err
}

func texts(tree any) ([]string, error) {
	list, ok := tree.([]any)
	if !ok {
		list = []any{tree}
	}
	var out []string
	for _, item := range list {
		switch v := item.(type) {
		case string:
			out = append(out, v)
		case bool:
			out = append(out, fmt.Sprint(v))
		default:
			return nil, fmt.Errorf("%v is no text", item)
		}
	}
	return out, nil
}

// Request is one action on one resource.
type Request struct {
	Principal string // the role's ARN
	Action    string // dynamodb:GetItem
	Resource  string // its ARN, or * where the action is about nothing that has one
	// Context has the request's condition keys that are known here, with their values.
	Context map[string][]string
}

// Decision is what the policies say to a request.
type Decision struct {
	Allowed bool
	// By are the statements that allow it, or else those that deny it. A request that no statement is about has none.
	By []Match
}

// Match is a statement that is about a request, with the patterns of it that matched.
type Match struct {
	Statement                  Statement
	Actions, Resources, Values []string // Values fit the conditions ForAllValues and ForAnyValue
}

// Decide decides by the policies of the request's role, and by the policy of the resource if it has one. Role and resource are of
// one account, so either may allow; but a key of KMS is used by roles only as the key's own policy says, which names them, or
// leaves it to their policies by naming their account.
func Decide(r Request, role []Document, resource *Document) (Decision, error) {
	for name := range r.Context {
		if _, known := keys()[strings.ToLower(name)]; !known {
			return Decision{}, fmt.Errorf("policy: condition key %s is not known here", name)
		}
	}
	ofKey := strings.HasPrefix(r.Action, "kms:")
	if ofKey && resource == nil {
		return Decision{}, fmt.Errorf("policy: %s: every key has a policy", r.Resource)
	}
	var denied, own, named, left []Match
	add := func(m Match, to *[]Match) {
		if m.Statement.Deny {
			to = &denied
		}
		*to = append(*to, m)
	}
	for _, d := range role {
		for _, s := range d.Statements {
			if m, ok := s.about(r); ok {
				add(m, &own)
			}
		}
	}
	if resource != nil {
		for _, s := range resource.Statements {
			m, ok := s.about(r)
			switch {
			case !ok:
			case slices.Contains(s.Principals, r.Principal) || slices.Contains(s.Principals, "*"):
				add(m, &named)
			case slices.Contains(s.Principals, accountOf(r.Principal)):
				add(m, &left)
			}
		}
	}
	switch {
	case len(denied) > 0:
		return Decision{By: denied}, nil
	case len(named) > 0:
		return Decision{Allowed: true, By: append(named, own...)}, nil
	case len(own) == 0 || ofKey && len(left) == 0:
		return Decision{}, nil
	}
	return Decision{Allowed: true, By: append(own, left...)}, nil
}

// accountOf returns the ARN that names the account of a role: arn:aws:iam::123456789012:root.
func accountOf(role string) string {
	if at := strings.Index(role, ":role/"); at >= 0 {
		return role[:at] + ":root"
	}
	return role
}

// about tells whether a statement speaks of a request: its action, its resource and its conditions all fit.
func (s Statement) about(r Request) (m Match, ok bool) {
	m.Statement = s
	for _, pattern := range s.Actions {
		if like(strings.ToLower(pattern), strings.ToLower(r.Action), false) {
			m.Actions = append(m.Actions, pattern)
		}
	}
	for _, pattern := range s.Resources {
		if pattern == "*" || like(pattern, r.Resource, true) {
			m.Resources = append(m.Resources, pattern)
		}
	}
	if len(m.Actions) == 0 || len(m.Resources) == 0 {
		return m, false
	}
	for _, c := range s.conditions {
		matched, ok := c.holds(r.Context)
		if !ok {
			return m, false
		}
		m.Values = append(m.Values, matched...)
	}
	return m, true
}
