package main

import (
	"context"
	"net/http"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/golang-jwt/jwt/v5"

	"github.com/tenantry/tenantry/infra/groups"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/keys"
	"github.com/tenantry/tenantry/shared/keys/awskms"
)

// counts is what a function used apart from the table: bytes of its log, and requests to KMS and to the bucket.
type counts struct {
	logged, signs, macs, puts, gets atomic.Int64
}

// Write takes the function's log.
func (c *counts) Write(line []byte) (int, error) {
	c.logged.Add(int64(len(line)))
	return len(line), nil
}

// countedKeys counts the requests that would go to KMS.
type countedKeys struct {
	keys.Keys
	counts *counts
}

func (k countedKeys) Sign(ctx context.Context, claims jwt.Claims) (string, error) {
	k.counts.signs.Add(1)
	return k.Keys.Sign(ctx, claims)
}

func (k countedKeys) MAC(ctx context.Context, use keys.Use, key keys.ID, message []byte) ([]byte, error) {
	k.counts.macs.Add(1)
	return k.Keys.MAC(ctx, use, key, message)
}

// countedBucket counts the requests to the bucket.
type countedBucket struct {
	next   aws.HTTPClient
	counts *counts
}

func (b countedBucket) Do(r *http.Request) (*http.Response, error) {
	switch r.Method {
	case http.MethodPut, http.MethodPost:
		b.counts.puts.Add(1)
	case http.MethodGet, http.MethodHead:
		b.counts.gets.Add(1)
	}
	return b.next.Do(r)
}

// countingEnv makes an environment of variables, and the counts of what a function uses that has it.
func countingEnv(variables map[string]string) (app.Env, *counts, error) {
	env, err := app.FromEnvironment(func(name string) string { return variables[name] }, app.WithSealKey(awskms.New))
	if err != nil {
		return env, nil, err
	}
	used := new(counts)
	env.Log, env.Config.ServerTiming = used, true
	env.Keys = countedKeys{Keys: env.Keys, counts: used}
	config := env.AWS("DYNAMODB_ENDPOINT")
	config.HTTPClient = countedBucket{next: awshttp.NewBuildableClient(), counts: used}
	env.Files = files.New(files.Options{
		Bucket: variables["BUCKET_NAME"], Endpoint: variables["S3_ENDPOINT"],
		Config: func(context.Context) (aws.Config, error) { return config, nil },
	})
	groups.Link(&env)
	return env, used, nil
}
