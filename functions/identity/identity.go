// Package identity serves registration, sign-in, tokens and profiles.
//
// A sign-in is a token family (crosstenant.FamilyItem). It has one current refresh token and
// any number of access tokens, and it can be ended at once. A cross login gives an access
// token of the same family, which therefore ends together with it; such a token can't issue
// cross-login tokens.
//
// A person can also sign in with an identity of an issuer such as Google, which the person has
// linked while signed in. No account is made of an identity, and none is found by its e-mail.
//
// Nothing is stored that would be enough to sign in: a password is stored as its argon2id
// hash, refresh tokens and one-time codes are not stored (they are MACs of stored values), and
// a cross-login token is stored as its hash.
//
// A new password ends all sign-ins at once, and unlinks the identity, by the epoch that each of
// them carries (crosstenant.MembershipsItem). That includes a sign-in that begins with the old password
// while it is being replaced.
//
// No answer reveals whether an account exists.
//
// What never goes in here: companies and their members (functions/tenants), and the check
// whether a token is valid (functions/authorizer).
package identity

import (
	"net/url"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/identity/credential"
	"github.com/tenantry/tenantry/functions/identity/oidc"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/keys"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/outbox/notify"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/throttle"
	"github.com/tenantry/tenantry/shared/web"
)

type service struct {
	users      users
	families   families
	challenges challenges
	crossings  crossings
	states     states
	links      links
	throttle   throttle.Throttle
	passwords  credential.Passwords
	tries      credential.Tries
	issuer     *oidc.Issuer // nil if none is configured

	keys      keys.Keys
	sender    notify.Sender
	mailDaily int64                                       // see daily.StrangerMail
	languages []say.Language                              // in which requests may ask
	language  say.Language                                // of who has chosen none, and has not asked
	link      func(host string, values url.Values) string // see app.Config.Link
	now       func() time.Time
	newUUID   func() uuid.UUID
	secret    func() string
	lifetime  lifetimes
}

type lifetimes struct{ access, refresh time.Duration }

// New makes the group.
func New(env app.Env) app.Group {
	s := newService(env)
	return app.Group{
		Group: web.Group{Name: "identity", Doc: "Registration, sign-in, tokens and profiles.", Operations: s.operations()},
		Work:  Urgent(env),
	}
}

// Urgent returns the handlers of the group's messages.
func Urgent(env app.Env) outbox.Work {
	s := newService(env)
	return outbox.Work{codeMessage: s.deliverCode, passwordMessage: s.deliverPassword, linkedMessage: s.deliverLinked}
}

func newService(env app.Env) *service {
	t := crosstenant.Open(env.Table)
	s := &service{
		users: users{t}, families: families{t}, challenges: challenges{t}, crossings: crossings{t},
		states: states{t}, links: links{table: t, users: users{t}},
		throttle: throttle.Open(env.Table, env.Now), passwords: credential.New(),
		tries: credential.NewTries(throttle.Open(env.Table, env.Now)),
		keys:  env.Keys, sender: env.Notify, mailDaily: env.Config.MailDaily, link: env.Config.Link,
		languages: env.Config.Languages, language: env.Config.Language(),
		now: env.Now, newUUID: env.NewUUID,
		lifetime: lifetimes{access: env.Config.AccessLifetime, refresh: env.Config.RefreshLifetime},
	}
	if s.secret = env.NewSecret; s.secret == nil {
		s.secret = secret
	}
	if c := env.Config.OIDC; c.ClientID != "" {
		s.issuer = oidc.New(oidc.Config(c), env.Now)
		s.links.issuer = hashOf("issuer", c.Issuer)
	}
	return s
}

var anyMedia = []string{decode.TypeJSON, decode.TypeForm, decode.TypeMultipart}

func (s *service) operations() []web.Operation {
	return slices.Concat(
		s.signInOperations(), s.profileOperations(), s.crossOperations(), s.googleOperations(), s.resetOperations(), s.registerOperations(),
	)
}

func (s *service) signInOperations() []web.Operation {
	return []web.Operation{
		web.Op(web.Operation{
			ID: "auth-login", Method: "POST", Path: "/v1/auth/login/", Access: web.Public, Media: anyMedia, Secret: true,
			Faults:  []fault.Code{fault.Unauthenticated, fault.Throttled},
			Summary: "Sign in",
			Doc: "`username` is the e-mail address. The answer to a wrong password and to an unknown address is the same. An IP address " +
				"(IPv6: a /64) that fails at many accounts within an hour is refused for the rest of it, but not at accounts that were " +
				"signed in to from it before.",
		}, s.login),
		web.Op(web.Operation{
			ID: "auth-refresh", Method: "POST", Path: "/v1/auth/refresh/", Access: web.Public, Media: anyMedia, Secret: true,
			Faults:  []fault.Code{fault.BadToken},
			Summary: "Renew the tokens",
			Doc: "The refresh token is replaced. Presented again within 10 seconds, while its successor is unused, it gets " +
				"that successor again; any other reuse ends the sign-in, its access tokens included.",
		}, s.refresh),
		web.Op(web.Operation{
			ID: "auth-logout", Method: "POST", Path: "/v1/auth/logout/", Access: web.Public,
			Faults:  []fault.Code{fault.BadToken},
			Summary: "Sign out",
			Doc:     "Ends the sign-in of the refresh token: it and every access token that came of it stop working at once.",
		}, s.logout),
	}
}

