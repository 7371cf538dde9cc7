package endpoint

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/shared/keys"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Overlap is how long deliveries are signed by a secret that was replaced, besides by the new one.
const Overlap = 24 * time.Hour

// Generation names a secret of a webhook. The secret itself is stored nowhere: it is the MAC of its name by a key that never leaves the
// key service.
type Generation struct {
	Number int            `dynamo:"n"`
	Key    keys.ID        `dynamo:"k"` // the platform's key that makes it: secrets outlive a change of the platform's own
	Until  *moment.Micros `dynamo:"u,omitempty"`
}

// First is the first secret of a webhook.
func First(k keys.Keys) (Generation, error) {
	list := k.Secrets(keys.Hooks)
	if len(list) == 0 {
		return Generation{}, errors.New("endpoint: no key of webhooks is configured")
	}
	return Generation{Number: 1, Key: list[0]}, nil
}

// Rotate gives a webhook a new secret. Deliveries have signatures by both for some time.
func (e *Endpoint) Rotate(k keys.Keys, now time.Time) error {
	next, err := First(k)
	if err != nil {
		return err
	}
	old, until := e.Secret, moment.Of(now.Add(Overlap))
	old.Until = &until
	next.Number = old.Number + 1
	e.Secret, e.Before = next, &old
	return nil
}

// Generations are the secrets by which a webhook's deliveries are signed at a time, the newest first.
func (e *Endpoint) Generations(now time.Time) []Generation {
	if e.Before == nil || e.Before.Until == nil || *e.Before.Until <= moment.Of(now) {
		return []Generation{e.Secret}
	}
	return []Generation{e.Secret, *e.Before}
}

// Secret returns the 32 bytes of a secret of a webhook of a company. It costs a call of the key service.
func Secret(ctx context.Context, k keys.Keys, company tenant.ID, id int64, g Generation) ([]byte, error) {
	mac, err := k.MAC(ctx, keys.Hooks, g.Key, fmt.Appendf(nil, "webhook#%d#%d#%d", company, id, g.Number))
	if err != nil {
		return nil, fmt.Errorf("endpoint: the secret %d of webhook %d: %w", g.Number, id, err)
	}
	return mac, nil
}
