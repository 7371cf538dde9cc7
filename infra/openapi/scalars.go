package openapi

import "github.com/danielgtaylor/huma/v2"

// These types stand for types of answers whose schema does not follow from their Go type.
type (
	amount   string
	date     string
	duration string
	instant  string
)

func (amount) Schema(huma.Registry) *huma.Schema { return amountSchema(false) }

func (date) Schema(huma.Registry) *huma.Schema { return dateSchema() }

func (duration) Schema(huma.Registry) *huma.Schema { return durationSchema() }

func (instant) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "date-time"}
}

func amountSchema(positive bool) *huma.Schema {
	const number = `(\d{1,14}(\.\d{0,2})?|\.\d{1,2})$`
	s := &huma.Schema{Type: huma.TypeString, Format: "decimal", Pattern: "^-?" + number}
	if positive {
		s.Pattern = "^" + number
	}
	return s
}

func dateSchema() *huma.Schema { return &huma.Schema{Type: huma.TypeString, Format: "date"} }

func durationSchema() *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Examples: []any{"1 00:00:00"}, Pattern: `^(-?\d+ )?-?(\d+:){0,2}\d+([.,]\d{1,12})?$`}
}
