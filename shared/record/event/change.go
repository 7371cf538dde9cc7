package event

import (
	"encoding/json"

	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/kinds"
)

// Change is what happened to a record of which no verb said anything else.
type Change string

// The changes.
const (
	Created  Change = "created"
	Updated  Change = "updated"
	Deleted  Change = "deleted"
	Imported Change = "imported"
)

// Of is the name of the event for records of a kind: "client.updated".
func (c Change) Of(k kinds.Kind) Name { return Name(k.Name + "." + string(c)) }

// CreatedData is the data of an event created, which is empty: who wants to know more of the record reads it.
type CreatedData struct{}

// DeletedData is the data of an event deleted.
type DeletedData struct{}

// UpdatedData is the data of an event updated.
type UpdatedData struct {
	Fields []string `json:"fields" doc:"The fields that have other values now, as the history names them: the first 50, and no more than 4 KB of names."`
}

// What UpdatedData names. The names of free parts are the caller's, and may be long.
const (
	mostFields = 50
	mostNames  = 4 << 10 // bytes of JSON
)

// Named is the data of an event updated, of the fields that have other values now.
func Named(fields []string) (data UpdatedData, err error) {
	data.Fields = []string{}
	size := 0
	for _, name := range fields[:min(len(fields), mostFields)] {
		encoded, err := encode.JSON(name)
		if err != nil {
			return data, err
		}
		if size += len(encoded); size > mostNames {
			break
		}
		data.Fields = append(data.Fields, name)
	}
	return data, nil
}

// Fields encodes what Named returns.
func Fields(fields []string) (json.RawMessage, error) {
	data, err := Named(fields)
	if err != nil {
		return nil, err
	}
	return encode.JSON(data)
}

// ImportedData is the data of an event imported.
type ImportedData struct {
	First int64 `json:"first_id" doc:"Id of the first new record; the others have the numbers that follow."`
	Last  int64 `json:"last_id" doc:"Id of the last new record."`
	Count int64 `json:"count" doc:"How many records are new."`
}
