package web

import (
	"context"
	"net/http"
	"reflect"
	"time"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
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
	Doc        string // of the group, for the API description
	Operations []Operation
	// Zone is the time zone of a company, for date-times that a body gives without an
	// offset. It is asked for where there is one; a group whose bodies have date-times
	// needs it.
	Zone func(ctx context.Context, t *table.Tenant) (*time.Location, error)
}

// Operation is one row of a group's table, made by Op.
type Operation struct {
	ID     string // unique, as the API description names it: "documents-list"
	Method string
	Path   string // with its trailing slash; {name} is a parameter
	Access Access
	Role   tenant.Role // the least role; empty: read-only for GET, employee for the rest
	Status int         // of success; 0 is 200
	Media  []string    // media types of the body; nil is JSON alone
	// Produces lists the media types of the answer, for callers that want
	// something else: they get 406. nil is JSON alone; "*/*" suits everybody,
	// which is right for redirects and files.
	Produces []string
	// Query lists the query parameters that are no fields of the input, because
	// the handler reads them by Request.Param.
	Query []Param
	// Secret says that the answer holds a token, or an address that works by itself:
	// nothing on its way keeps it.
	Secret bool
	// Idempotent obeys Idempotency-Key: the handler adds its answer to the
	// transaction that makes it true, by Request.Keep.
	Idempotent bool
	// Thorough operations say at once all that is wrong with a body. The handler is
	// called though the decoder has refused some fields, with the others; its rules add
	// what they find, and it writes nothing. A unit of work of resource.Scope sees to
	// that by itself; a handler that writes in another way looks at Request.Wrong.
	// Whatever such a handler answers, the caller is told what is wrong.
	Thorough bool
	// Again is asked before an answer is given that was kept under an
	// Idempotency-Key, with its body: for an operation of no company whose answer
	// shows one, which the caller may have had to leave since. Its error is answered
	// instead. nil lets every answer be given again.
	Again func(ctx context.Context, r *Request, body []byte) error

	Summary string
	Doc     string
	Answers []Answer     // of a *Reply, for the API description
	Faults  []fault.Code // beside those that every operation of its kind has, for the API description

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

// LeastRole is the role that the operation needs.
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

// Success is the status of success.
func (o Operation) Success() int {
	if o.Status == 0 {
		return http.StatusOK
	}
	return o.Status
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
// In is a struct. A field tagged path:"name" takes a path parameter (int64, below
// EndOfIDs, or uuid.UUID; what does not parse is 404; or string), path:"2" the second
// one, whatever its name, a field tagged
// query:"name" takes a query parameter (string; of several the last), one tagged
// header:"Name" a header (string), and a field named Body takes the body (see
// package decode). A tag doc is the parameter's text in the API description. Out is written as JSON with the
// operation's status; None writes no body, and a *Reply says everything itself, of a body that is of its type:
// what the API description says of an answer is what the handler gives.
func Op[In, Out any](o Operation, handle func(ctx context.Context, r *Request, in *In) (Out, error)) Operation {
	o.Input, o.Output = reflect.TypeFor[In](), shown[Out]()
	bind := binderOf(o.Input, o.Path)
	partial, media := o.Method == http.MethodPatch, o.MediaTypes()
	o.serve = func(ctx context.Context, r *Request) (any, error) {
		in := new(In)
		if err := bind(r, reflect.ValueOf(in).Elem(), media, partial); err != nil {
			return nil, err
		}
		switch {
		case !r.Wrong.Any():
			result, err := r.once(ctx, func() (any, error) { return handle(ctx, r, in) })
			return result, r.inStep(err)
		case !o.Thorough:
			return nil, r.Wrong.Err()
		}
		_, err := handle(ctx, r, in)
		return nil, r.inStep(r.allThatIsWrong(err))
	}
	return o
}

// None is the output of an operation that answers without a body.
type None struct{}

// Reply is an answer that is not simply JSON with the operation's status. V is the type
// of its body; None has none, and []byte is described by the operation's Produces alone.
type Reply[V any] struct {
	Status int // 0 is the operation's status of success
	Header map[string]string
	Body   *V // encoded as JSON where Raw is nil
	// Other is the body of an answer that is another of the operation's Answers.
	Other       any
	Raw         []byte // with ContentType: a V that is encoded already, or no JSON
	ContentType string
	// Mixed says that the body shows more than its ETag counts the changes of: sums,
	// values of other records. It is never answered with 304.
	Mixed bool
}

// Body is the body of a Reply.
func Body[V any](v V) *V { return &v }

// plain is a Reply whatever it holds.
func (reply *Reply[V]) plain() *plainReply {
	if reply == nil {
		return nil
	}
	p := &plainReply{Status: reply.Status, Header: reply.Header, Body: reply.Other, Raw: reply.Raw, ContentType: reply.ContentType, Mixed: reply.Mixed}
	if reply.Body != nil {
		p.Body = *reply.Body
	}
	return p
}

// body is the type of the body.
func (reply *Reply[V]) body() reflect.Type { return reflect.TypeFor[V]() }

// replying is what every Reply is.
type replying interface {
	plain() *plainReply
	body() reflect.Type
}

// shown is the type of the body that a handler's answer has.
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
	Body        any
	Raw         []byte
	ContentType string
	Mixed       bool
}
