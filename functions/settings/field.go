package settings

import (
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/enum"
	"github.com/tenantry/tenantry/shared/record/customfield"
)

// fieldKey is one of customfield.Keys.
type fieldKey string

// Values are the keys.
func (fieldKey) Values() []enum.Value { return named[fieldKey](customfield.Keys()) }

// fieldType is one of customfield.Types.
type fieldType string

// Values are the types of custom fields.
func (fieldType) Values() []enum.Value { return named[fieldType](customfield.Types()) }

func named[T ~string](texts []string) []enum.Value {
	list := make([]T, len(texts))
	for i, text := range texts {
		list[i] = T(text)
	}
	return enum.Named(list...)
}

// body is what a caller sends to define a field, or to change it.
type body struct {
	Key         decode.Optional[fieldKey]    `json:"key" required:"true" example:"client" doc:"The kind of resources that have the field."`
	Name        decode.Optional[string]      `json:"name" required:"true" maxLength:"255" example:"passport" doc:"The field's name in extra."`
	Label       decode.Optional[string]      `json:"label" required:"true" maxLength:"255" example:"Passport"`
	Placeholder decode.Optional[string]      `json:"placeholder" blank:"true" maxLength:"255"`
	Type        decode.Optional[fieldType]   `json:"type" required:"true" example:"string"`
	Required    decode.Optional[bool]        `json:"required"`
	Table       decode.Optional[bool]        `json:"table" doc:"To be shown in lists, which can be ordered by it. 400 where no list can."`
	Filter      decode.Optional[bool]        `json:"filter" doc:"To be offered as a filter: lists take extra__ and the name, those of items car__extra__ for their cars. 400 where no list can be filtered by it."`
	Options     decode.Optional[decode.JSON] `json:"options" nullable:"true" doc:"Any JSON up to 4096 bytes; a list is the choices of a string."`
}

// CustomField is the definition of a custom field as callers see it.
type CustomField struct {
	ID          int64       `json:"id"`
	Key         fieldKey    `json:"key"`
	Name        string      `json:"name"`
	Label       string      `json:"label"`
	Placeholder string      `json:"placeholder"`
	Type        fieldType   `json:"type"`
	Required    bool        `json:"required"`
	Table       bool        `json:"table"`
	Filter      bool        `json:"filter"`
	Options     decode.JSON `json:"options"`
}

// apply returns a definition for a key after the body was applied to it.
func (b body) apply(key string, d customfield.Definition) (string, customfield.Definition) {
	key = string(b.Key.Or(fieldKey(key)))
	b.Name.Into(&d.Name)
	b.Label.Into(&d.Label)
	b.Placeholder.Into(&d.Placeholder)
	d.Type = string(b.Type.Or(fieldType(d.Type)))
	b.Required.Into(&d.Required)
	b.Table.Into(&d.Table)
	b.Filter.Into(&d.Filter)
	if b.Options.Set {
		d.Options = string(b.Options.Value) // empty if it was null
	}
	return key, d
}

func view(key string, d customfield.Definition) CustomField {
	return CustomField{
		ID: d.ID, Key: fieldKey(key), Name: d.Name, Label: d.Label, Placeholder: d.Placeholder, Type: fieldType(d.Type),
		Required: d.Required, Table: d.Table, Filter: d.Filter, Options: decode.JSON(d.Options),
	}
}
