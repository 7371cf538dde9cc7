package world

import (
	"context"
	"fmt"
	"strings"
)

// services: ann has two services, of which the first has two tariffs, and the second an image; bob has one.
func (s *story) services(ctx context.Context) error {
	image, err := s.upload(ctx, s.values["ann.access"], "Wash.png")
	if err != nil {
		return err
	}
	for _, step := range []struct{ as, request, body string }{
		{
			"ann", "POST /v1/crm/services/",
			`{"name":"Доставка в аэропорт","unique_id":"DLV-1","type":0,"price":7500,"category":1,"discount":1}`,
		},
		{"ann", "POST /v1/crm/services/1/tarifs/", `{"service":1,"name":"One way","price":7500,"one_time_payment":true}`},
		{"ann", "POST /v1/crm/services/1/tarifs/", `{"service":1,"name":"A driver for a day","price":40000,"duriation":86400}`},
		{"ann", "POST /v1/crm/services/", fmt.Sprintf(
			`{"name":"Car wash","type":4,"price":"3000.00","bonus":"-150.50","disabled":1,"image":%q}`, image,
		)},
		{"bob", "POST /v1/crm/services/", `{"name":"Bob's own"}`},
	} {
		method, path, _ := strings.Cut(step.request, " ")
		if err := s.call(ctx, s.values[step.as+".access"], method, path, step.body, nil); err != nil {
			return err
		}
	}
	return nil
}
