package conformance_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// TestNoUUIDOfASignForReaders: whoever knows the uuid of a sign can act as its signer. So no answer to a reader who can't change
// documents holds one, whichever operation it is of.
func TestNoUUIDOfASignForReaders(t *testing.T) {
	api := again(t)
	maker := *mustMake(t, signMaker)
	maker.join(t, api)
	reader, owner := webtest.ReadOnly(1), api.As(webtest.Owner(1))
	api.Join(reader)
	order := *mustMake(t, "orders-create")
	order.record(t, api, 1, 1)
	maker.prepare(t, api, 1) // document 1
	owner.Patch("/v2/documents/1/", `{"content_type":"OrderRequest","object_id":1}`).Status(200)
	uuids := []string{
		owner.Post("/v2/documents/1/signs/", `{"client":1}`).Status(201).Text("uuid"),
		owner.Post("/v2/documents/1/company/", `{}`).Status(201).Text("uuid"),
	}
	owner.Delete("/v2/documents/1/signs/1/").Status(204) // its history tells all of it
	uuids = append(uuids, owner.Post("/v2/documents/1/signs/", `{"client":1}`).Status(201).Text("uuid"))

	holds := func(a *webtest.Answer) bool {
		for _, id := range uuids {
			if strings.Contains(string(a.Body()), id) || strings.Contains(a.Get("Location"), id) {
				return true
			}
		}
		return false
	}
	shown, answered := 0, 0
	try := func(path string) {
		a := api.As(reader).Get(path)
		if a.Code() == 200 {
			answered++
		}
		if holds(a) {
			t.Errorf("%s tells a reader the uuid of a sign: %s", path, a.Body())
		}
		if holds(owner.Get(path)) {
			shown++
		}
	}
	for _, op := range operations() {
		if op.Method != "GET" || !inTenant(op) || op.LeastRole() != tenant.ReadOnly {
			continue
		}
		try(op.path() + op.asked())
		if strings.Contains(op.ID, "list") {
			try(op.path() + "?pageSize=1000&search=" + url.QueryEscape("a"))
		}
	}
	for _, k := range kinds.All() {
		try("/v1/crm/history/?pageSize=1000&object=" + k.Name + ":1")
	}
	if shown < 4 || answered < 60 {
		t.Errorf("%d paths show such a uuid to an owner, and %d have answers for a reader: the test tries too little", shown, answered)
	}
}

// mustMake is the operation with an id.
func mustMake(t *testing.T, id string) *operation {
	t.Helper()
	for _, op := range operations() {
		if op.ID == id {
			return &op
		}
	}
	t.Fatalf("there is no operation %s", id)
	return nil
}
