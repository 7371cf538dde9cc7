package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tenantry/tenantry/infra/local/engine"
	"github.com/tenantry/tenantry/infra/local/platform"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
)

const (
	clients       = 8
	spells        = 6 // of each side, alternately
	spell         = 2500 * time.Millisecond
	platformBound = 0.40

	localTable = "tenantry" // the table of the local platform
)

// platform measures the whole local platform against a client that makes the
// same calls to the same engine and nothing else.
func (b *bench) platform(ctx context.Context, r *section) error {
	r.Title = "The local platform, end to end"
	b.say("  starting the platform")
	p, err := platform.Start(ctx, platform.Options{Addr: "127.0.0.1:0", Demo: true, Seed: 100, Out: io.Discard})
	if err != nil {
		return err
	}
	defer p.Close()
	whole, err := wholePlatform(ctx, p)
	if err != nil {
		return err
	}
	bare, err := bareClient(p, whole.token)
	if err != nil {
		return err
	}
	rates := map[string][]float64{}
	for round := range spells + 1 {
		for _, side := range []struct {
			name string
			once func(context.Context) error
		}{{"platform", whole.list}, {"bare", bare.list}, {"gzip", whole.compressed}} {
			rate, err := answersASecond(ctx, side.once)
			if err != nil {
				return fmt.Errorf("%s: %w", side.name, err)
			}
			if round > 0 { // the first round only warms up
				rates[side.name] = append(rates[side.name], rate)
			}
		}
	}
	mine, others, zipped := mean(rates["platform"]), mean(rates["bare"]), mean(rates["gzip"])
	r.judgeTime("the local platform against a bare client making the same table calls", mine >= platformBound*others, "≥ 40 %",
		"%.0f %% (%.0f and %.0f answers/s)", 100*mine/others, mine, others)
	rows := [][]string{{"Round", "Platform", "Bare client", "", "Platform, gzip asked for"}}
	for i, rate := range rates["platform"] {
		rows = append(rows, []string{
			fmt.Sprint(i + 1), fmt.Sprintf("%.0f/s", rate), fmt.Sprintf("%.0f/s", rates["bare"][i]),
			fmt.Sprintf("%.0f %%", 100*rate/rates["bare"][i]), fmt.Sprintf("%.0f/s", rates["gzip"][i]),
		})
	}
	r.table(rows)
	r.text(
		"%d clients, a company with 100 documents, a list of 20, rounds of %s in turns on one engine in memory. The platform is\n"+
			"everything that `make run` runs: HTTP, the gateway, the authorizer with its signature, the function, the sweep of the\n"+
			"outbox. The bare client is the SDK's, makes the authorizer's BatchGet and the two queries of the list, and looks at no\n"+
			"answer. Clients share the cores with what they measure. With gzip, which the row above does not use: %.0f %%.",
		clients, spell, 100*zipped/others,
	)
	return nil
}

func mean(list []float64) (m float64) {
	for _, x := range list {
		m += x / float64(len(list))
	}
	return m
}

// answersASecond is how many answers 8 clients together get in a second.
func answersASecond(ctx context.Context, once func(context.Context) error) (float64, error) {
	var done atomic.Int64
	var failure atomic.Pointer[error]
	var wait sync.WaitGroup
	start := time.Now()
	for range clients {
		wait.Go(func() {
			for time.Since(start) < spell && failure.Load() == nil {
				if err := once(ctx); err != nil {
					failure.Store(&err)
					return
				}
				done.Add(1)
			}
		})
	}
	wait.Wait()
	if err := failure.Load(); err != nil {
		return 0, *err
	}
	return float64(done.Load()) / time.Since(start).Seconds(), nil
}

// caller calls the platform as any client would.
type caller struct {
	http       *http.Client
	url, token string
}

func wholePlatform(ctx context.Context, p *platform.Platform) (*caller, error) {
	c := &caller{url: p.URL, http: &http.Client{Transport: &http.Transport{
		MaxIdleConnsPerHost: clients, DisableCompression: true,
	}}}
	credentials, err := json.Marshal(map[string]string{"username": p.Demo().Username, "password": p.Demo().Password})
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.URL+"/v1/auth/login/", bytes.NewReader(credentials))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	content, err := c.do(request)
	if err != nil {
		return nil, err
	}
	var session struct{ Access string }
	if err := json.Unmarshal(content, &session); err != nil {
		return nil, err
	}
	c.token = session.Access
	return c, nil
}

