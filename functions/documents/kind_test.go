package documents

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/record/recordtest"
)

// Documents are read and written by hand, and are a kind like any other.
func TestKind(t *testing.T) {
	recordtest.Run(t, recordtest.Subject[document]{
		Kind: kind(),
		New: func(n int) *document {
			return &document{UUID: uuid.New(), Name: fmt.Sprintf("Договор № %d", n), CreatedBy: 3, Content: &object{ID: uuid.New(), Version: "v1"}}
		},
		Change: func(d *document, n int) { d.Name = fmt.Sprintf("Акт № %d", n) },
	})
}
