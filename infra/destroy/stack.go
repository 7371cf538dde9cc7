package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation/types"
	"go.yaml.in/yaml/v3"
)

// patience is how long CloudFormation may take: deleting functions within a network takes the longest, and none of ours is in one.
const patience = 30 * time.Minute

// stack is one that can be deleted.
type stack struct {
	api      *cloudformation.Client
	id       string // by which it is still known once it is deleted
	deleting bool
	count    int
	stay     []resource
}

// resource is one of a stack, by its name in the template and in its service.
type resource struct{ id, kind, name string }

// find reads what a stack has, and what its template keeps.
func find(ctx context.Context, settings aws.Config, name string) (s stack, err error) {
	s.api = cloudformation.NewFromConfig(settings)
	told, err := s.api.DescribeStacks(ctx, &cloudformation.DescribeStacksInput{StackName: &name})
	if err != nil {
		return s, err
	}
	one := told.Stacks[0]
	s.id, s.deleting = aws.ToString(one.StackId), one.StackStatus == types.StackStatusDeleteInProgress
	switch {
	case aws.ToBool(one.EnableTerminationProtection):
		return s, fmt.Errorf("the stack %s is protected: aws cloudformation update-termination-protection --stack-name %s "+
			"--no-enable-termination-protection", name, name)
	case strings.HasSuffix(string(one.StackStatus), "_IN_PROGRESS") && !s.deleting:
		return s, fmt.Errorf("the stack %s is %s: wait until that has ended", name, one.StackStatus)
	}
	kept, err := s.kept(ctx)
	if err != nil {
		return s, err
	}
	pages := cloudformation.NewListStackResourcesPaginator(s.api, &cloudformation.ListStackResourcesInput{StackName: &s.id})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return s, err
		}
		for _, r := range page.StackResourceSummaries {
			if r.ResourceStatus == types.ResourceStatusDeleteComplete {
				continue
			}
			s.count++
			if kept[aws.ToString(r.LogicalResourceId)] {
				s.stay = append(s.stay, resource{
					aws.ToString(r.LogicalResourceId), aws.ToString(r.ResourceType), aws.ToString(r.PhysicalResourceId),
				})
			}
		}
	}
	slices.SortFunc(s.stay, func(a, b resource) int { return strings.Compare(a.id, b.id) })
	return s, nil
}

// kept are the resources that outlive the stack, as the template says that was deployed last.
func (s stack) kept(ctx context.Context) (map[string]bool, error) {
	deployed, err := s.api.GetTemplate(ctx, &cloudformation.GetTemplateInput{StackName: &s.id, TemplateStage: types.TemplateStageProcessed})
	if err != nil {
		return nil, err
	}
	var template struct {
		Resources map[string]struct {
			Policy string `yaml:"DeletionPolicy"`
		} `yaml:"Resources"`
	}
	if err := yaml.Unmarshal([]byte(aws.ToString(deployed.TemplateBody)), &template); err != nil {
		return nil, fmt.Errorf("the template of the stack: %w", err)
	}
	kept := map[string]bool{}
	for id, r := range template.Resources {
		kept[id] = strings.HasPrefix(r.Policy, "Retain")
	}
	return kept, nil
}

// destroy deletes the stack, and waits until it is gone.
func (s stack) destroy(ctx context.Context, every time.Duration) error {
	if !s.deleting {
		if _, err := s.api.DeleteStack(ctx, &cloudformation.DeleteStackInput{StackName: &s.id}); err != nil {
			return err
		}
	}
	wait := cloudformation.NewStackDeleteCompleteWaiter(s.api, func(o *cloudformation.StackDeleteCompleteWaiterOptions) {
		o.MinDelay, o.MaxDelay = every, every
	})
	err := wait.Wait(ctx, &cloudformation.DescribeStacksInput{StackName: &s.id}, patience)
	if err != nil {
		return fmt.Errorf("%w%s", err, s.failed(ctx))
	}
	return nil
}

// failed says which resources could not be deleted, and why.
func (s stack) failed(ctx context.Context) string {
	var b strings.Builder
	pages := cloudformation.NewListStackResourcesPaginator(s.api, &cloudformation.ListStackResourcesInput{StackName: &s.id})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil { // the wait has failed, which is told in any case
			return b.String()
		}
		for _, r := range page.StackResourceSummaries {
			if r.ResourceStatus == types.ResourceStatusDeleteFailed {
				fmt.Fprintf(&b, "\n%s: %s", aws.ToString(r.LogicalResourceId), aws.ToString(r.ResourceStatusReason))
			}
		}
	}
	return b.String()
}

// stays lists what stays, or says that nothing does.
func (s stack) stays() string {
	if len(s.stay) == 0 {
		return "Nothing stays.\n"
	}
	var b strings.Builder
	b.WriteString("These stay, with all that is in them, and are paid:\n")
	for _, r := range s.stay {
		fmt.Fprintf(&b, "  %-20s %-22s %s\n", r.id, r.kind, r.name)
	}
	return b.String()
}

// rest are the commands that delete what stays.
func (s stack) rest(region string) string {
	var b strings.Builder
	for _, r := range s.stay {
		switch r.kind {
		case "AWS::DynamoDB::Table":
			fmt.Fprintf(&b, "aws dynamodb update-table --region %s --table-name %s --no-deletion-protection-enabled\n", region, r.name)
			fmt.Fprintf(&b, "aws dynamodb delete-table --region %s --table-name %s\n", region, r.name)
		case "AWS::KMS::Key":
			fmt.Fprintf(&b, "aws kms schedule-key-deletion --region %s --key-id %s --pending-window-in-days 7\n", region, r.name)
		case "AWS::S3::Bucket":
			fmt.Fprintf(&b, "aws s3api delete-bucket --region %s --bucket %s # once it is empty\n", region, r.name)
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "What stayed is deleted by these, irrevocably; how a bucket is emptied says docs/operations.md, Taking a stage down:\n" +
		b.String()
}
