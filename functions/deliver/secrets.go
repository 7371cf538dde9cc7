package deliver

import (
	"context"
	"sync"
	"time"

	"github.com/tenantry/tenantry/functions/webhooks/endpoint"
	"github.com/tenantry/tenantry/shared/keys"
	"github.com/tenantry/tenantry/shared/tenant"
)

// most is how many secrets an instance remembers.
const most = 1000

// secrets remembers the secrets of webhooks for the life of the instance: each costs a call of the key service.
type secrets struct {
	keys keys.Keys

	mu    sync.Mutex
	known map[secret][]byte
}

// secret names one.
type secret struct {
	company  tenant.ID
	endpoint int64
	number   int
	key      keys.ID
}

func newSecrets(k keys.Keys) *secrets { return &secrets{keys: k, known: map[secret][]byte{}} }

// of returns the secrets by which a webhook's deliveries are signed at a time.
func (s *secrets) of(ctx context.Context, company tenant.ID, e *endpoint.Endpoint, now time.Time) (list [][]byte, err error) {
	for _, g := range e.Generations(now) {
		name := secret{company, e.ID, g.Number, g.Key}
		s.mu.Lock()
		raw, ok := s.known[name]
		s.mu.Unlock()
		if !ok {
			if raw, err = endpoint.Secret(ctx, s.keys, company, e.ID, g); err != nil {
				return nil, err
			}
			s.remember(name, raw)
		}
		list = append(list, raw)
	}
	return list, nil
}

func (s *secrets) remember(name secret, raw []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.known) >= most {
		clear(s.known)
	}
	s.known[name] = raw
}
