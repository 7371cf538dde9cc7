package settings_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/web/webtest"
)

// Custom fields and tokens of feeds say for themselves what becomes of them, and never the token.
func TestEventsOfSettings(t *testing.T) {
	api := newAPI(t)
	now := func() *webtest.Client { // each at a moment of its own, which orders the events
		api.Clock.Step(time.Second)
		return api.As(webtest.Owner(1))
	}
	token := ""
	api.Left(1, func() {
		now().Post(all, least("client", "size", "string")).Status(201).Happened("custom_field.created")
		now().Patch(one+"1/", `{"label":"Size","required":true}`).Status(200).Happened("custom_field.updated")
		now().Patch(one+"1/", `{"label":"Size"}`).Status(200).Happened()
		now().Delete(one + "1/").Status(204).Happened("custom_field.deleted")
		token = now().Post(feeds, police).Status(201).Happened("feed_token.created").Text("token")
		now().Delete(feeds + "1/").Status(204).Happened("feed_token.deleted")
	},
		`custom_field.created custom_field:1 [] {}`,
		`custom_field.updated custom_field:1 [] {"fields":["label","required"]}`,
		`custom_field.deleted custom_field:1 [] {}`,
		`feed_token.created feed_token:1 [] {}`,
		`feed_token.deleted feed_token:1 [] {}`,
	)
	if log, err := json.Marshal(api.Events(1, 0)); err != nil || strings.Contains(string(log), token) {
		t.Errorf("the log has the token, or %v", err)
	}
}
