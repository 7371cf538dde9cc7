package main

import (
	"fmt"
	"maps"
	"slices"

	"github.com/tenantry/tenantry/infra/local/policy"
	"github.com/tenantry/tenantry/infra/local/samtemplate"
)

const (
	account = "123456789012"
	region  = "eu-central-1"
	// bounds is the boundary, by which a condition knows it.
	bounds = "arn:aws:iam::" + account + ":policy/boundary"
)

// deployer are the roles of infra/deployer.yaml, and the boundary of those that they make, as if that were a role which may all of it.
type deployer struct {
	values   map[string]string
	policies map[string][]policy.Document
}

func open(file, stack string) (deployer, error) {
	t, err := samtemplate.Load(file)
	if err != nil {
		return deployer{}, err
	}
	values := t.ARNs(region, map[string]string{
		"AWS::AccountId": account, "AWS::StackName": "deployer", "StackName": stack, "Repository": "tenantry/tenantry", "Boundary": bounds,
		"Artifacts": "deployer-artifacts-1", "ServiceRole": "deployer-ServiceRole-1", "DeployRole": "deployer-DeployRole-1",
	})
	d := deployer{values, map[string][]policy.Document{}}
	for _, id := range []string{"DeployRole", "ServiceRole", "Boundary"} {
		own, err := t.Policies(id, values)
		if err != nil {
			return deployer{}, err
		}
		for _, name := range slices.Sorted(maps.Keys(own)) {
			document, err := policy.Parse(name, policy.OfRole, own[name])
			if err != nil {
				return deployer{}, fmt.Errorf("%s: %w", id, err)
			}
			d.policies[id] = append(d.policies[id], document)
		}
	}
	return d, nil
}

// may decides by a role's own policies. Those of keys and buckets, which others have made, would have to allow it besides.
func (d deployer) may(r request) (bool, error) {
	own, known := d.policies[r.Role]
	if !known {
		return false, fmt.Errorf("there is no role %s", r.Role)
	}
	with := r.Context
	if with == nil {
		with = map[string][]string{}
	}
	document, err := leaves()
	if err != nil {
		return false, err
	}
	decided, err := policy.Decide(policy.Request{
		Principal: "arn:aws:iam::" + account + ":role/" + d.values[r.Role], Action: r.Action, Resource: r.Resource, Context: with,
	}, own, &document)
	return decided.Allowed, err
}

// leaves is the policy of a key that leaves everything to those of roles.
func leaves() (policy.Document, error) {
	return policy.Parse("key", policy.OfResource, map[string]any{"Version": "2012-10-17", "Statement": []any{map[string]any{
		"Effect": "Allow", "Principal": map[string]any{"AWS": "arn:aws:iam::" + account + ":root"}, "Action": "kms:*", "Resource": "*",
	}}})
}
