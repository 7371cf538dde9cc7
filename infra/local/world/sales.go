package world

import (
	"context"
	"net/http"
)

// sales: ann has the funnel 1 with the stages 1 to 3, of which 3 wants a reason, and two leads in the first; the funnel 2 has
// one stage, 4, and no leads. bob has a funnel, with one stage.
func (s *story) sales(ctx context.Context) error {
	for _, step := range []struct{ as, path, body string }{
		{"ann", "/v1/sales/funnels/", `{"name":"Rentals"}`},
		{"ann", "/v1/sales/funnels/", `{"name":"Corporate"}`},
		{"ann", "/v1/sales/funnels/1/stages/", `{"name":"New","colour":"#2f80ed"}`},
		{"ann", "/v1/sales/funnels/1/stages/", `{"name":"Won","type":"SUCCESS"}`},
		{"ann", "/v1/sales/funnels/1/stages/", `{"name":"Lost","type":"CANCEL"}`},
		{"ann", "/v1/sales/funnels/2/stages/", `{"name":"First talk"}`},
		{"ann", "/v1/sales/leads/", `{"stage":1,"funnel":1,"price":"150000","client":1,"manager":1,"source":1}`},
		{"ann", "/v1/sales/leads/", `{"stage":1,"funnel":1,"price":"20000.50","client":2,"ordering":1}`},
		{"bob", "/v1/sales/funnels/", `{"name":"Bob's own"}`},
		{"bob", "/v1/sales/funnels/1/stages/", `{"name":"New"}`},
	} {
		if err := s.call(ctx, s.values[step.as+".access"], http.MethodPost, step.path, step.body, nil); err != nil {
			return err
		}
	}
	return nil
}
