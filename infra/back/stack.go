package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"golang.org/x/sync/errgroup"
)

const (
	// live is the alias at which functions are called, and variable names the release in each version: template.yaml.
	live     = "live"
	variable = "RELEASE"
	// latest is what was deployed last, and is no version yet.
	latest = "$LATEST"
	// atOnce is how many functions are read at once. Lambda takes 15 such requests a second.
	atOnce = 4
)

// api are the services that are asked.
type api struct {
	stacks  *cloudformation.Client
	lambdas *lambda.Client
}

func connect(settings aws.Config) api {
	return api{cloudformation.NewFromConfig(settings), lambda.NewFromConfig(settings)}
}

// function is one of the stack, with all that it has been.
type function struct {
	id, name string // in the template, and in Lambda
	latest   version
	versions []version // by their numbers
	at       string    // the number of the version that is live; empty without the alias
	shared   bool      // the alias gives some calls to another version
	revision string    // of the alias
	aliased  []string  // numbers that any alias has
}

// version is one that was published, or what was deployed last.
type version struct {
	number, release, code string
	settings              map[string]string // all else that a version carries, by what it is called; of variables each
}

// of returns the last version of a release, as one may be deployed again.
func (f function) of(release string) (found version, ok bool) {
	for _, v := range f.versions {
		if v.release == release {
			found, ok = v, true
		}
	}
	return found, ok
}

// live returns the version that is.
func (f function) live() version {
	i := slices.IndexFunc(f.versions, func(v version) bool { return v.number == f.at })
	if i < 0 {
		return version{}
	}
	return f.versions[i]
}

// functions reads those of a stack, by their names. A stack that is just being changed is left alone: CloudFormation moves aliases too.
func (a api) functions(ctx context.Context, stack string) ([]function, error) {
	told, err := a.stacks.DescribeStacks(ctx, &cloudformation.DescribeStacksInput{StackName: &stack})
	if err != nil {
		return nil, err
	}
	if status := string(told.Stacks[0].StackStatus); strings.HasSuffix(status, "_IN_PROGRESS") {
		return nil, fmt.Errorf("the stack %s is %s: wait until that has ended", stack, status)
	}
	var all []function
	pages := cloudformation.NewListStackResourcesPaginator(a.stacks, &cloudformation.ListStackResourcesInput{StackName: &stack})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for _, r := range page.StackResourceSummaries {
			if aws.ToString(r.ResourceType) == "AWS::Lambda::Function" {
				all = append(all, function{id: aws.ToString(r.LogicalResourceId), name: aws.ToString(r.PhysicalResourceId)})
			}
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("the stack %s has no functions", stack)
	}
	slices.SortFunc(all, func(a, b function) int { return cmp.Compare(a.id, b.id) })
	reading, ctx := errgroup.WithContext(ctx)
	reading.SetLimit(atOnce)
	for i := range all {
		reading.Go(func() error { return a.read(ctx, &all[i]) })
	}
	return all, reading.Wait()
}

// read reads the aliases and the versions of a function.
func (a api) read(ctx context.Context, f *function) error {
	aliases := lambda.NewListAliasesPaginator(a.lambdas, &lambda.ListAliasesInput{FunctionName: &f.name})
	for aliases.HasMorePages() {
		page, err := aliases.NextPage(ctx)
		if err != nil {
			return err
		}
		for _, alias := range page.Aliases {
			f.aliased = append(f.aliased, aws.ToString(alias.FunctionVersion))
			if alias.RoutingConfig != nil {
				for number := range alias.RoutingConfig.AdditionalVersionWeights {
					f.aliased = append(f.aliased, number)
				}
			}
			if aws.ToString(alias.Name) == live {
				f.at, f.revision = aws.ToString(alias.FunctionVersion), aws.ToString(alias.RevisionId)
				f.shared = alias.RoutingConfig != nil && len(alias.RoutingConfig.AdditionalVersionWeights) > 0
			}
		}
	}
	versions := lambda.NewListVersionsByFunctionPaginator(a.lambdas, &lambda.ListVersionsByFunctionInput{FunctionName: &f.name})
	for versions.HasMorePages() {
		page, err := versions.NextPage(ctx)
		if err != nil {
			return err
		}
		for _, one := range page.Versions {
			v := version{number: aws.ToString(one.Version), code: aws.ToString(one.CodeSha256)}
			if v.settings, err = settings(one); err != nil {
				return fmt.Errorf("%s %s: %w", f.id, v.number, err)
			}
			if one.Environment != nil {
				v.release = one.Environment.Variables[variable]
			}
			if v.number == latest {
				f.latest = v
			} else {
				f.versions = append(f.versions, v)
			}
		}
	}
	slices.SortFunc(f.versions, func(a, b version) int { return cmp.Compare(number(a), number(b)) })
	return nil
}

func number(v version) int {
	n, _ := strconv.Atoi(v.number) // Lambda's own
	return n
}
