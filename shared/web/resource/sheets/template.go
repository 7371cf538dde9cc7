package sheets

import (
	"bytes"
	"context"
	"errors"
	"net/http"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/sheet"
	"github.com/tenantry/tenantry/shared/web"
)

// templates returns the operation that answers a sheet to fill in.
func (s *service[T]) templates() web.Operation {
	var names []string
	for _, im := range s.imports {
		if name, _ := im.sheet(); name != "" {
			names = append(names, name)
		}
	}
	query := []web.Param{ofFormat(), ofLanguage()}
	if len(names) > 0 {
		query = []web.Param{{Name: "kind", Doc: "Of the " + s.kind.Kind.Many, Required: true, Enum: names}, ofFormat(), ofLanguage()}
	}
	return web.Op(web.Operation{
		ID: s.name("import-template"), Method: http.MethodGet, Path: s.path("import", "template"), Role: s.reads, Produces: []string{"*/*"},
		Summary: "A sheet to fill in and import",
		Doc:     "The headers of an import and a row as an example. " + inLanguage,
		Query:   query,
		Answers: []web.Answer{{
			Status: http.StatusOK, Doc: "The sheet, as an attachment.",
			Header: map[string]string{"Content-Disposition": "The name under which it is to be saved."},
		}},
	}, s.template)
}

// template answers a sheet with the headers of an import, and one example row that can be
// imported.
func (s *service[T]) template(_ context.Context, r *web.Request, _ *struct{}) (*web.Reply[web.None], error) {
	errs := fault.FieldErrors{}
	kind, columns := s.askedKind(r, errs)
	format, language := asked(r, errs)
	if err := errs.Err(); err != nil {
		return nil, err
	}
	var header []string
	var example []sheet.Cell
	for _, c := range columns {
		if c.inTemplate() {
			header, example = append(header, c.Title.In(language)), append(example, cellOf(c.Holds, c.Example.In(language)))
		}
	}
	var file bytes.Buffer
	out, err := sheet.NewNamedWriter(&file, format, say.WordSheet.In(language), header)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(out.Row(example), out.Close()); err != nil {
		return nil, err
	}
	return &web.Reply[web.None]{
		Status: http.StatusOK, Language: language, Raw: file.Bytes(), ContentType: format.ContentType(),
		Header: map[string]string{"Content-Disposition": files.Disposition(s.name(kind) + "." + string(format))},
	}, nil
}

// askedKind returns the import whose template is requested: the only one, or the one that the
// parameter kind names.
func (s *service[T]) askedKind(r *web.Request, errs fault.FieldErrors) (kind string, columns []Column[T]) {
	asked := ""
	for _, im := range s.imports {
		if kind, columns = im.sheet(); kind != "" {
			asked = r.Param("kind")
		}
		if kind == asked {
			return kind, columns
		}
	}
	if asked == "" {
		errs.Add("kind", say.Required)
	} else {
		errs.Add("kind", say.InvalidChoice(asked))
	}
	return "", nil
}
