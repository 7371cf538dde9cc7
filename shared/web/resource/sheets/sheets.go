package sheets

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/files/uploads"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/sheet"
	"github.com/tenantry/tenantry/shared/table/throttle"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// Of declares sheets for a resource whose rows are bodies of a create: one import, one
// template and one export. message is the kind of the message that ends an import, such as
// "points.import"; the group registers its handler, Kind.Imports(message).Work.
func Of[T record.Stored, Body, View any](
	res resource.Resource[T, Body, View], message outbox.Kind, columns []Column[T],
) Sheets[T, Body, View] {
	return Sheets[T, Body, View]{Resource: res, Message: message, Columns: columns, Imports: []Importer[T]{Import[T, Body, View]{
		Columns: columns, Apply: res.Apply, Show: func(rec T, _ *Body, to resource.Viewer) View { return res.View(rec, to) },
	}}}
}

// Sheets declares the sheets of a resource. Its records can be searched, have no fixed maximum
// number, and are made by Apply only: an import does not call Made.
type Sheets[T record.Stored, Body, View any] struct {
	Resource resource.Resource[T, Body, View]
	Message  outbox.Kind
	// Columns are the columns of an export, in order. If the columns depend on the request,
	// Choose returns those to write.
	Columns []Column[T]
	Choose  func(r *web.Request) []Column[T]
	Imports []Importer[T] // see Import
	// Extras are the free parts whose custom fields are columns; nil means those of a new
	// record. It is for records some of which have more parts, or parts of another key. If
	// custom fields of two keys have one name in one part, the first one counts.
	Extras []record.Extra
	// Currency returns the currency of the company's amounts. It is needed where columns hold
	// amounts, and called only if a sheet shows the sign of a currency.
	Currency func(ctx context.Context, w *record.Work) (string, error)
}

// Importer is an import of records of one type, whatever the type of its rows: an Import.
type Importer[T record.Stored] interface {
	operation(s *service[T]) web.Operation
	sheet() (name string, columns []Column[T])
}

// Operations returns the operations of the imports, the template and the export.
func (s Sheets[T, Body, View]) Operations(env app.Env) []web.Operation {
	of := &service[T]{
		kind: s.Resource.Kind, finder: s.Resource.Finder(), role: s.Resource.Role, reads: s.Resource.Reads, plain: s.Resource.Made == nil,
		message: s.Message, extras: s.extras(), exported: s.Columns, choose: s.Choose, imports: s.Imports, currency: s.Currency,
		files: env.Files, now: env.Now, newUUID: env.NewUUID,
		uploads:  uploads.Store{Files: env.Files, Now: env.Now, NewUUID: env.NewUUID},
		throttle: throttle.Open(env.Table, env.Now),
	}
	var operations []web.Operation
	for _, im := range of.imports {
		operations = append(operations, im.operation(of))
	}
	return append(operations, of.templates(), of.exports())
}

// extras returns the parts of records that hold custom fields.
func (s Sheets[T, Body, View]) extras() []record.Extra {
	list := s.Extras
	if of := s.Resource.Kind.Extras; list == nil && of != nil {
		list = of(s.Resource.Kind.Empty())
	}
	return slices.DeleteFunc(slices.Clone(list), func(e record.Extra) bool { return e.Key == "" })
}

// service is what the handlers of a resource's sheets share.
type service[T record.Stored] struct {
	kind        *record.Kind[T]
	finder      resource.Finder
	role, reads tenant.Role
	plain       bool // making a record makes nothing else
	extras      []record.Extra
	message     outbox.Kind
	exported    []Column[T]
	choose      func(r *web.Request) []Column[T]
	imports     []Importer[T]
	currency    func(ctx context.Context, w *record.Work) (string, error)

	files    *files.Store
	uploads  uploads.Store
	throttle throttle.Throttle
	now      func() time.Time
	newUUID  func() uuid.UUID
}

// path returns the path of one of the operations.
func (s *service[T]) path(parts ...string) string {
	path := s.kind.Kind.Path
	for _, part := range parts {
		if part != "" {
			path += part + "/"
		}
	}
	return path
}

// name returns the name of an operation, or of a file: "rental-points-import".
func (s *service[T]) name(parts ...string) string {
	name := strings.ReplaceAll(s.kind.Kind.Many, " ", "-")
	for _, part := range parts {
		if part != "" {
			name += "-" + part
		}
	}
	return name
}

// inLanguage says in which language a sheet is, for the API description.
const inLanguage = "Headers, choices and examples are in the language that the parameter `language` names or, without it, in that of " +
	"Accept-Language, where the stage speaks it."

// ofFormat and ofLanguage describe the parameters that asked reads.
func ofFormat() web.Param {
	return web.Param{Name: "format", Doc: "Of the file", Required: true, Enum: []string{string(sheet.XLSX), string(sheet.CSV)}}
}

func ofLanguage() web.Param {
	var languages []string
	for _, language := range say.Languages() {
		languages = append(languages, string(language))
	}
	return web.Param{Name: "language", Doc: "Of the sheet: a link has no header to say it.", Enum: languages}
}

// asked returns the format and the language of the sheet that is requested.
func asked(r *web.Request, errs fault.FieldErrors) (sheet.Format, say.Language) {
	format, language := sheet.Format(r.Param("format")), r.Language()
	switch format {
	case sheet.XLSX, sheet.CSV:
	case "":
		errs.Add("format", say.Required)
	default:
		errs.Add("format", say.InvalidChoice(format))
	}
	if named := say.Language(r.Param("language")); named != "" {
		if language = named; !slices.Contains(say.Languages(), named) {
			errs.Add("language", say.InvalidChoice(named))
		}
	}
	return format, language
}
