package staff_test

import (
	"fmt"
	"testing"

	"github.com/tenantry/tenantry/functions/tenants/staff"
	"github.com/tenantry/tenantry/shared/record/recordtest"
	"github.com/tenantry/tenantry/shared/tenant"
)

func TestStaff(t *testing.T) {
	recordtest.Run(t, recordtest.Subject[*staff.Staff]{
		Kind: staff.Kind(),
		New: func(n int) *staff.Staff {
			s := &staff.Staff{Email: fmt.Sprintf("u%d@rent.test", n), Role: tenant.Employee}
			s.Rename("Айгүл", "Серікова")
			return s
		},
		Change: func(s *staff.Staff, n int) {
			s.User, s.Role = int64(n), tenant.Manager
			s.Rename("Айгүл", fmt.Sprint("Ахметова ", n))
		},
	})
}
