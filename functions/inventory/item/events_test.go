package item

import (
	"testing"

	"github.com/tenantry/tenantry/shared/record/event/eventtest"
)

func TestEvents(t *testing.T) {
	eventtest.Check(t, Events(), "inventory.moved", "inventory.arrived", "inventory.blocked", "inventory.unblocked")
}
