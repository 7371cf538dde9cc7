// Package clerk carries out the messages of documents: it sends codes and links to signers, has sealed what everybody has signed, and
// tells clients' records. It is apart from the face so that the functions of the lanes don't link what cleans and prints HTML, which takes
// milliseconds at each start.
//
// What never goes in here: what requests do (functions/documents), and what a document is (functions/documents/document).
package clerk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/functions/seal/job"
	"github.com/tenantry/tenantry/functions/sms/account"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/invoke"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/outbox/notify"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/throttle"
)

// clerk carries out the messages of the group, in the functions of their lanes.
type clerk struct {
	kind    *record.Kind[*document.Document]
	desk    *document.Desk
	conn    *table.Conn
	notify  notify.Sender
	sealer  invoke.Function
	level   string // of a seal, that is demanded
	limits  throttle.Throttle
	now     func() time.Time
	newUUID func() uuid.UUID
}

// Urgent says what the urgent messages of documents mean.
func Urgent(env app.Env) outbox.Work {
	s := newClerk(env)
	return outbox.Work{document.CodeKind: s.paid(s.sendCode)}
}

// Work says what the other messages of documents mean.
func Work(env app.Env) outbox.Work {
	s := newClerk(env)
	return outbox.Work{document.LinkKind: s.paid(s.deliverLink), goneKind: s.disagree}
}

// Bulk says what the message means that seals a document.
func Bulk(env app.Env) outbox.Work { return outbox.Work{document.SealKind: newClerk(env).seal} }

func newClerk(env app.Env) *clerk {
	desk := document.NewDesk(env.Table, env.Files, env.Keys, env.NewUUID)
	s := &clerk{
		kind: desk.Kind, desk: desk, conn: env.Table, notify: env.Notify, sealer: env.Seal, level: job.LevelBB, newUUID: env.NewUUID,
		limits: throttle.Open(env.Table, env.Now),
		now:    func() time.Time { return env.Now().UTC().Truncate(time.Microsecond) }, // as it is stored
	}
	if env.Config.Seal.TimeStampURL != "" {
		s.level = job.LevelBT
	}
	return s
}

// workScope is the scope in which a message is carried out.
func (s *clerk) workScope(m outbox.Message) (record.Scope, error) {
	scope, err := record.ForMessage(s.conn, m, s.now)
	if err != nil {
		return record.Scope{}, err
	}
	return s.desk.Public.Scope(scope), nil
}

// noticed is what a notice is about: a document, a sign of it, and the company.
type noticed struct {
	scope   record.Scope // in which the notice is carried out
	notice  document.Notice
	doc     *document.Document
	sign    *document.Sign
	company company.Company
}

// errOver drops a notice that has nothing to say any more.
var errOver = fmt.Errorf("%w: the sign is over or gone", outbox.ErrDrop)

// noticed reads what a notice is about.
func (s *clerk) noticed(ctx context.Context, m outbox.Message) (n noticed, err error) {
	if n.scope, err = s.workScope(m); err != nil {
		return n, err
	}
	if err := m.Decode(&n.notice); err != nil {
		return n, fmt.Errorf("%w: %w", outbox.ErrDrop, err)
	}
	w := n.scope.Reading()
	if n.doc, err = s.kind.Read(ctx, w, n.notice.Document); errors.Is(err, fault.ErrNotFound) {
		return n, errOver
	} else if err != nil {
		return n, err
	}
	if n.sign, err = n.doc.Sign(n.notice.Sign); err != nil {
		return n, errOver
	}
	n.company, err = company.Get(ctx, w)
	return n, err
}

// errSent drops a notice that was sent already.
var errSent = fmt.Errorf("%w: it was sent", outbox.ErrDrop)

// paid is a handler of notices after which the price of one that was not sent is given back: one that is over before it could be
// sent, or that the provider refuses. Where an attempt ended without telling whether the provider has taken it, it counts as sent;
// where it ended before that, it does not (early).
// A worker that dies in the moment after it has sent leaves no such trace: then the price is given back if the notice is over by the
// next attempt.
func (s *clerk) paid(send outbox.Handler) outbox.Handler {
	return func(ctx context.Context, m outbox.Message) error {
		problem := send(ctx, m)
		gone := errors.Is(problem, outbox.ErrDrop) && !errors.Is(problem, errSent)
		unsent := errors.Is(problem, notify.ErrNotSent) || errors.Is(problem, notify.ErrRefused)
		if problem == nil || errors.Is(problem, errSent) || unsent && !gone {
			return problem
		}
		var notice document.Notice
		if err := m.Decode(&notice); err != nil || notice.Postage == (account.Postage{}) {
			return problem // what can't be read was not paid
		}
		scope, err := s.workScope(m)
		if err != nil {
			return err
		}
		if !gone {
			return errors.Join(problem, account.Keep(ctx, scope, m.ID))
		}
		if err := account.GiveBack(ctx, scope, m.ID, notice.Postage, m.At); err != nil {
			return err // and not that it can be dropped
		}
		return problem
	}
}

