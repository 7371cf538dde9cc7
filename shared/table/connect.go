package table

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// Connect connects to the table called name, at AWS or, with an endpoint, at
// any other engine. The client keeps the SDK's retries, but for transactions:
// about one large answer in a thousand breaks once. Nothing is sent before the
// first call.
func Connect(config aws.Config, endpoint, name string) *Conn {
	return Open(dynamodb.NewFromConfig(config, func(o *dynamodb.Options) {
		if endpoint != "" {
			o.BaseEndpoint = aws.String(endpoint)
		}
	}), name)
}
