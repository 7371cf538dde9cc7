package clients

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/clients/client"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/files/uploads"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/customfield"
	"github.com/tenantry/tenantry/shared/record/unique"
	"github.com/tenantry/tenantry/shared/table/throttle"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

const (
	// maxNewMethods is how many attraction methods an import can make: they are
	// written in the transaction that commits it, each with its reservation and
	// its audit record.
	maxNewMethods = 25
	// maxEcho is how large the answer of an import can be, in bytes: one that
	// does not fit would be refused after the import has happened.
	maxEcho = 3 << 20
)

// sheets has the handlers of imports, exports and templates.
type sheets struct {
	files    *files.Store
	uploads  uploads.Store
	throttle throttle.Throttle
	now      func() time.Time
	newUUID  func() uuid.UUID
}

func newSheets(env app.Env) *sheets {
	return &sheets{
		files: env.Files, now: env.Now, newUUID: env.NewUUID,
		uploads:  uploads.Store{Files: env.Files, Now: env.Now, NewUUID: env.NewUUID},
		throttle: throttle.Open(env.Table, env.Now),
	}
}

// importKind is the kind of the messages that end imports.
const importKind outbox.Kind = "clients.import"

type importInput[In any] struct {
	Body struct {
		Data decode.Optional[[]decode.Row[In]] `json:"data" maxItems:"1000" notEmpty:"true" doc:"The rows; required without a file."`
		File decode.Optional[decode.File]      `json:"file" doc:"Instead of data: an .xlsx or .csv file, as the address of an upload (POST /v2/documents/uploads/) or in multipart itself. Its first row are headers."`
	}
}

// Imported is the answer of an import.
type Imported[Out any] struct {
	Data []Out `json:"data" doc:"The rows in their order, in the usual spelling of their values."`
}

// DryRun is the answer of an import that only shows what it would do.
type DryRun[Out any] struct {
	Data    []Out    `json:"data" doc:"As the import would answer them."`
	Created int      `json:"created" doc:"How many clients the import would make."`
	Methods []string `json:"attraction_methods" doc:"The attraction methods that it would make."`
	Ignored []string `json:"ignored" doc:"Headers of a sheet that mean nothing to this import: their columns would be left out."`
}

// attempt is one import on behalf of one request.
type attempt[In, Out any] struct {
	importing[In, Out]
	*sheets
	r       *web.Request
	scope   record.Scope
	custom  *customfield.Set // the custom fields of clients; nil until they are read
	origin  *origin          // of the rows; nil where they are no sheet's
	ignored []string         // headers of the sheet that mean nothing
	rows    []row
	known   map[string]int64     // ids of attraction methods, by their keys
	unknown []string             // names of those that are to be made
	looked  func(w *record.Work) // tells a unit of work what was read of these
}

// run serves an import.
func run[In, Out any](s *sheets, im importing[In, Out]) func(context.Context, *web.Request, *importInput[In]) (*web.Reply, error) {
	return func(ctx context.Context, r *web.Request, in *importInput[In]) (*web.Reply, error) {
		dry, err := flag(r, "dry_run")
		if err != nil {
			return nil, err
		}
		a := attempt[In, Out]{importing: im, sheets: s, r: r, scope: resource.Scope(r, s.now)}
		if err := a.read(ctx, in); err != nil {
			return nil, err
		}
		a.duplicates(a.rows)
		if err := a.resolve(ctx); err != nil {
			return nil, err
		}
		if err := a.enforce(ctx); err != nil {
			return nil, err
		}
		if dry || problems(a.rows) != nil {
			found, err := client.Kind().Taken(ctx, a.scope, a.clients(), unique.Peek)
			if err != nil {
				return nil, err
			}
			a.taken(found.Rows)
			if problems(a.rows) == nil && found.Busy != nil {
				return nil, found.Busy
			}
		}
		if err := a.refusal(); err != nil {
			return nil, err
		}
		if dry {
			return a.shown()
		}
		return a.write(ctx)
	}
}

// flag reads a query parameter that is true or false.
func flag(r *web.Request, name string) (bool, error) {
	switch strings.ToLower(strings.TrimSpace(r.Param(name))) {
	case "true", "1":
		return true, nil
	case "false", "0":
		return false, nil
	case "":
		return r.Query.Has(name), nil // ?dry_run alone means it
	}
	return false, fault.Field(name, fault.BadBoolean)
}

// read takes the rows out of what was sent.
func (a *attempt[In, Out]) read(ctx context.Context, in *importInput[In]) error {
	data, file := in.Body.Data, in.Body.File
	switch {
	case data.Set && file.Set:
		return fault.Field(fault.NonField, "Send either data or file.")
	case file.Set:
		return a.readSheet(ctx, file.Value)
	case !data.Set:
		return fault.Field("data", fault.Required)
	}
	a.rows = make([]row, len(data.Value))
	for i := range data.Value {
		a.rows[i] = a.row(i+1, &data.Value[i])
	}
	return nil
}

// clients are the rows as clients.
func (a *attempt[In, Out]) clients() []*client.Client {
	list := make([]*client.Client, len(a.rows))
	for i := range a.rows {
		list[i] = &a.rows[i].client
	}
	return list
}

// taken adds the error of the rows whose number another client has.
func (a *attempt[In, Out]) taken(rows []record.TakenRow) {
	for _, row := range rows {
		if errs := a.rows[row.At].errs; errs[a.number] == nil {
			errs.Add(a.number, fault.NotUnique)
		}
	}
}

// refusal is the fault of everything that is wrong with the rows; nil where
// nothing is.
func (a *attempt[In, Out]) refusal() error {
	list := problems(a.rows)
	if list == nil {
		return nil
	}
	f := &fault.Error{Code: fault.Invalid, Fields: fault.FieldErrors{"data": list}}
	if a.origin != nil {
		return f.With("errors", a.origin.errors(a.rows))
	}
	return f
}

// badData is the fault of rows that can't be taken as a whole.
func badData(message string) error {
	return &fault.Error{Code: fault.Invalid, Fields: fault.FieldErrors{"data": fault.FieldErrors{fault.NonField: []string{message}}}}
}

// views are the rows as they are answered.
func (a *attempt[In, Out]) views() []Out {
	list := make([]Out, len(a.rows))
	for i := range a.rows {
		list[i] = a.view(&a.rows[i])
	}
	return list
}

// shown is the answer of a dry run.
func (a *attempt[In, Out]) shown() (*web.Reply, error) {
	reply := &web.Reply{Status: http.StatusOK, Body: DryRun[Out]{
		Data: a.views(), Created: len(a.rows), Methods: append([]string{}, a.unknown...),
		Ignored: append([]string{}, a.ignored...),
	}}
	return a.fitting(reply)
}

// made is the answer of an import.
func (a *attempt[In, Out]) made() (*web.Reply, error) {
	return a.fitting(&web.Reply{Status: http.StatusCreated, Body: Imported[Out]{Data: a.views()}})
}

// fitting encodes an answer, which has to fit before anything is written.
func (a *attempt[In, Out]) fitting(reply *web.Reply) (*web.Reply, error) {
	encoded, err := encode.JSON(reply.Body)
	if err != nil {
		return nil, err
	}
	if len(encoded) > maxEcho {
		return nil, badData("The rows hold more than " + strconv.Itoa(maxEcho>>20) + " MB. Import them in parts.")
	}
	reply.Body, reply.Raw, reply.ContentType = nil, encoded, decode.TypeJSON
	return reply, nil
}