// sendCode sends the code of a sign. What the provider says is kept with the code; it moves nothing.
func (s *clerk) sendCode(ctx context.Context, m outbox.Message) error {
	n, err := s.noticed(ctx, m)
	if err != nil {
		return early(err)
	}
	c, until := n.sign.Code, time.Time{}
	if c != nil {
		until = time.UnixMicro(c.At).Add(document.CodeLifetime)
	}
	switch {
	case c != nil && c.ID == n.notice.Code && (c.Used || c.SentAt > 0):
		return errSent
	case c == nil || c.ID != n.notice.Code || !s.now().Before(until):
		return errOver
	}
	code, err := s.desk.CodeText(ctx, n.doc, n.sign)
	if err != nil {
		return early(err)
	}
	language := cmp.Or(say.Language(n.notice.Language), languageOf(n.company))
	sent := s.notify.Send(ctx, notify.Message{
		ID: m.ID, Channel: notify.SMS, To: c.Phone, Text: say.SMSSignCode(code, nameOf(n.company)).In(language),
	})
	if err := s.told(ctx, n, sent); err != nil {
		return err
	}
	return again(sent, until)
}

// early is an error from before the provider was asked, which has not taken the notice then.
func early(err error) error { return fmt.Errorf("%w: %w", notify.ErrNotSent, err) }

// again is what becomes of a notice after an attempt to send it: it is tried again, unless it was sent or refused for good.
func again(sent error, until time.Time) error {
	switch {
	case sent == nil:
		return nil
	case errors.Is(sent, notify.ErrRefused):
		return fmt.Errorf("%w: %w", outbox.ErrDrop, sent)
	}
	return outbox.AtLatest{Until: until, Err: sent}
}

// told keeps what the provider said about a code.
func (s *clerk) told(ctx context.Context, n noticed, sent error) error {
	if sent != nil && !errors.Is(sent, notify.ErrRefused) {
		return nil
	}
	return n.scope.Do(ctx, nil, func(w *record.Work) error {
		d, err := s.kind.Edit(ctx, w, n.notice.Document)
		if errors.Is(err, fault.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		sign, err := d.Sign(n.notice.Sign)
		if err != nil || sign.Code == nil || sign.Code.ID != n.notice.Code || sign.Code.SentAt > 0 || sign.Code.Told != "" {
			return nil //nolint:nilerr // the sign is gone, or has another code by now
		}
		if sent == nil {
			sign.Code.SentAt = w.Scope().Now().UnixMicro()
		} else {
			sign.Code.Told = "refused"
		}
		return nil
	})
}

// deliverLink sends the link of a sign.
func (s *clerk) deliverLink(ctx context.Context, m outbox.Message) error {
	n, err := s.noticed(ctx, m)
	switch {
	case err != nil:
		return early(err)
	case n.doc.IsSigned(), n.sign.Status == document.Signed, n.sign.Status == document.Rejected:
		return errOver
	}
	language, until := languageOf(n.company), m.At.Add(linkTries)
	if !s.now().Before(until) {
		return errOver
	}
	link := n.notice.Base + "/sign/" + n.sign.UUID.String() + "/"
	message := notify.Message{ID: m.ID, Channel: notify.SMS, Text: say.SMSSignLink(nameOf(n.company), link).In(language)}
	to := n.sign.Signer.Phone
	if n.notice.Channel == document.ByEmail {
		to = n.sign.Signer.Email
		company := inLine(n.company.Name, n.company.ID)
		letter := notify.Letter{
			Subject: say.MailSignLinkSubject(company),
			Text:    say.MailSignLink(inLine(n.sign.Signer.Name, n.sign.ID), company, inLine(n.doc.Name, n.doc.ID), link),
		}
		message = letter.To(m.ID, "", language)
	}
	if to == nil || *to != n.notice.To { // another address was neither paid nor counted
		return errOver
	}
	message.To = *to
	return again(s.notify.Send(ctx, message), until)
}

// nameOf is how an SMS calls a company: by its name, or by its number if nothing of the name can be shown.
func nameOf(c company.Company) string {
	return cmp.Or(notify.Name(c.Name), numbered(c.ID))
}

// inLine is a name as an e-mail shows it; the number, if nothing of the name can be shown.
func inLine(name string, number int64) string {
	shown, _ := notify.MailName(name)
	return cmp.Or(shown, numbered(number))
}

func numbered(number int64) string { return "№ " + strconv.FormatInt(number, 10) }

// linkTries is how long a link is tried to be sent. It ends before the outbox gives a message up (outbox.MaxAttempts), because what
// is given up calls nobody who would give the price back.
const linkTries = 4 * time.Hour

// languageOf is the language in which a company writes to signers: its own, else Russian.
func languageOf(c company.Company) say.Language { return cmp.Or(c.Speaks(), say.Russian) }
