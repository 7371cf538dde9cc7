package lead

import (
	"testing"

	"github.com/tenantry/tenantry/shared/record/event/eventtest"
)

func TestEvents(t *testing.T) { eventtest.Check(t, Events(), "lead.moved") }
