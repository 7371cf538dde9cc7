package restore

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/infra/operator/estate"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/keyspace"
)

// users takes the numbers of users from one stage to another. Whoever has no account there is nobody there: 0, or no number where a
// record need not have one.
type users map[int64]int64

// optional is the attribute of a kind's records with a user that may be missing, and required the one that has 0 for nobody.
func optional(kind kinds.Code) string {
	switch kind {
	case kinds.Order, kinds.OrderInventory, kinds.OrderService, kinds.Swap:
		return "cb"
	case kinds.Lead:
		return "ma"
	case kinds.Inventory:
		return "su"
	}
	return ""
}

func required(kind kinds.Code) string {
	switch kind {
	case kinds.Document:
		return "b"
	case kinds.Key, kinds.FeedToken, kinds.Webhook:
		return "cb"
	case kinds.SMSMessage, kinds.Staff:
		return "us"
	case kinds.SMSOperation:
		return "u"
	}
	return ""
}

// rename changes the users that an item of a company names.
func (u users) rename(p keyspace.Partition, item table.Attributes) {
	if u == nil {
		return
	}
	switch p.Name {
	case "live", "gone":
		kind := kinds.Code(estate.KindOf(item.Text("pk")))
		u.at(item, "db", true)
		if u.at(item, optional(kind), true) {
			delete(item, "x") // what the search knows of it is read from the record then
		}
		u.at(item, required(kind), kind == kinds.Staff)
	case "company":
		u.at(item, "cb", false)
	case "log", "told", "member":
		u.at(item, "u", false)
	case "bulk":
		u.at(item, "us", false)
	case "events":
		inside(item, "ev", func(event table.Attributes) { u.at(event, "u", true) })
	}
}

// at changes one attribute, and tells whether it was there. One of nobody is left out where it may be.
func (u users) at(item table.Attributes, name string, mayLack bool) bool {
	was := item.Int(name)
	if name == "" || was == 0 {
		return false
	}
	if is := u[was]; is != 0 || !mayLack {
		item.SetInt(name, is)
	} else {
		delete(item, name)
	}
	return true
}

// told is a user as a history tells of him: a number, or null.
func (u users) told(value json.RawMessage) json.RawMessage {
	was, err := strconv.ParseInt(string(value), 10, 64)
	switch is := u[was]; {
	case u == nil || err != nil:
		return value
	case is == 0:
		return json.RawMessage("null")
	default:
		return strconv.AppendInt(nil, is, 10)
	}
}

// what is the number that a field of a history tells.
type what int

const (
	something what = iota
	aCompany
	aUser
)

// told is what a field of the history of a kind's records tells. part is set where the field is a whole part of a record that has a user
// in its field of that name. Names of fields before the first dot are the platform's, and so are those that follow the number of a part;
// what a person has named is further inside.
func told(kind kinds.Code, field string) (is what, part string) {
	if field == "tenant" {
		return aCompany, ""
	}
	fields := map[kinds.Code]string{
		kinds.Document: "created_by", kinds.FeedToken: "created_by", kinds.Key: "created_by", kinds.Webhook: "created_by",
		kinds.Order: "created_by", kinds.Lead: "manager", kinds.Staff: "user", kinds.Inventory: "sublease_user",
	}
	if field == fields[kind] {
		return aUser, ""
	}
	if kind != kinds.Order {
		return something, ""
	}
	parts := strings.Split(field, ".")
	if !slices.Contains([]string{"inventories", "services"}, parts[0]) {
		return something, ""
	}
	switch {
	case len(parts) == 2:
		return something, "created_by"
	case len(parts) == 3 && parts[2] == "created_by":
		return aUser, ""
	}
	return something, ""
}

// replaced is a JSON object with another value in one of its own fields; whatever has no such field stays as it is.
func replaced(object json.RawMessage, name string, by func(json.RawMessage) json.RawMessage) (json.RawMessage, error) {
	if !bytes.HasPrefix(object, []byte("{")) {
		return object, nil
	}
	d := json.NewDecoder(bytes.NewReader(object))
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	for d.More() {
		field, err := d.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		if end := d.InputOffset(); field == json.Token(name) {
			return slices.Concat(object[:end-int64(len(value))], by(value), object[end:]), nil
		}
	}
	return object, nil
}
