package lead

import (
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/event"
)

// concerns are the records that events of a lead concern: its client.
func concerns(l *Lead) []event.Ref { return event.Some(event.To(kinds.Client, l.Client)) }

// Moved says that a lead has come into another stage, perhaps of another funnel.
type Moved struct {
	event.On
	From   int64 `json:"from" doc:"Id of the stage that it was in."`
	To     int64 `json:"to" doc:"Id of the stage that it is in now."`
	Funnel int64 `json:"funnel" doc:"Id of the funnel of that stage."`
}

// Name is for event.Event.
func (Moved) Name() event.Name { return "lead.moved" }

// Tells is for event.Part: a request that moves a lead may change other fields, too.
func (Moved) Tells() []string { return []string{"stage", "funnel"} }

// Events are the events of leads, besides those that come by themselves.
func Events() []event.Sample {
	return []event.Sample{{
		Event: Moved{event.Of(9, event.Ref{Kind: kinds.Client, ID: 15}), 1, 2, 1},
		Doc:   "The lead has come into another stage of its funnel, or of another one.",
	}}
}
