package identity

import (
	"context"
	"strconv"
	"time"

	"github.com/tenantry/tenantry/functions/identity/oidc"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/outbox/notify/daily"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/web"
)

func (s *service) googleOperations() []web.Operation {
	return []web.Operation{
		web.Op(web.Operation{
			ID: "auth-google-auth-url", Method: "GET", Path: "/v1/auth/google/auth-url/", Access: web.SignedIn, Named: true, Secret: true,
			Produces: []string{"*/*"},
			Answers: []web.Answer{{Status: 200, Doc: "Where to send the person.", Header: map[string]string{
				"Location": "An address of the issuer. It leads back to the web client with `code` and `state`.",
			}}},
			Faults:  []fault.Code{fault.Forbidden, fault.NotFound, fault.Throttled, fault.Unavailable},
			Summary: "Where to link an identity",
			Doc: "The address is in `Location`; it can be used for 10 minutes, once. No company is needed, but one that " +
				"`X-Tenant-Id` names has to be the caller's. A session that came of a cross login can't link: 403 with the code " +
				"cross_login. 404 where no issuer is configured, 503 where it can't be reached.",
		}, s.startLink),
		web.Op(web.Operation{
			ID: "auth-google-callback", Method: "POST", Path: "/v1/auth/google/callback/", Access: web.SignedIn,
			Faults:  []fault.Code{fault.Forbidden, fault.NotFound, fault.Throttled, fault.Unavailable},
			Summary: "Link an identity",
			Doc: "Takes the `code` and `state` with which the issuer sent the caller back. The account can then be signed in to with " +
				"this identity, and its owner is told by e-mail. Linking the same again changes nothing. 400 with the code " +
				"identity_taken if it is another account's, identity_linked if this account has another one, email_unverified if its " +
				"issuer has not verified its address. A new password unlinks it. An account can be linked " + strconv.Itoa(linksADay) +
				" times in a day of UTC.",
		}, s.finishLink),
		web.Op(web.Operation{
			ID: "auth-google-unlink", Method: "DELETE", Path: "/v1/auth/google/callback/", Access: web.SignedIn, Status: 204,
			Faults:  []fault.Code{fault.NotFound},
			Summary: "Unlink the identity",
			Doc:     "Nobody can sign in with it any more. Sign-ins that began with it go on. 404 if none is linked.",
		}, s.unlink),
		web.Op(web.Operation{
			ID: "auth-google-login-init", Method: "POST", Path: "/v1/auth/google/login/init/", Access: web.Public, Secret: true,
			Faults:  []fault.Code{fault.NotFound, fault.Throttled, fault.Unavailable},
			Summary: "Where to sign in with an identity",
			Doc: "`code_challenge` is the SHA-256 of a `code_verifier` of the client's making, in base64url (PKCE, S256). Only who " +
				"has that verifier can sign in with what comes back. The address can be used for 10 minutes, once.",
		}, s.startIdentityLogin),
		web.Op(web.Operation{
			ID: "auth-google-login", Method: "POST", Path: "/v1/auth/google/login/", Access: web.Public, Secret: true,
			Faults:  []fault.Code{fault.NotFound, fault.Unavailable},
			Summary: "Sign in with an identity",
			Doc: "Takes the `code` and `state` with which the issuer sent the person back, and the `code_verifier` of this client. " +
				"An identity that nobody has linked is 400 with the code identity_unknown: no account is made of it. After 503 the " +
				"state may be spent: begin again.",
		}, s.identityLogin),
	}
}

// startLink needs no company, but refuses a wrong one. It is throttled, because each call leaves
// an item in the table.
func (s *service) startLink(ctx context.Context, r *web.Request, _ *struct{}) (*web.Reply[web.None], error) {
	if err := s.mayLink(r); err != nil {
		return nil, err
	}
	account := strconv.FormatInt(r.Principal.User, 10)
	if _, err := s.throttle.Take(ctx, pairCount(beginLink, account, r.IP), accountCount(beginLink, account)); err != nil {
		return nil, err
	}
	address, err := s.begin(ctx, state{Purpose: toLink, User: r.Principal.User})
	if err != nil {
		return nil, err
	}
	return &web.Reply[web.None]{Header: map[string]string{"Location": address}}, nil
}

// mayLink refuses a session that came of a cross login: whoever stole an access token could
// otherwise make a way to sign in of it, which outlives the token.
func (s *service) mayLink(r *web.Request) error {
	switch {
	case s.issuer == nil:
		return fault.ErrNotFound
	case r.Principal.Cross:
		return errCrossedLink
	}
	return nil
}

var errCrossedLink = fault.New(fault.Forbidden, say.CrossLoginLinksNothing).
	Coded()

