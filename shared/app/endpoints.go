package app

import (
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"

	"github.com/tenantry/tenantry/shared/patience"
)

// SAMRegion and SAMKey are what a function under `sam local` signs with; the key is its own secret. SAM hands functions the
// credentials of whoever has started it. They are not used, so that nothing that runs there can reach what is theirs. Local
// engines know this key, and AWS does not.
const (
	SAMRegion = "us-east-1"
	SAMKey    = "local"
)

// Endpoints lists the variables with addresses of APIs. On AWS they are empty, and the APIs are AWS's own. Presigned URLs
// name S3_PUBLIC_ENDPOINT, because who uses them may reach the bucket by another name than the function does.
func Endpoints() []string {
	return []string{
		"DYNAMODB_ENDPOINT", "S3_ENDPOINT", "S3_PUBLIC_ENDPOINT", "KMS_ENDPOINT", "SES_ENDPOINT", "SNS_ENDPOINT",
		"SQS_ENDPOINT", "LAMBDA_ENDPOINT",
	}
}

// endpoints are the addresses of APIs by their variables.
type endpoints map[string]string

// underSAM tells whether `sam local` runs this function.
func (v *variables) underSAM() bool { return v.getenv(samVariable) != "" }

// endpoints reads the addresses. Each may be one of http, because a container reaches its host by the address of a bridge.
// Under `sam local` every address is needed: where one is missing, AWS would be asked.
func (v *variables) endpoints() endpoints {
	all := endpoints{}
	for _, name := range Endpoints() {
		address := v.getenv(name)
		if v.underSAM() {
			address = v.required(name)
		}
		all[name] = v.service(name, address)
	}
	return all
}

// of returns the configuration of a client of an API.
func (c cloud) of(endpoint string, attempt time.Duration) aws.Config {
	config := c.config(attempt)
	if address := c.endpoints[endpoint]; address != "" {
		config.BaseEndpoint = aws.String(address)
	}
	return config
}

// kms returns the configuration of a client of KMS. A request does not wait for its calls any longer than for the
// table's (shared/patience), because the keys are on the way of each sign-in. The bucket has a patience of
// its own, because large files take their time (patience.Client).
func (c cloud) kms() aws.Config {
	config := c.of("KMS_ENDPOINT", otherTime)
	config.APIOptions = append(config.APIOptions, patience.Attend)
	config.Retryer = func() aws.Retryer { return patience.Retryer(retry.NewStandard()) }
	return config
}

// lambda returns the address of Lambda's API, which is called without the SDK's client.
func (c cloud) lambda() string {
	if address := c.endpoints["LAMBDA_ENDPOINT"]; address != "" {
		return address
	}
	address := "https://lambda." + c.region + ".amazonaws.com"
	if strings.HasPrefix(c.region, "cn-") {
		address += ".cn"
	}
	return address
}
