package authorizer_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/uuid"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/functions/authorizer"
	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/keys"
	"github.com/tenantry/tenantry/shared/keys/access"
	"github.com/tenantry/tenantry/shared/keys/keystest"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/meter"
	"github.com/tenantry/tenantry/shared/tenant"
)

const (
	user   = 7
	family = "0b0e8f5e-6a54-4c3c-9d0f-3a5b1c9d2e01"
	host   = "api.tenantry.test"
)

// world is an authorizer before a real table in which user 7 has signed in and
// belongs to companies 1 and 2.
type world struct {
	*authorizer.Authorizer
	conn  *table.Conn
	table crosstenant.Table
	keys  keys.Keys
	now   time.Time
	log   *bytes.Buffer
}

func newWorld(t *testing.T) *world {
	t.Helper()
	conn := table.Open(enginetest.Client(t), enginetest.Table(t))
	w := &world{
		conn: conn, table: crosstenant.Open(conn), keys: keystest.New(t), log: new(bytes.Buffer),
		now: time.Date(2026, time.March, 2, 9, 30, 0, 0, time.UTC),
	}
	w.Authorizer = authorizer.New(authorizer.Config{Table: conn, Keys: w.keys, Now: func() time.Time { return w.now }, Log: w.log})
	w.put(t, crosstenant.FamilyItem{
		Item:       table.At(crosstenant.Family(user, family), crosstenant.FamilyVersion),
		Generation: 1, Rotated: w.now.UnixMilli(), Expires: w.now.Add(24 * time.Hour).Unix(),
	})
	w.put(t, crosstenant.MembershipsItem{
		Item: table.At(crosstenant.Memberships(user), crosstenant.MembershipsVersion),
		List: []tenant.Membership{
			{Tenant: 1, Role: tenant.Owner, Host: "one.tenantry.test"},
			{Tenant: 2, Role: tenant.ReadOnly, Host: "rent.example"},
		},
	})
	return w
}

