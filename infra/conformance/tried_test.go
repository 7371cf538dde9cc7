package conformance_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/infra/underrace"
	"github.com/tenantry/tenantry/shared/decode"
)

// tried lists the operations that a test tries, of those that fit. With the race detector these are one of each kind: what it looks for is
// in the code that all operations of a kind share. Without it all are tried.
func tried(t *testing.T, fits func(operation) bool) []operation {
	t.Helper()
	var list []operation
	for _, op := range operations() {
		if fits(op) {
			list = append(list, op)
		}
	}
	if len(list) == 0 {
		t.Error("no operation was tried")
	}
	if underrace.Enabled {
		all := len(list)
		list = ofEachKind(list)
		t.Logf("with the race detector: %d of %d operations, one of each kind", len(list), all)
	}
	return list
}

// ofEachKind is the first operation of each kind.
func ofEachKind(all []operation) (list []operation) {
	seen := map[string]bool{}
	for _, op := range all {
		if kind := op.kind(); !seen[kind] {
			seen[kind] = true
			list = append(list, op)
		}
	}
	return list
}

// kind is the way that a request of an operation takes through the code that operations share: its method, who may call it,
// what its body is and what it answers.
func (op operation) kind() string {
	return fmt.Sprintf("%s, access %v, body %s, JSON %v, draws %v", op.Method, op.Access, op.bodyKind(), answersJSON(op), op.Draws)
}

// bodyKind is what the decoder makes of the operation's body.
func (op operation) bodyKind() string {
	kind := "none"
	switch {
	case op.takesRows():
		kind = "rows"
	case takesBody(op) && slices.ContainsFunc(decode.Describe(op.body()), isFile):
		kind = "files"
	case takesBody(op):
		kind = "fields"
	}
	if op.Large {
		kind += ", large"
	}
	return kind
}

func isFile(f decode.Field) bool {
	return f.Type == reflect.TypeFor[decode.File]() || f.Type == reflect.TypeFor[[]decode.File]()
}

// No kind of operation is left out with the race detector.
func TestOperationsOfEachKind(t *testing.T) {
	all := operations()
	one := ofEachKind(all)
	kinds := map[string]bool{}
	for _, op := range all {
		kinds[op.kind()] = true
	}
	var ids []string
	for _, op := range one {
		delete(kinds, op.kind())
		ids = append(ids, op.ID)
	}
	if len(kinds) > 0 || len(one) < 12 || len(one) > len(all)/3 {
		t.Errorf("of %d operations %d, without %v", len(all), len(one), kinds)
	}
	t.Logf("with the race detector %d of %d operations are tried, one of each kind: %s", len(one), len(all), strings.Join(ids, " "))
}
