package templates

import (
	"context"
	"net/http"
	"strings"

	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/functions/documents/printing"
	"github.com/tenantry/tenantry/functions/documents/template"
	"github.com/tenantry/tenantry/functions/documents/values"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/enum"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant/principal"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// operations are the operations of templates.
func (s *service) operations() []web.Operation {
	path := kinds.Of(kinds.Template).Path
	return append(
		s.templates().Operations(s.now),
		web.Op(web.Operation{
			ID: "templates-variables", Method: http.MethodGet, Path: path + "variables/", Summary: "List the variables of templates",
			Doc: "All that a template about a client or an order may use, with the company's own custom fields. The names of " +
				"a list's rows are used inside {{#each order.lines}}…{{/each}}, without the name of the list: {{inventory.name}}. " +
				"A value that isn't set is empty. Each date and amount is also there in words.",
			Query: []web.Param{{
				Name: "content_type", Required: true, Enum: enum.Texts(template.OfClient.Values()),
				Doc: "What the template is about.",
			}},
		}, s.variables),
		web.Op(web.Operation{
			ID: "templates-preview", Method: http.MethodPost, Path: path + "{id}/preview/", Produces: []string{"*/*"}, OnlyReads: true,
			Summary: "Preview a template",
			Doc: "Makes a PDF of the template with the values of a record, or with values that are made up. It is kept nowhere. " +
				"The answer redirects to an address that works for some minutes; a caller who asks for application/json gets it as JSON. " +
				"For the values of a record a key for programs needs the scope to read such records, too, and for an order's also " +
				"the one to read clients.",
			Answers: web.Downloads(), Faults: []fault.Code{fault.Unavailable},
		}, s.preview),
	)
}

// Variable is what templates may use.
type Variable struct {
	Name    string      `json:"name" doc:"Of a value in a row: that of the list, [] and its own"`
	Example string      `json:"example" doc:"Of a record that is made up"`
	Doc     say.Message `json:"doc"`
}

func (s *service) variables(ctx context.Context, r *web.Request, _ *struct{}) ([]Variable, error) {
	sent := strings.TrimSpace(r.Param("content_type"))
	about := template.Subject(strings.ToLower(sent))
	switch {
	case about == "":
		return nil, fault.Field("content_type", say.Required)
	case about != template.OfClient && about != template.OfOrder:
		return nil, fault.Field("content_type", say.InvalidChoice(sent))
	}
	of, err := values.Example(ctx, resource.Scope(r, s.now).Reading(), about)
	if err != nil {
		return nil, err
	}
	of.Base = r.BaseURL
	var list []Variable
	for _, v := range of.Variables() {
		list = append(list, Variable{v.Name, v.Example, v.Says})
	}
	return list, nil
}

type previewInput struct {
	ID   int64 `path:"id"`
	Body struct {
		ContentType decode.Optional[template.Subject] `json:"content_type" anyCase:"true" doc:"That of the template"`
		ObjectID    decode.Optional[int64]            `json:"object_id" nullable:"true" doc:"Id of a client or an order, as content_type says. Left out: values are made up."`
	}
}

// preview makes a PDF of a template.
func (s *service) preview(ctx context.Context, r *web.Request, in *previewInput) (*web.Reply[web.FileLink], error) {
	var data []byte
	var name string
	err := table.Anew(ctx, table.Tries, func() error {
		w := resource.Scope(r, s.now).Reading()
		t, err := s.kind.Read(ctx, w, in.ID)
		if err != nil {
			return err
		}
		if sent := in.Body.ContentType; sent.Set && sent.Value != t.About {
			return fault.Field("content_type", say.TemplateAboutOther(string(t.About)))
		}
		of, err := s.previewed(ctx, w, r.Principal, t, in.Body.ObjectID)
		if err != nil {
			return err
		}
		name, of.Base = t.Name+".pdf", r.BaseURL
		text, err := t.Read(ctx, s.files, r.Table.ID())
		if err != nil {
			return err
		}
		if err := printing.Wrong(text, of.Schema()).Err(); err != nil {
			return err
		}
		data, err = s.pdf(ctx, w, t, text, of)
		return printing.At("content", err)
	}, nil)
	if err != nil {
		return nil, err
	}
	id := s.newUUID()
	if err := s.files.PutTemporary(ctx, r.Table.ID(), id, document.PDF, data); err != nil {
		return nil, err
	}
	url, expires, err := s.files.DownloadTemporary(ctx, r.Table.ID(), id, name)
	if err != nil {
		return nil, err
	}
	return r.Download(url, expires), nil
}

// previewed is what a preview shows: the named record, or one that is made up. Of an order it also shows its client.
func (s *service) previewed(
	ctx context.Context, w *record.Work, p principal.Principal, t *template.Template, id decode.Optional[int64],
) (*values.Source, error) {
	if !id.Set || id.Null {
		return values.Example(ctx, w, t.About)
	}
	if !template.KindOf(t.About).IsReadBy(p) || !kinds.Of(kinds.Client).IsReadBy(p) {
		return nil, fault.ErrForbidden
	}
	of, err := values.Load(ctx, w, t.About, id.Value)
	if err == nil {
		of.Document = values.Document{Number: 1, Name: t.Name, At: s.now()}
	}
	return of, err
}

// pdf makes the PDF of a preview.
func (s *service) pdf(ctx context.Context, w *record.Work, t *template.Template, text template.Text, of *values.Source) ([]byte, error) {
	sheet, err := s.press.Fill(ctx, w, t, text, of)
	if err != nil {
		return nil, err
	}
	page, err := sheet.Page(t.Name, of.Document.At)
	if err != nil {
		return nil, err
	}
	done, err := s.press.Print(ctx, w.Scope().Table.ID(), page)
	if err != nil {
		return nil, err
	}
	return s.press.Read(ctx, w.Scope().Table.ID(), done)
}
