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

// How long one attempt of a call may take. The SDK's default is three attempts; with it, a
// call to the table takes less time than a handler has.
const (
	dialTime  = time.Second
	tableTime = 5 * time.Second
	otherTime = 8 * time.Second  // S3, KMS in the worker, mail
	callTime  = 29 * time.Second // another function, which has a shorter timeout of its own

	connections = 64 // kept open to one host: more than a request uses at once
)

// cloud is the function's identity on AWS.
type cloud struct {
	region      string
	credentials aws.CredentialsProvider
	endpoints   endpoints
}

// cloud reads the region and the credentials of the function's role, which Lambda puts into
// the environment of each process. It skips the SDK's own search (files, metadata services): a
// function has none of them, and the search would slow down every start.
func (v *variables) cloud() cloud {
	at := v.endpoints()
	if v.underSAM() {
		return cloud{region: SAMRegion, credentials: credentials.NewStaticCredentialsProvider(SAMKey, SAMKey, ""), endpoints: at}
	}
	return cloud{
		endpoints: at,
		region:    v.required("AWS_REGION"),
		credentials: credentials.NewStaticCredentialsProvider(
			v.required("AWS_ACCESS_KEY_ID"), v.required("AWS_SECRET_ACCESS_KEY"), v.getenv("AWS_SESSION_TOKEN"),
		),
	}
}

// config returns the configuration of a client whose attempts may take the given time.
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
				t.ForceAttemptHTTP2 = false // which functions are compiled without
			}),
	}
}

// later returns a configuration for clients that are made when they are first needed.
func (c cloud) later(context.Context) (aws.Config, error) { return c.config(otherTime), nil }
