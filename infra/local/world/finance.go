package world

import (
	"context"
	"net/http"
)

// finance: ann has two accounts, of which the first is the default and the second has a type. In the first are three transactions, one
// of them dated far ahead; 4 refunds a part of 1; 5 and 6 are of an exchange. bob has an account.
func (s *story) finance(ctx context.Context) error {
	for _, step := range []struct{ as, path, body string }{
		{"ann", "/v1/finances/accounts/", `{"name":"Cash desk","initial":"1000","order":1}`},
		{"ann", "/v1/finances/accounts/", `{"name":"Bank","types":[3,5]}`},
		{"bob", "/v1/finances/accounts/", `{"name":"Bob's own"}`},
		{"ann", "/v1/finances/transactions/", `{"account":1,"amount":"5000","client":1,"comment":"Аренда","date":"2026-01-15T10:00:00"}`},
		{"ann", "/v1/finances/transactions/", `{"account":1,"amount":"-350.50","comment":"Fuel","date":"2026-02-01T09:00:00"}`},
		{"ann", "/v1/finances/transactions/", `{"account":1,"amount":"100","date":"2199-01-01T00:00:00"}`},
		{"ann", "/v1/finances/refunds/", `{"transaction":1,"amount":"500","date":"2026-01-16T10:00:00"}`},
		{"ann", "/v1/finances/exchanges/", `{"from":1,"to":2,"amount":"2000","date":"2026-02-02T10:00:00"}`},
	} {
		if err := s.call(ctx, s.values[step.as+".access"], http.MethodPost, step.path, step.body, nil); err != nil {
			return err
		}
	}
	return nil
}
