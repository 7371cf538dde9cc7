package signing

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	_ "time/tzdata" // days on pages are those of companies, and Lambda's machines have no time zone database

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/functions/signing/page"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/web"
)

const (
	htmlType = "text/html; charset=utf-8"
	anyType  = "*/*"
)

// pageOperations are the pages that people open, and what these load.
func (s *service) pageOperations() []web.Operation {
	return []web.Operation{
		web.Op(web.Operation{
			ID: "signing-page", Method: http.MethodGet, Path: "/sign/{uuid}/", Access: web.Public, Secret: true,
			Produces: []string{anyType},
			Summary:  "The page of a signer", Doc: "It changes nothing: the page's own script tells that it was opened.",
			Answers: pageAnswers(),
		}, s.signPage),
		web.Op(web.Operation{
			ID: "signing-asset", Method: http.MethodGet, Path: page.Assets + "{folder}/{name}", Access: web.Public,
			Produces: []string{anyType}, Summary: "A script, style or font of the pages",
			Answers: []web.Answer{{Status: http.StatusOK, Doc: "Its folder changes with its content."}},
			Faults:  []fault.Code{fault.NotFound},
		}, s.asset),
		web.Op(web.Operation{
			ID: "verify-page", Method: http.MethodGet, Path: "/verify/", Access: web.Public, Produces: []string{anyType},
			Summary: "The page that verifies files", Answers: pageAnswers()[:1],
		}, s.verifyPage),
	}
}

func pageAnswers() []web.Answer {
	return []web.Answer{
		{Status: http.StatusOK, Doc: "A page.", Body: reflect.TypeFor[web.HTML]()},
		{
			Status: http.StatusForbidden, Doc: "A page that says that the company can't have anything signed now.",
			Body: reflect.TypeFor[web.HTML](),
		},
		{
			Status: http.StatusNotFound, Doc: "A page that says that the link leads nowhere, or has expired.",
			Body: reflect.TypeFor[web.HTML](),
		},
	}
}

type pageInput struct {
	UUID   string `path:"uuid" doc:"Of a sign."`
	Lang   string `query:"lang" doc:"Of the page: ru, kk or en; by default what the browser prefers."`
	Accept string `header:"Accept-Language" doc:"What the browser prefers."`
}

// languageOf is the language of a page: the one that was chosen, or the one that the browser prefers.
func (in *pageInput) languageOf() string {
	if in.Lang != "" {
		return document.LanguageOf(in.Lang)
	}
	return document.LanguageOf(in.Accept)
}

// settings are those of the pages.
func (s *service) settings(ctx context.Context) (page.Settings, error) {
	bucket, err := s.files.Origin(ctx)
	return page.Settings{Bucket: bucket}, err
}

func (s *service) signPage(ctx context.Context, r *web.Request, in *pageInput) (*web.Reply[[]byte], error) {
	seen, err := s.lookedUp(ctx, r, in)
	if errors.Is(err, document.ErrLinkExpired) {
		html, headers := page.Expired(in.languageOf(), seen.Company)
		return &web.Reply[[]byte]{Status: http.StatusNotFound, Header: headers, Raw: html, ContentType: htmlType}, nil
	}
	if f, is := fault.As(err); is && f.Code == fault.Forbidden {
		html, headers := page.Suspended(in.languageOf(), seen.Company)
		return &web.Reply[[]byte]{Status: http.StatusForbidden, Header: headers, Raw: html, ContentType: htmlType}, nil
	}
	if errors.Is(err, fault.ErrNotFound) {
		html, headers := page.Gone(in.languageOf())
		return &web.Reply[[]byte]{Status: http.StatusNotFound, Header: headers, Raw: html, ContentType: htmlType}, nil
	}
	if err != nil {
		return nil, err
	}
	settings, err := s.settings(ctx)
	if err != nil {
		return nil, err
	}
	html, headers := page.Sign(in.languageOf(), seen, settings)
	return &web.Reply[[]byte]{Header: headers, Raw: html, ContentType: htmlType}, nil
}

// lookedUp is what the page of a sign shows. It fails with fault.ErrNotFound, also for what is no uuid, with
// document.ErrLinkExpired, and with the refusal of a company that is suspended; beside these two it returns the company alone.
func (s *service) lookedUp(ctx context.Context, r *web.Request, in *pageInput) (v page.View, err error) {
	id, err := uuid.Parse(in.UUID)
	if err != nil || len(in.UUID) != 36 {
		return v, fault.ErrNotFound
	}
	p, err := s.desk.Public.Reach(ctx, id)
	if err != nil {
		return v, err
	}
	c, err := document.SenderOf(ctx, p.Table)
	if err != nil {
		return v, err
	}
	d, err := s.desk.Reached(ctx, p, s.now)
	if err != nil {
		return v, err
	}
	of := page.View{Company: page.Company{Name: c.Name, BIN: c.BIN, Phone: c.Phone, Email: c.Email}}
	if err := c.Reading(d); err != nil {
		return of, err
	}
	if _, err := d.SignByLink(id, s.links, s.now()); err != nil {
		return of, err
	}
	seen, err := c.Seen(ctx, d, id, document.Viewer{Base: r.BaseURL, Language: in.languageOf(), Now: s.now()})
	if err != nil {
		return v, err
	}
	encoded, err := json.Marshal(seen) // the page shows what the operation answers
	if err != nil {
		return v, err
	}
	err = json.Unmarshal(encoded, &v)
	return v, err
}

func (s *service) verifyPage(ctx context.Context, _ *web.Request, in *struct {
	Lang   string `query:"lang" doc:"Of the page: ru, kk or en; by default what the browser prefers."`
	Accept string `header:"Accept-Language" doc:"What the browser prefers."`
},
) (*web.Reply[[]byte], error) {
	settings, err := s.settings(ctx)
	if err != nil {
		return nil, err
	}
	html, headers := page.Verify((&pageInput{Lang: in.Lang, Accept: in.Accept}).languageOf(), settings)
	return &web.Reply[[]byte]{Header: headers, Raw: html, ContentType: htmlType}, nil
}

func (s *service) asset(_ context.Context, _ *web.Request, in *struct {
	Folder string `path:"folder"`
	Name   string `path:"name"`
},
) (*web.Reply[[]byte], error) {
	body, contentType, encoding, ok := page.Asset(in.Folder + "/" + in.Name)
	if !ok {
		return nil, fault.ErrNotFound
	}
	headers := page.AssetHeaders()
	if encoding != "" {
		headers["Content-Encoding"] = encoding
	}
	return &web.Reply[[]byte]{Header: headers, Raw: body, ContentType: contentType}, nil
}
