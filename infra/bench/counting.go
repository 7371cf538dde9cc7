package main

import (
	"context"
	"net/http"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/golang-jwt/jwt/v5"

	"github.com/tenantry/tenantry/infra/groups"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/keys"
	"github.com/tenantry/tenantry/shared/keys/awskms"
)

// invoker is a function.
type invoker interface {
	Invoke(ctx context.Context, payload []byte) ([]byte, error)
}

// counts is what a function used apart from the table.
type counts struct {
	mu                              sync.Mutex
	logged, signs, macs, puts, gets int
	got                             int // bytes from the bucket
}

func (c *counts) add(n *int, by int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*n += by
}

func (c *counts) reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.logged, c.signs, c.macs, c.puts, c.gets, c.got = 0, 0, 0, 0, 0, 0
}

func (c *counts) read() (logged, signs, macs, puts, gets int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.logged, c.signs, c.macs, c.puts, c.gets
}

// fromBucket returns how many objects were read, and how many bytes.
func (c *counts) fromBucket() (gets, bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.gets, c.got
}

// Write takes the function's log.
func (c *counts) Write(line []byte) (int, error) {
	c.add(&c.logged, len(line))
	return len(line), nil
}

// countedKeys counts the requests that would go to KMS.
type countedKeys struct {
	keys.Keys
	counts *counts
}

func (k countedKeys) Sign(ctx context.Context, claims jwt.Claims) (string, error) {
	k.counts.add(&k.counts.signs, 1)
	return k.Keys.Sign(ctx, claims)
}

func (k countedKeys) MAC(ctx context.Context, use keys.Use, key keys.ID, message []byte) ([]byte, error) {
	k.counts.add(&k.counts.macs, 1)
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
		b.counts.add(&b.counts.puts, 1)
	case http.MethodGet, http.MethodHead:
		b.counts.add(&b.counts.gets, 1)
	}
	answer, err := b.next.Do(r)
	if err == nil && r.Method == http.MethodGet {
		b.counts.add(&b.counts.got, int(max(0, answer.ContentLength)))
	}
	return answer, err
}

// countingEnv makes an environment for a function, and the counts of what it uses.
func countingEnv(variables []string) (app.Env, *counts, error) {
	values := map[string]string{}
	for _, v := range variables {
		name, value, _ := strings.Cut(v, "=")
		values[name] = value
	}
	return countingEnvOf(values)
}

// countingEnvOf is countingEnv of variables by their names.
func countingEnvOf(values map[string]string) (app.Env, *counts, error) {
	env, err := app.FromEnvironment(func(name string) string { return values[name] }, app.WithSealKey(awskms.New))
	if err != nil {
		return env, nil, err
	}
	used := new(counts)
	env.Log, env.Config.ServerTiming = used, true
	env.Keys = countedKeys{Keys: env.Keys, counts: used}
	config := env.AWS("DYNAMODB_ENDPOINT")
	config.HTTPClient = countedBucket{next: awshttp.NewBuildableClient(), counts: used}
	env.Files = files.New(files.Options{
		Bucket: values["BUCKET_NAME"], Endpoint: values["S3_ENDPOINT"],
		Config: func(context.Context) (aws.Config, error) { return config, nil },
	})
	groups.Link(&env)
	return env, used, nil
}