type returnedIn struct {
	Accept string `header:"Accept-Language" doc:"Of a mail, to who has chosen no language: one of those in which the stage answers."`
	Body   struct {
		Code  decode.Optional[string] `json:"code" required:"true" maxLength:"2048" example:"4/0AbCdEf"`
		State decode.Optional[string] `json:"state" required:"true" maxLength:"128" example:"9kYy0xM3mJvWq1n8Q0Zr2eUo6sTtPpLlAaBbCcDdEeF"`
	}
}

type googleLink struct {
	Email    string    `json:"email" format:"email"`
	LinkedAt time.Time `json:"linked_at"`
}

func (s *service) finishLink(ctx context.Context, r *web.Request, in *returnedIn) (googleLink, error) {
	if err := s.mayLink(r); err != nil {
		return googleLink{}, err
	}
	id, now := r.Principal.User, s.now()
	who, err := s.end(ctx, in.Body.Code.Value, in.Body.State.Value, func(st state) bool { return st.Purpose == toLink && st.User == id })
	if err != nil {
		return googleLink{}, err
	}
	m, err := outbox.New(crosstenant.Message, linkedMessage, linkedBody{
		User: id, Identity: who.Email, Issuer: s.issuer.Name(), Language: s.asked(in.Accept),
	}, now, now)
	if err != nil {
		return googleLink{}, err
	}
	c := claim{User: id, Family: r.Principal.Family, Identity: s.identityOf(who), Email: who.Email}
	made, err := s.links.add(ctx, c, now, func(tx *table.Tx) {
		outbox.Send(tx, s.links.table, m)
		s.throttle.With(tx, append(daily.Counts(daily.StrangerMail(s.mailDaily), strconv.FormatInt(id, 10)), linkCount(id))...)
	})
	return googleLink{Email: made.Email, LinkedAt: time.Unix(made.Linked, 0).UTC()}, err
}

// identityOf is the name under which an identity is stored.
func (s *service) identityOf(who oidc.Identity) string {
	return hashOf("identity", s.issuer.Name(), who.Subject)
}

func (s *service) unlink(ctx context.Context, r *web.Request, _ *struct{}) (web.None, error) {
	if s.issuer == nil {
		return web.None{}, fault.ErrNotFound
	}
	return web.None{}, s.links.remove(ctx, r.Principal.User)
}

type challengeIn struct {
	Body struct {
		CodeChallenge decode.Optional[string] `json:"code_challenge" required:"true" pattern:"^[A-Za-z0-9_-]{43}$" example:"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"`
	}
}

type googleURL struct {
	URL string `json:"url" format:"uri"`
}

// startIdentityLogin is throttled by the caller's address alone, since no account is known. It is
// the only limit of this way: what comes after it needs a state of it.
func (s *service) startIdentityLogin(ctx context.Context, r *web.Request, in *challengeIn) (googleURL, error) {
	if s.issuer == nil {
		return googleURL{}, fault.ErrNotFound
	}
	if _, err := s.throttle.Take(ctx, beginCount(r.IP)); err != nil {
		return googleURL{}, err
	}
	address, err := s.begin(ctx, state{Purpose: toSignIn, Challenge: in.Body.CodeChallenge.Value})
	return googleURL{address}, err
}

type identityLoginIn struct {
	Body struct {
		Code         decode.Optional[string] `json:"code" required:"true" maxLength:"2048" example:"4/0AbCdEf"`
		State        decode.Optional[string] `json:"state" required:"true" maxLength:"128" example:"9kYy0xM3mJvWq1n8Q0Zr2eUo6sTtPpLlAaBbCcDdEeF"`
		CodeVerifier decode.Optional[string] `json:"code_verifier" required:"true" pattern:"^[A-Za-z0-9._~-]{43,128}$" example:"dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"`
	}
}

// identityLogin begins a sign-in in the transaction that checks that the identity is still
// linked. What the client knows is checked before its state is spent.
func (s *service) identityLogin(ctx context.Context, r *web.Request, in *identityLoginIn) (tokens, error) {
	if s.issuer == nil {
		return tokens{}, fault.ErrNotFound
	}
	b := &in.Body
	who, err := s.end(ctx, b.Code.Value, b.State.Value, func(st state) bool { return st.began(b.CodeVerifier.Value) })
	if err != nil {
		return tokens{}, err
	}
	identity := s.identityOf(who)
	u, err := s.links.owner(ctx, identity)
	if err != nil {
		return tokens{}, err
	}
	out, err := s.signIn(ctx, u, func(tx *table.Tx) { s.links.stands(tx, identity, u) })
	if err == nil {
		s.tries.Remember(ctx, u.Email, r.IP) // an identity proves as much as a password
	}
	return out, err
}
