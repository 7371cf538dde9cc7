package feed_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/tenants/feed"
	"github.com/tenantry/tenantry/shared/record/recordtest"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
)

func TestToken(t *testing.T) {
	recordtest.Run(t, recordtest.Subject[*feed.Token]{
		Kind: feed.Kind(),
		New: func(n int) *feed.Token {
			return &feed.Token{Name: fmt.Sprint("Registry ", n), CreatedBy: 3, Hash: fmt.Sprint("h", n), Ending: "aB-_"}
		},
		Change: func(f *feed.Token, n int) { f.Name = fmt.Sprint("Register ", n) },
	})
}

// A text is recognised by what scanners look for, holds what the two uuids hold, and no two are alike.
func TestText(t *testing.T) {
	form, seen := regexp.MustCompile(`^tnt_feed_[A-Za-z0-9_-]{43}$`), map[string]bool{}
	for range 100 {
		text := feed.Text(uuid.New)
		if _, ok := crosstenant.FeedHash(text); !ok || !form.MatchString(text) || seen[text] || !crosstenant.IsFeedToken(text) {
			t.Fatalf("%q", text)
		}
		seen[text] = true
	}
	uuids := []uuid.UUID{{1}, {2}, {1}, {3}, {3}, {2}}
	next := func() uuid.UUID { u := uuids[0]; uuids = uuids[1:]; return u }
	a, b, c := feed.Text(next), feed.Text(next), feed.Text(next)
	if a == b || a == c {
		t.Errorf("%s %s %s: a uuid is left out", a, b, c)
	}
}
