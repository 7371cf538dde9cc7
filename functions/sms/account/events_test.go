package account

import (
	"testing"

	"github.com/tenantry/tenantry/shared/record/event/eventtest"
)

func TestEvents(t *testing.T) {
	eventtest.Check(t, Events(), "sms_message.sent", "sms_message.delivered", "sms_message.failed")
}
