package world

import (
	"context"
	"fmt"
	"strings"
)

// inventory: ann has two groups, of which 1 has an image and two tariffs, and 2 is empty; a state; and four items: 1 is a car of
// the group 1 with an image, blocked for the first days of September 2040, 2 a tool, and 3 is withdrawn, whose unique_id 4 has by
// now. bob has a group, a state and an item.
func (s *story) inventory(ctx context.Context) error {
	image, err := s.upload(ctx, s.values["ann.access"], "Camry.png")
	if err != nil {
		return err
	}
	ofGroup, err := s.upload(ctx, s.values["ann.access"], "Sedans.png")
	if err != nil {
		return err
	}
	for _, step := range []struct{ as, request, body string }{
		{"ann", "POST /v1/crm/groups/", fmt.Sprintf(`{"name":"Sedans","unit_price":"9000000","unit_count":"2",
			"unit_type":"piece","points":[1],"filters":["automatic"],"image":%q}`, ofGroup)},
		{"ann", "POST /v1/crm/groups/", `{"name":"Tools","type":1}`},
		{"ann", "POST /v1/crm/groups/1/tarifs/", `{"inventory_group":1,"name":"Day","price":"15000","duriation":86400}`},
		{"ann", "POST /v1/crm/groups/1/tarifs/", `{"inventory_group":1,"name":"Delivery","price":"5000","one_time_payment":true}`},
		{"bob", "POST /v1/crm/groups/", `{"name":"Bob's own"}`},
		{"ann", "POST /v1/crm/inventories/states/", `{"name":"In repair","colour":"#e53935"}`},
		{"bob", "POST /v1/crm/inventories/states/", `{"name":"Bob's own"}`},
		{"ann", "POST /v1/crm/inventories/", fmt.Sprintf(`{"name":"Camry","unique_id":"C-1","group":1,"state":1,"category":1,
			"rental_point":1,"buy_price":"9000000","buy_date":"2024-02-29","image":%q,
			"car":{"brand":"Toyota","model":"Camry 70","number":"123 ABC 02"}}`, image)},
		{"ann", "POST /v1/crm/inventories/", `{"name":"Drill","type":1,"sell_price":"45000"}`},
		{"ann", "POST /v1/crm/inventories/", `{"name":"Old bike","unique_id":"B-1","disabled":2}`},
		{"ann", "POST /v1/crm/inventories/", `{"name":"New bike","unique_id":"B-1"}`},
		{"ann", "POST /v1/crm/inventories/1/blocks/", `{"start_at":"2040-09-01T00:00:00Z",
			"end_at":"2040-09-04T00:00:00Z","reason":"Repair"}`},
		{"bob", "POST /v1/crm/inventories/", `{"name":"Bob's own","unique_id":"C-1"}`},
	} {
		method, path, _ := strings.Cut(step.request, " ")
		if err := s.call(ctx, s.values[step.as+".access"], method, path, step.body, nil); err != nil {
			return err
		}
	}
	return nil
}
