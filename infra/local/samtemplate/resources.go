package samtemplate

import (
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	dynamodbtypes "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// Bucket is the only bucket of the template.
type Bucket struct {
	Versioned bool
	CORS      []s3types.CORSRule
	Ends      map[string]int // days after which an object expires, by the prefix of its key
	Old       map[string]int // days after which one that was deleted or replaced does
}

// Table returns the definition of the template's only table, without a name. It leaves out what is of no use on one
// machine: backups, deletion protection, and the stream, because with a stream the local engine becomes slower as
// records pile up. CloudFormation's names are the SDK's.
func (t *Template) Table() (*dynamodb.CreateTableInput, error) {
	name, p, err := t.only("AWS::DynamoDB::Table")
	if err != nil {
		return nil, err
	}
	input := &dynamodb.CreateTableInput{}
	if err := t.decode(p, input, "BillingMode", "AttributeDefinitions", "KeySchema", "GlobalSecondaryIndexes"); err != nil {
		return nil, fmt.Errorf("samtemplate: %s: %w", name, err)
	}
	if p["LocalSecondaryIndexes"] != nil || input.BillingMode != dynamodbtypes.BillingModePayPerRequest || len(input.KeySchema) == 0 {
		return nil, fmt.Errorf("samtemplate: %s: only an on-demand table without local indexes is known", name)
	}
	return input, nil
}

// Bucket returns the template's only bucket.
func (t *Template) Bucket() (Bucket, error) {
	name, p, err := t.only("AWS::S3::Bucket")
	if err != nil {
		return Bucket{}, err
	}
	var in struct {
		VersioningConfiguration struct{ Status string }
		LifecycleConfiguration  struct {
			Rules []struct {
				Status, Prefix              string
				ExpirationInDays            int `json:",string"`
				NoncurrentVersionExpiration struct {
					NoncurrentDays int `json:",string"`
				}
			}
		}
		CorsConfiguration struct {
			CorsRules []struct {
				s3types.CORSRule

				ExposedHeaders []string
				MaxAge         *int32 `json:",string"`
			}
		}
	}
	if err := t.decode(p, &in, "VersioningConfiguration", "LifecycleConfiguration", "CorsConfiguration"); err != nil {
		return Bucket{}, fmt.Errorf("samtemplate: %s: %w", name, err)
	}
	b := Bucket{Versioned: in.VersioningConfiguration.Status == "Enabled", Ends: map[string]int{}, Old: map[string]int{}}
	for _, rule := range in.LifecycleConfiguration.Rules {
		if rule.Status == "Enabled" {
			b.Ends[rule.Prefix] += rule.ExpirationInDays
			b.Old[rule.Prefix] += rule.NoncurrentVersionExpiration.NoncurrentDays
		}
	}
	for _, rule := range in.CorsConfiguration.CorsRules {
		rule.ExposeHeaders, rule.MaxAgeSeconds = rule.ExposedHeaders, rule.MaxAge
		b.CORS = append(b.CORS, rule.CORSRule)
	}
	return b, nil
}
