package inventory_test

import (
	"testing"

	"github.com/tenantry/tenantry/functions/inventory"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const all = "/v1/crm/inventories/"

// TestLife follows one inventory item from its making to its end.
func TestLife(t *testing.T) {
	api := webtest.New(t, inventory.New)
	c := api.As(webtest.Employee(1))
	camry := `{"id":1,"created_at":"2026-03-02T09:30:00Z","updated_at":"2026-03-02T09:30:00Z","name":"Camry","unique_id":"C-1","type":0,
		"group":null,"category":null,"rental_point":null,"state":null,"sublease_user":null,"disabled":null,"image":null,
		"buy_price":"9000000.50","buy_date":"2024-02-29","sell_price":null,"comment":null,
		"car":{"id":1,"type":"CAR","brand":"Toyota","model":"Camry 70","number":"123ABC02","tech_passport":null,"serial":null,"vin":null,"extra":{}},
		"extra":{"seats":5},"deleted":false,"tenant":1}`
	c.Post(all, `{"name":" Camry ","unique_id":"C-1","buy_price":9000000.5,"buy_date":"2024-02-29","extra":{"seats":5},"id":9,
		"car":{"id":7,"brand":"Toyota","model":"Camry 70","number":" 123 abc 02"}}`).Status(201).JSON(camry).
		Header("ETag", `"1"`).Header("Location", webtest.BaseURL+all+"1/")
	c.Get(all+"1/").Status(200).JSON(camry).Calls(1).Units(1, 0)
	c.Patch(all+"1/", `{"car":{"type":"SCOOTER","model":null}}`).Status(200).
		Field("car", `{"id":1,"type":"SCOOTER","brand":"Toyota","model":null,"number":"123ABC02","tech_passport":null,"serial":null,"vin":null,"extra":{}}`)
	c.Put(all+"1/", `{"name":"Camry"}`).Status(200).Header("ETag", `"2"`).Writes(0)
	c.Patch(all+"1/", `{"car":null}`).Status(200).Field("car", "null")
	c.Delete(all + "1/").Status(204)
	c.Get(all + "1/").Status(404)
	c.Get(all).Status(200).Field("count", "0")
}
