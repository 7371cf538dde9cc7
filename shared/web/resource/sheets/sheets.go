package sheets

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/files/uploads"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/sheet"
	"github.com/tenantry/tenantry/shared/table/throttle"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// Of are the sheets of a resource whose rows are bodies of a create: one import, one
// template and one export. message is the kind of the messages that end imports,
// "points.import"; what they mean is the group's Work: Kind.Imports(message).Work.
func Of[T, Body, View any](res resource.Resource[T, Body, View], message outbox.Kind, columns []Column[T]) Sheets[T, Body, View] {
	return Sheets[T, Body, View]{Resource: res, Message: message, Columns: columns, Imports: []Importer[T]{Import[T, Body, View]{
		Columns: columns, Apply: res.Apply, Show: func(rec *T, _ *Body, to resource.Viewer) View { return res.View(rec, to) },
	}}}
}

// Sheets declares the sheets of a resource. Its records are searched, are as many as
// a company likes, and are made by Apply alone: an import can't do what Made does.
type Sheets[T, Body, View any] struct {
	Resource resource.Resource[T, Body, View]
	Message  outbox.Kind
	// Columns are those of an export, in their order. Choose gives those that it has
	// for a request, if it has not all of them each time.
	Columns []Column[T]
	Choose  func(r *web.Request) []Column[T]
	Imports []Importer[T] // see Import
}

// Importer is an import of records of a type, whatever its rows are: an Import.
type Importer[T any] interface {
	operation(s *service[T]) web.Operation
	sheet() (name string, columns []Column[T])
}

// Operations are the imports, the template and the export.
func (s Sheets[T, Body, View]) Operations(env app.Env) []web.Operation {
	of := &service[T]{
		kind: s.Resource.Kind, finder: s.Resource.Finder(), role: s.Resource.Role, reads: s.Resource.Reads, plain: s.Resource.Made == nil,
		message: s.Message, exported: s.Columns, choose: s.Choose, imports: s.Imports,
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

// service is what the handlers of a resource's sheets have in common.
type service[T any] struct {
	kind        record.Kind[T]
	finder      resource.Finder[T]
	role, reads tenant.Role
	plain       bool // nothing else is made with a record
	message     outbox.Kind
	exported    []Column[T]
	choose      func(r *web.Request) []Column[T]
	imports     []Importer[T]

	files    *files.Store
	uploads  uploads.Store
	throttle throttle.Throttle
	now      func() time.Time
	newUUID  func() uuid.UUID
}

// path is that of one of the operations.
func (s *service[T]) path(parts ...string) string {
	path := s.kind.Kind.Path
	for _, part := range parts {
		if part != "" {
			path += part + "/"
		}
	}
	return path
}

// name is that of an operation, or of a file: "rental-points-import".
func (s *service[T]) name(parts ...string) string {
	name := strings.ReplaceAll(s.kind.Kind.Many, " ", "-")
	for _, part := range parts {
		if part != "" {
			name += "-" + part
		}
	}
	return name
}

// The languages of titles.
const (
	english = "en"
	russian = "ru"
)

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

// ofFormat describes the parameter that formatOf reads.
func ofFormat() web.Param {
	return web.Param{Name: "format", Doc: "Of the file", Required: true, Enum: []string{string(sheet.XLSX), string(sheet.CSV)}}
}

func formatOf(r *web.Request) (sheet.Format, error) {
	switch format := sheet.Format(r.Param("format")); format {
	case sheet.XLSX, sheet.CSV:
		return format, nil
	case "":
		return "", fault.Field("format", fault.Required)
	default:
		return "", fault.Field("format", fault.BadChoice(format))
	}
}
