package web_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/aws/smithy-go"

	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/meter"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// The group that the web layer is tried on. It has every kind of operation.

type thingIn struct {
	ID   int64 `path:"id"`
	Body struct {
		Name decode.Optional[string] `json:"name" required:"true" maxLength:"5"`
		N    decode.Optional[int64]  `json:"n" nullable:"true"`
	}
}

type thing struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

type byID struct {
	ID int64 `path:"id"`
}

type search struct {
	Page     string `query:"page"`
	PageSize string `query:"pageSize"`
	Search   string `query:"search"`
}

// count is the number of things.
const count = 35

func things(app.Env) app.Group {
	list := func(_ context.Context, r *web.Request, in *search) (web.List[thing], error) {
		p, err := r.PageOf()
		if err != nil {
			return web.List[thing]{}, err
		}
		n := count
		if in.Search != "" {
			n = 0
		}
		var page []thing
		for i := p.Offset(n); i < min(p.Offset(n)+p.Size, n); i++ {
			page = append(page, thing{ID: int64(i + 1), Name: "t"})
		}
		return web.Envelope(r, p, n, page)
	}
	echo := func(_ context.Context, _ *web.Request, in *thingIn) (thing, error) {
		return thing{in.ID, in.Body.Name.Or("")}, nil
	}
	get := func(_ context.Context, _ *web.Request, in *byID) (thing, error) {
		if in.ID > count && in.ID != table.MaxID {
			return thing{}, fault.ErrNotFound
		}
		return thing{in.ID, "t"}, nil
	}
	none := func(context.Context, *web.Request, *byID) (web.None, error) { return web.None{}, nil }
	who := func(_ context.Context, r *web.Request, _ *struct{}) (map[string]any, error) {
		bound := ""
		if r.Table != nil {
			bound = r.Table.ID().String()
		}
		return map[string]any{
			"user": r.Principal.User, "feed": r.Principal.Feed, "tenant": r.Principal.Tenant, "table": bound, "ip": r.IP, "agent": r.UserAgent,
			"base": r.BaseURL, "query": r.Query, "id": r.ID, "accept": r.Accept,
			"context": r.Header("X-GoLambdaProxy-ApiGw-Context"),
		}, nil
	}
	part := func(_ context.Context, _ *web.Request, in *struct {
		ID   int64 `path:"id"`
		Part int64 `path:"part_id"`
	},
	) (thing, error) {
		return thing{in.Part, "p"}, nil
	}
	file := func(_ context.Context, _ *web.Request, in *struct {
		Ref uuid.UUID `path:"ref"`
	},
	) (*web.Reply[any], error) {
		return &web.Reply[any]{Status: 302, Header: map[string]string{"Location": "https://files.test/" + in.Ref.String()}}, nil
	}
	text := func(_ context.Context, _ *web.Request, in *struct {
		Name string `path:"name"`
		Size int64  `path:"size"`
	},
	) (*web.Reply[any], error) {
		switch in.Name {
		case "silent":
			return &web.Reply[any]{}, nil
		case "quotes":
			return &web.Reply[any]{Other: map[string]string{"s": strings.Repeat(`"`, int(in.Size))}}, nil
		case "binary":
			return &web.Reply[any]{Raw: []byte(strings.Repeat("\xff", int(in.Size))), ContentType: "image/png"}, nil
		case "noise":
			noise := make([]byte, in.Size)
			_, _ = rand.NewChaCha8([32]byte{}).Read(noise)
			return &web.Reply[any]{Raw: noise, ContentType: "text/plain"}, nil
		case "unspeakable":
			return &web.Reply[any]{Other: func() {}}, nil
		default:
			return &web.Reply[any]{Other: map[string]string{"s": strings.Repeat("a", int(in.Size))}}, nil
		}
	}
	fail := func(ctx context.Context, _ *web.Request, in *struct {
		How string `path:"how"`
	},
	) (web.None, error) {
		return web.None{}, failures(ctx)[in.How]()
	}

	op := func(method, path string, access web.Access, role tenant.Role) web.Operation {
		return web.Operation{ID: method + path, Method: method, Path: path, Access: access, Role: role}
	}
	created := op(http.MethodPost, "/v1/things/", web.InTenant, "")
	created.Status = http.StatusCreated
	public := op(http.MethodGet, "/v1/public/", web.Public, "")
	public.Query = []web.Param{{Names: func(context.Context, *web.Request) ([]string, error) { return []string{"any"}, nil }}}
	deleted := op(http.MethodDelete, "/v1/things/{id}/", web.InTenant, "")
	deleted.Status = http.StatusNoContent
	login := op(http.MethodPost, "/v1/login/", web.Public, "")
	login.Secret = true
	login.Media = []string{decode.TypeJSON, decode.TypeForm, decode.TypeMultipart}
	fed := op(http.MethodPost, "/v1/fed/", web.InTenant, "")
	fed.Feed = true
	named := op(http.MethodGet, "/v1/mine/", web.SignedIn, "")
	named.Named = true
	files := op(http.MethodGet, "/v1/files/{ref}/", web.InTenant, "")
	files.Produces = []string{"*/*"}
	return app.Group{Group: web.Group{Name: "things", Operations: []web.Operation{
		web.Op(op(http.MethodGet, "/v1/things/", web.InTenant, ""), list),
		web.Op(created, func(ctx context.Context, r *web.Request, in *struct {
			Body struct {
				Name decode.Optional[string] `json:"name" required:"true" maxLength:"5"`
			}
		},
		) (thing, error) {
			return thing{1, in.Body.Name.Value}, nil
		}),
		web.Op(op(http.MethodGet, "/v1/things/{id}/", web.InTenant, ""), get),
		web.Op(op(http.MethodGet, "/v1/things/{id}/parts/{part_id}/", web.InTenant, ""), part),
		web.Op(op(http.MethodPut, "/v1/things/{id}/", web.InTenant, ""), echo),
		web.Op(op(http.MethodPatch, "/v1/things/{id}/", web.InTenant, ""), echo),
		web.Op(deleted, none),
		web.Op(login, func(_ context.Context, _ *web.Request, in *struct {
			Body struct {
				Token decode.Optional[string] `json:"token" required:"true"`
			}
		},
		) (map[string]string, error) {
			return map[string]string{"token": in.Body.Token.Value}, nil
		}),
		web.Op(public, who),
		web.Op(op(http.MethodGet, "/v1/me/", web.SignedIn, ""), who),
		web.Op(named, who),
		web.Op(op(http.MethodGet, "/v1/who/", web.InTenant, ""), who),
		web.Op(op(http.MethodGet, "/v1/staff/", web.InTenant, tenant.Manager), who),
		web.Op(op(http.MethodDelete, "/v1/company/", web.InTenant, tenant.Owner), who),
		web.Op(files, file),
		web.Op(fed, who),
		web.Op(op(http.MethodGet, "/v1/text/{name}/{size}/", web.Public, ""), text),
		web.Op(op(http.MethodGet, "/v1/fail/{how}/", web.Public, ""), fail),
		web.Op(op(http.MethodGet, "/.well-known/keys", web.Public, ""), who),
	}}}
}

