package world

import (
	"context"
	"net/http"
)

// sms: ann has topped up 100.00 and sent two messages, of which the first goes to two telephones; nobody carries them out. What bob has is
// not enough for one.
func (s *story) sms(ctx context.Context) error {
	for _, step := range []struct{ as, path, body string }{
		{"ann", "/v1/sms/account/top_up/", `{"amount":"100"}`},
		{"bob", "/v1/sms/account/top_up/", `{"amount":"14.99"}`},
		{"ann", "/v1/sms/messages/", `{"phones":["+77011234567","+77017654321"],"message":"Your car is ready."}`},
		{"ann", "/v1/sms/messages/", `{"phones":["+77011234567"],"message":"Көлік дайын"}`},
	} {
		if err := s.call(ctx, s.values[step.as+".access"], http.MethodPost, step.path, step.body, nil); err != nil {
			return err
		}
	}
	return nil
}
