package document

import (
	"testing"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/say"
)

// Every kind to which a document can belong has a label in each language, in English that of the registry.
func TestLabels(t *testing.T) {
	linked := 0
	for _, k := range kinds.All() {
		if k.Model == "" {
			continue
		}
		linked++
		if got := labelsIn(say.English).models[k.Model]; got != k.Label {
			t.Errorf("%s is %q in English, and %q in the registry", k.Model, got, k.Label)
		}
	}
	if linked == 0 || len(models) != linked {
		t.Errorf("%d kinds can be linked to, and %d have labels", linked, len(models))
	}
}
