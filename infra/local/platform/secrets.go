package platform

import (
	"context"
	"io"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/functions/webhooks/endpoint"
	"github.com/tenantry/tenantry/functions/webhooks/signature"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

// fewCompanies is how many companies' webhooks are looked through for the secret of a test, whose id names no company.
const fewCompanies = 20

// hookSecrets are the secrets by which what has an id may be signed: those of all webhooks of its company. Whoever has the machine has
// them, so the receiver of the console needs none to be pasted.
func (p *Platform) hookSecrets(ctx context.Context, id string) (secrets []string) {
	env, err := p.unjudged("webhooks", io.Discard)
	if err != nil {
		return nil
	}
	from, to := int64(1), int64(fewCompanies)
	if event, ok := strings.CutPrefix(id, "evt_"); ok {
		company, _, _ := strings.Cut(event, "_")
		if from, err = strconv.ParseInt(company, 10, 64); err != nil || from < 1 {
			return nil
		}
		to = from
	}
	for company := tenant.ID(from); company <= tenant.ID(to); company++ {
		scope := record.Scope{Table: table.Of(env.Table, company), Now: env.Now}
		list, err := endpoint.Kind().All(ctx, scope)
		if err != nil {
			continue // what can't be read verifies nothing
		}
		for _, e := range list {
			for _, g := range e.Generations(env.Now()) {
				if raw, err := endpoint.Secret(ctx, env.Keys, company, e.ID, g); err == nil {
					secrets = append(secrets, signature.Secret(raw))
				}
			}
		}
	}
	return secrets
}
