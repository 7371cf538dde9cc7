package settings_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/functions/authorizer"
	"github.com/tenantry/tenantry/functions/settings"
	"github.com/tenantry/tenantry/functions/tenants/feed"
	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const (
	feeds   = "/v1/crm/settings/feed_tokens/"
	police  = `{"name":"Traffic police"}`
	created = `"created_at":"2026-03-02T09:30:00Z"`
)

// known returns what the authorizer finds for a token.
func known(t *testing.T, api *webtest.API, text string) string {
	t.Helper()
	a := authorizer.New(authorizer.Config{Table: api.Env.Table, Keys: api.Env.Keys, Now: api.Clock.Now, Log: new(strings.Builder)})
	raw, err := a.Invoke(t.Context(), fmt.Appendf(nil, `{"headers":{"authorization":"Bearer %s"}}`, text))
	if err != nil {
		t.Fatal(err)
	}
	var answer struct{ Context map[string]string }
	if err := json.Unmarshal(raw, &answer); err != nil {
		t.Fatal(err)
	}
	return answer.Context["verdict"] + " " + answer.Context["tenant"] + " " + answer.Context["feed"]
}

func TestAFeedTokenIsShownOnceAndRevoked(t *testing.T) {
	api := newAPI(t)
	owner := api.As(webtest.Owner(1))
	owner.Get(feeds).Status(200).JSON(`[]`)
	made := owner.Post(feeds, police).Status(201).Header("ETag", `"1"`).Header("Location", webtest.BaseURL+feeds+"1/").
		Header("Cache-Control", "private, no-store").Writes(5).Calls(3)
	text := made.Text("token")
	view := `{"id":1,` + created + `,"name":"Traffic police","ending":"` + text[len(text)-4:] + `","created_by":14}`
	made.JSON(strings.TrimSuffix(view, "}") + `,"token":"` + text + `"}`)
	owner.Get(feeds+"1/").Status(200).JSON(view).Header("ETag", `"1"`)
	owner.Get(feeds).Status(200).JSON(`[` + view + `]`)
	if got := known(t, api, text); got != "ok 1 1" {
		t.Errorf("the authorizer finds %s", got)
	}
	theirs := api.As(webtest.Owner(2))
	theirs.Get(feeds).Status(200).JSON(`[]`)
	theirs.Get(feeds + "1/").Status(404).JSON(notFound)
	theirs.Delete(feeds + "1/").Status(404).JSON(notFound).Writes(0)
	owner.With("If-Match", `"7"`).Delete(feeds + "1/").Status(412).Writes(0)
	if got := known(t, api, text); got != "ok 1 1" {
		t.Errorf("after failed deletions the authorizer finds %s", got)
	}
	owner.Delete(feeds + "1/").Status(204).Empty()
	if got := known(t, api, text); got != "invalid  " {
		t.Errorf("once it is revoked the authorizer finds %s", got)
	}
	owner.Delete(feeds + "1/").Status(404)
	owner.Get(feeds + "1/").Status(404)
	owner.Get(feeds).Status(200).JSON(`[]`)

	kind, _ := kinds.ByName("feed_token")
	entries, count, err := audit.Page(t.Context(), table.Of(api.Env.Table, 1), kind, 1, 0, 10)
	if err != nil || count != 2 || entries[0].Action != "deleted" || len(entries[1].Changes) != 3 {
		t.Errorf("%d entries, %+v, %v", count, entries, err)
	}
}

func TestFeedTokensAreTheOwnersAlone(t *testing.T) {
	api := newAPI(t).Join(webtest.Employee(1), webtest.ReadOnly(1))
	owner := api.As(webtest.Owner(1))
	owner.Post(feeds, police).Status(201)
	for _, caller := range []webtest.Caller{webtest.ReadOnly(1), webtest.Employee(1), webtest.Manager(1), webtest.Feed(1, 1)} {
		c := api.As(caller)
		c.Get(feeds).Status(403).JSON(forbidden).Calls(0)
		c.Get(feeds + "1/").Status(403).JSON(forbidden).Calls(0)
		c.Post(feeds, police).Status(403).JSON(forbidden).Calls(0)
		c.Delete(feeds + "1/").Status(403).JSON(forbidden).Calls(0)
	}
	// Who has ceased to be the owner since the authorizer looked makes and revokes none.
	gone := api.As(webtest.Member(99, 1, "owner"))
	if code := gone.Post(feeds, police).Code(); code != 403 { // it uses up a number
		t.Errorf("status %d", code)
	}
	gone.Delete(feeds + "1/").Status(403).Writes(0)
	if got := len(list(owner)); got != 1 {
		t.Errorf("%d tokens", got)
	}
}

