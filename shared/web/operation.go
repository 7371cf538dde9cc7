package web

import (
	"context"
	"net/http"
	"reflect"
	"slices"
	"time"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/tenant/principal"
	"github.com/tenantry/tenantry/shared/tenant/scope"
)

// Access says who may call an operation. The zero Access is the strictest.
type Access int

// The kinds of access.
const (
	InTenant Access = iota // a bearer token and a company, with a role there
	SignedIn               // a bearer token; no company is needed
	Public                 // anybody; identity and X-Tenant-Id are ignored
)

// Group is one endpoint group: one function, one table of operations.
type Group struct {
	Name       string
	Doc        string // describes the group in the API description
	Operations []Operation
	// Zone returns the time zone of a company, for date-times that have no offset and for days,
	// in bodies and in queries. It is called only if a request has one. A group needs Zone if its
	// bodies or query parameters have date-times.
	Zone func(ctx context.Context, t *table.Tenant) (*time.Location, error)
	// Resource is what a key for programs needs a scope of, for those operations that name no Resource of their own. Without one
	// they are closed to keys.
	Resource scope.Resource
}

// Scope is what a key for programs needs to call an operation of the group; "" if no key may. What only an owner may do is
// never a key's.
func (g Group) Scope(op Operation) scope.Scope {
	about := g.resource(op)
	switch {
	case about == "", op.NoKey, op.Access != InTenant, op.Role == tenant.Owner:
		return ""
	case op.Method == http.MethodGet, op.OnlyReads:
		return scope.Read(about)
	}
	return scope.Write(about)
}

func (g Group) resource(op Operation) scope.Resource {
	if op.Resource != "" {
		return op.Resource
	}
	return g.Resource
}

// roleOf is the role that a key counts as within an operation that its scopes have opened: where an answer shows less to who may only
// look, a key is an employee if it may change the resource. What a handler keeps for managers is no key's.
func (g Group) roleOf(op Operation, p principal.Principal) tenant.Role {
	if p.Scopes.Has(scope.Write(g.resource(op))) {
		return tenant.Employee
	}
	return tenant.ReadOnly
}

// Operation is one row of a group's table, made by Op.
type Operation struct {
	ID     string // unique, as the API description names it: "documents-list"
	Method string
	Path   string // with its trailing slash; {name} is a parameter
	Access Access
	Role   tenant.Role // the lowest role that may call it; empty: read-only for GET, employee for other methods
	// Finance says that the operation reads the company's money: a member with the right to read finance
	// may call it, whatever the role is (principal.Principal.Finance).
	Finance bool
	// Named is for an operation of SignedIn: the company that X-Tenant-Id names has to be one of
	// the caller's, although the operation needs none.
	Named  bool
	Status int      // of success; 0 is 200
	Media  []string // media types of the body; nil: JSON only
	// Produces lists the media types of the answer. A caller that accepts none of them gets
	// 406. nil is JSON only; "*/*" suits every caller, which is right for redirects and files.
	Produces []string
	// Query lists the query parameters that are not fields of the input, because the handler
	// reads them with Request.Param.
	Query []Param
	// Secret says that the answer has a token, or an address that works without one: it must
	// not be cached anywhere.
	Secret bool
	// Feed says that a feed token may call the operation too: a credential of a company that is
	// no user's and has no role. Every other operation that is not public refuses it.
	Feed bool
	// Resource is what a key for programs needs a scope of, where it isn't the group's.
	Resource scope.Resource
	// OnlyReads says that the operation, a POST, changes nothing: a key needs the scope to read.
	OnlyReads bool
	// NoKey closes the operation to keys for programs: it is for people.
	NoKey bool
	// Tagged says that the answer about one record has its ETag, also where nothing obeys If-Match.
	Tagged bool
	// Mixed says that the answer shows more than the record whose revision its ETag is: sums, or
	// values of other records. Such an answer is never replaced by 304, nor is one that is said in one of several languages.
	Mixed bool
	// Large says that a public operation takes bodies as large as the others take.
	Large bool
	// Idempotent obeys Idempotency-Key: the handler adds its answer to the
	// transaction that makes it true, by Request.Keep.
	Idempotent bool
	// MakesRecords says that the operation is there to make records that a company's plan counts: one that has all its plan allows
	// is refused it (tenant.Standing.Growth). Where records come of something else, as a transaction does of a payment, it goes on.
	MakesRecords bool
	// Draws says that the operation can read without a bound of its own, as searches, exports and imports do, and what answers in
	// pages, which Op finds by itself:
	// what such a request reads is charged to the allowances of its user and company, and it is 429 while nothing
	// is left of them. What draws, and before which read, the code that reads says (allowance.Draw).
	Draws bool
	// Thorough operations report everything that is wrong with a body at once. The handler is
	// called even if the decoder has refused some fields, and gets the others. Its rules add
	// the errors that they find, and it must write nothing. A unit of work with resource.Scope
	// ensures that by itself; a handler that writes in another way has to check Request.Wrong.
	// Whatever such a handler returns, the caller gets the errors of the body.
	Thorough bool
	// Again is for an operation that needs no company but whose answer shows one. It is
	// called, with the stored body, before an answer stored under an Idempotency-Key is given
	// again, because the caller may have left that company since. If it returns an error, that
	// error is the answer. nil lets every answer be given again.
	Again func(ctx context.Context, r *Request, body []byte) error

	Summary string
	Doc     string
	Answers []Answer     // that a *Reply can be, for the API description
	Faults  []fault.Code // in addition to those that every operation of its kind has, for the API description

	Input  reflect.Type // set by Op
	Output reflect.Type // set by Op
	serve  func(ctx context.Context, r *Request) (any, error)
}

