package documents

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/shared/kinds"
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

// The API description lists exactly the class names of the registered kinds as values of content_type.
func TestClassNames(t *testing.T) {
	var models []string
	for _, k := range kinds.All() {
		if k.Model != "" {
			models = append(models, k.Model)
		}
	}
	want := strings.Join(models, ",")
	for _, of := range []reflect.Type{reflect.TypeFor[body](), reflect.TypeFor[Document](), reflect.TypeFor[DocumentLink]()} {
		f, _ := of.FieldByName("ContentType")
		if got := f.Tag.Get("enum"); got != want {
			t.Errorf("%s names %s, and the registry has %s", of, got, want)
		}
	}
}