func (s *service) profileOperations() []web.Operation {
	return []web.Operation{
		web.Op(web.Operation{
			ID: "auth-profile", Method: "GET", Path: "/v1/auth/profile/", Access: web.SignedIn, Summary: "The caller's profile",
		}, s.profile),
		web.Op(web.Operation{
			ID: "auth-profile-put", Method: "PUT", Path: "/v1/auth/profile/", Access: web.SignedIn,
			Faults:  []fault.Code{fault.Conflict, fault.Precondition},
			Summary: "Replace the profile",
		}, s.editProfile),
		web.Op(web.Operation{
			ID: "auth-profile-patch", Method: "PATCH", Path: "/v1/auth/profile/", Access: web.SignedIn,
			Faults:  []fault.Code{fault.Conflict, fault.Precondition},
			Summary: "Change the profile",
		}, s.editProfile),
	}
}

func (s *service) crossOperations() []web.Operation {
	return []web.Operation{
		web.Op(web.Operation{
			ID: "auth-cross-login-token", Method: "POST", Path: "/v1/auth/cross_login/token/", Access: web.SignedIn, Secret: true,
			Faults:  []fault.Code{fault.Forbidden, fault.Throttled},
			Summary: "Issue a cross-login token",
			Doc: "It lives 60 seconds and is exchanged once. A session that came of a cross login can't issue one: 403 with the " +
				"code cross_login.",
		}, s.issueCross),
		web.Op(web.Operation{
			ID: "auth-cross-login", Method: "POST", Path: "/v1/auth/cross_login/", Access: web.Public, Media: anyMedia, Secret: true,
			Summary: "Exchange a cross-login token",
			Doc: "Gives an access token of the sign-in that issued the token. It can't be refreshed, and ends with that sign-in at the " +
				"latest: when that one expires, is signed out, or a new password is set.",
		}, s.exchangeCross),
	}
}

func (s *service) resetOperations() []web.Operation {
	return []web.Operation{
		web.Op(web.Operation{
			ID: "auth-reset-init", Method: "POST", Path: "/v1/auth/reset/init/", Access: web.Public,
			Faults:  []fault.Code{fault.Throttled},
			Summary: "Send a code for a new password",
			Doc: "The code goes to an address that has an account; any other is told that it has none. The answer is the same. " +
				"How long a code lives and how many are sent is as at registration, and counted apart from it.",
		}, s.initReset),
		web.Op(web.Operation{
			ID: "auth-reset-verify", Method: "POST", Path: "/v1/auth/reset/verify/", Access: web.Public,
			Faults:  []fault.Code{fault.Throttled},
			Summary: "Check a code for a new password",
			Doc: "200 if the code is right, which it still is afterwards. A wrong one is a try: a code takes 5 of them in all, here and " +
				"at confirmation, from wherever they come; after that another one has to be sent.",
		}, s.verifyReset),
		web.Op(web.Operation{
			ID: "auth-reset-confirm", Method: "POST", Path: "/v1/auth/reset/confirm/", Access: web.Public,
			Faults:  []fault.Code{fault.Throttled},
			Summary: "Set a new password",
			Doc: "Uses the code and ends all sign-ins of the account: no token that was given out before holds any more. Its owner is " +
				"told by e-mail. A password that many people have is refused. An identity that was linked is not linked any more. " +
				"A wrong code is one of the 5 tries that a code takes in all. `password` and `otp` are answered as empty texts.",
		}, s.confirmReset),
	}
}

func (s *service) registerOperations() []web.Operation {
	return []web.Operation{
		web.Op(web.Operation{
			ID: "tenant-register-init", Method: "POST", Path: "/v1/tenant/register/init/", Access: web.Public,
			Faults:  []fault.Code{fault.Throttled},
			Summary: "Send a registration code",
			Doc: "The code has 6 digits and lives 10 minutes. Another one can be sent after 60 seconds, 10 a day (UTC) to one " +
				"address, of them at most 5 that one IP address asked for. One IP address can have 300 codes an hour sent. " +
				"The answer is the same whether the address has an account or not.",
		}, s.initRegistration),
		web.Op(web.Operation{
			ID: "tenant-register-confirm", Method: "POST", Path: "/v1/tenant/register/confirm/", Access: web.Public, Status: 201,
			Faults:  []fault.Code{fault.Throttled},
			Summary: "Register",
			Doc: "Creates the account. A password that many people have is refused. `password` and `otp` are answered as empty texts. " +
				"A code takes 5 tries of one IP address (IPv6: of one /64) and 25 in all; after that another one has to be sent. " +
				"While tries are left to others, a caller without any is answered as for a wrong code.",
		}, s.confirmRegistration),
	}
}
