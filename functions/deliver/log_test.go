package deliver_test

import (
	"fmt"
	"testing"

	"github.com/tenantry/tenantry/shared/web/webtest"
)

// What a webhook wants is rare, and each change has a page of its own: one run passes over everything before it.
func TestWhatIsRare(t *testing.T) {
	o := newOffice(t)
	o.hook(`{"url":"` + erp + `","types":["rental_point.deleted"]}`)
	o.due()
	for i := range 70 {
		o.points(fmt.Sprint(i))
		o.API.Deliver()
	}
	o.As(webtest.Employee(1)).Delete(all + "1/").Status(204)
	o.API.Deliver()
	if _, err := o.worker.Deliver(t.Context(), o.key()); err != nil {
		t.Fatal(err)
	}
	o.arrived("evt_1_73")
}