func (w *world) put(t *testing.T, item any) {
	t.Helper()
	if err := w.table.Put(item).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func (w *world) token(t *testing.T) string {
	t.Helper()
	return w.tokenOf(t, user)
}

func (w *world) tokenOf(t *testing.T, user int64) string {
	t.Helper()
	token, err := access.Token(t.Context(), w.keys, user, family, uuid.New(), w.now, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// event is the gateway's event of a request.
func event(t testing.TB, headers map[string]string) []byte {
	t.Helper()
	all := map[string]string{"host": host, "accept": "*/*"}
	maps.Copy(all, headers)
	payload, err := json.Marshal(map[string]any{
		"version": "2.0", "type": "REQUEST", "routeKey": "$default", "rawPath": "/v2/documents/", "rawQueryString": "",
		"routeArn": "arn:aws:execute-api:eu-central-1:123456789012:abcdef1234/$default/$default", "identitySource": nil,
		"headers": all,
		"requestContext": map[string]any{
			"domainName": all["host"], "requestId": "r-1", "http": map[string]any{"method": "GET", "sourceIp": "203.0.113.7"},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return payload
}

// ask is the context of the answer, as JSON with its keys in order.
func (w *world) ask(ctx context.Context, t *testing.T, headers map[string]string) string {
	t.Helper()
	raw, err := w.Invoke(ctx, event(t, headers))
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		IsAuthorized bool           `json:"isAuthorized"`
		Context      map[string]any `json:"context"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil || !answer.IsAuthorized {
		t.Fatalf("answer %s, %v: the authorizer never denies", raw, err)
	}
	encoded, err := json.Marshal(answer.Context)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}

const (
	missing     = `{"verdict":"missing"}`
	invalid     = `{"verdict":"invalid"}`
	unavailable = `{"verdict":"unavailable"}`
	signedIn    = `{"basis":"several","family":"` + family + `","user":"7","verdict":"ok"}`
)

func TestCompanyOfARequest(t *testing.T) {
	w := newWorld(t)
	bearer := "Bearer " + w.token(t)
	for name, c := range map[string]struct {
		headers map[string]string
		want    string
	}{
		"nothing chooses": {nil, signedIn},
		"header":          {map[string]string{"x-tenant-id": " 2 "}, `{"basis":"header","family":"` + family + `","role":"read-only","tenant":"2","user":"7","verdict":"ok"}`},
		"foreign header":  {map[string]string{"x-tenant-id": "3"}, strings.Replace(signedIn, "several", "header", 1)},
		"own host":        {map[string]string{"host": "Rent.example"}, `{"basis":"host","family":"` + family + `","role":"read-only","tenant":"2","user":"7","verdict":"ok"}`},
		"origin":          {map[string]string{"origin": "https://one.tenantry.test"}, `{"basis":"origin","family":"` + family + `","role":"owner","tenant":"1","user":"7","verdict":"ok"}`},
		"forwarded host":  {map[string]string{"x-forwarded-host": "rent.example", "forwarded": "host=rent.example"}, signedIn},
	} {
		headers := map[string]string{"authorization": bearer}
		maps.Copy(headers, c.headers)
		if got := w.ask(t.Context(), t, headers); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestOneCompanyAndNone(t *testing.T) {
	w := newWorld(t)
	headers := map[string]string{"Authorization": "bearer " + w.token(t)}
	w.put(t, crosstenant.MembershipsItem{
		Item: table.At(crosstenant.Memberships(user), crosstenant.MembershipsVersion),
		List: []tenant.Membership{{Tenant: 5, Role: tenant.Manager}},
	})
	want := `{"basis":"only","family":"` + family + `","role":"manager","tenant":"5","user":"7","verdict":"ok"}`
	if got := w.ask(t.Context(), t, headers); got != want {
		t.Errorf("one company: %s, want %s", got, want)
	}
	if err := w.table.Delete(crosstenant.Memberships(user)).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	want = strings.Replace(signedIn, "several", "none", 1)
	if got := w.ask(t.Context(), t, headers); got != want {
		t.Errorf("no company: %s, want %s", got, want)
	}
}

func TestCost(t *testing.T) {
	w := newWorld(t)
	ctx, m := meter.Start(t.Context())
	w.ask(ctx, t, map[string]string{"authorization": "Bearer " + w.token(t)})
	if u := m.Usage(); u.Calls != 1 || u.ReadUnits > 2 || u.WriteUnits != 0 {
		t.Errorf("%+v, want 1 call and at most 2 read units", u)
	}
	ctx, m = meter.Start(t.Context())
	w.ask(ctx, t, nil)
	w.ask(ctx, t, map[string]string{"authorization": "Bearer a.b.c"})
	if u := m.Usage(); u.Calls != 0 {
		t.Errorf("%+v without a token that holds, want nothing", u)
	}
}

func TestNoToken(t *testing.T) {
	w := newWorld(t)
	for _, value := range []string{"", "Basic dTpw", "Token " + w.token(t), w.token(t)} {
		if got := w.ask(t.Context(), t, map[string]string{"authorization": value}); got != missing {
			t.Errorf("%.20q: %s, want %s", value, got, missing)
		}
	}
}

func TestEndedSignIns(t *testing.T) {
	w := newWorld(t)
	headers := map[string]string{"authorization": "Bearer " + w.token(t)}
	alive := crosstenant.FamilyItem{
		Item:       table.At(crosstenant.Family(user, family), crosstenant.FamilyVersion),
		Generation: 1, Expires: w.now.Add(time.Second).Unix(),
	}
	over, revoked := alive, alive
	over.Expires, revoked.Revoked = w.now.Unix(), w.now.Unix()
	for _, c := range []struct {
		name   string
		family crosstenant.FamilyItem
		want   string
	}{{"alive", alive, signedIn}, {"revoked", revoked, invalid}, {"expired", over, invalid}, {"alive again", alive, signedIn}} {
		w.put(t, c.family)
		if got := w.ask(t.Context(), t, headers); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	for _, c := range []struct {
		sign, now int64
		want      string
	}{{0, 1, invalid}, {1, 1, signedIn}, {1, 2, invalid}, {2, 1, invalid}, {0, 0, signedIn}} { // all sign-ins end with an epoch
		family := alive
		family.Epoch = c.sign
		w.put(t, family)
		w.put(t, crosstenant.MembershipsItem{
			Item: table.At(crosstenant.Memberships(user), crosstenant.MembershipsVersion), Epoch: c.now,
			List: []tenant.Membership{{Tenant: 1, Role: tenant.Owner}, {Tenant: 2, Role: tenant.Owner}},
		})
		if got := w.ask(t.Context(), t, headers); got != c.want {
			t.Errorf("a sign-in of epoch %d in epoch %d: %s, want %s", c.sign, c.now, got, c.want)
		}
	}
	w.now = w.now.Add(time.Hour)
	w.put(t, crosstenant.FamilyItem{Item: alive.Item, Expires: w.now.Add(time.Hour).Unix()})
	if got := w.ask(t.Context(), t, headers); got != invalid {
		t.Errorf("an hour later: %s, want %s", got, invalid)
	}
}

// deaf is an engine that can't be reached.
type deaf struct{ dynamodbiface.DynamoDBAPI }

func (deaf) BatchGetItem(context.Context, *dynamodb.BatchGetItemInput, ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	return nil, errors.New("connection refused")
}

// deafToWrites is an engine that can be read only.
type deafToWrites struct{ dynamodbiface.DynamoDBAPI }

func (deafToWrites) UpdateItem(context.Context, *dynamodb.UpdateItemInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	return nil, errors.New("no writes")
}

// brokenKeys has no public keys to give.
type brokenKeys struct{ keys.Keys }

func (brokenKeys) Public(context.Context, string) (*ecdsa.PublicKey, error) {
	return nil, errors.New("no answer from the keys")
}

// panickyKeys is a mistake of ours.
type panickyKeys struct{ keys.Keys }

func (panickyKeys) Public(context.Context, string) (*ecdsa.PublicKey, error) { panic("a mistake") }

func TestWhatCannotBeFoundOut(t *testing.T) {
	w := newWorld(t)
	token := w.token(t)
	now := func() time.Time { return w.now }
	conn := table.Open(enginetest.Client(t), "unused")
	for name, c := range map[string]authorizer.Config{
		"no table": {Table: table.Open(deaf{}, "t"), Keys: w.keys},
		"no keys":  {Table: conn, Keys: brokenKeys{}},
		"a panic":  {Table: conn, Keys: panickyKeys{}},
	} {
		var log bytes.Buffer
		c.Now, c.Log, c.Stage = now, &log, "test"
		w.Authorizer = authorizer.New(c)
		if got := w.ask(t.Context(), t, map[string]string{"authorization": "Bearer " + token}); got != unavailable {
			t.Errorf("%s: %s, want %s", name, got, unavailable)
		}
		var line map[string]string
		if err := json.Unmarshal(log.Bytes(), &line); err != nil || line["level"] != "error" || line["request_id"] != "r-1" ||
			line["Stage"] != "test" {
			t.Errorf("%s: logged %s (%v)", name, &log, err)
		}
		if strings.Contains(log.String(), strings.Split(token, ".")[2]) {
			t.Errorf("%s: the log holds the token", name)
		}
	}
}

func TestWhatIsNoEvent(t *testing.T) {
	w := newWorld(t)
	for _, payload := range []string{"", "null", "[]", `"x"`, "{", `{"headers":7}`, `{}`} {
		raw, err := w.Invoke(t.Context(), []byte(payload))
		if err != nil || string(raw) != `{"isAuthorized":true,"context":`+missing+`}` {
			t.Errorf("%q: %s, %v", payload, raw, err)
		}
	}
}
