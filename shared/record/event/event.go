// Package event is how a verb says what it did: "the order was completed", and not which fields have other values now.
//
//	// Completed says that all rentals of an order are back and all sales handed out.
//	type Completed struct {
//		event.On
//		Late int `json:"late" doc:"Rentals that came back late."`
//	}
//
//	func (Completed) Name() event.Name { return "order.completed" }
//
//	w.Happened(Completed{On: event.Of(o.ID, event.Ref{Kind: kinds.Client, ID: client})})
//
// An event is written in the transaction of its cause (record.Work.Happened): compact in the history of the record that it is about,
// where it stays for ever, and whole in the company's log (shared/record/eventlog), for 30 days. A change that no verb says anything
// of is the event created, updated or deleted of the record's kind.
//
// What never goes in here: which events there are (each domain declares its own, next to the verb that says it), and how they
// are stored in one order (shared/record/eventlog).
package event

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/kinds"
)

// Name is what an event is called: the kind of the record that it is about, and what happened: "order.completed". It never changes, and
// is never given to anything else.
type Name string

// Record is the name of the kind of the records that events of the name are about.
func (n Name) Record() string {
	record, _, _ := strings.Cut(string(n), ".")
	return record
}

// Kind is that kind; the zero Kind if none is called so.
func (n Name) Kind() kinds.Kind {
	k, _ := kinds.ByName(n.Record())
	return k
}

// Ref is a record.
type Ref struct {
	Kind kinds.Code
	ID   int64
}

// String is the record as callers see it: "client:15".
func (r Ref) String() string { return kinds.Of(r.Kind).Object(r.ID) }

// MostConcerned is how many records an event may concern besides the one that it is about.
const MostConcerned = 5

// Some are the records of a list that an event may concern: each once, without those that have no id, and at most MostConcerned. Those
// whose kind has a timeline come first, because they show what concerns them.
func Some(refs ...Ref) (some []Ref) {
	for _, timeline := range []bool{true, false} {
		for _, r := range refs {
			if r.ID != 0 && kinds.Of(r.Kind).Timeline == timeline && len(some) < MostConcerned && !slices.Contains(some, r) {
				some = append(some, r)
			}
		}
	}
	return some
}

// Event is something that happened to a record. Its type is a struct that embeds On, and whose fields, with their JSON names and doc
// tags, are what callers see of it as data: at most 1 KB as a rule, and MaxData in any case.
type Event interface {
	Name() Name
	// Records are the record that it is about and those that it concerns; On has the method.
	Records() On
}

// Part is an event that tells only what some fields have become, by the names of the history ("group"; "car" is all of "car.number", too).
// Where others have changed as well, the event updated comes by itself, with these. Any other event tells all of a change.
type Part interface {
	Event
	Tells() []string
}

// On says of which record an event is, and which others it concerns.
type On struct {
	id       int64
	concerns []Ref
}

// Of makes an On. Records without an id are left out of those that it concerns.
func Of(id int64, concerns ...Ref) On {
	return On{id, slices.DeleteFunc(concerns, func(r Ref) bool { return r.ID == 0 })}
}

// Records makes what embeds an On an Event.
func (o On) Records() On { return o }

// To is a record that may be missing, for Of.
func To(k kinds.Code, id *int64) Ref {
	if id == nil {
		return Ref{}
	}
	return Ref{k, *id}
}

// MaxData is how many bytes the data of an event may have. What a caller has sent goes into an event only where a limit of its
// field keeps it far below.
const MaxData = 16 << 10

// Said is an event as it is stored.
type Said struct {
	Name     Name            `dynamo:"n" json:"n"`
	ID       int64           `dynamo:"i" json:"-"`                     // of the record
	Revision int64           `dynamo:"r" json:"-"`                     // of the record, which the change made
	Concerns []string        `dynamo:"c,omitempty" json:"c,omitempty"` // Ref.String
	Data     json.RawMessage `dynamo:"d,omitempty" json:"d,omitempty"` // none is {}
}

// About is the record that the event is about.
func (s Said) About() Ref { return Ref{s.Name.Kind().Code, s.ID} }

// Say makes an event what is stored of it. Its revision is not known yet.
func Say(e Event) (Said, error) {
	on := e.Records()
	s := Said{Name: e.Name(), ID: on.id}
	data, err := encode.JSON(e)
	switch {
	case err != nil:
		return s, fmt.Errorf("event: %s: %w", s.Name, err)
	case len(data) > MaxData:
		return s, fmt.Errorf("event: %s has %d bytes", s.Name, len(data))
	case len(on.concerns) > MostConcerned:
		return s, fmt.Errorf("event: %s concerns %d records", s.Name, len(on.concerns))
	}
	if string(data) != "{}" {
		s.Data = data
	}
	s.Concern(on.concerns...)
	return s, nil
}

// Concern adds records that the event concerns.
func (s *Said) Concern(refs ...Ref) {
	for _, r := range refs {
		s.Concerns = append(s.Concerns, r.String())
	}
}

// Sample is the declaration of an event: an example of it, and what it says.
type Sample struct {
	Event Event
	Doc   string
}
