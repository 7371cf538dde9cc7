// Package known lists the types of events that there are: those that come by themselves for each kind of records, and those that the
// domains declare beside their verbs.
//
// What never goes in here: who may read events of a type, and HTTP.
package known

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/functions/penalties/penalty"
	"github.com/tenantry/tenantry/functions/sales/lead"
	"github.com/tenantry/tenantry/functions/sms/account"
	"github.com/tenantry/tenantry/functions/webhooks/endpoint"
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/event"
	"github.com/tenantry/tenantry/shared/record/eventlog/view"
)

// declared are the events that verbs say, by domain. A domain whose verbs say some has its line here.
func declared() [][]event.Sample {
	return [][]event.Sample{
		order.Events(), document.Events(), item.Events(), lead.Events(), penalty.Events(), account.Events(), endpoint.Events(),
	}
}

// imported are the kinds whose records can be imported.
func imported() []kinds.Code { return []kinds.Code{kinds.Client, kinds.Inventory} }

// EventType is a type of events.
type EventType struct {
	Type    event.Name      `json:"type"`
	Object  string          `json:"object" doc:"The kind of the records that such events are about."`
	Doc     string          `json:"doc"`
	Schema  json.RawMessage `json:"schema" doc:"JSON Schema (2020-12) of data."`
	Example view.LogEvent   `json:"example"`
}

// Types lists the types of events by their names. The list is shared: nobody may write to it.
func Types() []EventType { return all() }

// Is tells whether there is such a type.
func Is(name event.Name) bool {
	return slices.ContainsFunc(all(), func(t EventType) bool { return t.Type == name })
}

var all = sync.OnceValue(func() []EventType {
	var list []EventType
	for _, k := range kinds.All() {
		list = append(list, byThemselves(k)...)
	}
	for _, samples := range declared() {
		for _, s := range samples {
			// What a domain declares by the name of one that comes by itself says more of it.
			list = slices.DeleteFunc(list, func(t EventType) bool { return t.Type == s.Event.Name() })
			list = append(list, spoken(s))
		}
	}
	slices.SortFunc(list, func(a, b EventType) int { return strings.Compare(string(a.Type), string(b.Type)) })
	return list
})

// byThemselves are the events of a kind that come without a verb that says them.
func byThemselves(k kinds.Kind) (list []EventType) {
	if k.NoHistory {
		return nil
	}
	add := func(c event.Change, data any, doc string) {
		list = append(list, typed(event.Said{Name: c.Of(k), ID: 7, Revision: 1}, doc, data))
	}
	add(event.Created, event.CreatedData{}, one(k)+" was created.")
	if k.Code != kinds.Company { // nobody could read that it was
		add(event.Deleted, event.DeletedData{}, one(k)+" was deleted.")
	}
	add(event.Updated, event.UpdatedData{Fields: []string{"name", "extra.colour"}},
		one(k)+" was changed in what no other event tells.")
	if slices.Contains(imported(), k.Code) {
		add(event.Imported, event.ImportedData{First: 7, Last: 9, Count: 3},
			strings.ToUpper(k.Many[:1])+k.Many[1:]+" were imported, all of them at once; none has a "+string(event.Created.Of(k))+".")
	}
	for i := range list {
		if list[i].Type != event.Created.Of(k) && list[i].Type != event.Imported.Of(k) {
			list[i].Example.Revision = 2
		}
	}
	return list
}

// one is a record of a kind, as a sentence begins with it: "An order".
func one(k kinds.Kind) string {
	article := "A "
	if slices.Contains([]string{"A", "E", "I", "O"}, k.Label[:1]) { // but a user
		article = "An "
	}
	return article + strings.ToLower(k.Label[:1]) + k.Label[1:]
}

// spoken is the type of a declared event.
func spoken(s event.Sample) EventType {
	said, err := event.Say(s.Event)
	if err != nil {
		panic(err.Error()) // a mistake in our code, which the first test shows
	}
	said.Revision = 2
	return typed(said, s.Doc, s.Event)
}

// typed makes a type of its example.
func typed(s event.Said, doc string, data any) EventType {
	user := int64(14)
	t := EventType{Type: s.Name, Object: s.Name.Kind().Name, Doc: doc, Schema: mustJSON(schemaOf(reflect.TypeOf(data)))}
	t.Example = view.LogEvent{
		ID: 1024, Type: s.Name, CreatedAt: "2026-03-02T09:30:00Z", Object: s.About().String(), Revision: s.Revision,
		Concerns: append([]string{}, s.Concerns...), User: &user, RequestID: "6f3c1a52-7a0e-4a53-9d55-0d9a1f1f3b4e",
		Data: mustJSON(data),
	}
	return t
}

// mustJSON encodes what is known when it is compiled.
func mustJSON(v any) json.RawMessage {
	text, err := encode.JSON(v)
	if err != nil {
		panic(err.Error())
	}
	return text
}