func list(c *webtest.Client) (list []struct{ ID int64 }) {
	_ = json.Unmarshal(c.Get(feeds).Status(200).Body(), &list)
	return list
}

func TestWhatIsNoFeedToken(t *testing.T) {
	owner := newAPI(t).As(webtest.Owner(1))
	for body, want := range map[string]string{
		`{}`:            `{"name":["This field is required."]}`,
		`{"name":null}`: `{"name":["This field may not be null."]}`,
		`{"name":" "}`:  `{"name":["This field may not be blank."]}`,
		`{"name":"` + strings.Repeat("я", 256) + `"}`: `{"name":["Ensure this field has no more than 255 characters."]}`,
		`{"name":"a","tenant":2}`:                     `{"tenant":["Invalid pk \"2\" - object does not exist."]}`,
	} {
		owner.Post(feeds, body).Status(400).JSON(want).Writes(0)
	}
	// What callers may not decide is ignored.
	a := owner.Post(feeds, `{"name":"a","token":"tnt_feed_mine","ending":"mine","created_by":5,"id":9}`).Status(201).Field("id", "1").
		Field("created_by", "14")
	if a.Text("token") == "tnt_feed_mine" {
		t.Error("a caller chose the token")
	}
}

func TestACompanyHasSomeFeedTokens(t *testing.T) {
	api := newAPI(t)
	owner := api.As(webtest.Owner(1)).With("Idempotency-Key", "the same")
	seen := map[string]bool{}
	for range feed.Most {
		seen[owner.Post(feeds, police).Status(201).NoHeader("Idempotent-Replayed").Text("token")] = true
	}
	if len(seen) != feed.Most {
		t.Errorf("%d tokens of %d differ", len(seen), feed.Most)
	}
	owner.Post(feeds, police).Status(400).JSON(`{"non_field_errors":["There can be at most 20 feed tokens."]}`).Writes(0)
	api.As(webtest.Owner(2)).Post(feeds, police).Status(201)
	owner.Delete(feeds + "7/").Status(204)
	owner.Post(feeds, police).Status(201).Field("id", "21")
}

// Two who revoke one token at once are told what happened, and it is gone.
func TestRevokedTwiceAtOnce(t *testing.T) {
	api := newAPI(t)
	owner := api.As(webtest.Owner(1))
	text := owner.Post(feeds, police).Status(201).Text("token")
	codes := make([]int, 8)
	var wait sync.WaitGroup
	for i := range codes {
		wait.Go(func() { codes[i] = owner.Delete(feeds + "1/").Code() })
	}
	wait.Wait()
	won := 0
	for _, code := range codes {
		if code == 204 {
			won++
		} else if code != 404 {
			t.Errorf("status %d", code)
		}
	}
	if won != 1 || known(t, api, text) != "invalid  " {
		t.Errorf("%d revoked it, and the authorizer finds %s", won, known(t, api, text))
	}
}

// Nothing that opens a door is in the table or in the log, and no partition of a company has the platform's item.
func TestTheTokenIsNowhere(t *testing.T) {
	name := enginetest.Table(t)
	api := webtest.Setup{Change: func(e *app.Env) { e.Table = table.Open(enginetest.Client(t), name) }}.New(t, settings.New).Join(webtest.Owner(1))
	owner := api.As(webtest.Owner(1)).With("Idempotency-Key", "k")
	text := owner.Post(feeds, police).Status(201).Text("token")
	hash, _ := crosstenant.FeedHash(text)
	out, err := enginetest.Client(t).Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String(name)})
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, raw := range out.Items {
		var item map[string]any
		if err := dynamo.UnmarshalItem(raw, &item); err != nil {
			t.Fatal(err)
		}
		found = found || item["pk"] == "F#"+hash
		if all := fmt.Sprint(item); strings.Contains(all, text) || strings.Contains(all, text[len("tnt_feed_"):]) {
			t.Errorf("%s", all)
		}
	}
	if !found {
		t.Error("no item under F#: the test looks in the wrong place")
	}
	if log := api.Log(); strings.Contains(log, text) || !strings.Contains(log, "feed-tokens-create") {
		t.Errorf("logged %s", log)
	}
}
