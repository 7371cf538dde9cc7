package world

import (
	"context"
	"net/http"
)

// templates: 1 and 3 are ann's, of which 1 is about orders and 3 about clients; 2 is deleted.
func (s *story) templates(ctx context.Context) error {
	const path = "/v2/documents/templates/"
	for _, step := range []struct{ method, path, body string }{
		{
			http.MethodPost, path,
			`{"name":"Contract","content_type":"orderrequest","content":"<h1>№ {{order.number}}</h1><p>{{client.name}}</p>"}`,
		},
		{http.MethodPost, path, `{"name":"A mistake","content_type":"client","content":"a"}`},
		{http.MethodPost, path, `{"name":"Letter","content_type":"client","content":"<p>{{client.name}}</p>","format":"A5"}`},
		{http.MethodDelete, path + "2/", ""},
	} {
		if err := s.call(ctx, s.values["ann.access"], step.method, step.path, step.body, nil); err != nil {
			return err
		}
	}
	return nil
}
