package document

import (
	"fmt"
	"testing"

	"github.com/tenantry/tenantry/shared/record/event/eventtest"
)

func TestEvents(t *testing.T) {
	eventtest.Check(t, Events(), "document.sign.requested", "document.sign.opened", "document.sign.signed", "document.sign.rejected",
		"document.sign.reopened", "document.signed", "document.sealed")
}

// Orders come before clients, and those that the document belongs to before those who sign it.
func TestConcerns(t *testing.T) {
	id := func(n int64) *int64 { return &n }
	d := &Document{
		Links: []Link{{Model: "Client", ObjectID: 3, Role: Secondary}, {Model: "Inventory", ObjectID: 4}, {Model: "OrderRequest", ObjectID: 5}},
		Signs: []Sign{{Signer: Signer{OuterID: id(6)}}, {Signer: Signer{Type: Company}}, {Signer: Signer{OuterID: id(3)}}},
	}
	if got := fmt.Sprint(d.concerns()); got != "[order:5 client:3 client:6]" {
		t.Error(got)
	}
	for n := range int64(9) {
		d.Signs = append(d.Signs, Sign{Signer: Signer{OuterID: id(10 + n)}})
	}
	if got := fmt.Sprint(d.concerns()); got != "[order:5 client:3 client:6 client:10 client:11]" {
		t.Error(got)
	}
}
