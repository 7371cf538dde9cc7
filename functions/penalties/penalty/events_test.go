package penalty

import (
	"testing"

	"github.com/tenantry/tenantry/shared/record/event/eventtest"
)

func TestEvents(t *testing.T) {
	eventtest.Check(t, Events(), "penalty.matched", "penalty.unmatched", "penalty.charged", "penalty.uncharged")
}
