package stage

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
)

// Stack is the stack of a stage, as far as a command has to know of it.
type Stack interface {
	// Resource is the name, id or address that AWS has given to a resource of the template.
	Resource(ctx context.Context, logical string) (string, error)
	// Parameters are the values with which the stack was deployed.
	Parameters(ctx context.Context) (map[string]string, error)
}

// ErrNoStack says that a command needs to know the stack.
var ErrNoStack = errors.New("this needs the stage's stack: name it with -stack")

// cloud is a stack on AWS.
type cloud struct {
	client *cloudformation.Client
	name   string
}

func (c cloud) Resource(ctx context.Context, logical string) (string, error) {
	out, err := c.client.DescribeStackResource(ctx, &cloudformation.DescribeStackResourceInput{
		StackName: &c.name, LogicalResourceId: &logical,
	})
	if err != nil {
		return "", fmt.Errorf("the resource %s of the stack %s: %w", logical, c.name, err)
	}
	return aws.ToString(out.StackResourceDetail.PhysicalResourceId), nil
}

func (c cloud) Parameters(ctx context.Context) (map[string]string, error) {
	out, err := c.client.DescribeStacks(ctx, &cloudformation.DescribeStacksInput{StackName: &c.name})
	if err != nil {
		return nil, fmt.Errorf("the stack %s: %w", c.name, err)
	}
	if len(out.Stacks) != 1 {
		return nil, fmt.Errorf("there are %d stacks %s", len(out.Stacks), c.name)
	}
	values := map[string]string{}
	for _, p := range out.Stacks[0].Parameters {
		values[aws.ToString(p.ParameterKey)] = aws.ToString(p.ParameterValue)
	}
	return values, nil
}
