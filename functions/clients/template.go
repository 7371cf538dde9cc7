package clients

import (
	"bytes"
	"context"
	"net/http"
	"strings"

	"github.com/tenantry/tenantry/functions/clients/client"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/sheet"
	"github.com/tenantry/tenantry/shared/web"
)

// template answers a sheet with the headers of an import and one row that can be
// imported.
func (s *sheets) template(_ context.Context, r *web.Request, _ *struct{}) (*web.Reply, error) {
	errs := fault.FieldErrors{}
	kind := r.Param("kind")
	switch kind {
	case "individual", "legal":
	case "":
		errs.Add("kind", fault.Required)
	default:
		errs.Add("kind", fault.BadChoice(kind))
	}
	format, err := formatOf(r)
	if f, ok := fault.As(err); ok {
		errs["format"] = f.Fields["format"]
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	var header []string
	var example []sheet.Cell
	for _, c := range columnsOf(kind) {
		header = append(header, c.title(languageOf(r)))
		if c.is == date {
			example = append(example, sheet.Date(c.example))
		} else {
			example = append(example, sheet.Text(c.example))
		}
	}
	var file bytes.Buffer
	if err := sheet.Write(&file, format, header, [][]sheet.Cell{example}); err != nil {
		return nil, err
	}
	return &web.Reply{
		Status: http.StatusOK, Raw: file.Bytes(), ContentType: format.ContentType(),
		Header: map[string]string{
			"Content-Disposition": files.Disposition("clients-" + kind + "." + string(format)), "Cache-Control": "no-store",
		},
	}, nil
}

// languageOf is the first language of ours in Accept-Language, else English.
func languageOf(r *web.Request) string {
	for term := range strings.SplitSeq(r.Header("Accept-Language"), ",") {
		tag, params, _ := strings.Cut(strings.ToLower(strings.TrimSpace(term)), ";")
		if primary, _, _ := strings.Cut(tag, "-"); (primary == english || primary == russian) && strings.ReplaceAll(params, " ", "") != "q=0" {
			return primary
		}
	}
	return english
}

// typeName is a type of clients as people read it.
func typeName(kind int64, language string) string {
	switch {
	case language == russian && kind == client.TypeLegal:
		return "Юридическое лицо"
	case language == russian:
		return "Физическое лицо"
	case kind == client.TypeLegal:
		return "Legal"
	}
	return "Individual"
}
