package tenants

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tenantry/tenantry/functions/tenants/staff"
	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// body is a valid one with another domain.
func body(domain string) string {
	return fmt.Sprintf(`{"name":"Acme","domain":%q,"address":"Abay 1","currency":"KZT","timezone":"Asia/Almaty"}`, domain)
}

func memberships(t *testing.T, s store, user int64) []tenant.Membership {
	t.Helper()
	list, err := s.memberships(context.Background(), user)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestACompanyIsMadeAndListed(t *testing.T) {
	api := newAPI(t)
	user := api.As(webtest.SignedIn(5))
	user.Get("/v1/tenant/").Status(200).JSON(`[]`).Calls(1)
	user.Post("/v1/tenant/", `{"name":" Acme ","domain":"Acme","address":"Abay 1","country":"KZ","currency":"KZT",
		"timezone":"Asia/Almaty","logo":"https://cdn.example.com/l.png","extra":{"bin":"140340010302"},"id":77,"role":"x"}`).
		Status(201).Writes(12).Calls(5).Units(1, 24).
		JSON(`{"id":1,"name":"Acme","address":"Abay 1","country":"KZ","currency":"KZT","timezone":"Asia/Almaty",
			"logo":"https://cdn.example.com/l.png","bin":null,"phone":null,"email":null,"language":null,"extra":{"bin":"140340010302"},"role":"owner","state":"active","notice":null,"erased_at":null}`)
	user.Post("/v1/tenant/", `{"name":"Beta","domain":"beta","currency":"USD","timezone":"UTC","country":null,"extra":null}`).
		Status(201).
		JSON(`{"id":2,"name":"Beta","address":"","country":null,"currency":"USD","timezone":"UTC","logo":null,"bin":null,"phone":null,"email":null,"language":null,"extra":null,"role":"owner","state":"active","notice":null,"erased_at":null}`)
	user.Get("/v1/tenant/").Status(200).Calls(2).Units(6, 0).
		Field("0.id", "2").Field("1.id", "1").Field("1.name", `"Acme"`).Field("1.role", `"owner"`).
		NotContain("acme.tenantry.test", `"domain"`)
	api.As(webtest.SignedIn(6)).Get("/v1/tenant/").Status(200).JSON(`[]`)

	s := open(api.Env.Table)
	want := []tenant.Membership{
		{Tenant: 1, Role: tenant.Owner, Host: "acme.tenantry.test"}, {Tenant: 2, Role: tenant.Owner, Host: "beta.tenantry.test"},
	}
	if got := memberships(t, s, 5); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("memberships %v, want %v", got, want)
	}
	var member staff.Member
	if err := s.all.Get(t.Context(), table.Of(api.Env.Table, 1).Member(5), &member); err != nil || member.Role != tenant.Owner ||
		member.User != 5 {
		t.Fatalf("member %+v, %v", member, err)
	}
	var host crosstenant.DomainItem
	if err := s.all.Get(t.Context(), crosstenant.Domain("acme.tenantry.test"), &host); err != nil || host.Tenant != 1 {
		t.Fatalf("domain %+v, %v", host, err)
	}
}

