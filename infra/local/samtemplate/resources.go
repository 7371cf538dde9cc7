package samtemplate

import (
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
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
// records pile up.
func (t *Template) Table() (*dynamodb.CreateTableInput, error) {
	name, p, err := t.only("AWS::DynamoDB::Table")
	if err != nil {
		return nil, fmt.Errorf("samtemplate: %w", err)
	}
	input := &dynamodb.CreateTableInput{
		BillingMode: dynamodbtypes.BillingMode(text(p["BillingMode"])),
		KeySchema:   keys(p["KeySchema"]),
	}
	for _, a := range list(p["AttributeDefinitions"]) {
		input.AttributeDefinitions = append(input.AttributeDefinitions, dynamodbtypes.AttributeDefinition{
			AttributeName: aws.String(text(object(a)["AttributeName"])),
			AttributeType: dynamodbtypes.ScalarAttributeType(text(object(a)["AttributeType"])),
		})
	}
	indexes, err := t.resolve(p["GlobalSecondaryIndexes"], nil) // one may depend on a parameter
	if err != nil {
		return nil, fmt.Errorf("samtemplate: %s: indexes: %w", name, err)
	}
	for _, g := range list(indexes) {
		index := object(g)
		input.GlobalSecondaryIndexes = append(input.GlobalSecondaryIndexes, dynamodbtypes.GlobalSecondaryIndex{
			IndexName: aws.String(text(index["IndexName"])),
			KeySchema: keys(index["KeySchema"]),
			Projection: &dynamodbtypes.Projection{
				ProjectionType:   dynamodbtypes.ProjectionType(text(at(index, "Projection", "ProjectionType"))),
				NonKeyAttributes: texts(at(index, "Projection", "NonKeyAttributes")),
			},
		})
	}
	if p["LocalSecondaryIndexes"] != nil || input.BillingMode != dynamodbtypes.BillingModePayPerRequest || len(input.KeySchema) == 0 {
		return nil, fmt.Errorf("samtemplate: %s: only an on-demand table without local indexes is known", name)
	}
	return input, nil
}

func keys(v any) (out []dynamodbtypes.KeySchemaElement) {
	for _, k := range list(v) {
		out = append(out, dynamodbtypes.KeySchemaElement{
			AttributeName: aws.String(text(object(k)["AttributeName"])),
			KeyType:       dynamodbtypes.KeyType(text(object(k)["KeyType"])),
		})
	}
	return out
}

// Bucket returns the template's only bucket.
func (t *Template) Bucket() (Bucket, error) {
	name, p, err := t.only("AWS::S3::Bucket")
	if err != nil {
		return Bucket{}, fmt.Errorf("samtemplate: %w", err)
	}
	b := Bucket{Versioned: text(at(p, "VersioningConfiguration", "Status")) == "Enabled", Ends: map[string]int{}, Old: map[string]int{}}
	for _, r := range list(at(p, "LifecycleConfiguration", "Rules")) {
		rule := object(r)
		if text(rule["Status"]) != "Enabled" {
			continue
		}
		for _, days := range []struct {
			of    map[string]int
			value any
		}{{b.Ends, rule["ExpirationInDays"]}, {b.Old, at(rule, "NoncurrentVersionExpiration", "NoncurrentDays")}} {
			if days.value == nil {
				continue
			}
			if days.of[text(rule["Prefix"])], err = integer(days.value); err != nil {
				return Bucket{}, fmt.Errorf("samtemplate: %s: days of a rule: %w", name, err)
			}
		}
	}
	for _, r := range list(at(p, "CorsConfiguration", "CorsRules")) {
		rule := object(r)
		cors := s3types.CORSRule{
			AllowedOrigins: texts(rule["AllowedOrigins"]),
			AllowedMethods: texts(rule["AllowedMethods"]),
			AllowedHeaders: texts(rule["AllowedHeaders"]),
			ExposeHeaders:  texts(rule["ExposedHeaders"]),
		}
		if rule["MaxAge"] != nil {
			seconds, err := integer(rule["MaxAge"])
			if err != nil {
				return Bucket{}, fmt.Errorf("samtemplate: %s: MaxAge: %w", name, err)
			}
			cors.MaxAgeSeconds = aws.Int32(int32(seconds))
		}
		b.CORS = append(b.CORS, cors)
	}
	return b, nil
}