// failures are the ways in which a handler can fail, by name.
func failures(ctx context.Context) map[string]func() error {
	fails := func(err error) func() error { return func() error { return err } }
	return map[string]func() error{
		"secret": fails(errors.New("pk=T#1#secret")),
		"panic":  func() error { panic("pk=T#1#secret") },
		"nil":    func() error { return fmt.Errorf("secret %d", deref(nil)) },
		"key":    fails(fmt.Errorf("get: %w", table.ErrKey)),
		"kms": func() error {
			meter.From(ctx).Add(meter.Usage{KMSCalls: 2})
			return fmt.Errorf("sign: %w", &smithy.OperationError{ServiceID: "KMS", OperationName: "Sign", Err: errors.New("secret")})
		},
		"members": fails((&fault.Error{Code: fault.Invalid, Detail: "No.", Fields: fault.FieldErrors{
			"name": []string{"a"}, "code": []string{"b"}, "detail": []string{"c"},
		}}).With("code", "machine")),
		"namesakes":    fails(fault.FieldErrors{"code": []say.Message{"b"}, "errors": []say.Message{"c"}}.Err()),
		"fields":       fails(fmt.Errorf("x: %w", fault.Field("domain", say.NotUnique).Because(errors.New("secret")))),
		"set":          fails(fault.Field(fault.NonField, "The fields key, name must make a unique set.")),
		"malformed":    fails(fault.New(fault.Malformed, "JSON parse error - x")),
		"noauth":       fails(fault.New(fault.Unauthenticated, "No active account found with the given credentials")),
		"badtoken":     fails(fault.ErrBadToken),
		"othertoken":   fails(fault.New(fault.BadToken, "Token is invalid or expired")),
		"forbidden":    fails(fault.ErrForbidden),
		"notfound":     fails(fault.ErrNotFound.Because(errors.New("secret"))),
		"page":         fails(fault.ErrInvalidPage),
		"conflict":     fails(fault.New(fault.Conflict, "Busy.").With("conflicts", []int{7})),
		"precondition": fails(fault.New(fault.Precondition, "Changed.")),
		"throttled":    fails(fault.TooMany(time.Minute)),
		"unavailable":  fails(fault.ErrUnavailable.Because(errors.New("secret"))),
		"late":         fails(fmt.Errorf("table: %w", context.DeadlineExceeded)),
		"records":      fails(fault.New(fault.Invalid, "Too many.").With("code", "export_too_long")),
		"time": func() error {
			at, ok := ctx.Deadline()
			if left := time.Until(at); !ok || left > 26*time.Second || left < 20*time.Second {
				return errors.New("the handler has no deadline below the gateway's")
			}
			return nil
		},
	}
}

