package signing_test

import (
	"testing"

	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// Who may only look learns no link: neither from the document, nor from an answer that was kept while they could do more.
func TestReadersLearnNoLink(t *testing.T) {
	w := newWorld(t)
	w.client("A", "+77011234567")
	w.upload("Lease")
	const signs = all + "1/signs/"
	client := w.staff().With("Idempotency-Key", "k").Post(signs, `{"client":1}`).Status(201).Text("uuid")
	company := w.staff().Post(all+"1/company/", `{}`).Status(201).Text("uuid")
	reader := w.As(webtest.ReadOnly(companyID)).In(t)
	for path, at := range map[string][]string{
		all: {"results.0.signs.0.uuid", "results.0.signs.1.uuid"}, all + "?search=lease": {"results.0.signs.0.uuid", "results.0.signs.1.uuid"},
		all + "1/": {"signs.0.uuid", "signs.1.uuid"}, signs: {"0.uuid", "1.uuid"}, all + "1/company/": {"uuid"},
	} {
		hidden, shown := reader.Get(path).Status(200).NotContain(client, company), w.staff().Get(path).Status(200)
		for i, field := range at {
			hidden.Field(field, "null")
			if id := shown.Text(field); id != client && id != company || i > 0 && id != company {
				t.Errorf("%s tells an employee the uuid %s", path, id)
			}
		}
	}
	w.staff().With("Idempotency-Key", "k").Post(signs, `{"client":1}`).Status(201).Header("Idempotent-Replayed", "true")
	demoted := webtest.Member(webtest.Employee(companyID).Principal.User, companyID, tenant.ReadOnly)
	w.As(demoted).In(t).With("Idempotency-Key", "k").Post(signs, `{"client":1}`).Status(403).NotContain(client)
}
