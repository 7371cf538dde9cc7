package documents_test

import (
	"testing"

	"github.com/tenantry/tenantry/functions/documents"
	"github.com/tenantry/tenantry/functions/points"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// TestLinkedToOtherKinds: a document can be linked to records of other kinds, by the names
// of their classes.
func TestLinkedToOtherKinds(t *testing.T) {
	api := webtest.New(t, documents.New, points.New)
	c := api.As(webtest.Employee(1))
	c.Post("/v1/crm/rental_points/", `{"name":"Airport","address":"1 Runway Road"}`).Status(201)
	c.Post(all, `{"name":"Plan","content_type":"RentalPoint","object_id":1}`).Status(201).
		Field("links.0.content_type", `"RentalPoint"`).Field("links.0.content_type_label", `"Rental point"`).
		Field("links.0.label", `"Airport"`).Field("object_id", "1").
		Field("links.0.url", `"`+webtest.BaseURL+`/v1/crm/rental_points/1/"`)
	missing := `{"object_id":["Invalid pk \"1\" - object does not exist."]}`
	c.Post(all, `{"name":"Plan","content_type":"Client","object_id":1}`).Status(400).JSON(missing)
	api.As(webtest.Employee(2)).Post(all, `{"name":"Plan","content_type":"RentalPoint","object_id":1}`).Status(400).JSON(missing)
	for _, model := range []string{"rental_point", "rentalpoint", "RENTAL_POINT"} {
		c.Post(all, map[string]any{"content_type": model, "object_id": 1}).Status(201).Field("content_type", `"RentalPoint"`)
	}
	for _, model := range []string{"", "User", "CustomField", "rental point"} {
		if a := c.Post(all, map[string]any{"content_type": model, "object_id": 1}).Status(400); a.Value("content_type") == nil {
			t.Errorf("%q: %s", model, a.Body())
		}
	}
}

// A link has its labels in the reader's language, also where an answer is repeated under its Idempotency-Key.
func TestLabelsOfLinks(t *testing.T) {
	api := webtest.New(t, documents.New, points.New)
	c := api.As(webtest.Employee(1))
	c.Post("/v1/crm/rental_points/", `{"name":"Airport","address":"1 Runway Road"}`).Status(201)
	body := `{"name":"Plan","content_type":"RentalPoint","object_id":1}`
	for _, by := range []struct{ language, kind, role string }{
		{"en", "Rental point", "Primary"}, {"ru", "Пункт проката", "Основная"}, {"kk", "Жалға беру пункті", "Негізгі"},
	} {
		in := c.With("Accept-Language", by.language)
		for path, a := range map[string]*webtest.Answer{
			"":           in.With("Idempotency-Key", "one").Post(all, body).Status(201),
			"results.0.": in.Get(all).Status(200).Field("count", "1"),
		} {
			a.Field(path+"links.0.content_type_label", `"`+by.kind+`"`).Field(path+"links.0.role_label", `"`+by.role+`"`).
				Header("Content-Language", by.language).Header("Vary", "Origin,Accept-Language")
		}
		in.Get(all+"1/").Status(200).Field("links.0.role_label", `"`+by.role+`"`).Header("Content-Language", by.language)
	}
}
