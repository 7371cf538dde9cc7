package documents

import (
	"slices"

	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/functions/documents/template"
	"github.com/tenantry/tenantry/functions/documents/values"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/files/uploads"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
)

// body is what a caller sends to create or change a document.
type body struct {
	Name        decode.Optional[string]          `json:"name" maxLength:"512" example:"Rental contract" doc:"By default the name of the uploaded file."`
	Source      decode.Optional[document.Source] `json:"source" default:"0" doc:"{values}"`
	Template    decode.Optional[int64]           `json:"template" nullable:"true" doc:"Id of an active template. It needs content_type and object_id of the record that the template is about."`
	ContentType decode.Optional[Model]           `json:"content_type" nullable:"true" anyCase:"true" doc:"Class name of the linked record, in any case; with object_id."`
	ObjectID    decode.Optional[int64]           `json:"object_id" nullable:"true" doc:"Id of the linked record; with content_type."`
	Regenerate  decode.Optional[bool]            `json:"regenerate" default:"false" doc:"Make the file again: from the template with the values of now, or from the stored content."`
	Resign      decode.Optional[bool]            `json:"resign" default:"false" doc:"Make a new document from a signed one."`
	File        decode.Optional[decode.File]     `json:"file" doc:"The file of an upload; in multipart the file itself. Required for source 1."`
	Content     decode.Optional[string]          `json:"content" nullable:"true" blank:"true" maxLength:"1000000" example:"<p>One car, three days.</p>" doc:"HTML of a generated document, which becomes a PDF. It is sanitised; images are data URIs, or addresses of this API."`
}

// reference is a record that a caller named.
type reference struct {
	model string
	kind  kinds.Code
	id    int64
}

// plan is what a request changes in a document, as far as that is known without the table and
// the bucket.
type plan struct {
	next    document.Document
	take    *decode.File // the file that becomes the original
	content string       // the HTML that is stored, and from which the original is made
	from    int64        // the template that the original is made of
	again   bool         // the original is made again: from the template, if there is one, or from the stored content
	link    *reference   // the record that becomes the main link

	sent     *uploads.Upload    // what take names, once it is found
	template *template.Template // what from is, once it is found
	text     template.Text      // that of the template
	of       *values.Source     // what the template is filled with
}

// changed tells whether the plan changes the document at all.
func (p *plan) changed(d *document.Document) bool {
	return p.take != nil || p.content != "" || p.from != 0 || p.again || p.link != nil ||
		p.next.Name != d.Name || p.next.Source != d.Source || p.next.Content != d.Content || p.next.Template != d.Template ||
		len(p.next.Files) != len(d.Files) || !slices.Equal(p.next.Links, d.Links)
}

// decide applies the rules of a document to what a caller sent, and adds what is
// wrong to errs. A new document has no id yet.
func decide(d document.Document, in body, errs fault.FieldErrors) (plan, error) {
	p := plan{next: d}
	in.Name.Into(&p.next.Name)
	in.Source.Into(&p.next.Source)
	if in.Resign.Or(false) {
		errs.Add("resign", say.DocumentNothingToSignAgain)
	}
	switch {
	case errs.Has("source"): // it is not known whether the document takes a file or content
	case p.next.Source == document.Uploaded:
		p.upload(d, in, errs)
	default:
		p.generate(d, in, errs)
	}
	p.relate(d, in, errs)
	if !errs.Any() && d.IsLocked() &&
		(p.take != nil || p.content != "" || p.from != 0 || p.again || p.next.Source != d.Source || p.next.Content != d.Content ||
			p.next.Template != d.Template) {
		return plan{}, document.ErrLocked
	}
	if !errs.Any() && d.HasSignature() && (p.next.Name != d.Name || p.link != nil || !slices.Equal(p.next.Links, d.Links)) {
		return plan{}, errNamed
	}
	return p, nil
}

// errNamed says that what people have signed keeps its name, and stays with the record that it was about.
var errNamed = fault.New(fault.Conflict, say.DocumentNameStays).
	Coded()

