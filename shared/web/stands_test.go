package web

import (
	"net/http"
	"testing"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/tenant"
)

// What a full company is refused is what makes a record, unless a limit of its own bounds that.
func TestAFullCompany(t *testing.T) {
	full := tenant.Standing{Full: 5}
	makes := Operation{Method: http.MethodPost, Status: http.StatusCreated}
	own := makes
	own.OwnLimit = true
	for name, c := range map[string]struct {
		op      Operation
		refused bool
	}{
		"makes a record":    {makes, true},
		"has its own limit": {own, false},
		"changes something": {Operation{Method: http.MethodPut}, false},
		"reads":             {Operation{Method: http.MethodGet}, false},
		"makes no record":   {Operation{Method: http.MethodPost}, false},
	} {
		err := c.op.stands(full)
		if f, is := fault.As(err); is != c.refused || is && f.Detail != "The company has reached its plan's limit of 5 records." {
			t.Errorf("%s: %v", name, err)
		}
	}
	own.OwnLimit = true
	if own.stands(tenant.Standing{State: tenant.Suspended, Full: 5}) == nil {
		t.Error("a suspended company makes something")
	}
}
