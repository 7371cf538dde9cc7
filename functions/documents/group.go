package documents

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/documents/clerk"
	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/functions/documents/egov"
	"github.com/tenantry/tenantry/functions/documents/printing"
	"github.com/tenantry/tenantry/functions/sms/account"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/files/uploads"
	"github.com/tenantry/tenantry/shared/invoke"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/remote"
	"github.com/tenantry/tenantry/shared/table/throttle"
	"github.com/tenantry/tenantry/shared/tenant/scope"
	"github.com/tenantry/tenantry/shared/web"
)

// service has the handlers of the group.
type service struct {
	kind    *record.Kind[*document.Document] // made once, because its columns are many
	desk    *document.Desk
	files   *files.Store
	press   *printing.Press
	links   time.Duration // how long a link to sign lives
	now     func() time.Time
	newUUID func() uuid.UUID

	throttle throttle.Throttle
	door     *account.Door
	renderer invoke.Function // turns HTML and uploads into PDFs that can be signed
	egov     *egov.Verifier
}

func newService(env app.Env) *service {
	desk := document.NewDesk(env.Table, env.Files, env.Keys, env.NewUUID)
	return &service{
		kind: desk.Kind, desk: desk, renderer: env.Render, press: printing.New(env.Files, env.Render, env.NewUUID),
		egov:  &egov.Verifier{Roots: env.Config.NCA.Roots, OCSP: env.Config.NCA.OCSP, Network: remote.New(), Now: env.Now},
		files: env.Files, links: env.Config.LinkLife, newUUID: env.NewUUID, throttle: throttle.Open(env.Table, env.Now),
		door: account.NewDoor(account.Terms{
			Sends: env.Config.SMS.Provider != "", Rates: env.Config.SMS.Rates, Free: env.Config.SMS.Free, Daily: env.Config.SMS.Daily,
			Mails: env.Config.MailDaily,
		}, throttle.Open(env.Table, env.Now)),
		now: func() time.Time { return env.Now().UTC().Truncate(time.Microsecond) }, // as it is stored
	}
}

// New is the group of documents.
func New(env app.Env) app.Group {
	s := newService(env)
	const (
		all  = "/v2/documents/"
		one  = "/v2/documents/{id}/"
		put  = http.MethodPut
		get  = http.MethodGet
		post = http.MethodPost
	)
	media := []string{decode.TypeJSON, decode.TypeMultipart}
	changing := []fault.Code{fault.Conflict, fault.Precondition}
	operations := []web.Operation{
		web.Op(web.Operation{
			ID: "documents-list", Method: get, Path: all, Summary: "List documents", Query: s.finder().Params(), Draws: true,
			Doc: s.finder().Doc() + " `search` finds documents whose name has every word, anywhere and in any case. " +
				"created_at alone, or last, orders by id, which follows creation: of documents created within a moment, the times " +
				"themselves may stand the other way round.",
		}, s.list),
		web.Op(web.Operation{
			ID: "documents-create", Method: post, Path: all, Status: http.StatusCreated, Media: media, Idempotent: true, Thorough: true,
			MakesRecords: true, Summary: "Create a document",
			Doc: "A PDF from a `template` and the record that `content_type` and `object_id` name, a PDF from HTML " +
				"(`content`), from an upload (`source` 1 and its `file`), or in multipart from the file itself. For a template a key for " +
				"programs needs the scope to read such records, too, and for an order's also the one to read clients.",
		}, s.create),
		web.Op(web.Operation{
			ID: "documents-upload", Method: post, Path: all + "uploads/", Secret: true, Status: http.StatusCreated,
			Faults: []fault.Code{fault.Throttled}, Summary: "Begin an upload",
			Doc: "Answers the request that stores the bytes: send it with exactly these headers and as many bytes as announced. Then " +
				"create or change a document with `file`. An upload is removed after a day; the documents that took it keep its " +
				"bytes. A user can announce " + strconv.Itoa(uploads.MaxOfUser) + " a day (UTC), and a company " +
				strconv.Itoa(uploads.MaxOfCompany) + ".",
		}, s.upload),
		web.Op(web.Operation{
			ID: "documents-read", Method: get, Path: one, Summary: "Read a document",
			Doc: "The ETag of the answer can be sent as If-Match with a change.",
		}, s.read),
		web.Op(web.Operation{
			ID: "documents-update", Method: put, Path: one, Media: media, Faults: changing, Thorough: true, Summary: "Change a document",
			Doc: "Fields that are left out keep their value.",
		}, s.update),
		web.Op(web.Operation{
			ID: "documents-patch", Method: http.MethodPatch, Path: one, Media: media, Faults: changing, Thorough: true,
			Summary: "Change some fields of a document",
		}, s.update),
		web.Op(web.Operation{
			ID: "documents-delete", Method: http.MethodDelete, Path: one, Status: http.StatusNoContent, Faults: changing,
			Summary: "Delete a document",
			Doc: "One that anybody has signed is withdrawn, which only a manager may do: it leaves the company's lists and reads, and " +
				"its clients get the agreement before it back. Verification and the signers' links go on and say that it was " +
				"withdrawn; its open signs can't be signed any more.",
		}, s.remove),
		web.Op(web.Operation{
			ID: "documents-file", Method: get, Path: one + "documents/{file_id}/", Produces: []string{"*/*"}, Summary: "A document's file",
			Doc:     "Redirects to an address that works for some minutes; a caller who asks for application/json gets it as JSON.",
			Answers: web.Downloads(),
		}, s.file),
	}
	return app.Group{Group: web.Group{
		Name: "documents", Resource: scope.Documents, Doc: "Documents of a company, their files and signs.", Zone: company.ZoneOf,
		Operations: slices.Concat(operations, s.signOperations(), s.publicOperations()),
	}, Work: outbox.Join(clerk.Urgent(env), clerk.Work(env), clerk.Bulk(env))}
}

// Searched are the kinds of the group that are searched.
func Searched() []search.Kind {
	return []search.Kind{document.Kind().Searched()}
}
