package openapi_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/docs"
	"github.com/tenantry/tenantry/functions/events/known"
)

// Each type of events has a schema, which its name leads to, and whose example has the members that the schema requires and no others.
func TestTypesOfEvents(t *testing.T) {
	d := parse(t, docs.OpenAPI())
	const schemas = "#/components/schemas/"
	mapping, _ := find(d, schemas+"KnownEvent/discriminator/mapping").(object)
	byType, _ := find(d, schemas+"LogEvent/x-events").(object)
	all, _ := find(d, schemas+"KnownEvent/oneOf").([]any)
	if len(mapping) != len(known.Types()) || len(byType) != len(mapping) || len(all) != len(mapping) {
		t.Errorf("%d, %d and %d of %d types", len(mapping), len(byType), len(all), len(known.Types()))
	}
	for _, one := range known.Types() {
		ref, _ := mapping[string(one.Type)].(string)
		if got := fmt.Sprint(find(d, schemas+"LogEvent/x-events")); !strings.Contains(got, ref) || ref == "" {
			t.Errorf("%s leads to %q", one.Type, ref)
			continue
		}
		if got := fmt.Sprint(find(d, ref+"/allOf/1/properties/type/enum")); got != "["+string(one.Type)+"]" {
			t.Errorf("the type of %s is %s", one.Type, got)
		}
		data, _ := find(d, ref+"/examples/0/data").(object)
		properties, _ := find(d, ref+"/allOf/1/properties/data/properties").(object)
		if got, want := slices.Sorted(maps.Keys(data)), slices.Sorted(maps.Keys(properties)); !slices.Equal(got, want) {
			t.Errorf("the example of %s has %v, and its schema %v", one.Type, got, want)
		}
	}
}
