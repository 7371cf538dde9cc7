package engine

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/tenantry/tenantry/shared/table/transport"
)

// Region and Key are what local clients sign with. The engine checks neither, but the SDK demands both.
const (
	Region = "us-east-1"
	Key    = "local"
)

// Client returns a client of a local endpoint.
func Client(endpoint string) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region:       Region,
		HTTPClient:   transport.Whole(awshttp.NewBuildableClient()),
		BaseEndpoint: aws.String(endpoint),
		Credentials:  credentials.NewStaticCredentialsProvider(Key, Key, ""),
	})
}
