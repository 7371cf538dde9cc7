package documents

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/functions/sms/account"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/tenant/scope"
	"github.com/tenantry/tenantry/shared/web"
)

// Paths of signs.
const (
	signsPath = "/v2/documents/{id}/signs/"
	signPath  = signsPath + "{sign_id}/"
)

// signOperations are the operations by which staff has a document signed.
func (s *service) signOperations() []web.Operation {
	const (
		post = http.MethodPost
		one  = "/v2/documents/{id}/"
	)
	faults := []fault.Code{fault.Conflict, fault.Precondition}
	op := func(id, method, path, summary string) web.Operation {
		return web.Operation{ID: "documents-" + id, Method: method, Path: path, Summary: summary, Faults: faults, Thorough: true}
	}
	adds := func(o web.Operation) web.Operation {
		o.Status, o.Idempotent = http.StatusCreated, true
		return o
	}
	does := func(o web.Operation) web.Operation {
		o.Idempotent = true
		return o
	}
	// byHand is what only a person does: it signs, or it speaks for a signer, and the evidence names who it was.
	byHand := func(o web.Operation) web.Operation {
		o.NoKey = true
		return o
	}
	add := adds(op("signs-create", post, signsPath, "Add a client as a signer"))
	add.Doc = "The document needs a PDF: one that was uploaded is written anew with the first signer, and is then what is shown and " +
		"signed. A document of which everybody has signed takes no more signers."
	send := does(op("signs-sms", post, signPath+"sms/", "Send a signer the link"))
	send.Doc = "By SMS or by e-mail; without a channel by SMS if the signer has a telephone. An SMS takes of the company's free share " +
		"of the day, or else costs it a segment (400 with the code sms_balance where neither is left, country where none is sent). A " +
		"company can send " + strconv.Itoa(account.LinksOfCompany) + " links a day (UTC)."
	send.Faults = append(slices.Clone(faults), fault.Throttled)
	manual := adds(op("manual-sign", post, one+"manual_sign/", "Record a signature by hand"))
	manual.Media = []string{decode.TypeJSON, decode.TypeMultipart}
	manual.Doc = "With a scan of it. The client becomes a signer if it is none yet."
	eds := op("eds-sign", post, one+"eds_sign/{sign_id}/", "Sign by a CMS")
	eds.Doc = "The company's own, made with NCALayer, or one that a client has handed in. " + strconv.Itoa(document.CMSs().Limit) +
		" tries in an hour for a sign, the signer's own among them."
	eds.Faults, eds.Thorough = []fault.Code{fault.Conflict, fault.Precondition, fault.Unavailable, fault.Throttled}, false
	return web.About(scope.Signing,
		web.Op(web.Operation{
			ID: "documents-signs-list", Method: http.MethodGet, Path: signsPath, Summary: "List the signs of a document",
		}, s.listSigns),
		web.Op(add, s.addSign),
		web.Op(op("signs-update", http.MethodPut, signPath, "Change a sign"), s.changeSign),
		web.Op(op("signs-patch", http.MethodPatch, signPath, "Change some fields of a sign"), s.changeSign),
		web.Op(web.Operation{
			ID: "documents-signs-delete", Method: http.MethodDelete, Path: signPath, Status: http.StatusNoContent, Faults: faults,
			Summary: "Remove a sign that is not signed",
			Doc: "Its link ends. If everybody else has signed, the document is signed and sealed then. A sign that was more than a draft " +
				"stays in the document's signing record, with who removed it; a record keeps 20 of them (409 `removed`).",
		}, s.removeSign),
		web.Op(send, s.sendLink),
		web.Op(byHand(does(op("signs-reject", post, signPath+"reject/", "Reject for a signer"))), s.rejectSign),
		web.Op(byHand(does(op("signs-reopen", post, signPath+"reopen/", "Reopen a rejected sign"))), s.reopenSign),
		web.Op(byHand(manual), s.manualSign),
		web.Op(byHand(eds), s.edsSign),
		web.Op(web.Operation{
			ID: "documents-company-read", Method: http.MethodGet, Path: one + "company/", Summary: "Read the company's sign", NoKey: true,
		}, s.readCompany),
		web.Op(byHand(adds(op("company-create", post, one+"company/", "Add the company as a signer"))), s.addCompany),
	)
}

