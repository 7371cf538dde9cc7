// Package signing is where the public signs documents and verifies sealed ones: the page of a sign's link and the
// operations that it calls, and /verify. Nobody signs in here: whoever has the uuid of a sign is its signer.
//
// What never goes in here: anything that staff does, and a way to a document other than document.Public.
package signing

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/functions/documents/egov"
	"github.com/tenantry/tenantry/functions/sms/account"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/remote"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/throttle"
	"github.com/tenantry/tenantry/shared/web"
)

// service has the handlers of the group.
type service struct {
	desk     *document.Desk
	files    *files.Store
	egov     *egov.Verifier
	throttle throttle.Throttle
	door     *account.Door
	links    time.Duration // how long a link lives
	now      func() time.Time
}

// New is the group of signing.
func New(env app.Env) app.Group {
	s := &service{
		desk: document.NewDesk(env.Table, env.Files, env.Keys, env.NewUUID), files: env.Files,
		throttle: throttle.Open(env.Table, env.Now), links: env.Config.LinkLife,
		door: account.NewDoor(account.Terms{
			Sends: env.Config.SMS.Provider != "", Rates: env.Config.SMS.Rates, Free: env.Config.SMS.Free, Daily: env.Config.SMS.Daily,
		}, throttle.Open(env.Table, env.Now)),
		egov: &egov.Verifier{Roots: env.Config.NCA.Roots, OCSP: env.Config.NCA.OCSP, Network: remote.New(), Now: env.Now},
		now:  func() time.Time { return env.Now().UTC().Truncate(time.Microsecond) },
	}
	return app.Group{Group: web.Group{
		Name: "signing", Doc: "What the signer of a document does, by the link that was sent, and the verification of sealed documents.",
		Operations: slices.Concat(s.operations(), s.verifyOperations(), s.pageOperations()),
	}}
}

func (s *service) operations() []web.Operation {
	const one = "/v2/documents/{uuid}/"
	op := func(id, path, summary, doc string, faults ...fault.Code) web.Operation {
		return web.Operation{
			ID: "signing-" + id, Method: http.MethodPost, Path: one + path, Access: web.Public, Secret: true, Summary: summary, Doc: doc,
			Faults: append([]fault.Code{fault.Conflict, fault.Forbidden, fault.NotFound}, faults...),
		}
	}
	eds := op("eds", "eds/", "Sign by a CMS of NCALayer", "Detached, over the bytes of the document's file. "+
		strconv.Itoa(document.CMSs().Limit)+" tries in an hour. It may be 403 with the code plan, as signing by a code may.",
		fault.Unavailable, fault.Throttled, fault.Forbidden)
	eds.Large = true
	return []web.Operation{
		web.Op(op("open", "open/", "Tell that the signer has opened the page",
			"The page's own call: a GET of the page, or of the document, changes nothing."), s.open),
		web.Op(op("code", "sign/", "Have a code sent",
			"By SMS to the signer's telephone: 60 seconds after the last one at the earliest, and 10 in a day; "+
				strconv.Itoa(account.CodesOfPhone)+" in a day for all that a company has the telephone's owner sign. If the document "+
				"isn't the one that the signer has read, it is 409 with the code changed: it has to be read again. Where the "+
				"company can't send any code, it is 409 with the code sms_unavailable; where the signature would be the last and the "+
				"company's plan has no room for another sealed document, it is 403 with the code plan, and none is sent.",
			fault.Forbidden, fault.Throttled), s.code),
		web.Op(op("confirm", "sign/confirm/", "Sign by the code",
			"A code is good for 10 minutes and 5 tries, and only as long as the document's file, what it shows and its name have not "+
				"changed. The last signature has the document sealed: where the company's plan has no room for that, it is 403 with the "+
				"code plan, and can be made later.", fault.Forbidden), s.confirm),
		web.Op(eds, s.eds),
		web.Op(op("reject", "reject/", "Refuse to sign", "The company sees the reason."), s.reject),
	}
}

type openInput struct {
	UUID uuid.UUID `path:"uuid"`
	Body struct{}
}

// agreed is what the signer has read and agreed to, beside the file.
type agreed struct {
	Language decode.Optional[string] `json:"language" enum:"ru,kk,en" default:"ru" doc:"In which the signer has read what the signature means. It is kept as evidence."`
	Consent  decode.Optional[string] `json:"consent" maxLength:"32" doc:"The id of that text, of the document's consent. If it isn't the one of now, it is 409 changed; it isn't compared where it is left out."`
	Name     decode.Optional[string] `json:"name" maxLength:"512" doc:"Of the document as the signer has read it; likewise."`
}

