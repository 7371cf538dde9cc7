package tenant_test

import (
	"testing"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/tenant"
)

func TestStanding(t *testing.T) {
	for name, c := range map[string]struct {
		standing     tenant.Standing
		shown        string
		reads, write string // the codes of refusals
		says         string
	}{
		"active":           {tenant.Standing{}, "active", "", "", ""},
		"full":             {tenant.Standing{Full: 5}, "active", "", "", ""},
		"only read":        {tenant.Standing{State: tenant.OnlyRead}, "read_only", "", "suspended", "The company is suspended: it can be read, and not changed."},
		"suspended":        {tenant.Standing{State: tenant.Suspended}, "suspended", "suspended", "suspended", "The company is suspended."},
		"with a notice":    {tenant.Standing{State: tenant.Suspended, Notice: "Pay."}, "suspended", "suspended", "suspended", "Pay."},
		"closed":           {tenant.Standing{State: tenant.Closed}, "closed", "company_closed", "company_closed", "The company is closed."},
		"erasing":          {tenant.Standing{State: tenant.Erasing}, "erasing", "company_closed", "company_closed", "The company is closed."},
		"of another build": {tenant.Standing{State: "frozen"}, "frozen", "company_closed", "company_closed", "The company is closed."},
	} {
		if got := c.standing.State.Shown(); got != c.shown {
			t.Errorf("%s: shown as %q", name, got)
		}
		for reads, want := range map[bool]string{true: c.reads, false: c.write} {
			f, refused := fault.As(c.standing.Refusal(reads))
			switch {
			case !refused && want != "", refused && (f.Code != fault.Forbidden || f.Members["code"] != want || f.Detail.Error() != c.says):
				t.Errorf("%s, reads %v: %+v, want %q", name, reads, f, want)
			}
		}
	}
	if f, is := fault.As(tenant.Standing{Full: 5}.Growth()); !is || f.Members["code"] != "plan" || f.Members["limit"] != "records" {
		t.Errorf("a full company: %+v", f)
	}
	if err := (tenant.Standing{}).Growth(); err != nil {
		t.Error(err)
	}
}