// Param describes a query parameter.
type Param struct {
	Name, Doc string
	Required  bool // the handler refuses a request without it
	Type      ParamType
	Enum      []string
	Format    string // as JSON Schema names formats: "date"
	// Names is for parameters whose names each company defines. Name is how all of them begin, and Names returns those of
	// the request's company.
	Names func(ctx context.Context, r *Request) ([]string, error)
}

// ParamType is the type of a query parameter, for the API description.
type ParamType int

// The types of query parameters. Several values have commas between them.
const (
	Text ParamType = iota
	Boolean
	Integer
	Number
	TextList
	IntegerList
)

// Answer describes one answer of an operation.
type Answer struct {
	Status int
	Doc    string
	Body   reflect.Type      // nil: no body
	Header map[string]string // name to meaning
}

// LeastRole is the lowest role that may call the operation.
func (o Operation) LeastRole() tenant.Role {
	switch {
	case o.Role != "":
		return o.Role
	case o.Method == http.MethodGet:
		return tenant.ReadOnly
	default:
		return tenant.Employee
	}
}

// ReadsFinance marks those of a group's operations that read, and leaves those that change something.
func ReadsFinance(operations []Operation) []Operation {
	for i := range operations {
		operations[i].Finance = operations[i].Method == http.MethodGet
	}
	return operations
}

// About names the resource of some of a group's operations.
func About(of scope.Resource, operations ...Operation) []Operation {
	for i := range operations {
		operations[i].Resource = of
	}
	return operations
}

// admits tells whether a member of the company may call the operation.
func (o Operation) admits(p principal.Principal) bool {
	return p.Role.Covers(o.LeastRole()) || o.Finance && p.Finance
}

// Success is the status of success.
func (o Operation) Success() int {
	if o.Status == 0 {
		return http.StatusOK
	}
	return o.Status
}

// paged tells whether the operation answers in pages, whose size the caller chooses.
func (o *Operation) paged() bool {
	if _, listed := reflect.Zero(o.Output).Interface().(interface{ paged() }); listed {
		return true
	}
	return o.reads("pageSize")
}

// reads tells whether the operation reads a query parameter.
func (o *Operation) reads(name string) bool {
	for i := range o.Input.NumField() {
		if o.Input.Field(i).Tag.Get("query") == name {
			return true
		}
	}
	return slices.ContainsFunc(o.Query, func(p Param) bool { return p.Name == name })
}

// kept is the Cache-Control of every answer of an operation, whatever its handler says; "" leaves that to the handler. What a
// company's staff is told belongs in no cache: browsers keep answers beyond a sign-out, on machines that several people use.
// A program that has an answer's ETag can still ask for the change. No operation, as where a path is unknown, keeps nothing.
func (o *Operation) kept() string {
	switch {
	case o == nil:
		return ""
	case o.Access != Public:
		return "private, no-store"
	case o.Secret:
		return "no-store"
	}
	return ""
}

// MediaTypes lists the media types of the body.
func (o Operation) MediaTypes() []string {
	if o.Media == nil {
		return []string{decode.TypeJSON}
	}
	return o.Media
}

