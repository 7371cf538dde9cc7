package app

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/invoke"
	"github.com/tenantry/tenantry/shared/keys"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/allowance"
)

// FromEnvironment makes an Env from the variables that the template sets. Endpoints name APIs
// other than AWS's own, and KEYS_FILE a file with keys instead of KMS. SEAL_KEY is the key that
// seals, of the function that may use it. RENDER_FUNCTION and SEAL_FUNCTION name the functions to
// call. The error names everything that is missing or wrong, in one line.
func FromEnvironment(getenv func(string) string, options ...Option) (Env, error) {
	v := variables{getenv: getenv}
	var linked linked
	for _, o := range options {
		o(&linked)
	}
	env := Env{
		Now:     time.Now,
		NewUUID: uuid.New,
		Log:     os.Stdout,
		Config: Config{
			Stage:           v.required("STAGE"),
			PlatformDomain:  v.host("PLATFORM_DOMAIN"),
			Origins:         v.origins("CORS_ORIGINS"),
			Languages:       v.languages("LANGUAGES"),
			Scheme:          "https",
			AccessLifetime:  v.duration("ACCESS_TOKEN_LIFETIME"),
			RefreshLifetime: v.duration("REFRESH_TOKEN_LIFETIME"),
			MailFrom:        v.address("MAIL_FROM"),
			Allowance:       allowance.Limits{User: v.count("USER_READ_ALLOWANCE"), Company: v.count("COMPANY_READ_ALLOWANCE")},
			CompanyRate:     v.rate("COMPANY_REQUEST_RATE", "COMPANY_REQUEST_BURST"),
			CallerRate:      v.rate("CALLER_REQUEST_RATE", "CALLER_REQUEST_BURST"),
			SearchMemory:    v.megabytes("SEARCH_MEMORY"),
			OIDC:            v.oidc(),
			SMS:             v.sms(),
			Queues:          Queues{Normal: getenv("NORMAL_QUEUE"), Bulk: getenv("BULK_QUEUE"), Hooks: getenv("HOOKS_QUEUE")},
			MailDaily:       v.count("MAIL_DAILY"),
			Seal: Seal{
				Chain: getenv("SEAL_CHAIN"), TimeStampURL: v.service("TIME_STAMP_URL", getenv("TIME_STAMP_URL")),
				TimeStampRoots: getenv("TIME_STAMP_ROOTS"),
			},
			Viewers:  v.viewers("CLOUDFRONT_SECRETS"),
			NCA:      NCA{Roots: getenv("NCA_ROOTS"), OCSP: v.services("NCA_OCSP")},
			LinkLife: v.days("SIGNING_LINK_DAYS"),
		},
	}
	if v.underSAM() {
		env.Config.Scheme = "http"
	}
	name, bucket, cloud := v.required("TABLE_NAME"), v.required("BUCKET_NAME"), v.cloud()
	env.Keys = v.keys(cloud, linked.kms)
	if linked.sealer != nil {
		env.SealSigner = linked.sealer(&v, cloud)
	}
	env.Render, env.Seal = v.callee("RENDER_FUNCTION", cloud, linked.calls), v.callee("SEAL_FUNCTION", cloud, linked.calls)
	env.Pack, env.Show = v.callee("PACK_FUNCTION", cloud, linked.calls), v.callee("SHOW_FUNCTION", cloud, linked.calls)
	if len(v.problems) > 0 {
		return Env{}, fmt.Errorf("configuration: %s", strings.Join(v.problems, "; "))
	}
	env.Table = table.Connect(cloud.config(tableTime), cloud.endpoints["DYNAMODB_ENDPOINT"], name)
	env.AWS = func(endpoint string) aws.Config { return cloud.of(endpoint, otherTime) }
	env.Files = files.New(files.Options{
		Bucket: bucket, Config: cloud.later,
		Endpoint: cloud.endpoints["S3_ENDPOINT"], PublicEndpoint: cloud.endpoints["S3_PUBLIC_ENDPOINT"],
	})
	return env, nil
}

// Option adds something to a function that not every function needs.
type Option func(*linked)

type linked struct {
	kms    keysClient
	calls  callsClient
	sealer func(*variables, cloud) keys.Sealer
}

// keysClient returns a function that makes the client of KMS when it is first needed.
type keysClient func(aws.Config) func() keys.KMS

// WithKeys gives a function the platform's keys; client is awskms.New. Without it, Env.Keys is
// nil: linking the client of KMS adds half a millisecond to each start, and most functions
// neither sign nor verify.
func WithKeys(client keysClient) Option {
	return func(l *linked) { l.kms = client }
}

// WithSealKey gives a function the key that seals documents, if its environment names that key; client
// is awskms.New. Without it, Env.SealSigner is nil.
func WithSealKey(client keysClient) Option {
	return func(l *linked) {
		l.sealer = func(v *variables, c cloud) keys.Sealer { return v.sealer(c, client) }
	}
}

// callsClient returns a function with a name at an endpoint of Lambda.
type callsClient func(config func() aws.Config, endpoint, name string) invoke.Function

// WithCalls gives a function the calls of others that its environment names; client is
// awslambda.New. Without it, Env.Render and Env.Seal are nil.
func WithCalls(client callsClient) Option {
	return func(l *linked) { l.calls = client }
}

// callee returns the function whose name is in a variable; nil if nothing is there.
func (v *variables) callee(variable string, c cloud, client callsClient) invoke.Function {
	name := v.getenv(variable)
	if name == "" || client == nil {
		return nil
	}
	return client(func() aws.Config { return c.config(callTime) }, c.lambda(), name)
}

// keys returns the keys of KMS, or of a file.
func (v *variables) keys(c cloud, client keysClient) keys.Keys {
	if path := v.getenv("KEYS_FILE"); path != "" {
		k, err := keys.FromFile(path)
		if err != nil {
			v.wrong("KEYS_FILE", "can't be used: %v", err)
		}
		return k
	}
	if client == nil {
		return nil
	}
	return keys.FromKMS(func() keys.KMS { return client(c.kms())() }, keys.Names{
		Signing: v.names("SIGNING_KEYS"),
		Secrets: map[keys.Use][]string{
			keys.Codes: v.names("CODE_KEYS"), keys.Refresh: v.names("REFRESH_KEYS"), keys.Chains: v.names("CHAIN_KEYS"),
			keys.Hooks: v.names("HOOK_KEYS"),
		},
	})
}

// names reads a list of names, of which there is one at least.
func (v *variables) names(name string) []string {
	return strings.FieldsFunc(v.required(name), func(r rune) bool { return r == ',' || r == ' ' })
}

// sealer returns the key that seals documents, if this function has it.
func (v *variables) sealer(c cloud, client keysClient) keys.Sealer {
	key, path := v.getenv("SEAL_KEY"), v.getenv("KEYS_FILE")
	switch {
	case key == "":
		return nil
	case path != "":
		s, err := keys.SealerFromFile(path)
		if err != nil {
			v.wrong("KEYS_FILE", "can't be used: %v", err)
		}
		return s
	default:
		return keys.SealerFromKMS(func() keys.KMS { return client(c.kms())() }, key)
	}
}
