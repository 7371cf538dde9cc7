package documents

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/infra/presstest"
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// TestSignsOverHTTP: signs that are stored are answered in full, and lock the
// document. Nothing makes them over HTTP yet, so the store does.
func TestSignsOverHTTP(t *testing.T) {
	api := webtest.Setup{Change: presstest.Pressing(t)}.New(t, New)
	c := api.As(webtest.Owner(6))
	made := c.Post("/v2/documents/", `{"name":"a","content":"<p>a</p>"}`).Status(201)
	scope := record.Scope{
		Table: table.Of(api.Env.Table, 6), Actor: audit.Actor{User: 1, Request: "r", At: api.Clock.Now()}, Now: api.Clock.Now,
	}
	signing := func(status document.Status) {
		t.Helper()
		phone := "+77011234567"
		signs := []document.Sign{{
			ID: 1, UUID: uuid.UUID{1}, Method: 1, Allowed: []document.Method{2, 1}, Status: status,
			CreatedAt: webtest.Start.UnixMicro(), UpdatedAt: webtest.Start.Add(time.Minute).UnixMicro(),
			Signer: document.Signer{ID: 9, Name: "Ахметов", Phone: &phone, Type: document.Client},
		}}
		err := scope.Do(t.Context(), nil, func(w *record.Work) error {
			d, err := document.Kind().Edit(t.Context(), w, 1)
			if err == nil {
				d.Signs = signs
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	locked := `{"detail":"The document is signed or being signed: its content, template and file can't be changed.","code":"locked"}`

	signing(document.Confirmation)
	c.Get("/v2/documents/").Status(200).Field("results.0.signed", "false").Field("results.0.signs", `[{
		"id":1,"uuid":"01000000-0000-0000-0000-000000000000","method":1,"method_allowed":[2,1],
		"signer":{"id":9,"name":"Ахметов","phone":"+77011234567","email":null,"type":"client","outer_id":null},
		"status":3,"created_at":"2026-03-02T09:30:00Z","updated_at":"2026-03-02T09:31:00Z",
		"stages":[]}]`)
	for who, shown := range map[webtest.Caller]string{
		webtest.ReadOnly(6): "null", webtest.Employee(6): `"01000000-0000-0000-0000-000000000000"`,
		webtest.Key(5, 6, "documents:read", "documents:write", "signing:read"): "null",
		webtest.Key(5, 6, "documents:read", "signing:write"):                   `"01000000-0000-0000-0000-000000000000"`,
	} { // whoever knows it can act as the signer
		api.As(who).Get("/v2/documents/").Status(200).Field("results.0.signs.0.uuid", shown)
		api.As(who).Get("/v2/documents/1/").Status(200).Field("signs.0.uuid", shown)
	}
	for _, in := range []string{`{"content":"b"}`, `{"content":null}`, `{"regenerate":true}`} {
		c.Patch("/v2/documents/1/", in).Status(409).JSON(locked)
		c.Put("/v2/documents/1/", in).Status(409).JSON(locked)
	}
	c.Patch("/v2/documents/1/", `{"name":"b"}`).Status(200).Field("name", `"b"`).Field("signs.0.status", "3")
	c.Patch("/v2/documents/1/", `{"resign":true}`).Status(400)

	signing(document.Signed)
	c.Get("/v2/documents/1/").Status(200).Field("signed", "true")
	c.Patch("/v2/documents/1/", `{"content":"b"}`).Status(409).JSON(locked)
	c.Patch("/v2/documents/1/", `{"name":"c"}`).Status(409).Field("code", `"signed"`)
	api.Clock.Step(time.Hour)
	renewed := api.As(webtest.Employee(6)).Patch("/v2/documents/1/", `{"resign":true,"content":"<p>b</p>"}`).Status(200).Writes(4).
		Field("id", "2").Field("name", `"b"`).Field("signed", "false").Field("signs", "[]").Field("created_by", "62").
		Field("created_at", `"2026-03-02T10:30:00Z"`).Field("files.0.id", "200001").
		Header("Location", webtest.BaseURL+"/v2/documents/2/")
	if renewed.Text("uuid") == made.Text("uuid") {
		t.Error("the new document has the old one's uuid")
	}
	c.Get("/v2/documents/1/").Status(200).Field("signed", "true").Field("files", string(filesOf(t, made)))
	c.Delete("/v2/documents/1/").Status(204)
	if _, err := document.Kind().Get(t.Context(), scope, 1); err == nil {
		t.Error("still there")
	}
	var archived table.Attributes
	if err := scope.Table.Get(t.Context(), scope.Table.Archive(kinds.Document, 1), &archived); err != nil {
		t.Fatal(err)
	}
	var d document.Document
	if err := archived.Decode(&d); err != nil || len(d.Signs) != 1 || len(d.Files) != 1 || d.Content == nil {
		t.Errorf("archived %+v, %v", d, err)
	}
	if archived.Int("db") != 64 || archived.Int("d") == 0 || archived["x"] != nil {
		t.Errorf("archived %v", archived)
	}
}

func filesOf(t *testing.T, a *webtest.Answer) []byte {
	t.Helper()
	encoded, err := encode.JSON(a.Value("files"))
	if err != nil {
		t.Fatal(err)
	}
	return encoded
}
