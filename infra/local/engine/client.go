package engine

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// Region and Key are what local clients sign with. The engine checks neither, but the SDK demands both.
const (
	Region = "us-east-1"
	Key    = "local"
)

// Client returns a client of a local endpoint. It keeps the SDK's retries, because over loopback about one large
// answer in a thousand breaks once.
func Client(endpoint string) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region:       Region,
		BaseEndpoint: aws.String(endpoint),
		Credentials:  credentials.NewStaticCredentialsProvider(Key, Key, ""),
	})
}
