package table

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// Connect connects to the table called name, at AWS or, with an endpoint, at another engine.
// Nothing is sent before the first call. The client uses the SDK's retries, except for
// transactions: about one large answer in a thousand breaks once.
func Connect(config aws.Config, endpoint, name string) *Conn {
	return Open(dynamodb.NewFromConfig(config, func(o *dynamodb.Options) {
		if endpoint != "" {
			o.BaseEndpoint = aws.String(endpoint)
		}
	}), name)
}