// by is the signer who has agreed.
func (a agreed) by(who document.By) document.By {
	who.Language, who.Read = a.Language.Or(""), document.Read{Name: a.Name.Or(""), Consent: a.Consent.Or("")}
	return who
}

type codeInput struct {
	UUID uuid.UUID `path:"uuid"`
	Body struct {
		SHA256 decode.Optional[string] `json:"sha256" required:"true" maxLength:"64" doc:"Of the bytes of the file that the signer has read, in hexadecimal; of other bytes than those of now it is 409 changed." example:"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"`
		agreed
	}
}

type confirmInput struct {
	UUID uuid.UUID `path:"uuid"`
	Body struct {
		ConfirmID decode.Optional[string] `json:"confirm_id" required:"true" maxLength:"36" doc:"As the code was asked for."`
		Code      decode.Optional[string] `json:"code" required:"true" maxLength:"16" example:"\"123456\""`
		Language  decode.Optional[string] `json:"language" enum:"ru,kk,en" doc:"It is that of the code, and need not be sent; another one is refused."`
	}
}

type edsInput struct {
	UUID uuid.UUID `path:"uuid"`
	Body struct {
		CMS decode.Optional[string] `json:"cms" required:"true" maxLength:"131072" doc:"PEM or base64; at most 64 KB decoded."`
		agreed
	}
}

type rejectInput struct {
	UUID uuid.UUID `path:"uuid"`
	Body struct {
		Reason decode.Optional[string] `json:"reason" required:"true" maxLength:"1000"`
	}
}

// Asked is the answer to a request for a code.
type Asked struct {
	ConfirmID uuid.UUID `json:"confirm_id" format:"uuid"`
	ExpiresAt string    `json:"expires_at" format:"date-time"`
	RetryAt   string    `json:"retry_at" format:"date-time" doc:"When another code can be asked for."`
}

// act is what a signer does with a document of a company, in a unit of work.
type act func(w *record.Work, c document.Sender, d *document.Document, sign *document.Sign, by document.By) error

// signed runs a unit of work about the sign with a uuid, and returns the document as it is then.
func (s *service) signed(ctx context.Context, r *web.Request, id uuid.UUID,
	do act,
) (p document.Place, c document.Sender, d *document.Document, err error) {
	if p, err = s.desk.Public.Reach(ctx, id); err != nil {
		return p, c, nil, err
	}
	if c, err = document.SenderOf(ctx, p.Table); err != nil {
		return p, c, nil, err
	}
	if err = c.Signing(); err != nil {
		return p, c, nil, err
	}
	scope := s.desk.Public.Scope(record.Scope{Table: p.Table, Now: s.now, Actor: audit.Actor{Request: r.ID, At: s.now()}})
	err = scope.Do(ctx, nil, func(w *record.Work) (err error) {
		if d, err = s.desk.Signing(ctx, w, p.Document); err != nil {
			return err
		}
		sign, err := d.SignByLink(id, s.links, s.now())
		if err != nil {
			return err
		}
		d.Base = r.BaseURL
		return do(w, c, d, sign, document.By{IP: r.IP, Agent: r.UserAgent})
	})
	return p, c, d, document.Paused(err)
}

// seen answers what the signer sees after a unit of work.
func (s *service) seen(ctx context.Context, r *web.Request, id uuid.UUID, language string,
	do act,
) (document.Seen, error) {
	_, c, d, err := s.signed(ctx, r, id, do)
	if err != nil {
		return document.Seen{}, err
	}
	return c.Seen(ctx, d, id, document.Viewer{Base: r.BaseURL, Language: language, Now: s.now()})
}

func (s *service) open(ctx context.Context, r *web.Request, in *openInput) (document.Seen, error) {
	return s.seen(ctx, r, in.UUID, "", func(w *record.Work, _ document.Sender, d *document.Document, of *document.Sign,
		by document.By,
	) error {
		return s.desk.Opened(ctx, w, d, of, by)
	})
}

