package settings

import (
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/record/customfield"
)

// body is what a caller sends to define a field, or to change it.
type body struct {
	Key         decode.Optional[string]      `json:"key" required:"true" enum:"client,service,inventory,inventory_car,inventory_scooter,inventory_motorcycle,inventory_set,inventory_group,rental_point,category,order,order_inventory,order_service,funnel_lead,workshop,document,template" example:"client" doc:"The kind of resources that have the field."`
	Name        decode.Optional[string]      `json:"name" required:"true" maxLength:"255" example:"passport" doc:"The field's name in extra."`
	Label       decode.Optional[string]      `json:"label" required:"true" maxLength:"255" example:"Passport"`
	Placeholder decode.Optional[string]      `json:"placeholder" blank:"true" maxLength:"255"`
	Type        decode.Optional[string]      `json:"type" required:"true" enum:"string,html,integer,decimal,boolean,date,datetime,color,client,inventory,inventory_group,inventory_set,service,workshop,document,template" example:"string"`
	Required    decode.Optional[bool]        `json:"required"`
	Table       decode.Optional[bool]        `json:"table" doc:"To be shown in lists, which can be ordered by it. 400 where no list can."`
	Filter      decode.Optional[bool]        `json:"filter" doc:"To be offered as a filter: lists take extra__ and the name, those of items car__extra__ for their cars. 400 where no list can be filtered by it."`
	Options     decode.Optional[decode.JSON] `json:"options" nullable:"true" doc:"Any JSON up to 4096 bytes; a list is the choices of a string."`
}

// CustomField is the definition of a custom field as callers see it.
type CustomField struct {
	ID          int64       `json:"id"`
	Key         string      `json:"key" enum:"client,service,inventory,inventory_car,inventory_scooter,inventory_motorcycle,inventory_set,inventory_group,rental_point,category,order,order_inventory,order_service,funnel_lead,workshop,document,template"`
	Name        string      `json:"name"`
	Label       string      `json:"label"`
	Placeholder string      `json:"placeholder"`
	Type        string      `json:"type" enum:"string,html,integer,decimal,boolean,date,datetime,color,client,inventory,inventory_group,inventory_set,service,workshop,document,template"`
	Required    bool        `json:"required"`
	Table       bool        `json:"table"`
	Filter      bool        `json:"filter"`
	Options     decode.JSON `json:"options"`
}

// apply returns a definition for a key after the body was applied to it.
func (b body) apply(key string, d customfield.Definition) (string, customfield.Definition) {
	b.Key.Into(&key)
	b.Name.Into(&d.Name)
	b.Label.Into(&d.Label)
	b.Placeholder.Into(&d.Placeholder)
	b.Type.Into(&d.Type)
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
		ID: d.ID, Key: key, Name: d.Name, Label: d.Label, Placeholder: d.Placeholder, Type: d.Type,
		Required: d.Required, Table: d.Table, Filter: d.Filter, Options: decode.JSON(d.Options),
	}
}
