// Package job is what the function show is asked and what it answers: what records look like now.
//
// What never goes in here: how a record is shown. GET of its path says that.
package job

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/tenantry/tenantry/shared/invoke"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Bounds. An answer of Lambda has 6 MB, with what stands around the records.
const (
	Most      = 50        // objects of a request
	MaxRecord = 256 << 10 // bytes of a record
	MaxAnswer = 5 << 20   // bytes of all of them
)

// Request asks for records of a company.
type Request struct {
	Company tenant.ID `json:"company"`
	Base    string    `json:"base"`    // scheme and host of the API, with which addresses in records begin
	Objects []string  `json:"objects"` // as events name them: "order:7"
}

// Shown is a record as GET of its path answers an owner of the company. Record is nil where that is 404, and for kinds that have no
// path of one record, such as the company itself.
type Shown struct {
	Revision *int64          `json:"revision"` // of its ETag; nil if there is no record
	Record   json.RawMessage `json:"record"`
	TooLarge bool            `json:"too_large,omitempty"` // it is there, and larger than MaxRecord or than what is left of MaxAnswer
	Fails    bool            `json:"fails,omitempty"`     // GET of its path fails, of this record and not because the table is away
}

// Ask asks the function for records, each in the place of its object. Who encodes a Record again keeps its bytes with package encode;
// json.Marshal escapes <, > and & in it.
func Ask(ctx context.Context, f invoke.Function, company tenant.ID, base string, objects []string) ([]Shown, error) {
	var shown []Shown
	if err := f.Ask(ctx, Request{company, base, objects}, &shown); err != nil {
		return nil, fmt.Errorf("show: %w", err)
	}
	if len(shown) != len(objects) {
		return nil, fmt.Errorf("show: it answers %d records and was asked for %d", len(shown), len(objects))
	}
	for i := range shown {
		if string(shown[i].Record) == "null" {
			shown[i].Record = nil
		}
	}
	return shown, nil
}
