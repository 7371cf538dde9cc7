package clients

import (
	"net/http"
	"reflect"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/web"
)

// operations are those of imports, exports and templates.
func (s *sheets) operations() []web.Operation {
	const path = "/v1/crm/clients/"
	format := web.Param{Name: "format", Doc: "Of the file", Required: true, Enum: []string{"xlsx", "csv"}}
	export := web.Operation{
		ID: "clients-export", Method: http.MethodGet, Path: path + "export/", Summary: "Export clients to a sheet",
		Doc: "Takes the filters, the search and the ordering of the list of clients. The address that it answers works for some minutes. " +
			"The sheet can be imported again: its headers are understood, in English or, by Accept-Language, in Russian. " +
			"More than 100,000 clients, and what takes longer than 20 seconds, are 400 with the code too_many_records. A user can make 20 an hour.",
		Faults: []fault.Code{fault.Throttled},
		Query:  []web.Param{format},
	}
	export.Query = append(export.Query, clients().Finder().Params()...)
	return []web.Operation{
		importOf(path+"import/individual/", "clients-import-individual", "Import individuals", s, individuals()),
		importOf(path+"import/legal/", "clients-import-legal", "Import legal entities", s, legalEntities()),
		web.Op(web.Operation{
			ID: "clients-import-template", Method: http.MethodGet, Path: path + "import/template/", Produces: []string{"*/*"},
			Summary: "A sheet to fill in and import",
			Doc:     "The headers of an import and a row as an example. The headers are in English or, by Accept-Language, in Russian.",
			Query: []web.Param{
				{Name: "kind", Doc: "Of the clients", Required: true, Enum: []string{"individual", "legal"}}, format,
			},
			Answers: []web.Answer{{
				Status: http.StatusOK, Doc: "The sheet, as an attachment.",
				Header: map[string]string{"Content-Disposition": "The name under which it is to be saved."},
			}},
		}, s.template),
		web.Answering[Export](web.Op(export, s.export)),
	}
}

// importOf is the operation of one of the imports.
func importOf[In, Out any](path, id, summary string, s *sheets, im importing[In, Out]) web.Operation {
	op := web.Op(web.Operation{
		ID: id, Method: http.MethodPost, Path: path, Status: http.StatusCreated, Idempotent: true, Summary: summary,
		Media: []string{decode.TypeJSON, decode.TypeMultipart},
		Doc: "Makes clients of up to 1,000 rows: all of them, or none where a row is wrong. The errors of all rows are answered at once, " +
			"in step with the rows; those of a sheet also cell by cell, as `errors`. No two rows have the same phone, IIN or BIN, and no other client has " +
			"the same IIN or BIN; one that another import has at this moment is 409 with the code import_running. " +
			"The columns of a sheet go by the names of the fields, by their titles in English or Russian, or by the names or labels of " +
			"custom fields; a dry run names the others, which are left out. docs/imports.md has them all. An empty text in a field that may be null is null.",
		Query: []web.Param{{
			Name: "dry_run", Doc: "true, or nothing after it: nothing is written; the answer is what would happen.", Enum: []string{"true", "false"},
		}},
		Faults: []fault.Code{fault.Conflict},
		Answers: []web.Answer{{
			Status: http.StatusOK, Doc: "Of a dry run: what would happen.", Body: reflect.TypeFor[DryRun[Out]](),
		}},
	}, run(s, im))
	return web.Answering[Imported[Out]](op)
}
