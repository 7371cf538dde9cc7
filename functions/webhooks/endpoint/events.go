package endpoint

import (
	"github.com/tenantry/tenantry/shared/record/event"
)

// WasDisabled says that the platform has disabled a webhook.
type WasDisabled struct {
	event.On
	Reason Reason `json:"reason" doc:"Why: {values}. gone: its receiver answered 410. failing: nothing arrived for five days."`
}

// Name is for event.Event.
func (WasDisabled) Name() event.Name { return "webhook.disabled" }

// Events are the events of webhooks, besides those that come by themselves.
func Events() []event.Sample {
	return []event.Sample{{
		Event: WasDisabled{event.Of(3), Failing},
		Doc:   "The platform has disabled the webhook, because its receiver answered 410, or failed for five days.",
	}}
}
