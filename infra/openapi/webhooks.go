package openapi

import (
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tenantry/tenantry/functions/deliver"
	"github.com/tenantry/tenantry/functions/webhooks"
	"github.com/tenantry/tenantry/shared/decode"
)

// webhookMessage is the name of the schema of what receivers of webhooks are sent.
const webhookMessage = "WebhookMessage"

// webhooks describes what receivers of webhooks are sent, if the description has webhooks. It comes before finish, which completes the
// schemas of the message's parts.
func (d *document) webhooks() {
	if d.outputs.names["Webhook"] != reflect.TypeFor[webhooks.Webhook]() {
		return
	}
	message := huma.SchemaFromType(d.outputs.registry, reflect.TypeFor[deliver.Message]())
	message.AdditionalProperties, message.Description = nil, "What the receiver of a webhook is sent."
	message.Properties["data"] = &huma.Schema{
		Description: "Of a webhook whose payload is thin, or whole.",
		AnyOf: []*huma.Schema{
			d.outputs.schema(reflect.TypeFor[deliver.ThinData](), ""), d.outputs.schema(reflect.TypeFor[deliver.WholeData](), ""),
		},
	}
	d.outputs.registry.Map()[webhookMessage] = message
	header := func(name, meaning string) *huma.Param {
		return &huma.Param{Name: name, In: "header", Required: true, Description: meaning, Schema: &huma.Schema{Type: huma.TypeString}}
	}
	d.Webhooks = map[string]*huma.PathItem{"delivery": {Post: &huma.Operation{
		OperationID: "webhook-delivery", Method: http.MethodPost, Tags: []string{"webhooks"}, Summary: "A delivery to a webhook",
		Description: "What the platform sends to the `url` of a webhook, at least once and in no order, signed as Standard Webhooks " +
			"says: docs/webhooks.md. It waits for 15 seconds.",
		Security: []map[string][]string{},
		Parameters: []*huma.Param{
			header("webhook-id", "The `id` of the message: the same in each attempt."),
			header("webhook-timestamp", "When this attempt was made, in seconds since 1970."),
			header("webhook-signature", "`v1,` and base64 of the HMAC-SHA256 of `<id>.<timestamp>.<body>`; for 24 hours after a rotation "+
				"two of them, with a space between."),
		},
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
			decode.TypeJSON: {Schema: &huma.Schema{Ref: schemas + webhookMessage}},
		}},
		Responses: map[string]*huma.Response{
			"2XX":     {Description: "It has arrived."},
			"410":     {Description: "Nothing is wanted any more: the webhook is disabled."},
			"default": {Description: "It is tried again later. A redirect is not followed."},
		},
	}}}
}
