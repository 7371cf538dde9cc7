package restore

import (
	"regexp"
	"strconv"
	"strings"

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

// rename changes the users that an item of a company names. Everything in the item may be changed.
func (u users) rename(p keyspace.Partition, item table.Attributes) {
	if u == nil {
		return
	}
	switch p.Name {
	case "live", "gone":
		rest := item.Text("pk")
		if t, ok := table.TenantOf(rest); ok {
			rest = strings.TrimPrefix(rest, table.Prefix(t))
		}
		code, _, _ := strings.Cut(rest, "#")
		kind := kinds.Code(code)
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
		for _, event := range item.List("ev") { // the maps of the item itself
			u.at(event, "u", true)
		}
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

// What of a history tells of a user: a change of a field, or such a field of a part of a record.
const (
	insideUser = `"(?:created_by|manager|sublease_user)":[0-9]+[,}]`
	toldUser   = `\{"field":"(?:created_by|manager|sublease_user|user)","from":(?:null|[0-9]+),"to":(?:null|[0-9]+)\}`
)

// json changes the users that a history tells of.
func (u users) json(data []byte) []byte {
	if u == nil {
		return data
	}
	number := regexp.MustCompile(`[0-9]+`)
	return regexp.MustCompile(insideUser+"|"+toldUser).ReplaceAllFunc(data, func(change []byte) []byte {
		return number.ReplaceAllFunc(change, func(digits []byte) []byte {
			was, _ := strconv.ParseInt(string(digits), 10, 64) // they are digits
			if is := u[was]; is != 0 {
				return strconv.AppendInt(nil, is, 10)
			}
			return []byte("null")
		})
	})
}