func (s *service) code(ctx context.Context, r *web.Request, in *codeInput) (Asked, error) {
	shown, err := sumOf(in.Body.SHA256.Value)
	if err != nil {
		return Asked{}, err
	}
	var code document.Code
	ask := func(w *record.Work, c document.Sender, d *document.Document, sign *document.Sign, by document.By) error {
		if err := c.RoomFor(ctx, d, in.UUID, s.now()); err != nil { // else it would be paid for nothing
			return err
		}
		if err := s.desk.Ask(ctx, w, d, sign, shown, func(to string) (account.Postage, error) {
			paid, err := s.door.Sends(ctx, w, account.Codes().By(addedBy(sign)), "phone", to)
			return paid, unpaid(err)
		}, in.Body.by(by)); err != nil {
			return err
		}
		code = *sign.Code
		return nil
	}
	p, _, _, err := s.signed(ctx, r, in.UUID, ask)
	if errors.Is(err, errNoCodes) {
		return Asked{}, s.refused(ctx, p.Table, err)
	}
	if err != nil {
		return Asked{}, err
	}
	left := code.Left()
	return Asked{left.ConfirmID, left.ExpiresAt, left.RetryAt}, nil
}

// addedBy is the user of staff who has added a sign; 0 if nobody has.
func addedBy(s *document.Sign) int64 {
	if len(s.Stages) == 0 {
		return 0
	}
	return s.Stages[0].User()
}

// errNoCodes is what a signer is told whom no code can be sent to, whatever the company's account says.
var errNoCodes = fault.New(fault.Conflict, say.SMSUnavailable).Coded()

// unpaid is errNoCodes for the faults of a code that can't be sent, and the error itself otherwise.
func unpaid(err error) error {
	if f, ok := fault.As(err); ok && (f.Code == fault.Invalid || f.Members["code"] == "plan") {
		return errNoCodes.Because(err)
	}
	return err
}

// refused answers a signer whom no code was sent to. Where nothing could pay it, or the company's plan has no room for it, the company's
// account tells the company so.
func (s *service) refused(ctx context.Context, t *table.Tenant, why error) error {
	f, _ := fault.As(errors.Unwrap(why))
	if f == nil || f.Members["code"] != "sms_balance" && f.Members["code"] != "plan" {
		return why
	}
	if err := account.NoteRefusal(ctx, t, s.now()); err != nil {
		return err
	}
	return why
}

// confirm signs by a code. A wrong code is counted before it is answered.
func (s *service) confirm(ctx context.Context, r *web.Request, in *confirmInput) (document.Seen, error) {
	id, _ := uuid.Parse(in.Body.ConfirmID.Value) // what is no uuid is no code's
	var wrong error
	seen, err := s.seen(ctx, r, in.UUID, in.Body.Language.Or(""),
		func(w *record.Work, _ document.Sender, d *document.Document, sign *document.Sign, by document.By) (err error) {
			by.Language = in.Body.Language.Or("")
			wrong, err = s.desk.Confirm(ctx, w, d, sign, id, in.Body.Code.Value, by)
			return err
		})
	if err == nil {
		err = wrong
	}
	return seen, err
}

func (s *service) eds(ctx context.Context, r *web.Request, in *edsInput) (document.Seen, error) {
	p, err := s.desk.Public.Reach(ctx, in.UUID)
	if err != nil {
		return document.Seen{}, err
	}
	c, err := document.SenderOf(ctx, p.Table)
	if err != nil {
		return document.Seen{}, err
	}
	if err := c.Signing(); err != nil { // before anything is asked of the CMS's issuer
		return document.Seen{}, err
	}
	d, err := s.desk.Reached(ctx, p, s.now)
	if err != nil {
		return document.Seen{}, err
	}
	sign, err := d.SignByLink(in.UUID, s.links, s.now())
	if err != nil {
		return document.Seen{}, err
	}
	certified, err := s.desk.Verify(ctx, s.egov, s.throttle, p.Table, d, sign, in.Body.CMS.Value)
	if err != nil {
		return document.Seen{}, err
	}
	return s.seen(ctx, r, in.UUID, in.Body.Language.Or(""),
		func(w *record.Work, _ document.Sender, d *document.Document, sign *document.Sign, by document.By) error {
			return s.desk.Certify(ctx, w, d, sign, certified, in.Body.by(by))
		})
}

func (s *service) reject(ctx context.Context, r *web.Request, in *rejectInput) (document.Seen, error) {
	return s.seen(ctx, r, in.UUID, "", func(w *record.Work, _ document.Sender, d *document.Document, of *document.Sign,
		by document.By,
	) error {
		return s.desk.Reject(ctx, w, d, of, in.Body.Reason.Value, by)
	})
}
