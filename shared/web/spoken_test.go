package web_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const tooLong = `{"name":"too long"}`

// An answer speaks the language that the caller likes best, and says so.
func TestAnswersSpeak(t *testing.T) {
	c := webtest.New(t, things).As(webtest.Employee(1))
	for _, tt := range []struct{ accept, language, says string }{
		{"", "en", "Ensure this field has no more than 5 characters."},
		{"ru", "ru", "Не больше 5 символов."},
		{"kk-KZ,kk;q=0.9,ru;q=0.8,en;q=0.7", "kk", "5 таңбадан артық болмауы керек."},
		{"fr;q=0.9, de", "en", "Ensure this field has no more than 5 characters."},
		{"\xff;q=x", "en", "Ensure this field has no more than 5 characters."},
	} {
		asked := c
		if tt.accept != "" {
			asked = c.With("Accept-Language", tt.accept)
		}
		asked.Put("/v1/things/1/", tooLong).Status(400).JSON(`{"name":["`+tt.says+`"]}`).
			Header("Content-Language", tt.language).Header("Vary", "Origin,Accept,Accept-Language")
	}
	russian := c.With("Accept-Language", "ru")
	russian.Get("/v1/things/99/").Status(404).JSON(`{"detail":"Не найдено. Возможно, запись удалена."}`)
	russian.Get("/v1/nowhere/").Status(404).JSON(`{"detail":"Не найдено. Возможно, запись удалена."}`)
	russian.Post("/v1/things/1/", `{}`).Status(405).Header("Content-Language", "ru")
	russian.Get("/v1/things/1/").Status(200).NoHeader("Content-Language").Header("Vary", "Origin") // it says nothing
	webtest.New(t, things).As(webtest.Nobody()).With("Accept-Language", "ru").Get("/v1/things/1/").Status(401).
		JSON(`{"detail":"Войдите в систему."}`)
	webtest.New(t, things).As(webtest.BadToken()).With("Accept-Language", "kk").Get("/v1/things/1/").Status(401).
		Field("detail", `"Сеанс уақыты аяқталды. Қайта кіріңіз."`).Field("code", `"token_not_valid"`)
}

// A stage that speaks one language says so, and nothing depends on the header.
func TestOneLanguage(t *testing.T) {
	for _, languages := range [][]say.Language{nil, {say.English}} {
		setup := webtest.Setup{Change: func(e *app.Env) { e.Config.Languages = languages }}
		setup.New(t, things).As(webtest.Employee(1)).With("Accept-Language", "ru").Put("/v1/things/1/", tooLong).Status(400).
			JSON(`{"name":["Ensure this field has no more than 5 characters."]}`).Header("Content-Language", "en").Header("Vary", "Origin,Accept")
	}
	setup := webtest.Setup{Change: func(e *app.Env) { e.Config.Languages = []say.Language{say.Russian, say.English} }}
	setup.New(t, things).As(webtest.Employee(1)).With("Accept-Language", "kk").Put("/v1/things/1/", tooLong).Status(400).
		JSON(`{"name":["Не больше 5 символов."]}`)
}

// What a caller has typed stays as it was typed, even if it looks as a message is stored.
func TestNobodyForgesMessages(t *testing.T) {
	c := webtest.New(t, things).As(webtest.Employee(1)).With("Accept-Language", "ru")
	c.Put("/v1/things/1/", `{"name":"\u0000null"}`).Status(400).JSON(`{"name":["В тексте есть недопустимые знаки. Введите его заново."]}`)
	c.Put("/v1/things/1/", `{"name":"{max}"}`).Status(200).Field("name", `"{max}"`)
}

// A repeated request is answered in the language of the repetition: what is kept is neutral.
func TestRepetitionsSpeak(t *testing.T) {
	refuse := func(*web.Request, *basket) error { return fault.New(fault.Conflict, say.LinesToName(50, 120)) }
	c := webtest.New(t, baskets(refuse)).As(webtest.Employee(1)).With("Idempotency-Key", "k")
	first := c.With("Accept-Language", "kk").Post("/v1/thorough/", `{"name":"a"}`).Status(409)
	first.JSON(`{"detail":"Позицияларды таңдаңыз, бір жолы ең көбі 50. Барлығы: 120."}`)
	c.With("Accept-Language", "ru").Post("/v1/thorough/", `{"name":"a"}`).Status(409).
		JSON(`{"detail":"Выберите позиции, не больше 50 за раз: всего их 120."}`).Header("Content-Language", "ru")
}

// The tag of an answer that is said in a language is that of the record, whatever the language: a caller who has it may want the other
// one, so nobody is told that nothing has changed.
func TestAnotherLanguageIsNoUnchangedAnswer(t *testing.T) {
	labelled := func(app.Env) app.Group {
		type label struct {
			Label say.Message `json:"label"`
		}
		get := func(_ context.Context, _ *web.Request, in *byID) (*web.Reply[label], error) {
			return &web.Reply[label]{Body: &label{say.TitleInvalid}, Header: map[string]string{"ETag": web.ETag(in.ID)}}, nil
		}
		return app.Group{Group: web.Group{Name: "labelled", Operations: []web.Operation{
			web.Op(web.Operation{ID: "get", Method: http.MethodGet, Path: "/v1/labelled/{id}/"}, get),
		}}}
	}
	for languages, status := range map[int]int{1: 304, 3: 200} {
		setup := webtest.Setup{Change: func(e *app.Env) { e.Config.Languages = say.Languages()[:languages] }}
		c := setup.New(t, labelled).As(webtest.Owner(1)).With("Accept-Language", "ru")
		c.With("If-None-Match", `"7"`).Get("/v1/labelled/7/").Status(status).Header("ETag", `"7"`)
		c.Get("/v1/labelled/7/").Status(200)
	}
}
