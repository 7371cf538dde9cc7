package inventory_test

import (
	"fmt"
	"testing"

	"github.com/tenantry/tenantry/functions/inventory"
	"github.com/tenantry/tenantry/functions/settings"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// TestFieldsOfOneName: where cars and scooters have fields of one name, a filter finds both, each by the type of its own, and an order
// puts one after the other. What the item's own extra has under that name is another field.
func TestFieldsOfOneName(t *testing.T) {
	api := webtest.Setup{}.New(t, inventory.New, settings.New).Join(webtest.Manager(1))
	c := api.As(webtest.Manager(1))
	for _, field := range []string{`"inventory_car","type":"integer"`, `"inventory_scooter","type":"string"`, `"inventory_motorcycle","type":"integer"`} {
		c.Post("/v1/crm/settings/custom_fields_list/", `{"key":`+field+`,"name":"power","label":"P","filter":true,"table":true}`).Status(201)
	}
	for i, car := range []string{`{"type":"CAR","extra":{"power":7}}`, `{"type":"SCOOTER","extra":{"power":"7"}}`, `{"type":"MOTORCYCLE","extra":{"power":9}}`, `{"type":"SCOOTER","extra":{"power":"weak"}}`, `null`} {
		c.Post("/v1/crm/inventories/", fmt.Sprintf(`{"name":"%d","car":%s,"extra":{"power":9,"car\u0000power":7}}`, i, car)).Status(201)
	}
	for query, want := range map[string]string{
		"car__extra__power=7": "2 1", "car__extra__power=WEAK": "4", "car__extra__power__in=9&car__extra__power__in=7": "3 2 1",
		"car__extra__power__isnull=true": "5", "car__extra__power__isnull=false": "4 3 2 1", "extra__power=9": "5 4 3 2 1",
		"ordering=car__extra__power": "1 3 2 4 5", "ordering=-car__extra__power,id": "5 4 2 3 1",
	} {
		if got := fmt.Sprint(c.Get("/v1/crm/inventories/?" + query).Status(200).IDs()); got != "["+want+"]" {
			t.Errorf("%s: %s, want [%s]", query, got, want)
		}
	}
}
