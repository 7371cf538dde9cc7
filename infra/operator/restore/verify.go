package restore

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/infra/operator/estate"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/keyspace"
)

// untouched compares what is there with the item of the copy as that was before anything in it was renamed, and is an error for whatever
// differs and is not one of those few places where a number of a company, a user or a version of a file may be. It goes by what has
// become different, not by what was to be renamed, so that it sees a renaming that takes too much.
func (r *run) untouched(copied, live table.Attributes) error {
	p := r.From.Pattern(copied.Text("pk"))
	kind := kinds.Code(estate.KindOf(copied.Text("pk")))
	may := mayDiffer(p, kind)
	var wrong error
	report := func(path string) {
		if wrong == nil {
			wrong = fmt.Errorf("%s %s is not as in the copy: %s differs", live.Text("pk"), live.Text("sk"), path)
		}
	}
	whole := func(item table.Attributes) types.AttributeValue { return &types.AttributeValueMemberM{Value: item} }
	differ("", whole(copied), whole(live), func(path string, a, b types.AttributeValue) {
		switch {
		case p.Name == "log" && (path == "c" || path == "z"):
		case r.Arrives != nil && kind == kinds.Document && isMark(path):
		case !slices.Contains(may, path) || !r.known(a, b):
			report(path)
		}
	})
	if wrong != nil || p.Name != "log" {
		return wrong
	}
	was, err := audit.Changes(copied)
	if err != nil {
		return err
	}
	is, err := audit.Changes(live)
	if err != nil {
		return err
	}
	if len(was) != len(is) {
		return fmt.Errorf("%s %s tells %d changes, not %d", live.Text("pk"), live.Text("sk"), len(is), len(was))
	}
	for i := range was {
		field := was[i].Field
		part := kind == kinds.Order && (strings.HasPrefix(field, "inventories.") || strings.HasPrefix(field, "services."))
		dots := strings.Count(field, ".")
		own := dots == 0 && slices.Contains([]string{"tenant", "created_by", "manager", "sublease_user", "user"}, field) ||
			part && dots == 2 && strings.HasSuffix(field, ".created_by")
		for _, side := range [][2]json.RawMessage{{was[i].From, is[i].From}, {was[i].To, is[i].To}} {
			same := bytes.Equal(side[0], side[1]) || part && dots == 1 && sameButFor(side[0], side[1], "created_by")
			if field != is[i].Field || !same && !own {
				report("c." + field)
			}
		}
	}
	return wrong
}

// isMark tells whether a document has, at a place, the mark that an import gives to a sign of another stage.
func isMark(path string) bool {
	return slices.ContainsFunc(document.MarksAt(), func(at string) bool { return path == at || strings.HasPrefix(path, at+".") })
}

// sameButFor tells whether two JSON objects have the same fields, but for one of them.
func sameButFor(a, b json.RawMessage, name string) bool {
	var was, is map[string]json.RawMessage
	if json.Unmarshal(a, &was) != nil || json.Unmarshal(b, &is) != nil || len(was) != len(is) {
		return false
	}
	delete(was, name)
	delete(is, name)
	return maps.EqualFunc(was, is, func(x, y json.RawMessage) bool { return bytes.Equal(x, y) })
}

// mayDiffer are the places of an item at which numbers may be others.
func mayDiffer(p keyspace.Partition, kind kinds.Code) []string {
	may := []string{"pk", "sk", "ix", "by"}
	switch p.Name {
	case "live", "gone":
		may = append(may, "db", "x", optional(kind), required(kind), "av.v", "ig.v", "i.v", "tx.e", "h.e", "k.e", "p.e", "f[].e")
	case "log":
		may = append(may, "u")
	case "told":
		may = append(may, "u", "i")
	case "events", "inbox":
		may = append(may, "ev[].u", "ev[].i")
	case "hooks":
		may = append(may, "d[].m")
	case "bulk":
		may = append(may, "us")
	case "member":
		may = append(may, "u")
	case "seq":
		may = append(may, "n")
	}
	return may
}

// known tells whether a value could have become another one: a version of a file, a number, or a text that is a key; or it is gone with
// the user whom it named.
func (r *run) known(a, b types.AttributeValue) bool {
	was, isText := a.(*types.AttributeValueMemberS)
	if is, too := b.(*types.AttributeValueMemberS); isText && too {
		return r.versions[was.Value] == is.Value || r.renumbered(was.Value, is.Value)
	}
	_, isNumber := a.(*types.AttributeValueMemberN)
	_, numberToo := b.(*types.AttributeValueMemberN)
	return isNumber && (numberToo || b == nil) || b == nil && r.Users != nil
}

// renumbered tells whether a text differs in nothing but the number of the company, which stands alone between the signs that part a key
// or the id of an event.
func (r *run) renumbered(was, is string) bool {
	parts := func(text string) []string {
		return strings.FieldsFunc(text, func(c rune) bool { return c == '#' || c == '_' })
	}
	a, b := parts(was), parts(is)
	return len(was)-len(strings.Join(a, "")) == len(is)-len(strings.Join(b, "")) && slices.EqualFunc(a, b, func(x, y string) bool {
		return x == y || x == r.was.String() && y == r.is.String() ||
			x == table.SortID(int64(r.was)) && y == table.SortID(int64(r.is))
	})
}

// differ calls do for each place at which two values differ, by its path: "ev[].u".
func differ(path string, a, b types.AttributeValue, do func(path string, a, b types.AttributeValue)) {
	if reflect.DeepEqual(a, b) {
		return
	}
	switch x := a.(type) {
	case *types.AttributeValueMemberM:
		y, ok := b.(*types.AttributeValueMemberM)
		if !ok {
			break
		}
		names := maps.Clone(x.Value)
		maps.Copy(names, y.Value)
		for name := range names {
			differ(strings.TrimPrefix(path+"."+name, "."), x.Value[name], y.Value[name], do)
		}
		return
	case *types.AttributeValueMemberL:
		y, ok := b.(*types.AttributeValueMemberL)
		if !ok || len(x.Value) != len(y.Value) {
			break
		}
		for i := range x.Value {
			differ(path+"[]", x.Value[i], y.Value[i], do)
		}
		return
	}
	do(path, a, b)
}
