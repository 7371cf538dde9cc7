package openapi

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/money"
)

// scalar is what is known of the values of a type, whatever field they are of.
type scalar struct {
	schema   huma.Schema
	example  any    // of a field that gives none and has no bounds
	spelling string // the form in which a value is accepted and answered, if the schema doesn't say it
}

// amounts is the pattern of an amount that is not negative, without its beginning.
const amounts = `(\d{1,14}(\.\d{0,2})?|\.\d{1,2})$`

var scalars = map[reflect.Type]scalar{
	reflect.TypeFor[string](): {schema: huma.Schema{Type: huma.TypeString}},
	reflect.TypeFor[int64]():  {schema: huma.Schema{Type: huma.TypeInteger, Format: "int64"}, example: int64(1)},
	reflect.TypeFor[bool]():   {schema: huma.Schema{Type: huma.TypeBoolean}, example: true},
	reflect.TypeFor[money.Amount](): {
		schema:  huma.Schema{Type: huma.TypeString, Format: "decimal", Pattern: "^-?" + amounts},
		example: "1.00",
	},
	reflect.TypeFor[decode.Date](): {schema: huma.Schema{Type: huma.TypeString, Format: "date"}, example: "2024-02-29"},
	// Without the format `time`, which asks for an offset from UTC.
	reflect.TypeFor[decode.Time](): {
		schema: huma.Schema{
			Type: huma.TypeString, Pattern: `^([01]?\d|2[0-3]):[0-5]?\d(:[0-5]?\d([.,]\d{1,12})?)?$`,
		},
		example: "10:20:30",
	},
	reflect.TypeFor[decode.DateTime](): {
		schema:   huma.Schema{Type: huma.TypeString, Format: "date-time"},
		example:  "2024-02-29T10:20:30Z",
		spelling: "Without an offset it is the company's local time; of two such moments the first.",
	},
	reflect.TypeFor[decode.Duration](): {
		schema: huma.Schema{
			Type: huma.TypeString, Examples: []any{"1 00:00:00"}, Pattern: `^(-?\d+ )?-?(\d+:){0,2}\d+([.,]\d{1,12})?$`,
		},
		example:  "1 00:00:00",
		spelling: "Seconds, or D HH:MM:SS.",
	},
	reflect.TypeFor[uuid.UUID](): {
		schema:  huma.Schema{Type: huma.TypeString, Format: "uuid"},
		example: "9b2f6c1e-4d3a-4c57-8a55-0f3f6b7f2d11",
	},
	reflect.TypeFor[decode.JSON](): {example: map[string]any{}},
	reflect.TypeFor[decode.File](): {schema: huma.Schema{Type: huma.TypeString, Format: "uri"}, example: "https://files.example.com/x"},
}

// format is what is known of the texts of a format.
type format struct{ example, spelling string }

var formats = map[string]format{
	"email": {example: "someone@example.com"},
	"uri":   {example: "https://example.com/x"},
	"phone": {
		"+77011234567",
		"A phone number, answered in E.164. One of Kazakhstan may begin with 8, or with the code of its area.",
	},
	"iin":  {"850515300016", "12 digits with a real date of birth and a matching control digit."},
	"bin":  {"140340010302", "12 digits with a matching control digit."},
	"iban": {"KZ86125KZT5004100100", "KZ and 18 more characters with matching check digits."},
	"bik":  {"KCJBKZKX", "8 or 11 characters such as HSBKKZKX."},
}

// answered stands for a scalar in answers, because huma asks a type for its schema, and that of these types does not follow from
// how Go has them.
type answered[T any] string

func (answered[T]) Schema(huma.Registry) *huma.Schema {
	s := scalars[reflect.TypeFor[T]()].schema
	return &s
}