// upload decides about the bytes of an uploaded document.
func (p *plan) upload(d document.Document, in body, errs fault.FieldErrors) {
	if in.File.Set {
		p.take = &in.File.Value
	} else if d.Source != document.Uploaded || len(d.Files) == 0 {
		errs.Add("file", say.Required)
	}
	if in.Content.Or("") != "" {
		errs.Add("content", say.DocumentUploadedHasNoContent)
	}
	if in.Regenerate.Or(false) {
		errs.Add("regenerate", say.DocumentUploadedNotGenerated)
	}
	if in.Template.Set && !in.Template.Null {
		errs.Add("template", say.DocumentUploadedHasNoTemplate)
	}
	p.next.Content, p.next.Layout, p.next.Template = nil, nil, 0
}

// generate decides about the template and the content of a generated document.
func (p *plan) generate(d document.Document, in body, errs fault.FieldErrors) {
	if in.File.Set {
		errs.Add("file", say.DocumentGeneratedHasNoFile)
	}
	p.name(d, in, errs)
	p.content = in.Content.Or("")
	switch {
	case p.content != "" && in.Template.Or(0) != 0:
		errs.Add("content", say.DocumentTemplateOrContent)
	case p.content != "":
		p.next.Template, p.next.Layout = 0, nil
	case p.from != 0:
	case d.Source == document.Uploaded:
		errs.Add("content", say.Required) // otherwise the bytes would be lost silently
	case in.Content.Set && p.next.Template == 0:
		p.next.Content, p.next.Layout = nil, nil
		p.next.SetOriginal(nil, "")
	}
	if !in.Regenerate.Or(false) || p.content != "" || p.from != 0 || errs.Has("content") || errs.Has("template") {
		return
	}
	p.from = p.next.Template
	if p.again = p.from != 0 || p.next.Content != nil; !p.again {
		errs.Add("regenerate", say.DocumentWithoutContent)
	}
}

// name decides about the template. One that the document has already is not made anew.
func (p *plan) name(d document.Document, in body, errs fault.FieldErrors) {
	if !in.Template.Set {
		return
	}
	id := in.Template.Value // 0 if it is null
	switch {
	case !in.Template.Null && (id <= 0 || id > table.MaxID):
		errs.Add("template", say.DoesNotExist(id))
	case id != d.Template:
		p.next.Template, p.from = id, id
	}
}

// relate decides about the main link.
func (p *plan) relate(d document.Document, in body, errs fault.FieldErrors) {
	model, id := in.ContentType, in.ObjectID
	switch {
	case !model.Set && !id.Set:
		return
	case !model.Set:
		errs.Add("content_type", say.Required)
		return
	case !id.Set:
		errs.Add("object_id", say.Required)
		return
	case model.Null && id.Null:
		p.next.SetMain(nil)
		return
	case model.Null:
		errs.Add("content_type", say.Null)
		return
	case id.Null:
		errs.Add("object_id", say.Null)
		return
	}
	name := string(model.Value)
	k, _ := kinds.ByModel(name) // one of the choices
	switch {
	case id.Value <= 0 || id.Value > table.MaxID:
		errs.Add("object_id", say.DoesNotExist(id.Value))
	case k.Code == kinds.Document && id.Value == d.ID:
		errs.Add("object_id", say.DocumentLinkedToItself)
	default:
		if now := d.MainLink(); now == nil || now.Model != name || now.ObjectID != id.Value {
			p.link = &reference{model: name, kind: k.Code, id: id.Value}
		}
	}
}

// renewed returns a document without its signs and without what signing has added to its
// files, so that it can be signed again.
func renewed(d *document.Document) document.Document {
	next := document.Document{
		Name: d.Name, Source: d.Source, LastFile: d.LastFile, Template: d.Template, Content: d.Content, Layout: d.Layout,
		Upload: d.Upload, Links: slices.Clone(d.Links),
	}
	for _, f := range d.Files {
		if f.Type == document.Original {
			next.Files = append(next.Files, f)
		}
	}
	return next
}
