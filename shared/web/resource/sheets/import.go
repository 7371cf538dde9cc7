package sheets

import (
	"context"
	"net/http"
	"reflect"
	"strings"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// Import is an import whose rows have their own form. T is the stored struct, In a row as
// callers send it, Out the row as it is answered.
type Import[T record.Stored, In, Out any] struct {
	// Name follows import/ in the address, and is the value of the template's parameter kind.
	// It is empty if the resource has only one import.
	Name    string
	Summary string // "Import individuals"; empty: made from the name of the kind
	Doc     string // says which values must differ between rows; empty: the unique ones
	// Columns are the columns that a sheet may have.
	Columns []Column[T]
	// Others are further columns that the import knows, in order to refuse what is in them. A
	// custom field with the same name takes precedence.
	Others []Column[T]
	// Fits may refuse a sheet because of its columns.
	Fits func(found []Found) error

	// Apply applies a row to a new record, as resource.Resource.Apply applies a body: best by
	// calling that function.
	Apply func(rec T, in *In, errs fault.FieldErrors)
	// Part is the part of the record whose fields are the fields of the row: an error of
	// individual.iin is reported at iin.
	Part string
	// Distinct returns values that must differ between rows, besides the unique ones.
	Distinct func(rec T) []record.Unique
	// Named declares records of another kind, one of which each row can name.
	Named *Named[T]
	// Names returns the name in a row; "" if it names no record.
	Names func(in *In) string
	// Show returns the row as it is answered. The record has its number, except in a dry run.
	Show func(rec T, in *In, to resource.Viewer) Out
	// Odd returns what is likely a mistake in a record, although it is accepted. It is told as a warning.
	Odd func(rec T) []Odd
	// Doubles declares which records are likely the same. It is told as a warning.
	Doubles *Doubles[T]
	// DryRun replaces the answer of a dry run by one of the group's own. named are the names
	// for which records of another kind would be made.
	DryRun func(d DryRun[Out], named []string) any
}

// Imported is the answer of an import.
type Imported[Out any] struct {
	Data     []Out     `json:"data" doc:"The rows in their order, in the usual spelling of their values."`
	Ignored  []string  `json:"ignored" doc:"Headers of a sheet, or names in the rows, that mean nothing to this import, and were left out."`
	Similar  []Similar `json:"similar" doc:"Those of them that are nearly the name of a field."`
	Warnings []Warning `json:"warnings" doc:"What is likely a mistake in the rows, although they are imported: at most 100."`
}

// DryRun is the answer of an import that only shows what it would do.
type DryRun[Out any] struct {
	Data     []Out     `json:"data" doc:"As the import would answer them."`
	Created  int       `json:"created" doc:"How many records the import would make."`
	Ignored  []string  `json:"ignored" doc:"Headers of a sheet, or names in the rows, that mean nothing to this import, and would be left out."`
	Similar  []Similar `json:"similar" doc:"Those of them that are nearly the name of a field."`
	Warnings []Warning `json:"warnings" doc:"What is likely a mistake in the rows, although they are imported: at most 100."`
}

// dryRun returns the answer of a dry run.
func (im Import[T, In, Out]) dryRun(d DryRun[Out], named []string) any {
	if im.DryRun == nil {
		return d
	}
	return im.DryRun(d, named)
}

func (im Import[T, In, Out]) sheet() (name string, columns []Column[T]) { return im.Name, im.Columns }

type importInput[In any] struct {
	Body struct {
		Data decode.Optional[[]decode.Row[In]] `json:"data" maxItems:"1000" doc:"The rows; required without a file. Of none, nothing is made."`
		File decode.Optional[decode.File]      `json:"file" doc:"Instead of data: an .xlsx or .csv file, as the address of an upload (POST /v2/documents/uploads/) or in multipart itself. Its first row are headers."`
	}
}

// operation returns the operation of the import.
func (im Import[T, In, Out]) operation(s *service[T]) web.Operation {
	kind := s.kind.Kind
	summary, doc := im.Summary, im.Doc
	if summary == "" {
		summary = "Import " + kind.Many
	}
	if doc == "" && len(kind.Unique) > 0 {
		doc = "No two rows, and no other " + strings.ToLower(kind.Label) + ", have the same " + strings.Join(kind.Unique, " or ") +
			"; one that another import has at this moment is 409 with the code import_running."
	}
	if doc != "" {
		doc += " "
	}
	op := web.Op(web.Operation{
		ID:         s.name("import", im.Name),
		Method:     http.MethodPost,
		Path:       s.path("import", im.Name),
		Role:       s.role,
		Status:     http.StatusCreated,
		Idempotent: true,
		Summary:    summary,
		Media:      []string{decode.TypeJSON, decode.TypeMultipart},
		Doc: "Makes " + kind.Many + " of up to 1,000 rows: all of them, or none where a row is wrong. The errors of all rows are " +
			"answered at once, in step with the rows; those of a sheet also cell by cell, as `errors`: with `row`, `column`, its " +
			"`title`, `field`, the `code` of the message, and `cell`, the text that the cell has. " + doc +
			"The columns of a sheet go by the names of the fields, by their titles in English, Russian or Kazakh, " +
			"or by the names or labels of custom fields. " +
			"The others are left out: each answer names them as `ignored`, and as `similar` those that are nearly the name of a " +
			"field; a 400 or 409 has both where anything is left out. Where a value has to be unique, `taken_by` in the 400 has the row, " +
			"the field, and the id of the record or the row that has the value. docs/imports.md has all names. An empty text in a field " +
			"that may be null is null. What is likely a mistake, such as a double, is told as `warnings` beside the result, and " +
			"refuses nothing.",
		Query: []web.Param{
			{
				Name: "dry_run",
				Doc:  "true, or nothing after it: nothing is written; the answer is what would happen.",
				Enum: []string{"true", "false"},
			},
		},
		Faults: []fault.Code{fault.Conflict},
		Draws:  true, MakesRecords: true,
		Answers: []web.Answer{{
			Status: http.StatusOK, Doc: "Of a dry run: what would happen.", Body: reflect.TypeOf(im.dryRun(DryRun[Out]{}, nil)),
		}},
	}, func(ctx context.Context, r *web.Request, in *importInput[In]) (*web.Reply[Imported[Out]], error) {
		return im.serve(ctx, s, r, in)
	})
	return op
}

// serve makes records of what was sent. It does what depends on the form of the rows; attempt
// does the rest.
func (im Import[T, In, Out]) serve(
	ctx context.Context, s *service[T], r *web.Request, sent *importInput[In],
) (*web.Reply[Imported[Out]], error) {
	a := &attempt[T, Imported[Out]]{
		service: s, r: r, scope: resource.Scope(r, s.now), columns: im.Columns, others: im.Others, fits: im.Fits,
		part: im.Part, distinct: im.Distinct, named: im.Named, odd: im.Odd, doubles: im.Doubles,
		title: headers[T]{columns: im.Columns}.titleOf,
	}
	var rows []*In
	add := func(number int, in *decode.Row[In]) {
		rec, errs, name := s.kind.New(a.scope), fault.FieldErrors{}, ""
		im.Apply(rec, &in.Value, errs)
		if im.Names != nil {
			name = im.Names(&in.Value)
		}
		rows = append(rows, &in.Value)
		a.add(number, rec, name, in.Errors, errs)
	}
	a.addCells = func(number int, cells map[string]any) error {
		in := new(decode.Row[In])
		if err := decode.Struct(cells, &in.Value, false); err != nil {
			f, ok := fault.As(err)
			if !ok {
				return err
			}
			in.Errors = f.Fields
		}
		add(number, in)
		return nil
	}
	for _, f := range decode.Describe(reflect.TypeFor[In]()) {
		if f.Required {
			a.need = append(a.need, f.Name)
		}
	}
	shown := func() []Out {
		list, to := make([]Out, len(rows)), resource.Viewer{Base: r.BaseURL, Role: r.Principal.Role}
		for i, in := range rows {
			list[i] = im.Show(a.rows[i].rec, in, to)
		}
		return list
	}
	a.made = func() Imported[Out] {
		ignored, similar := a.left.lists()
		return Imported[Out]{Data: shown(), Ignored: ignored, Similar: similar, Warnings: append([]Warning{}, a.warnings...)}
	}
	a.shown = func() any {
		ignored, similar := a.left.lists()
		d := DryRun[Out]{
			Data: shown(), Created: len(rows), Ignored: ignored, Similar: similar, Warnings: append([]Warning{}, a.warnings...),
		}
		return im.dryRun(d, append([]string{}, a.unknown...))
	}
	return a.run(ctx, func() error {
		data, file := sent.Body.Data, sent.Body.File
		switch {
		case data.Set && file.Set:
			return fault.Field(fault.NonField, say.ImportDataOrFile)
		case file.Set:
			return a.readSheet(ctx, file.Value)
		case !data.Set:
			return fault.Field("data", say.Required)
		}
		fields := decode.Names(reflect.TypeFor[In]())
		for i := range data.Value {
			a.left.sent(data.Value[i].Unknown, fields)
			add(i+1, &data.Value[i])
		}
		return nil
	})
}
