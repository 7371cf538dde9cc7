// Package policy decides whether a role may do what a request asks for, by the rules of AWS's IAM: a statement that denies
// decides, then one that allows; what no statement names is denied.
//
// It is made for the policies of template.yaml. An element, an operator, a condition key or a variable that it doesn't know is an
// error when a policy is read, and never a decision. What there is on AWS beside the policies of roles, keys and buckets never goes
// in here: boundaries, sessions, organisations, grants, other accounts.
package policy

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
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
	Name       string      `yaml:"-"`
	Version    string      `yaml:"Version"`
	Statements []Statement `yaml:"Statement"`
}

// Statement is one statement of a policy.
type Statement struct {
	Policy    string `yaml:"-"`
	Sid       string `yaml:"Sid"`
	Effect    string `yaml:"Effect"`
	Actions   texts  `yaml:"Action"`
	Resources texts  `yaml:"Resource"`
	// Principals are ARNs of roles, the account's as arn:aws:iam::<account>:root, or *. It is empty in a role's own policy.
	Principals principals                  `yaml:"Principal"`
	Condition  map[string]map[string]texts `yaml:"Condition"`

	conditions []condition
}

// Parse reads a policy: maps, lists and texts, as they are decoded of JSON or of a template whose references were resolved.
func Parse(name string, kind Kind, tree any) (Document, error) {
	d, err := parse(tree)
	d.Name = name
	for i := range d.Statements {
		s := &d.Statements[i]
		if s.Policy = name; s.Sid == "" {
			s.Sid = fmt.Sprint(i + 1)
		}
		if err == nil {
			err = s.check(kind)
		}
	}
	if err != nil {
		return d, fmt.Errorf("policy %s: %w", name, err)
	}
	return d, nil
}

func parse(tree any) (d Document, err error) {
	fields, ok := tree.(map[string]any)
	if !ok {
		return d, fmt.Errorf("%T is no policy", tree)
	}
	if fields["Version"] != "2012-10-17" {
		return d, fmt.Errorf("version %v is not known here", fields["Version"])
	}
	if _, ok := fields["Statement"].([]any); !ok {
		fields = maps.Clone(fields)
		fields["Statement"] = []any{fields["Statement"]}
	}
	text, err := yaml.Marshal(fields)
	if err != nil {
		return d, err
	}
	known := yaml.NewDecoder(bytes.NewReader(text))
	known.KnownFields(true)
	err = known.Decode(&d)
	return d, err
}

// check refuses a statement that says too little, or what is not known here.
func (s *Statement) check(kind Kind) (err error) {
	switch {
	case s.Effect == "" || len(s.Actions) == 0 || len(s.Resources) == 0:
		err = errors.New("effect, action and resource are needed")
	case s.Effect != "Allow" && s.Effect != "Deny":
		err = fmt.Errorf("effect %s", s.Effect)
	case kind == OfRole && s.Principals != nil:
		err = errors.New("a principal in a role's own policy")
	case kind == OfResource && len(s.Principals) == 0:
		err = errors.New("no principal")
	default:
		s.conditions, err = parseConditions(s.Condition)
	}
	for _, action := range s.Actions {
		if service, _, ok := strings.Cut(action, ":"); action != "*" && (!ok || strings.ContainsAny(service, "*?")) {
			err = fmt.Errorf("%q is no action", action)
		}
	}
	for _, resource := range s.Resources {
		if resource != "*" && (strings.Count(resource, ":") < 5 || !strings.HasPrefix(resource, "arn:")) {
			err = fmt.Errorf("%q is no ARN", resource)
		}
	}
	if err != nil {
		return fmt.Errorf("statement %s: %w", s.Sid, err)
	}
	return nil
}

// principals are whom a statement is about. A service of AWS is no role, so a statement about services decides nothing here.
type principals []string

// UnmarshalYAML implements [yaml.Unmarshaler].
func (p *principals) UnmarshalYAML(n *yaml.Node) error {
	if *p = (principals{}); n.Value == "*" {
		*p = principals{"*"}
		return nil
	}
	var fields map[string]texts
	if err := n.Decode(&fields); err != nil {
		return err
	}
	for of, names := range fields {
		for _, name := range names {
			switch {
			case of == "Service":
				*p = append(*p, "service "+name)
			case of == "AWS" && (name == "*" || strings.HasPrefix(name, "arn:") && !strings.ContainsAny(name, "*?")):
				*p = append(*p, name)
			default:
				return fmt.Errorf("principal %s %s is not known here", of, name)
			}
		}
	}
	return nil
}

// texts are one text or a list of them. A variable in one is an error.
type texts []string

// UnmarshalYAML implements [yaml.Unmarshaler].
func (t *texts) UnmarshalYAML(n *yaml.Node) error {
	list := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		list = n.Content
	}
	for _, item := range list {
		switch {
		case item.ShortTag() != "!!str" && item.ShortTag() != "!!bool":
			return fmt.Errorf("%s is no text", item.Value)
		case strings.Contains(item.Value, "${"):
			return fmt.Errorf("variables such as in %s are not known here", item.Value)
		}
		*t = append(*t, item.Value)
	}
	return nil
}

// Request is one action on one resource.
type Request struct {
	Principal string // the role's ARN
	Action    string // dynamodb:GetItem
	Resource  string // its ARN, or * where the action is about nothing that has one
	// Context has the request's condition keys that are known here, with their values. Who asks need not be among them.
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
	with := map[string][]string{principal: {r.Principal}}
	maps.Copy(with, r.Context)
	r.Context = with
	ofKey := strings.HasPrefix(r.Action, "kms:") && r.Resource != "*" // a key that isn't made yet, or all of them
	if ofKey && resource == nil {
		return Decision{}, fmt.Errorf("policy: %s: every key has a policy", r.Resource)
	}
	var denied, own, named, left []Match
	add := func(m Match, to *[]Match) {
		if m.Statement.Effect == "Deny" {
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

// Names tells whether a statement of a resource's policy is about a role alone, or about several: by its ARN, or by the account with a
// condition on the ARN of who asks.
func (s Statement) Names(role string) bool {
	if slices.Contains(s.Principals, role) {
		return true
	}
	return slices.Contains(s.Principals, accountOf(role)) && slices.ContainsFunc(s.conditions, func(c condition) bool {
		_, holds := c.holds(map[string][]string{principal: {role}})
		return c.key == principal && holds
	})
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
