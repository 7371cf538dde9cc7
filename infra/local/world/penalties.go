package world

import (
	"context"
	"strings"
)

// penalties: ann's registry has sent her the penalties 1 and 2, of her items 5 and 6 during the orders 5 and 3; ann has
// written down the penalty 3 of a car that is not hers, and noted it. 1 is paid and has the state 1; 2 and 3 are not paid,
// and 2 has a discount for years. The penalty states are 1 and 2. bob has a penalty and a state.
func (s *story) penalties(ctx context.Context) error {
	for _, step := range []struct{ as, request, body string }{
		{"ann", "POST /v1/cars/states/", `{"name":"The client pays","colour":"#e53935"}`},
		{"ann", "POST /v1/cars/states/", `{"name":"Disputed"}`},
		{"feed", "POST /v1/cars/penalties/", `{"outer_id":730017,"protocol_number":"KZ2501110017",
			"description":"Speeding by 10 to 20 km/h","department_name":"Almaty Police Department",
			"punishment_main":"Fine","amount":"19660",
			"violation_address":"Al-Farabi Avenue, Almaty",
			"violation_date":"2025-01-11","violation_time":"14:05","paid":true,"payment_date":"2025-01-14T12:00:00","payment_kno":"6205",
			"payment_kbk":"204108","payment_knp":"911","beneficiary_tax_office_name":"State Revenue Office",
			"beneficiary_tax_iban":"KZ24070105KSN0000000","beneficiary_tax_bin_number":"910740000057",
			"pdf":"https://registry.example/730017.pdf","photo_urls":["https://registry.example/730017.jpg"],
			"car":{"outer_id":51,"number":"555 kkk 02","tech_passport":"AA00012345","published_at":"2025-01-11T15:00:00Z"},
			"driver":{"outer_id":61,"iin_number":"850515300016","doc_number":"N0012345","first_name":"Ерлан","last_name":"Ахметов",
				"doc_issue_date":"2020-02-29"},
			"company":{"outer_id":71,"bin_number":"140340010302","name":"Acme Rentals"}}`},
		{"feed", "POST /v1/cars/penalties/", `{"outer_id":730018,"protocol_number":"KZ2502110018","amount":"39320",
			"violation_date":"2025-02-11","violation_time":"08:30:00","discount_expires_at":"2040-02-18T00:00:00",
			"car":{"number":"666KKK02"}}`},
		{"ann", "POST /v1/cars/penalties/", `{"protocol_number":"KZ2502120019","amount":"7864","noted":true,
			"car":{"number":"777 ZZZ 01"}}`},
		{"ann", "PATCH /v1/cars/penalties/1/", `{"state":1}`},
		{"bob", "POST /v1/cars/states/", `{"name":"Paid by us"}`},
		{"bob", "POST /v1/cars/penalties/", `{"protocol_number":"KZ2502120020"}`},
	} {
		method, path, _ := strings.Cut(step.request, " ")
		if err := s.call(ctx, s.values[step.as+".access"], method, path, step.body, nil); err != nil {
			return err
		}
	}
	return nil
}

// charges: cara's second company has rented its only car out, and charged the penalty of it to the order.
func (s *story) charges(ctx context.Context) error {
	cargo := s.of("4")
	for _, step := range []struct{ request, body string }{
		{"POST /v1/crm/groups/", `{"name":"Trucks"}`},
		{"POST /v1/crm/groups/1/tarifs/", `{"inventory_group":1,"name":"Day","price":"30000","duriation":86400}`},
		{"POST /v1/crm/inventories/", `{"name":"Truck","group":1,"car":{"number":"444 DDD 02"}}`},
		{"POST /v1/crm/requests/", `{"status":1,"inventories":[
			{"inventory":1,"start_at":"2030-03-01T09:00:00Z","end_at":"2030-03-03T09:00:00Z"}]}`},
		{"POST /v1/cars/penalties/", `{"outer_id":1,"protocol_number":"KZ3003020001","amount":"7864","violation_date":"2030-03-02",
			"violation_time":"12:00","car":{"number":"444DDD02"}}`},
		{"POST /v1/cars/penalties/1/charge/", "{}"},
	} {
		method, path, _ := strings.Cut(step.request, " ")
		if err := cargo.call(ctx, s.values["cara.access"], method, path, step.body, nil); err != nil {
			return err
		}
	}
	return nil
}
