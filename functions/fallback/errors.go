package fallback

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/web"
)

const (
	errorsPath = "/v1/errors/"
	typeHTML   = "text/html"
)

// errorOperations are the reference of errors. The type of a problem is the address of its code's page.
func (g *group) errorOperations() []web.Operation {
	cached := map[string]string{"ETag": "The page's, for If-None-Match."}
	answers := func(body reflect.Type) []web.Answer {
		return []web.Answer{
			{Status: http.StatusOK, Doc: "OK", Body: body, Header: cached},
			{Status: http.StatusNotModified, Doc: "It is still the one of If-None-Match.", Header: cached},
		}
	}
	const doc = "A page to browsers, in the language that Accept-Language prefers; " +
		"JSON, with all languages, to who accepts that and no page."
	produces := []string{decode.TypeJSON, typeHTML}
	return []web.Operation{
		web.Op(web.Operation{
			ID: "errors", Method: http.MethodGet, Path: errorsPath, Access: web.Public, Produces: produces,
			Summary: "The codes of all errors", Doc: doc, Answers: answers(reflect.TypeFor[Codes]()),
		}, g.allErrors),
		web.Op(web.Operation{
			ID: "error", Method: http.MethodGet, Path: errorsPath + "{code}/", Access: web.Public, Produces: produces,
			Summary: "What a code of an error means", Doc: doc, Answers: answers(reflect.TypeFor[Code]()),
			Faults: []fault.Code{fault.NotFound},
		}, g.oneError),
	}
}

// Codes are the codes of all errors.
type Codes struct {
	Codes []Code `json:"codes"`
}

// Code is a code by which programs tell an error apart.
type Code struct {
	Code  string     `json:"code"`
	Texts []CodeText `json:"texts" doc:"What an error with this code says."`
}

// CodeText is one of the texts of a code. {name} stands for the value of a parameter.
type CodeText struct {
	Params []string `json:"params" doc:"The names of its parameters, which the params of a problem have."`
	EN     string   `json:"en"`
	RU     string   `json:"ru"`
	KK     string   `json:"kk"`
	saying say.Saying
}

func (g *group) codeOf(code string) Code {
	c := Code{Code: code, Texts: []CodeText{}}
	for _, s := range g.codes()[code] {
		c.Texts = append(c.Texts, CodeText{s.Params, s.In(say.English), s.In(say.Russian), s.In(say.Kazakh), s})
	}
	return c
}

func (g *group) allErrors(_ context.Context, r *web.Request, in *errorsInput) (*web.Reply[web.None], error) {
	all := Codes{}
	for _, code := range slices.Sorted(maps.Keys(g.codes())) {
		all.Codes = append(all.Codes, g.codeOf(code))
	}
	return g.reference(r, in.Language, all, "", all.Codes)
}

type errorsInput struct {
	Language string `header:"Accept-Language" doc:"What a browser prefers."`
}

type errorInput struct {
	Code     string `path:"code" doc:"Of an error."`
	Language string `header:"Accept-Language" doc:"What a browser prefers."`
}

func (g *group) oneError(_ context.Context, r *web.Request, in *errorInput) (*web.Reply[web.None], error) {
	if _, ok := g.codes()[in.Code]; !ok {
		return nil, fault.ErrNotFound
	}
	c := g.codeOf(in.Code)
	return g.reference(r, in.Language, c, in.Code, []Code{c})
}

// reference is an answer as JSON, or as a page of some codes.
func (g *group) reference(r *web.Request, header string, body any, code string, codes []Code) (*web.Reply[web.None], error) {
	reply := &web.Reply[web.None]{Header: map[string]string{"Cache-Control": keepDescription, "Vary": "Origin,Accept,Accept-Language"}}
	var err error
	if r.AsksFor(typeHTML) {
		language := say.Preferred(header, g.languages)
		maps.Copy(reply.Header, map[string]string{
			"Content-Language": string(language), "Content-Security-Policy": errorsPolicy(), "Referrer-Policy": "no-referrer",
			"X-Frame-Options": "DENY",
		})
		reply.ContentType = typeHTML + "; charset=utf-8"
		reply.Raw = errorsPage(language, code, codes)
	} else {
		reply.ContentType = decode.TypeJSON
		reply.Raw, err = encode.JSON(body)
	}
	reply.Header["ETag"] = tagOfBody(reply.Raw)
	return reply, err
}

//go:embed errors.css
var errorsStyle string

// errorsPolicy allows the page nothing but its own style.
func errorsPolicy() string {
	sum := sha256.Sum256([]byte(errorsStyle))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

// errorsPage is the page of a code, or of all. It is written without a template: the packages for these would be a third of the function.
func errorsPage(language say.Language, code string, codes []Code) []byte {
	var b strings.Builder
	add := func(pieces ...string) {
		for i, piece := range pieces {
			if i%2 == 1 { // every other piece is a text
				piece = html.EscapeString(piece)
			}
			b.WriteString(piece)
		}
	}
	title := say.ReferenceErrors.In(language)
	add(`<!doctype html><html lang="`, string(language), `"><head><meta charset="utf-8">`+
		`<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>`,
		strings.Trim(code+" · "+title, " ·"), `</title><style>`+errorsStyle+`</style></head><body><main>`)
	if code == "" {
		add(`<h1>`, title, `</h1><p>`, say.ReferenceIntro.In(language), `</p><dl>`)
		for _, c := range codes {
			add(`<dt><a href="`, c.Code, `/"><code>`, c.Code, `</code></a></dt>`)
			for _, t := range c.Texts {
				add(`<dd>`, t.saying.In(language), `</dd>`)
			}
		}
		add(`</dl>`)
	} else {
		add(`<p><a href="../">`, title, `</a></p><h1><code>`, code, `</code></h1><h2>`, say.ReferenceTexts.In(language), `</h2><ul>`)
		for _, t := range codes[0].Texts {
			add(`<li>`, t.saying.In(language))
			if len(t.Params) > 0 {
				add(`<p class="params">`, say.ReferenceParams.In(language), `: <code>`, strings.Join(t.Params, ", "), `</code></p>`)
			}
			add(`</li>`)
		}
		add(`</ul>`)
	}
	add("</main></body></html>\n")
	return []byte(b.String())
}