// produces lists the media types of the answer.
func (o Operation) produces() []string {
	if o.Produces == nil {
		return []string{decode.TypeJSON}
	}
	return o.Produces
}

// Op completes a row with its handler.
//
// In is a struct. Its fields take the following:
//
// A field with the tag path:"name" takes a path parameter, and one with path:"2" the second
// parameter, whatever its name. Its type is int64 (below EndOfIDs), uuid.UUID or string; a
// text that does not parse is answered with 404. A number and a uuid may stand in the same place of
// two paths, which are then told apart by the value (see Shape). A field with query:"name" takes a query
// parameter (a string; if it is sent several times, the last one). A field with header:"Name"
// takes a header (a string). A field named Body takes the body (see package decode). Where the
// body may also be a list of such objects, a field named Rows, of []decode.Row and with the tag
// maxItems, takes the list; its objects keep their own errors, and the handler sees that it is not
// nil. The tag doc describes a parameter in the API description.
//
// Out is written as JSON with the operation's status. None writes no body. A *Reply sets
// status, headers and body itself; its type parameter is the type of the body, so that the API
// description can't differ from what the handler answers.
func Op[In, Out any](o Operation, handle func(ctx context.Context, r *Request, in *In) (Out, error)) Operation {
	o.Input, o.Output = reflect.TypeFor[In](), shown[Out]()
	o.Draws = o.Draws || o.Access == InTenant && o.paged()
	return o.by(func(ctx context.Context, r *Request, in any) (any, error) {
		typed, _ := in.(*In)
		return handle(ctx, r, typed)
	})
}

// by returns the operation with its handler, which needs no types any more.
func (o Operation) by(handle func(ctx context.Context, r *Request, in any) (any, error)) Operation {
	bind := binderOf(o.Input, o.Path)
	partial, media := o.Method == http.MethodPatch, o.MediaTypes()
	o.serve = func(ctx context.Context, r *Request) (any, error) {
		in := reflect.New(o.Input)
		if err := bind(r, in.Elem(), media, partial); err != nil {
			return nil, err
		}
		switch {
		case !r.Wrong.Any():
			result, err := r.once(ctx, func() (any, error) { return handle(ctx, r, in.Interface()) })
			return result, r.inStep(err)
		case !o.Thorough:
			return nil, r.Wrong.Err()
		}
		_, err := handle(ctx, r, in.Interface())
		return nil, r.inStep(r.allThatIsWrong(err))
	}
	return o
}

// HTML is the body of an answer that is a page, for the API description.
type HTML string

// None is the output of an operation that answers without a body.
type None struct{}

// Reply is an answer that is not simply JSON with the operation's status. V is the type of its
// body: None if it has no body. A []byte is described only by the operation's Produces.
type Reply[V any] struct {
	Status int // 0 is the operation's status of success
	Header map[string]string
	Body   *V // encoded as JSON where Raw is nil
	// Other is the body if the answer is another one of the operation's Answers, whose body is
	// not a V.
	Other       any
	Language    say.Language // of the body, if it is written in one; messages in JSON are said by themselves
	Raw         []byte       // with ContentType: a V that is already encoded, or a body that is not JSON
	ContentType string
}

// Body returns the pointer that a Reply takes as its body.
func Body[V any](v V) *V { return &v }

// plain returns a Reply without its type parameter.
func (reply *Reply[V]) plain() *plainReply {
	if reply == nil {
		return nil
	}
	p := &plainReply{
		Status:      reply.Status,
		Header:      reply.Header,
		Language:    reply.Language,
		Body:        reply.Other,
		Raw:         reply.Raw,
		ContentType: reply.ContentType,
	}
	if reply.Body != nil {
		p.Body = *reply.Body
	}
	return p
}

// body returns the type of the body.
func (reply *Reply[V]) body() reflect.Type { return reflect.TypeFor[V]() }

// replying is implemented by every Reply.
type replying interface {
	plain() *plainReply
	body() reflect.Type
}

// shown returns the type of the body that a handler answers.
func shown[Out any]() reflect.Type {
	var out Out
	if reply, ok := any(out).(replying); ok {
		return reply.body()
	}
	return reflect.TypeFor[Out]()
}

// plainReply is an answer as it is sent.
type plainReply struct {
	Status      int
	Header      map[string]string
	Language    say.Language
	Body        any
	Raw         []byte
	ContentType string
}