type signInput struct {
	ID   int64 `path:"id"`
	Sign int64 `path:"sign_id"`
}

type signBody struct {
	Client  decode.Optional[int64]   `json:"client" required:"true" doc:"Id of a client; of a sign that is there it can't change."`
	Allowed decode.Optional[[]int64] `json:"method_allowed" notEmpty:"true" maxItems:"3" example:"[2,1]" doc:"How it may be signed: 1 SMS, 2 eGov; both, if it is left out. A signature by hand is always possible."`
}

type companyBody struct {
	Allowed decode.Optional[[]int64] `json:"method_allowed" notEmpty:"true" maxItems:"3" example:"[2,1]" doc:"How it may be signed: 1 SMS, 2 eGov; both, if it is left out."`
}

// methods checks the methods that are allowed.
func methods(sent decode.Optional[[]int64], now []document.Method, errs fault.FieldErrors) []document.Method {
	if !sent.Set || errs.Has("method_allowed") {
		return now
	}
	list := []document.Method{}
	for _, n := range sent.Value {
		m := document.Method(n)
		if m != document.SMS && m != document.EGov && m != document.Manual {
			errs.Add("method_allowed", say.InvalidChoice(n))
		} else if !slices.Contains(list, m) {
			list = append(list, m)
		}
	}
	return list
}

// defaultMethods are the methods by which a sign may be signed, where nothing else is said.
func defaultMethods() []document.Method { return []document.Method{document.EGov, document.SMS} }

// by is the caller, as a member of staff.
func by(r *web.Request) document.By {
	return document.By{IP: r.IP, Agent: r.UserAgent, User: r.Principal.User}
}

// signing runs a unit of work about a document, and answers the sign that it returns.
func (s *service) signing(ctx context.Context, r *web.Request, id int64, status int,
	do func(w *record.Work, d *document.Document) (*document.Sign, error),
) (*web.Reply[DocumentSign], error) {
	var d *document.Document
	var sign *document.Sign
	o := web.OutcomeOf(r, func() (*web.Reply[DocumentSign], error) {
		reply := answerSign(r, d, sign, status)
		if status == http.StatusCreated {
			reply.Header["Location"] = r.BaseURL + addressOf(d, sign)
		}
		return reply, nil
	})
	return o.After(s.desk.Public.Scope(s.scope(r)).Do(ctx, o, func(w *record.Work) (err error) {
		if _, err = s.kind.Rely(ctx, w, id); err != nil {
			return err
		}
		if d, err = s.kind.Edit(ctx, w, id); err != nil {
			return err
		}
		if err := r.Match(web.ETag(d.Revision)); err != nil {
			return err
		}
		d.Base = r.BaseURL
		sign, err = do(w, d)
		return err
	}))
}

// answerSign answers a sign, with the ETag of its document.
func answerSign(r *web.Request, d *document.Document, s *document.Sign, status int) *web.Reply[DocumentSign] {
	return &web.Reply[DocumentSign]{
		Status: status, Header: map[string]string{"ETag": web.ETag(d.Revision)}, Raw: s.Append(nil, reader(r)), ContentType: jsonType,
	}
}

// addressOf is the path at which a sign is changed, or the company's is read.
func addressOf(d *document.Document, s *document.Sign) string {
	path := kinds.Of(kinds.Document).One(d.ID)
	if s.Signer.OuterID == nil {
		return path + "company/"
	}
	return path + "signs/" + strconv.FormatInt(s.ID, 10) + "/"
}

// listSigns answers the signs of a document, with its ETag: by that they are changed.
func (s *service) listSigns(ctx context.Context, r *web.Request, in *oneInput) (*web.Reply[[]DocumentSign], error) {
	d, err := s.kind.Get(ctx, s.scope(r), in.ID)
	if err != nil {
		return nil, err
	}
	list := []byte{'['}
	for i := range d.Signs {
		if i > 0 {
			list = append(list, ',')
		}
		list = d.Signs[i].Append(list, reader(r))
	}
	return &web.Reply[[]DocumentSign]{
		Header: map[string]string{"ETag": web.ETag(d.Revision)}, Raw: append(list, ']'), ContentType: jsonType,
	}, nil
}

