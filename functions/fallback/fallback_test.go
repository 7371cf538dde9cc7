package fallback_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/golang-jwt/jwt/v5"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/docs"
	"github.com/tenantry/tenantry/functions/fallback"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/keys"
	"github.com/tenantry/tenantry/shared/keys/keystest"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

func TestHealth(t *testing.T) {
	api := webtest.New(t, fallback.New)
	c := api.As(webtest.Nobody())
	c.Get("/health/").Status(200).JSON(`{"status":"ok"}`).Calls(1).Units(1, 0).Writes(0)
	c.Head("/health/").Status(200).Empty()
	c.Get("/health").Status(301).Header("Location", "/health/")
	c.Post("/health/", nil).Status(405).Header("Allow", "GET, HEAD, OPTIONS")
	api.As(webtest.BadToken()).With("X-Tenant-Id", "x").Get("/health/").Status(200)
	api.As(webtest.Unknown()).Get("/health/").Status(200)
}

func TestHealthWithoutTheTable(t *testing.T) {
	dead := dynamodb.New(dynamodb.Options{
		Region: "local", BaseEndpoint: aws.String("http://127.0.0.1:1"),
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "a", SecretAccessKey: "b"}, nil
		}),
	})
	for name, client := range map[string]dynamodbiface.DynamoDBAPI{"gone": dead, "silent": silent{}} {
		t.Run(name, func(t *testing.T) {
			api := webtest.Setup{Table: func(dynamodbiface.DynamoDBAPI) dynamodbiface.DynamoDBAPI { return client }}.New(t, fallback.New).Hasty()
			start := time.Now()
			api.As(webtest.Nobody()).Get("/health/").Status(503).
				JSON(`{"detail":"Service temporarily unavailable."}`).Header("Retry-After", "1").NotContain("127.0.0.1")
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

// silent is an engine that never answers.
type silent struct{ dynamodbiface.DynamoDBAPI }

func (silent) GetItem(ctx context.Context, _ *dynamodb.GetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// What the keys say is enough to verify a token.
func TestKeys(t *testing.T) {
	api := webtest.New(t, fallback.New)
	a := api.As(webtest.Nobody()).Get("/.well-known/jwks.json").Status(200).Calls(0).
		Header("Cache-Control", "public, max-age=300").Header("Content-Type", "application/json").
		JSON(`{"keys":[{"kty":"EC","crv":"P-256","use":"sig","alg":"ES256","kid":"<string>","x":"<string>","y":"<string>"}]}`)
	if kid := keystest.Kid(t, api.Env.Keys); a.Text("keys.0.kid") != kid {
		t.Errorf("kid %s, tokens have %s", a.Text("keys.0.kid"), kid)
	}
	api.As(webtest.Nobody()).Get("/.well-known/jwks.json/").Status(404)
}

func TestKeysUnavailable(t *testing.T) {
	api := webtest.Setup{Change: func(e *app.Env) { e.Keys = broken{} }}.New(t, fallback.New)
	api.As(webtest.Nobody()).Get("/.well-known/jwks.json").Status(503).NotContain("arn:aws")
}

type broken struct{ keys.Keys }

func (broken) Set(context.Context) ([]byte, error) { return nil, errors.New("arn:aws:kms: no") }

func (broken) Sign(context.Context, jwt.Claims) (string, error) { return "", errors.New("no") }

func TestDescription(t *testing.T) {
	api := webtest.New(t, fallback.New)
	c := api.As(webtest.Nobody())
	a := c.Get("/v1/openapi.json").Status(200).Calls(0).
		Header("Content-Type", "application/json").Header("Cache-Control", "public, max-age=3600")
	if string(a.Body()) != string(docs.OpenAPI()) || !json.Valid(a.Body()) {
		t.Error("it is not the file")
	}
	z := c.With("Accept-Encoding", "gzip").Get("/v1/openapi.json").Status(200).Header("Content-Encoding", "gzip")
	if string(z.Body()) != string(a.Body()) || z.Sent() > a.Sent()/2 {
		t.Errorf("%d bytes compressed, %d without", z.Sent(), a.Sent())
	}
	tag := a.Get("ETag")
	for header, status := range map[string]int{
		"":                     200,
		tag:                    304,
		"W/" + tag:             304,
		`"other", ` + tag:      304,
		"*":                    304,
		`"other"`:              200,
		tag[1 : len(tag)-1]:    200,
		tag[:len(tag)-2] + `"`: 200,
	} {
		b := c.With("If-None-Match", header).Get("/v1/openapi.json").Status(status).Header("ETag", tag)
		if status == 304 {
			b.Empty().NoHeader("Content-Type")
		}
	}
	c.Head("/v1/openapi.json").Status(200).Empty().Header("ETag", tag)
}

// The page of a code is what the type of a problem leads to.
func TestErrors(t *testing.T) {
	api := webtest.Setup{Change: func(e *app.Env) { e.Config.Languages = say.Languages() }}.New(t, fallback.New)
	c := api.As(webtest.Nobody())
	c.Get("/v1/errors/too_long/").Status(200).Calls(0).Header("Content-Type", "application/json").
		Header("Cache-Control", "public, max-age=3600").JSON(`{"code":"too_long","texts":[{"params":["max"],` +
		`"en":"Ensure this field has no more than {max} characters.","ru":"Не больше {max} символов.",` +
		`"kk":"{max} таңбадан артық болмауы керек."}]}`)
	page := c.With("Accept", "text/html,*/*;q=0.8").With("Accept-Language", "ru").Get("/v1/errors/too_long/").Status(200).
		Header("Content-Type", "text/html; charset=utf-8").Header("Content-Language", "ru").Header("X-Frame-Options", "DENY")
	body := string(page.Body())
	if !strings.Contains(body, "<li>Не больше {max} символов.<p") || !strings.Contains(body, "<title>too_long · Ошибки</title>") {
		t.Errorf("the page %s", body)
	}
	_, style, _ := strings.Cut(body, "<style>")
	style, _, _ = strings.Cut(style, "</style>")
	sum := sha256.Sum256([]byte(style))
	if policy := page.Get("Content-Security-Policy"); !strings.Contains(policy, base64.StdEncoding.EncodeToString(sum[:])) ||
		!strings.HasPrefix(policy, "default-src 'none'") {
		t.Errorf("the policy %q doesn't allow the page's style, or more", policy)
	}
	c.With("If-None-Match", page.Get("ETag")).With("Accept", "text/html").With("Accept-Language", "ru").Get("/v1/errors/too_long/").Status(304)
	c.With("If-None-Match", page.Get("ETag")).With("Accept", "text/html").With("Accept-Language", "kk").Get("/v1/errors/too_long/").Status(200).
		Header("Content-Language", "kk")
	c.Get("/v1/errors/nothing/").Status(404).JSON(`{"detail":"Not found."}`)
	c.Get("/v1/errors/title_invalid/").Status(404) // it is no refusal
	for code := range say.Codes() {
		c.Get("/v1/errors/"+code+"/").Status(200).Field("code", strconv.Quote(code))
	}
	all := c.Get("/v1/errors/").Status(200)
	if got := len(all.Value("codes").([]any)); got != len(say.Codes()) {
		t.Errorf("%d codes", got)
	}
	c.With("Accept", "text/html").Get("/v1/errors/").Status(200).Header("Content-Language", "en")
	problem := c.With("Accept", "application/problem+json").Get("/v1/nothing/").Status(404)
	address, _ := strings.CutPrefix(problem.Text("type"), "https://"+webtest.Host)
	c.Get(address).Status(200).Field("code", strconv.Quote(problem.Text("code")))
}

func TestEverythingElse(t *testing.T) {
	api := webtest.New(t, fallback.New)
	for _, caller := range []webtest.Caller{webtest.Nobody(), webtest.BadToken(), webtest.Unknown(), webtest.Owner(1)} {
		c := api.As(caller)
		for _, path := range []string{
			"/", "/v1", "/v1/", "/v2/document/", "/v1/crm/clients/", "/favicon.ico", "//v2/documents/", "/health//", "/healthy/",
			"/HEALTH/", "/%2e%2e/%2e%2e/etc/passwd", "/v1/openapi.yaml",
		} {
			for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} {
				c.Do(method, path, nil).Status(404).JSON(`{"detail":"Not found."}`).Calls(0)
			}
			c.Head(path).Status(404).Empty()
		}
	}
}
