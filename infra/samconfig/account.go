package samconfig

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
)

// ErrSignedOut is that of a machine that has no credentials of AWS, or whose credentials have expired.
var ErrSignedOut = errors.New("AWS doesn't know who you are: sign in (`aws sso login`), or name a profile (AWS_PROFILE=…)")

// Account is how a command calls AWS about the stage: with the credentials of whoever runs it, in the stage's region, or in that of the
// environment where the stage names none.
func (s Stage) Account(ctx context.Context) (aws.Config, error) {
	to, err := config.LoadDefaultConfig(ctx, config.WithRegion(s.Region))
	if err != nil {
		return to, err
	}
	if _, err := to.Credentials.Retrieve(ctx); err != nil {
		return to, fmt.Errorf("%w\n%w", ErrSignedOut, err)
	}
	return to, nil
}
