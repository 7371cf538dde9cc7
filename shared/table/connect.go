package table

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/tenantry/tenantry/shared/table/internal/conn"
	"github.com/tenantry/tenantry/shared/table/transport"
)

// Connect connects to the table called name, at AWS or, with an endpoint, at another engine.
// Nothing is sent before the first call.
func Connect(config aws.Config, endpoint, name string) *Conn {
	return Open(Client(config, endpoint), name)
}

// Client is what Connect connects by. It uses the SDK's retries, also where an answer breaks off; transactions
// are repeated under their tokens instead.
func Client(config aws.Config, endpoint string) *dynamodb.Client {
	return dynamodb.NewFromConfig(config, func(o *dynamodb.Options) {
		o.HTTPClient = transport.Whole(o.HTTPClient)
		o.Retryer = retry.NewStandard(func(s *retry.StandardOptions) { s.Retryables = conn.Retryables() })
		if endpoint != "" {
			o.BaseEndpoint = aws.String(endpoint)
		}
	})
}
