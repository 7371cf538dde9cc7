package app

import (
	"context"
	"net"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/credentials"
)

// How long one attempt of a call may take. It is then tried again, as the SDK
// does by default: three attempts, with which a call to the table stays below
// the time that a handler has.
const (
	dialTime  = time.Second
	tableTime = 5 * time.Second
	otherTime = 8 * time.Second // S3, KMS, mail

	connections = 64 // kept open to one host: more than a request uses at once
)

// cloud is who we are on AWS.
type cloud struct {
	region      string
	credentials aws.CredentialsProvider
}

// cloud reads the region and the credentials of the function's role, which
// Lambda puts into the environment of each process. The SDK's own search
// (files, metadata services) is left out: a function has none of them, and
// would pay for it with every start.
func (v *variables) cloud() cloud {
	return cloud{
		region: v.required("AWS_REGION"),
		credentials: credentials.NewStaticCredentialsProvider(
			v.required("AWS_ACCESS_KEY_ID"), v.required("AWS_SECRET_ACCESS_KEY"), v.getenv("AWS_SESSION_TOKEN"),
		),
	}
}

// config is the configuration of a client whose attempts may take so long.
func (c cloud) config(attempt time.Duration) aws.Config {
	return aws.Config{
		Region:      c.region,
		Credentials: c.credentials,
		HTTPClient: awshttp.NewBuildableClient().
			WithTimeout(attempt).
			WithDialerOptions(func(d *net.Dialer) { d.Timeout = dialTime }).
			WithTransportOptions(func(t *http.Transport) {
				t.MaxIdleConns, t.MaxIdleConnsPerHost = connections, connections
				t.TLSHandshakeTimeout = 2 * dialTime
			}),
	}
}

// later is config for what is configured when it is first needed.
func (c cloud) later(context.Context) (aws.Config, error) { return c.config(otherTime), nil }
