package account

import (
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record/event"
)

// Sent says that a message was paid and is on its way. The telephones are in the message alone.
type Sent struct {
	event.On
	Recipients int          `json:"recipients" doc:"To how many telephones."`
	Segments   int64        `json:"segments" doc:"Of the message; each is paid for each telephone."`
	Cost       money.Amount `json:"cost" doc:"What it costs."`
}

// Name is for event.Event.
func (Sent) Name() event.Name { return "sms_message.sent" }

// Delivered says that what became of a message is known for all of its telephones, and that it has reached some.
type Delivered struct {
	event.On
	Delivered int          `json:"delivered" doc:"How many telephones it has reached."`
	Failed    int          `json:"failed" doc:"How many it could not be sent to."`
	Refunded  money.Amount `json:"refunded" doc:"What was given back for these."`
}

// Name is for event.Event.
func (Delivered) Name() event.Name { return "sms_message.delivered" }

// Failed says that a message has reached none of its telephones.
type Failed struct {
	event.On
	Failed   int          `json:"failed" doc:"How many telephones it could not be sent to: all of them."`
	Refunded money.Amount `json:"refunded" doc:"What was given back: its cost."`
}

// Name is for event.Event.
func (Failed) Name() event.Name { return "sms_message.failed" }

// Events are the events of SMS messages, which their face says (functions/sms). A message has no history, so no event of it comes by
// itself.
func Events() []event.Sample {
	on := event.Of(61)
	return []event.Sample{
		{Event: Sent{on, 2, 1, money.Whole(30)}, Doc: "A message was paid, and is sent to its telephones."},
		{Event: Delivered{on, 1, 1, money.Whole(15)}, Doc: "The message is final for every telephone, and has reached at least one."},
		{Event: Failed{on, 2, money.Whole(30)}, Doc: "The message is final for every telephone, and has reached none."},
	}
}
