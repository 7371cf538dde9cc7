package documents

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/shared/record/recordtest"
)

// Documents are read and written by hand, and are a kind like any other.
func TestKind(t *testing.T) {
	recordtest.Run(t, recordtest.Subject[*document.Document]{
		Kind: document.Kind(),
		New: func(n int) *document.Document {
			return &document.Document{
				UUID: uuid.New(), Name: fmt.Sprintf("Договор № %d", n), CreatedBy: 3, Content: &document.Object{ID: uuid.New(), Version: "v1"},
			}
		},
		Change: func(d *document.Document, n int) { d.Name = fmt.Sprintf("Акт № %d", n) },
	})
}
