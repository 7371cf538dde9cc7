package openapi

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tenantry/tenantry/functions/events/known"
	"github.com/tenantry/tenantry/shared/record/eventlog/view"
)

// knownEvent is the name of the schema of all types of events.
const knownEvent = "KnownEvent"

// events describes the types of events, if the description has them: a schema of each, with an example, and one of all of them, which is
// told apart by type. What the log answers is not of that one, because a reader has to bear types that come later.
func (d *document) events() {
	if d.outputs.names["LogEvent"] != reflect.TypeFor[view.LogEvent]() {
		return
	}
	named := d.outputs.registry.Map()
	union := &huma.Schema{
		Description:   "An event of a type that this description knows. More may come.",
		Discriminator: &huma.Discriminator{PropertyName: "type", Mapping: map[string]string{}},
	}
	byType := map[string]any{}
	for _, t := range known.Types() {
		name := "Event" + title(strings.ReplaceAll(string(t.Type), ".", "_"))
		var data map[string]any
		if err := json.Unmarshal(t.Schema, &data); err != nil {
			panic("openapi: " + name + ": " + err.Error())
		}
		named[name] = &huma.Schema{
			Description: t.Doc,
			AllOf: []*huma.Schema{{Ref: schemas + "LogEvent"}, {
				Type: huma.TypeObject, Required: []string{"type", "data"},
				Properties: map[string]*huma.Schema{
					"type": {Type: huma.TypeString, Enum: []any{t.Type}},
					"data": {Extensions: data},
				},
			}},
			Examples: []any{t.Example},
		}
		union.OneOf = append(union.OneOf, &huma.Schema{Ref: schemas + name})
		union.Discriminator.Mapping[string(t.Type)] = schemas + name
		byType[string(t.Type)] = map[string]string{"$ref": schemas + name}
	}
	named[knownEvent] = union
	log := named["LogEvent"]
	log.Properties["data"] = &huma.Schema{Type: huma.TypeObject, Description: log.Properties["data"].Description}
	log.Extensions = map[string]any{"x-events": byType}
	of := named["EventType"]
	of.Properties["example"] = &huma.Schema{Ref: schemas + knownEvent}
	of.Properties["schema"] = &huma.Schema{Type: huma.TypeObject, Description: of.Properties["schema"].Description}
}