func (c *caller) do(request *http.Request) ([]byte, error) {
	answer, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %d %.200s", request.URL, answer.StatusCode, content)
	}
	return content, err
}

func (c *caller) request(ctx context.Context) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("%s/v2/documents/?pageSize=%d", c.url, pageSize), nil)
	if err == nil {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	return request, err
}

func (c *caller) list(ctx context.Context) error {
	request, err := c.request(ctx)
	if err != nil {
		return err
	}
	content, err := c.do(request)
	if err == nil && !bytes.HasPrefix(content, []byte(`{"count":100,`)) {
		err = fmt.Errorf("an answer of another company: %.200s", content)
	}
	return err
}

func (c *caller) compressed(ctx context.Context) error {
	request, err := c.request(ctx)
	if err != nil {
		return err
	}
	request.Header.Set("Accept-Encoding", "gzip")
	_, err = c.do(request)
	return err
}

// bare makes the same table calls as a request, with the SDK's client and nothing else.
type bare struct {
	client   *dynamodb.Client
	identity *dynamodb.BatchGetItemInput
	counters *dynamodb.QueryInput
	page     *dynamodb.QueryInput
}

func bareClient(p *platform.Platform, token string) (*bare, error) {
	claims := struct {
		User   int64  `json:"user_id"`
		Family string `json:"family"`
	}{}
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return nil, errors.New("the access token is no JWT")
	}
	content, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(content, &claims); err != nil {
		return nil, err
	}
	text := func(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
	key := func(k table.Key) map[string]types.AttributeValue {
		return map[string]types.AttributeValue{"pk": text(k.PK), "sk": text(k.SK)}
	}
	// 12 groups of 9 ids hold the 100 documents. The newest come first, so a page of 20 is
	// read downwards from the end of the last group.
	const from, to = 73, 108
	company := table.Of(table.Open(nil, localTable), tenant.ID(p.Demo().Tenant))
	name := aws.String(localTable)
	return &bare{
		client: engine.Client(p.Storage.TableEndpoint),
		identity: &dynamodb.BatchGetItemInput{
			ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
			RequestItems: map[string]types.KeysAndAttributes{
				localTable: {ConsistentRead: aws.Bool(true), Keys: []map[string]types.AttributeValue{
					key(crosstenant.Family(claims.User, claims.Family)), key(crosstenant.Memberships(claims.User)),
				}},
			},
		},
		counters: &dynamodb.QueryInput{
			TableName: name, ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal, KeyConditionExpression: aws.String("pk = :pk"),
			ExpressionAttributeValues: map[string]types.AttributeValue{":pk": text(company.Listing(kinds.Document))},
		},
		page: &dynamodb.QueryInput{
			TableName:              name,
			ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
			Limit:                  aws.Int32(pageSize),
			ScanIndexForward:       aws.Bool(false),
			KeyConditionExpression: aws.String("pk = :pk AND sk BETWEEN :from AND :to"),
			ExpressionAttributeValues: map[string]types.AttributeValue{
				":pk": text(company.Records(kinds.Document)), ":from": text(table.SortID(from)), ":to": text(table.SortID(to)),
			},
		},
	}, nil
}

func (b *bare) list(ctx context.Context) error {
	identity, err := b.client.BatchGetItem(ctx, b.identity)
	if err != nil {
		return err
	}
	counters, err := b.client.Query(ctx, b.counters)
	if err != nil {
		return err
	}
	page, err := b.client.Query(ctx, b.page)
	if err == nil && (len(identity.Responses[localTable]) != 2 || len(counters.Items) == 0 || len(page.Items) != pageSize) {
		err = fmt.Errorf("the bare client reads something else: %d, %d and %d items",
			len(identity.Responses[localTable]), len(counters.Items), len(page.Items))
	}
	return err
}
