package tenants

import (
	"testing"

	"github.com/tenantry/tenantry/functions/documents"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// A logo is any address, or an upload of the company, which is taken once and for good.
func TestLogos(t *testing.T) {
	api := webtest.Setup{Change: func(e *app.Env) { e.Files = filestest.New(t) }}.New(t, New, documents.New)
	seed(t, api.Env.Table)
	ann, bob := api.As(webtest.SignedIn(1)), api.As(webtest.SignedIn(2))
	ann.Post("/v1/tenant/", body("acme")).Status(201)
	bob.Post("/v1/tenant/", body("borealis")).Status(201)
	const own = `"` + webtest.BaseURL + `/v1/tenant/1/logo/"`
	const refused = `{"logo":["No uploaded file has this address."]}`
	ann.Get("/v1/tenant/1/logo/").Status(404)

	first := filestest.Upload(t, api.As(webtest.Owner(1)), "logo.png", "image/png", "first")
	bob.Patch("/v1/tenant/2/", map[string]any{"logo": first}).Status(400).JSON(refused).Writes(0)
	ann.Patch("/v1/tenant/1/", map[string]any{"logo": first}).Status(200).Field("logo", own).NotContain("X-Amz").Header("ETag", `"2"`)
	ann.Patch("/v1/tenant/1/", `{"logo":`+own+`}`).Status(200).Header("ETag", `"2"`).Writes(0) // as it is
	ann.Get("/v1/tenant/").Status(200).Field("0.logo", own)
	link := ann.Get("/v1/tenant/1/logo/").Status(302).Header("Cache-Control", "private, no-store").Get("Location")
	if bytes, _ := filestest.Fetch(t, link); bytes != "first" {
		t.Errorf("the logo is %q", bytes)
	}
	bob.Get("/v1/tenant/1/logo/").Status(404)
	ann.Patch("/v1/tenant/1/", `{"logo":"https://cdn.example.com/l.png"}`).Status(200).Field("logo", `"https://cdn.example.com/l.png"`)
	ann.Get("/v1/tenant/1/logo/").Status(404)
	ann.Patch("/v1/tenant/1/", map[string]any{"logo": first}).Status(400).JSON(refused).Writes(0) // it was taken

	// A company that is only being made has no uploads yet.
	other := filestest.Upload(t, api.As(webtest.Owner(1)), "logo.png", "image/png", "other")
	made := map[string]any{"name": "C", "domain": "comet", "currency": "KZT", "timezone": "UTC", "logo": other}
	api.As(webtest.SignedIn(3)).Post("/v1/tenant/", made).Status(400).JSON(refused)
	made["logo"] = "https://cdn.example.com/c.png"
	api.As(webtest.SignedIn(3)).Post("/v1/tenant/", made).Status(201).Field("logo", `"https://cdn.example.com/c.png"`)
}