func TestWhatIsRefused(t *testing.T) {
	api := newAPI(t)
	user := api.As(webtest.SignedIn(5))
	user.Post("/v1/tenant/", body("acme")).Status(201)
	for _, c := range []struct{ name, body, want string }{
		{"nothing", `{}`, `{"name":["This field is required."],"domain":["This field is required."],
			"currency":["This field is required."],"timezone":["This field is required."]}`},
		{"taken", body("acme"), `{"domain":["This field must be unique."]}`},
		{"taken, in capitals and whole", body("ACME.tenantry.test."), `{"domain":["This field must be unique."]}`},
		{"reserved", body("admin"), `{"domain":["This domain name is reserved."]}`},
		{"no domain", body("a b"), `{"domain":["Enter a valid domain name."]}`},
		{
			"blank and null", `{"name":" ","domain":null,"currency":"","timezone":"UTC","country":""}`,
			`{"name":["This field may not be blank."],"domain":["This field may not be null."],
			"currency":["This field may not be blank."],"country":["This field may not be blank."]}`,
		},
		{
			"too long", `{"name":"` + strings.Repeat("ә", 256) + `","domain":"long","currency":"KZT","timezone":"UTC"}`,
			`{"name":["Ensure this field has no more than 255 characters."]}`,
		},
		{
			"no such codes", `{"name":"A","domain":"codes","currency":"ABC","timezone":"Local","country":"ZZ"}`,
			`{"currency":["\"ABC\" is not a valid choice."],"timezone":["\"Local\" is not a valid choice."],
			"country":["\"ZZ\" is not a valid choice."]}`,
		},
		{"no uri", `{"name":"A","domain":"uri","currency":"KZT","timezone":"UTC","logo":"javascript:1"}`, `{"logo":["Enter a valid URL."]}`},
		{"a list", `[]`, `{"non_field_errors":["Invalid data. Expected a dictionary, but got list."]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			user.In(t).Post("/v1/tenant/", c.body).Writes(writesOf(c.name)).Status(400).JSON(c.want)
		})
	}
	user.Get("/v1/tenant/").Status(200).Field("0.name", `"Acme"`)
	for _, caller := range []webtest.Caller{webtest.Nobody(), webtest.BadToken()} {
		api.As(caller).Get("/v1/tenant/").Status(401)
		api.As(caller).Post("/v1/tenant/", body("other")).Status(401)
	}
	user.Put("/v1/tenant/", body("other")).Status(405).Header("Allow", "GET, HEAD, POST, OPTIONS")
	user.Get("/v1/tenant/1/x/").Status(404)
	user.Get("/v1/tenant").Status(301).Header("Location", "/v1/tenant/")
}

// writesOf is what a refused request has written: only who got as far as the
// reservation is counted, and has taken a number, which nobody else gets.
func writesOf(name string) int {
	if strings.HasPrefix(name, "taken") {
		return 3
	}
	return 0
}

func TestTheDomainCheck(t *testing.T) {
	api := newAPI(t)
	api.As(webtest.SignedIn(5)).Post("/v1/tenant/", body("acme")).Status(201)
	anybody := api.As(webtest.Nobody())
	for domain, want := range map[string]string{
		"acme": "true", " ACME ": "true", "acme.tenantry.test": "true", "api": "true", "tenantry.test": "true",
		"free": "false", "acme.kz": "false",
	} {
		anybody.Post("/v1/tenant/domains/", map[string]string{"domain": domain}).Status(200).JSON(`{"exists":` + want + `}`)
	}
	anybody.Post("/v1/tenant/domains/", `{"domain":"a b"}`).Status(400).JSON(`{"domain":["Enter a valid domain name."]}`)
	anybody.Post("/v1/tenant/domains/", `{}`).Status(400).JSON(`{"domain":["This field is required."]}`)
	anybody.With("X-Tenant-Id", "99").Post("/v1/tenant/domains/", `{"domain":"free"}`).Status(200).Calls(1).Units(1, 0)
}

// Whoever asks about very many domains is refused, however many instances of the function answer; who asks little costs no write.
func TestADictionaryOfDomains(t *testing.T) {
	first := newAPI(t)
	second := webtest.Setup{Change: func(e *app.Env) { e.Table, e.Now = first.Env.Table, first.Env.Now }}.New(t, New)
	ask := func(api *webtest.API, ip string) *webtest.Answer {
		return api.As(webtest.Nobody()).From(ip).Post("/v1/tenant/domains/", `{"domain":"api"}`)
	}
	ask(first, "2001:db8:1:2::1").Status(200).Writes(0)
	answered := 1
	for n := 0; ask([]*webtest.API{first, second}[n%2], fmt.Sprintf("2001:db8:1:2::%x", n+2)).Code() == 200; n++ {
		if answered++; answered > asksPerMinute+2*asksAtOnce {
			t.Fatalf("%d questions of one /64 were answered", answered)
		}
	}
	if answered < asksPerMinute {
		t.Errorf("only %d questions were answered", answered)
	}
	ask(first, "198.51.100.9").Status(200).Writes(0)
	first.Clock.Step(time.Minute)
	ask(first, "2001:db8:1:2::1").Status(200)
}

func TestTwentyWantOneDomain(t *testing.T) {
	api := newAPI(t)
	codes := make([]int, 20)
	var wait sync.WaitGroup
	for i := range codes {
		wait.Go(func() { codes[i] = api.As(webtest.SignedIn(int64(i+1))).Post("/v1/tenant/", body("acme")).Code() })
	}
	wait.Wait()
	won := 0
	s := open(api.Env.Table)
	for i, code := range codes {
		list := memberships(t, s, int64(i+1))
		switch code {
		case 201:
			won++
			if len(list) != 1 {
				t.Errorf("the winner is in %d companies", len(list))
			}
		case 400:
			if len(list) != 0 {
				t.Errorf("user %d lost and is in a company", i+1)
			}
		default:
			t.Errorf("user %d: %d", i+1, code)
		}
	}
	if won != 1 {
		t.Fatalf("%d winners", won)
	}
	companies := 0
	for id := range tenant.ID(21) {
		_, err := s.company(t.Context(), id+1)
		if err == nil {
			companies++
		} else if !errors.Is(err, table.ErrNotFound) {
			t.Fatal(err)
		}
	}
	if companies != 1 {
		t.Fatalf("%d companies", companies)
	}
}

func TestFiveCompaniesOfOneUserAtOnce(t *testing.T) {
	api := newAPI(t)
	var wait sync.WaitGroup
	for i := range 5 {
		wait.Go(func() {
			if code := api.As(webtest.SignedIn(5)).Post("/v1/tenant/", body(fmt.Sprintf("acme%d", i))).Code(); code != 201 {
				t.Errorf("%d: %d", i, code)
			}
		})
	}
	wait.Wait()
	seen := map[tenant.ID]bool{}
	for _, m := range memberships(t, open(api.Env.Table), 5) {
		seen[m.Tenant] = true
	}
	if len(seen) != 5 {
		t.Fatalf("in %d companies", len(seen))
	}
	if n := strings.Count(string(api.As(webtest.SignedIn(5)).Get("/v1/tenant/").Status(200).Body()), `"id"`); n != 5 {
		t.Fatalf("%d companies listed", n)
	}
}

func TestTheMostCompaniesAndNoMore(t *testing.T) {
	api := newAPI(t)
	user := api.As(webtest.SignedIn(5))
	for i := range maxCompanies {
		if i%makeTries == makeTries-1 {
			api.Clock.Step(24 * time.Hour)
		}
		user.Post("/v1/tenant/", body(fmt.Sprintf("acme%d", i))).Status(201)
	}
	user.Post("/v1/tenant/", body("onemore")).Writes(3).Status(400).
		JSON(`{"non_field_errors":["You can't be in more than 50 companies."]}`)
	api.As(webtest.Nobody()).Post("/v1/tenant/domains/", `{"domain":"onemore"}`).Status(200).JSON(`{"exists":false}`)
	user.Get("/v1/tenant/").Status(200).Calls(2).Field("49.id", "1")
}

// All companies that a user can be in cost the authorizer one unit, with hosts
// that are as long as hosts are; half as many again would cost it another.
func TestTheMostCompaniesAreOneUnit(t *testing.T) {
	name := enginetest.Table(t)
	all := open(table.Open(enginetest.Client(t), name)).all
	for count, want := range map[int]float64{maxCompanies: 1, maxCompanies * 3 / 2: 2} {
		key := crosstenant.Memberships(table.MaxID)
		item := crosstenant.MembershipsItem{Item: table.At(key, crosstenant.MembershipsVersion)}
		for i := range count {
			item.List = append(item.List, tenant.Membership{
				Tenant: tenant.ID(table.MaxID - int64(i)), Role: tenant.ReadOnly, Host: strings.Repeat("h", 50),
			})
		}
		if err := all.Put(item).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		out, err := enginetest.Client(t).GetItem(t.Context(), &dynamodb.GetItemInput{
			TableName: &name, ConsistentRead: aws.Bool(true), ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
			Key: map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: key.PK}, "sk": &types.AttributeValueMemberS{Value: key.SK}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := *out.ConsumedCapacity.CapacityUnits; got != want {
			t.Errorf("%d companies cost %v units, want %v", count, got, want)
		}
	}
}

func TestHowOftenAUserCanTryToMakeACompany(t *testing.T) {
	api := newAPI(t)
	api.As(webtest.SignedIn(6)).Post("/v1/tenant/", body("acme")).Status(201)
	user := api.As(webtest.SignedIn(5))
	for range makeTries {
		user.Post("/v1/tenant/", `{}`).Status(400).Writes(0) // no try
		user.Post("/v1/tenant/", body("acme")).Writes(3).Status(400)
	}
	user.Post("/v1/tenant/", body("free")).Status(429).Writes(0)
	user.From("198.51.100.9").Post("/v1/tenant/", body("free")).Status(429).Writes(0)
	api.As(webtest.SignedIn(6)).Post("/v1/tenant/", body("another")).Status(201)
	api.Clock.Step(24 * time.Hour)
	user.Post("/v1/tenant/", body("free")).Status(201)
}
