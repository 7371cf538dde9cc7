package company_test

import (
	"encoding/json"
	"testing"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/tenant"
)

// A company from before there was a setting rents out as it did then, and a new one as new companies do.
func TestRentalRules(t *testing.T) {
	was := company.Company{Rental: &company.Rental{LateGrace: 60, LateStep: 600, Buffer: 5, Month: company.CalendarMonths}}
	for _, tt := range []struct {
		name string
		company.Company
		want string
	}{
		{"never set", company.Company{}, `{"late_grace":3600,"late_step":3600,"buffer":0,"hold":0,"month":"days","combine":false,"services_by_time":false,` +
			`"late":"pro_rata","late_percent":100,"late_day_cap":null,"early":"keep","early_start":"free","tax_percent":"0.00","tax_included":false,` +
			`"max_discount_percent":{"employee":100,"manager":100},"cancellation":[],"no_show_percent":0,"accrual":"first_day"}`},
		{"set before", was, `{"late_grace":60,"late_step":600,"buffer":5,"hold":0,"month":"calendar","combine":false,"services_by_time":false,` +
			`"late":"pro_rata","late_percent":100,"late_day_cap":null,"early":"keep","early_start":"free","tax_percent":"0.00","tax_included":false,` +
			`"max_discount_percent":{"employee":100,"manager":100},"cancellation":[],"no_show_percent":0,"accrual":"first_day"}`},
		{"new", company.Company{Rental: company.NewRental()}, `{"late_grace":3600,"late_step":3600,"buffer":0,"hold":0,"month":"days","combine":true,` +
			`"services_by_time":true,"late":"pro_rata","late_percent":100,"late_day_cap":null,"early":"keep","early_start":"free","tax_percent":"0.00","tax_included":false,` +
			`"max_discount_percent":{"employee":20,"manager":100},"cancellation":[],"no_show_percent":0,"accrual":"first_day"}`},
	} {
		item, err := dynamo.MarshalItem(tt.Company)
		if err != nil {
			t.Fatal(err)
		}
		var read company.Company
		if err := dynamo.UnmarshalItem(item, &read); err != nil {
			t.Fatal(err)
		}
		for _, c := range []company.Company{tt.Company, read} {
			if got, err := json.Marshal(c.RentalRules()); err != nil || string(got) != tt.want {
				t.Errorf("%s: %s, %v", tt.name, got, err)
			}
		}
	}
}

func TestMaxDiscount(t *testing.T) {
	m := company.MaxDiscount{Employee: 20, Manager: 50}
	for role, want := range map[tenant.Role]int64{tenant.Employee: 20, tenant.Manager: 50, tenant.Owner: 100, "": 100} {
		if got := m.Of(role); got != want {
			t.Errorf("%q: %d", role, got)
		}
	}
}