func (s *service) addSign(ctx context.Context, r *web.Request, in *struct {
	ID   int64 `path:"id"`
	Body signBody
},
) (*web.Reply[DocumentSign], error) {
	n := s.normalising(r)
	return s.signing(ctx, r, in.ID, http.StatusCreated, func(w *record.Work, d *document.Document) (*document.Sign, error) {
		errs := w.Errors("")
		allowed := methods(in.Body.Allowed, defaultMethods(), errs)
		signer, err := signerOf(ctx, w, in.Body.Client.Value, errs)
		if err != nil {
			return nil, err
		}
		if signer.OuterID != nil && d.SignOf(*signer.OuterID) != nil {
			errs.Add("client", say.SignerTwice)
		}
		return s.add(ctx, w, d, n, document.NewSign{Signer: signer, Allowed: allowed}, by(r))
	})
}

// add adds a signer to a document that can be signed, or is made so, if nothing is wrong.
func (s *service) add(
	ctx context.Context, w *record.Work, d *document.Document, n *normalising, in document.NewSign, by document.By,
) (*document.Sign, error) {
	if d.IsSigned() {
		return nil, document.ErrSigned
	}
	if err := w.Errors("").Err(); err != nil {
		return nil, err
	}
	if err := drawn(ctx, w, d, in.Signer); err != nil {
		return nil, err
	}
	if err := n.ready(ctx, d); err != nil {
		return nil, err
	}
	return s.desk.Add(ctx, w, d, in, by)
}

func (s *service) changeSign(ctx context.Context, r *web.Request, in *struct {
	ID   int64 `path:"id"`
	Sign int64 `path:"sign_id"`
	Body signBody
},
) (*web.Reply[DocumentSign], error) {
	return s.signing(ctx, r, in.ID, 0, func(w *record.Work, d *document.Document) (*document.Sign, error) {
		sign, err := d.Sign(in.Sign)
		if err != nil {
			return nil, err
		}
		errs := w.Errors("")
		allowed := methods(in.Body.Allowed, sign.Allowed, errs)
		if c := in.Body.Client; c.Set && !errs.Has("client") && (sign.Signer.OuterID == nil || *sign.Signer.OuterID != c.Value) {
			errs.Add("client", say.SignerClientStays)
		}
		switch {
		case d.IsSigned():
			return nil, document.ErrSigned
		case sign.Status.Locks():
			return nil, fault.New(fault.Conflict, say.SignStatus).Coded().With("status",
				sign.Status)
		}
		if sign.Signer.OuterID != nil { // a client's telephone and e-mail are those of now
			now, err := signerOf(ctx, w, *sign.Signer.OuterID, errs)
			if err != nil {
				return nil, err
			}
			if drawable("client", say.SignerNameNotDrawn, now.Name, errs); errs.Any() {
				return nil, errs.Err()
			}
			now.ID = sign.Signer.ID
			sign.Signer = now
		}
		sign.Allowed, sign.UpdatedAt = allowed, w.Scope().Actor.At.UnixMicro()
		return sign, nil
	})
}

func (s *service) removeSign(ctx context.Context, r *web.Request, in *signInput) (web.None, error) {
	return web.None{}, s.desk.Public.Scope(s.scope(r)).Do(ctx, nil, func(w *record.Work) error {
		if _, err := s.kind.Rely(ctx, w, in.ID); err != nil {
			return err
		}
		d, err := s.kind.Edit(ctx, w, in.ID)
		if err != nil {
			return err
		}
		if err := r.Match(web.ETag(d.Revision)); err != nil {
			return err
		}
		sign, err := d.Sign(in.Sign)
		if err != nil {
			return err
		}
		who := by(r)
		if key := r.Principal.Key; key != 0 {
			who.Name = "API key № " + strconv.FormatInt(key, 10)
		} else if sign.HasHistory() { // the record names who removed it
			if who, err = named(ctx, w, who); err != nil {
				return err
			}
		}
		return s.desk.Remove(ctx, w, d, sign, who)
	})
}

