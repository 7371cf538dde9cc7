package settings

import (
	"context"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"time"

	"github.com/tenantry/tenantry/functions/identity/credential"
	"github.com/tenantry/tenantry/functions/tenants/key"
	"github.com/tenantry/tenantry/functions/tenants/staff"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/tenant/scope"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

type keyBody struct {
	Name     decode.Optional[string]          `json:"name" required:"true" maxLength:"255" example:"ERP"`
	Scopes   decode.Optional[[]scope.Scope]   `json:"scopes" required:"true" notEmpty:"true" maxItems:"60" example:"[\"clients:read\",\"orders:write\"]" doc:"What it may do: {values}. The description of each operation says which of them it needs."`
	Networks decode.Optional[[]string]        `json:"networks" nullable:"true" maxItems:"50" maxLength:"64" example:"[\"203.0.113.0/24\"]" doc:"From where it may be used: IPv4 or IPv6 addresses, or networks such as 203.0.113.0/24. None, or null: from anywhere."`
	Expires  decode.Optional[decode.DateTime] `json:"expires_at" nullable:"true" example:"2030-01-01T00:00:00Z" doc:"When it ends by itself; null: never."`
}

// newKeyBody is a keyBody with the password, which a new key always needs.
type newKeyBody struct {
	keyBody
	Password decode.Optional[string] `json:"password" required:"true" example:"correct horse battery staple" doc:"The caller's own."`
}

// keyChange is a keyBody with the password, which is needed where a key will be able to do more.
type keyChange struct {
	keyBody
	Password decode.Optional[string] `json:"password" doc:"The caller's own. Needed for more scopes, a later end, or other networks."`
}

// Key is a key for programs as its owner sees it.
type Key struct {
	ID        int64         `json:"id"`
	CreatedAt string        `json:"created_at" format:"date-time"`
	CreatedBy int64         `json:"created_by" doc:"Number of a user."`
	Name      string        `json:"name"`
	Scopes    []scope.Scope `json:"scopes"`
	Networks  []string      `json:"networks"`
	ExpiresAt *string       `json:"expires_at" format:"date-time" nullable:"true"`
	LastUsed  *string       `json:"last_used" format:"date" nullable:"true" doc:"The day of its last use, in UTC; null: it never was used."`
	Hint      string        `json:"hint" doc:"The last four characters of the key, to recognise it by."`
}

// NewKey is a key for programs with the key itself, which is shown once.
type NewKey struct {
	Key
	Text string `json:"key" doc:"The key itself. It is stored nowhere, and in no other answer."`
}

// programs has the handlers of keys for programs.
type programs struct {
	env   app.Env
	keys  key.Keys
	again credential.Again
	of    resource.Resource[*key.Key, keyBody, Key]
}

func newPrograms(env app.Env) *programs {
	p := &programs{env: env, keys: key.Open(env.Table), again: credential.Open(env.Table, env.Now)}
	p.of = resource.Resource[*key.Key, keyBody, Key]{
		Kind: key.Kind(), Role: tenant.Owner, Reads: tenant.Owner,
		Doc: "All of them, the oldest first. The keys themselves are stored nowhere.",
		Apply: func(k *key.Key, in *keyBody, errs fault.FieldErrors) {
			applyKey(k, in, env.Now(), errs)
		},
		View: viewKey,
		Join: func(ctx context.Context, _ *record.Work, list []*key.Key, views []Key) error {
			days, err := p.keys.LastUsed(ctx, list)
			for i, day := range days {
				if day != "" {
					views[i].LastUsed = &day
				}
			}
			return err
		},
	}
	return p
}

func viewKey(k *key.Key, _ resource.Viewer) Key {
	v := Key{
		ID: k.ID, CreatedAt: k.CreatedAt(), CreatedBy: k.CreatedBy, Name: k.Name, Scopes: k.Scopes.List(), Networks: []string{},
		ExpiresAt: encode.Moment(k.Expires), Hint: k.Hint,
	}
	for _, n := range k.Networks {
		v.Networks = append(v.Networks, n.String())
	}
	return v
}

// applyKey is the rule of what a key may be.
func applyKey(k *key.Key, in *keyBody, now time.Time, errs fault.FieldErrors) {
	in.Name.Into(&k.Name)
	if in.Scopes.Set {
		k.Scopes = scope.Of(in.Scopes.Value...)
	}
	if in.Networks.Set {
		k.Networks = networks(in.Networks.Value, errs.At("networks"))
	}
	decode.IntoMicros(in.Expires, &k.Expires)
	if in.Expires.Set && k.Expires != nil && *k.Expires <= moment.Of(now) {
		errs.Add("expires_at", say.KeyExpiresInPast(now.Truncate(time.Second)))
	}
}

// networks reads networks. An address alone is a network of one.
func networks(texts []string, errs fault.FieldErrors) (list []netip.Prefix) {
	for i, text := range texts {
		n, err := netip.ParsePrefix(text)
		if err != nil {
			var one netip.Addr
			if one, err = netip.ParseAddr(text); err == nil && one.Zone() == "" {
				n = netip.PrefixFrom(one.Unmap(), one.Unmap().BitLen())
			}
		}
		if err != nil || !n.IsValid() || n.Addr().Is4In6() {
			errs.Add(strconv.Itoa(i), say.KeyNetworkWrong)
			continue
		}
		if n = n.Masked(); !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	return list
}

func (p *programs) operations() []web.Operation {
	change := web.Operation{
		ID: "keys-update", Method: http.MethodPut, Path: p.of.Path() + "{id}/", Role: tenant.Owner, Thorough: true,
		Faults: append(resource.Changing(), fault.Throttled), Summary: "Change a key",
		Doc: "It counts from the program's next request on. Fields that are left out keep their value. `password` is needed where the " +
			"key will be able to do more: more scopes, a later end, or other networks.",
	}
	patch := change
	patch.ID, patch.Method, patch.Summary = "keys-patch", http.MethodPatch, "Change some fields of a key"
	return []web.Operation{
		p.of.List(p.env.Now),
		web.Op(web.Operation{
			ID: "keys-create", Method: http.MethodPost, Path: p.of.Path(), Role: tenant.Owner, Status: http.StatusCreated,
			Thorough: true, Secret: true, MakesRecords: true, Faults: []fault.Code{fault.Throttled}, Summary: "Create a key",
			Doc: "A credential with which a program calls this company's API in the name of no user, sent as `Authorization: Bearer " +
				"tnt_key_…`. It opens the operations that its scopes name, in this company, whatever role they ask of people, and no " +
				"others. `key` is shown in this answer only. An Idempotency-Key is ignored, because the answer is not kept: if it is " +
				"lost, delete the key and create another one. A company has at most " + strconv.Itoa(key.Most) + ". Wrong passwords " +
				"count together with those of signing in.",
		}, p.create),
		p.of.Read(p.env.Now),
		web.Op(change, p.change),
		web.Op(patch, p.change),
		web.Op(web.Operation{
			ID: "keys-delete", Method: http.MethodDelete, Path: p.of.Path() + "{id}/", Role: tenant.Owner,
			Status: http.StatusNoContent, Faults: resource.Changing(), Summary: "Revoke a key",
			Doc: "Requests with it are refused from then on: 401.",
		}, p.revoke),
	}
}

// proves asks for the caller's password, once everything else of a request is right.
func (p *programs) proves(ctx context.Context, w *record.Work, r *web.Request, password decode.Optional[string]) error {
	if err := w.Errors("").Err(); err != nil {
		return err
	}
	if !password.Set {
		return fault.Field("password", say.Required)
	}
	return w.Beforehand("password", func() error {
		return p.again.Check(ctx, r.Principal.User, r.IP, password.Value)
	})
}

func (p *programs) create(ctx context.Context, r *web.Request, in *struct{ Body newKeyBody }) (*web.Reply[NewKey], error) {
	text, err := key.Text(p.env.NewUUID)
	if err != nil {
		return nil, err
	}
	var made resource.Result[*key.Key]
	err = p.keys.Scope(resource.Scope(r, p.env.Now)).Do(ctx, nil, func(w *record.Work) error {
		made = resource.Result[*key.Key]{Work: w, Record: new(key.Key)}
		if err := p.keys.Give(w, made.Record, text); err != nil {
			return err
		}
		p.of.Apply(made.Record, &in.Body.keyBody, w.Errors(""))
		staff.Stands(w, tenant.Owner)
		return p.proves(ctx, w, r, in.Body.Password)
	})
	if err != nil {
		return nil, err
	}
	reply, err := p.of.Reply(ctx, r, made, http.StatusCreated)
	if err != nil {
		return nil, err
	}
	return &web.Reply[NewKey]{Status: reply.Status, Header: reply.Header, Body: web.Body(NewKey{*reply.Body, text})}, nil
}

func (p *programs) change(ctx context.Context, r *web.Request, in *struct {
	ID      int64  `path:"id"`
	IfMatch string `header:"If-Match"`
	Body    keyChange
},
) (*web.Reply[Key], error) {
	var of resource.Result[*key.Key]
	o := p.of.Outcome(ctx, r, &of, http.StatusOK)
	return o.After(p.keys.Scope(resource.Scope(r, p.env.Now)).Do(ctx, o, func(w *record.Work) error {
		rec, err := p.of.Edit(ctx, w, r, in.ID)
		if err != nil {
			return err
		}
		of = resource.Result[*key.Key]{Work: w, Record: rec}
		before := *rec
		p.of.Apply(rec, &in.Body.keyBody, w.Errors(""))
		staff.Stands(w, tenant.Owner)
		p.keys.Change(w, rec, &before)
		if rec.Widens(&before) {
			return p.proves(ctx, w, r, in.Body.Password)
		}
		return nil
	}))
}

func (p *programs) revoke(ctx context.Context, r *web.Request, in *removeInput) (web.None, error) {
	return web.None{}, p.keys.Scope(resource.Scope(r, p.env.Now)).Do(ctx, nil, func(w *record.Work) error {
		rec, err := p.of.Edit(ctx, w, r, in.ID)
		if err != nil {
			return err
		}
		staff.Stands(w, tenant.Owner)
		return p.keys.Revoke(ctx, w, rec)
	})
}