func deref(p *int) int { return *p }

// company makes a host that of company 1 where it is called ours, else that of company 2.
func company(t *testing.T, api *webtest.API, host string) {
	t.Helper()
	if strings.HasPrefix(host, "ours.") {
		move(t, api, host, 1)
		return
	}
	move(t, api, host, 2)
}

// move gives a host to a company.
func move(t *testing.T, api *webtest.API, host string, to tenant.ID) {
	t.Helper()
	item := crosstenant.DomainItem{Item: table.At(crosstenant.Domain(host), crosstenant.DomainVersion), Tenant: to}
	if err := crosstenant.Open(api.Env.Table).Put(item).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func mustPanic(t *testing.T, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	f()
}

func TestMistakesOfOursStopTheStart(t *testing.T) {
	ok := func(context.Context, *web.Request, *struct{}) (web.None, error) { return web.None{}, nil }
	op := web.Operation{ID: "a", Method: http.MethodGet, Path: "/a/"}
	twice := web.Op(web.Operation{ID: "b", Method: http.MethodGet, Path: "/x/{b}/"}, ok)
	once := web.Op(web.Operation{ID: "c", Method: http.MethodGet, Path: "/x/{c}/"}, ok)
	for name, f := range map[string]func(){
		"input without a source": func() {
			web.Op(op, func(context.Context, *web.Request, *struct{ A string }) (web.None, error) { return web.None{}, nil })
		},
		"path parameter of another type": func() {
			web.Op(op, func(context.Context, *web.Request, *struct {
				A int `path:"a"`
			},
			) (web.None, error) {
				return web.None{}, nil
			})
		},
		"body that can't be filled": func() {
			web.Op(op, func(context.Context, *web.Request, *struct{ Body struct{ A int } }) (web.None, error) {
				return web.None{}, nil
			})
		},
		"one shape twice": func() {
			web.NewServer(web.Group{Operations: []web.Operation{twice, once}}, web.Config{})
		},
		"an allowance of no company": func() {
			drawing := web.Operation{ID: "e", Method: http.MethodGet, Path: "/e/", Access: web.SignedIn, Draws: true}
			web.NewServer(web.Group{Operations: []web.Operation{web.Op(drawing, ok)}}, web.Config{})
		},
		"a filter of date-times without a zone": func() {
			filtered := web.Operation{ID: "d", Method: http.MethodGet, Path: "/d/", Query: []web.Param{{Name: "at", Format: "date-time"}}}
			web.NewServer(web.Group{Operations: []web.Operation{web.Op(filtered, ok)}}, web.Config{})
		},
	} {
		t.Run(name, func(t *testing.T) { mustPanic(t, f) })
	}
	if got := web.Op(op, ok); got.Input != reflect.TypeFor[struct{}]() || got.Success() != 200 {
		t.Errorf("%+v", got)
	}
}