// own runs a unit of work about one sign of a document.
func (s *service) own(ctx context.Context, r *web.Request, in signInput,
	do func(w *record.Work, d *document.Document, sign *document.Sign) error,
) (*web.Reply[DocumentSign], error) {
	return s.signing(ctx, r, in.ID, 0, func(w *record.Work, d *document.Document) (*document.Sign, error) {
		sign, err := d.Sign(in.Sign)
		if err != nil {
			return nil, err
		}
		if err := w.Errors("").Err(); err != nil {
			return nil, err
		}
		return sign, do(w, d, sign)
	})
}

func (s *service) sendLink(ctx context.Context, r *web.Request, in *struct {
	ID   int64 `path:"id"`
	Sign int64 `path:"sign_id"`
	Body struct {
		Channel decode.Optional[document.Channel] `json:"channel" doc:"By default SMS if the signer has a telephone, else e-mail."`
	}
},
) (*web.Reply[DocumentSign], error) {
	return s.own(ctx, r, signInput{in.ID, in.Sign}, func(w *record.Work, d *document.Document, sign *document.Sign) error {
		channel := document.ByEmail
		if sign.Signer.Phone != nil {
			channel = document.BySMS
		}
		in.Body.Channel.Into(&channel)
		return s.desk.SendLink(ctx, w, d, sign, channel, r.BaseURL, func(to string) (account.Postage, error) {
			if channel == document.ByEmail {
				s.door.Mails(w, account.Links(), to)
				return account.Postage{}, nil
			}
			return s.door.Sends(ctx, w, account.Links(), "channel", to)
		}, by(r))
	})
}

func (s *service) rejectSign(ctx context.Context, r *web.Request, in *struct {
	ID   int64 `path:"id"`
	Sign int64 `path:"sign_id"`
	Body struct {
		Reason decode.Optional[string] `json:"reason" required:"true" maxLength:"1000"`
	}
},
) (*web.Reply[DocumentSign], error) {
	return s.own(ctx, r, signInput{in.ID, in.Sign}, func(w *record.Work, d *document.Document, sign *document.Sign) error {
		return s.desk.Reject(ctx, w, d, sign, in.Body.Reason.Value, by(r))
	})
}

func (s *service) reopenSign(ctx context.Context, r *web.Request, in *signInput) (*web.Reply[DocumentSign], error) {
	return s.own(ctx, r, *in, func(w *record.Work, d *document.Document, sign *document.Sign) error {
		return s.desk.Reopen(ctx, w, d, sign, by(r))
	})
}

func (s *service) readCompany(ctx context.Context, r *web.Request, in *oneInput) (*web.Reply[DocumentSign], error) {
	d, err := s.kind.Get(ctx, s.scope(r), in.ID)
	if err != nil {
		return nil, err
	}
	sign := d.SignOf(0)
	if sign == nil {
		return nil, fault.ErrNotFound
	}
	return answerSign(r, d, sign, http.StatusOK), nil
}

func (s *service) addCompany(ctx context.Context, r *web.Request, in *struct {
	ID   int64 `path:"id"`
	Body companyBody
},
) (*web.Reply[DocumentSign], error) {
	n := s.normalising(r)
	return s.signing(ctx, r, in.ID, http.StatusCreated, func(w *record.Work, d *document.Document) (*document.Sign, error) {
		allowed := methods(in.Body.Allowed, defaultMethods(), w.Errors(""))
		if d.SignOf(0) != nil {
			return nil, fault.New(fault.Conflict, say.SignerCompanyTwice).Coded()
		}
		c, err := company.Get(ctx, w)
		if err != nil {
			return nil, err
		}
		p := document.Signer{Name: short(c.Name), Phone: c.Phone, Email: c.Email, Type: document.Company, Organisation: true}
		if c.BIN != nil {
			p.Number = *c.BIN
		}
		return s.add(ctx, w, d, n, document.NewSign{Signer: p, Allowed: allowed}, by(r))
	})
}
