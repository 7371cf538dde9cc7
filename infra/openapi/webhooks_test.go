package openapi_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/docs"
	"github.com/tenantry/tenantry/functions/deliver"
	"github.com/tenantry/tenantry/functions/webhooks/signature"
)

// What a receiver is sent is described: each header of the signature, and each member of both payloads.
func TestDeliveriesAreDescribed(t *testing.T) {
	d := parse(t, docs.OpenAPI())
	const at = "#/webhooks/delivery/post"
	var headers []string
	parameters, _ := find(d, at+"/parameters").([]any)
	for _, p := range parameters {
		headers = append(headers, p.(object)["name"].(string))
	}
	var want []string
	for name := range signature.Headers([][]byte{{1}}, "evt_1_1", time.Time{}, nil) {
		want = append(want, strings.ToLower(name))
	}
	slices.Sort(headers)
	slices.Sort(want)
	if !slices.Equal(headers, want) {
		t.Errorf("the headers %v are described, and %v are sent", headers, want)
	}
	ref, _ := find(d, at+"/requestBody/content/application~1json/schema/$ref").(string)
	for where, one := range map[string]any{
		ref: deliver.Message{}, "#/components/schemas/ThinData": deliver.ThinData{}, "#/components/schemas/WholeData": deliver.WholeData{TooLarge: true},
	} {
		text, err := json.Marshal(one)
		if err != nil {
			t.Fatal(err)
		}
		var sent object
		if err := json.Unmarshal(text, &sent); err != nil {
			t.Fatal(err)
		}
		described, _ := find(d, where+"/properties").(object)
		if got, want := slices.Sorted(maps.Keys(described)), slices.Sorted(maps.Keys(sent)); !slices.Equal(got, want) {
			t.Errorf("%s has %v, and %v are sent", where, got, want)
		}
	}
}
