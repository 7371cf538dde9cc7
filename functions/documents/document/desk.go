package document

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/sms/account"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/keys"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
)

// Desk is where documents are signed: the verbs of a unit of work about a sign, for staff and for signers. A verb gets a
// document that the unit of work edits, and a sign of it that is its own (Document.Sign).
type Desk struct {
	Kind    *record.Kind[*Document] // made once, because its columns are many
	Public  Public
	Files   *files.Store
	keys    keys.Keys
	chain   Chain
	newUUID func() uuid.UUID
}

// NewDesk makes a desk.
func NewDesk(conn *table.Conn, store *files.Store, k keys.Keys, newUUID func() uuid.UUID) *Desk {
	return &Desk{Kind: Kind(), Public: OpenPublic(conn), Files: store, newUUID: newUUID, keys: k, chain: Chain{k}}
}

// By is who does something about a sign.
type By struct {
	IP       string
	Agent    string // the browser, as it says
	User     int64  // of staff; 0: the signer, or a program that adds, changes, sends or removes a sign
	Name     string // of that user, where evidence has it
	Language string // in which the signer reads; empty: not said
	Read     Read
}

// Read is what a signer says to have read beside the file. What is empty was not said.
type Read struct {
	Name    string // of the document
	Consent string // the id of the text that the signer agrees to
}

// is tells whether that is what the document is called today, and what a signer of it agrees to.
func (r Read) is(d *Document, c Consent) bool {
	return (r.Name == "" || r.Name == strings.TrimSpace(d.Name)) && (r.Consent == "" || r.Consent == c.ID)
}

// Messages of the outbox about signs. Their bodies are a Notice.
const (
	CodeKind outbox.Kind = "documents.code"
	LinkKind outbox.Kind = "documents.link"
)

// Notice is what a signer is sent.
type Notice struct {
	Document int64     `json:"document"`
	Sign     int64     `json:"sign"`
	Code     uuid.UUID `json:"code,omitzero"` // confirm_id
	Channel  Channel   `json:"channel"`
	To       string    `json:"to,omitempty"`       // of a link: where it was paid for
	Base     string    `json:"base,omitempty"`     // of the page's address: the gateway's own
	Language string    `json:"language,omitempty"` // of the signer's page, of a code; empty if the page has told none
	account.Postage
}

// Pay pays a message to somebody, in the unit of work that leaves it, or says why it can't be sent.
type Pay func(to string) (account.Postage, error)

// Ready is the fault of a document that can't take a signer, or nil.
func (d *Document) Ready() error {
	f := d.FileOf(Original)
	switch {
	case f == nil:
		return fault.New(fault.Invalid, say.DocumentFileMissingToSign).Coded()
	case f.ContentType != PDF:
		return fault.New(fault.Invalid, say.DocumentNotPDF).Coded()
	}
	return nil
}

// NewSign is what a new sign is made of.
type NewSign struct {
	Signer  Signer
	Allowed []Method
}

// Add adds a signer.
func (k *Desk) Add(ctx context.Context, w *record.Work, d *Document, in NewSign, by By) (*Sign, error) {
	s := Sign{
		UUID: k.newUUID(), Method: in.Allowed[0], Allowed: in.Allowed, Signer: in.Signer, Linked: w.Scope().Actor.At.UnixMicro(),
	}
	added, err := k.chain.Add(ctx, d, s, k.act(w, d, by, NoMethod))
	if err != nil {
		return nil, err
	}
	added.Signer.ID = added.ID
	k.Public.Publish(w, d, added)
	return added, nil
}

// act is an act of now.
func (k *Desk) act(w *record.Work, d *Document, by By, method Method) Act {
	a := Act{At: w.Scope().Actor.At, IP: by.IP, User: by.User, Method: method}
	if f := d.FileOf(Original); f != nil {
		a.SHA256 = f.SHA256
	}
	return a
}

// move keeps the evidence of an act and moves the sign. What keeps the sign where it is is kept as evidence too.
func (k *Desk) move(ctx context.Context, w *record.Work, d *Document, s *Sign, t Trigger, by By, a Act, e Evidence) error {
	if d.IsSigned() {
		return ErrSigned
	}
	if _, err := s.Allows(t); err != nil {
		return err
	}
	e.At, e.Document, e.Shown, e.SHA256, e.Sign, e.Method = a.At, d.UUID, d.Shown, a.SHA256, s.UUID, a.Method
	e.Signer = Party{s.Signer.Name, s.Signer.Type, s.Signer.Phone, s.Signer.Email}
	e.IP, e.Agent, e.User, e.Before = by.IP, shorten(by.Agent), by.User, s.Trail
	if a.Evidence == nil {
		sum, err := e.Keep(ctx, k.Files, w.Scope().Table.ID())
		if err != nil {
			return err
		}
		a.Evidence = sum
	}
	s.Trail = a.Evidence
	return k.chain.Move(ctx, d, s, t, a)
}

// maxAgent is how much of a browser's name is kept, in bytes.
const maxAgent = 512

func shorten(agent string) string { return agent[:min(len(agent), maxAgent)] }

// Allow fails where a sign may not be signed by a method.
func (s *Sign) Allow(method Method) error {
	if slices.Contains(s.Allowed, method) {
		return nil
	}
	return fault.New(fault.Conflict, say.SignMethod).Coded().With("method_allowed", s.Allowed)
}

// SendLink leaves the message with the sign's link, which lives anew from then on.
func (k *Desk) SendLink(ctx context.Context, w *record.Work, d *Document, s *Sign, channel Channel, base string, pay Pay, by By) error {
	if err := d.Ready(); err != nil {
		return err
	}
	to := s.Signer.Phone
	if channel == ByEmail {
		to = s.Signer.Email
	}
	if to == nil {
		return fault.Field("channel", say.SignerWithoutAddress)
	}
	if s.Sent >= mostLinks {
		return fault.New(fault.Conflict, say.SignLinkSentTooOften).Coded()
	}
	if d.IsSigned() {
		return ErrSigned
	}
	trigger := Send
	if s.Status.is(opened) {
		trigger = Resend
	}
	if _, err := s.Allows(trigger); err != nil {
		return err
	}
	paid, err := pay(*to)
	if err != nil {
		return err
	}
	e, act := Evidence{Act: ActLink, Channel: channel, To: *to}, k.act(w, d, by, NoMethod)
	if err := k.move(ctx, w, d, s, trigger, by, act, e); err != nil {
		return err
	}
	s.Sent++
	s.Linked = act.At.UnixMicro()
	w.Happened(SignRequested{d.on(), s.ofSign(), channel})
	return w.Send(LinkKind, Notice{Document: d.ID, Sign: s.ID, Channel: channel, To: *to, Base: base, Postage: paid})
}

// mostLinks is how often the link of a sign may be sent: SMS cost money.
const mostLinks = 20

// Opened notes that the signer has opened the page. Later openings change nothing.
func (k *Desk) Opened(ctx context.Context, w *record.Work, d *Document, s *Sign, by By) error {
	if _, ok := statuses[s.Status].moves[Open]; !ok {
		return nil
	}
	if err := d.Ready(); err != nil {
		return err
	}
	if err := k.move(ctx, w, d, s, Open, by, k.act(w, d, by, NoMethod), Evidence{Act: ActOpen}); err != nil {
		return err
	}
	w.Happened(SignOpened{d.on(), s.ofSign()})
	return nil
}

// Ask makes a new code for a sign and leaves the message that sends it. The SHA-256 is that of the file that the signer has before
// him: a code for any other file would sign what nobody was shown.
func (k *Desk) Ask(ctx context.Context, w *record.Work, d *Document, s *Sign, shown []byte, pay Pay, by By) error {
	if err := d.Ready(); err != nil {
		return err
	}
	if d.IsSigned() {
		return ErrSigned
	}
	if _, err := s.Allows(Ask); err != nil {
		return err
	}
	if err := s.Allow(SMS); err != nil {
		return err
	}
	now, id, consent := w.Scope().Actor.At, k.newUUID(), ConsentIn(by.Language, SMS)
	if !bytes.Equal(shown, d.FileOf(Original).SHA256) || !by.Read.is(d, consent) {
		return errChanged
	}
	if err := d.NewCode(s, id, "", consent, now); err != nil {
		return err
	}
	paid, err := pay(s.Code.Phone)
	if err != nil {
		return err
	}
	m, err := w.SendAt(CodeKind, Notice{Document: d.ID, Sign: s.ID, Code: id, Channel: BySMS, Language: by.Language, Postage: paid}, now)
	if err != nil {
		return err
	}
	s.Code.Message = m.ID
	e := Evidence{Act: ActCode, Channel: BySMS, To: s.Code.Phone, Consent: &consent, Code: s.Code.asked()}
	return k.move(ctx, w, d, s, Ask, by, k.act(w, d, by, SMS), e)
}

// asked is what is kept about a code.
func (c *Code) asked() *Asked {
	a := &Asked{ConfirmID: c.ID, Phone: c.Phone, Message: c.Message, At: time.UnixMicro(c.At).UTC(), Wrong: c.Tries, Provider: c.Told}
	if c.SentAt > 0 {
		at := time.UnixMicro(c.SentAt).UTC()
		a.SentAt = &at
	}
	return a
}

// Confirm signs by a code. A wrong code is counted, in the same unit of work: the fault about it is returned beside a nil
// error, so that the unit of work takes place.
func (k *Desk) Confirm(
	ctx context.Context, w *record.Work, d *Document, s *Sign, confirm uuid.UUID, code string, by By,
) (wrong, err error) {
	if d.IsSigned() {
		return nil, ErrSigned
	}
	if _, err := s.Allows(Confirm); err != nil {
		return nil, err
	}
	if err := s.Allow(SMS); err != nil {
		return nil, err
	}
	now := w.Scope().Actor.At
	if err := d.Guess(s, confirm, now); err != nil {
		return nil, err
	}
	consent, err := s.Code.Agreed(by.Language)
	if err != nil {
		return nil, err
	}
	right, err := s.Code.IsCode(ctx, k.keys, d, s, code)
	if err != nil {
		return nil, err
	}
	if !right {
		s.Code.Tries++
		return ErrWrongCode(), nil
	}
	s.Code.Used = true
	e := Evidence{Act: ActSign, Consent: &consent, Code: s.Code.asked()}
	if err := k.move(ctx, w, d, s, Confirm, by, k.act(w, d, by, SMS), e); err != nil {
		return nil, err
	}
	return nil, d.signed(ctx, w, s)
}

var errChanged = fault.New(fault.Conflict, say.DocumentChanged).Coded()

// Record notes a signature by hand, with its scan.
func (k *Desk) Record(ctx context.Context, w *record.Work, d *Document, s *Sign, scan files.Object, name string, by By) error {
	if err := d.Ready(); err != nil {
		return err
	}
	e := Evidence{Act: ActSign, File: scan.SHA256, Staff: by.Name}
	if err := k.move(ctx, w, d, s, Record, by, k.act(w, d, by, Manual), e); err != nil {
		return err
	}
	d.AddFile(scan, Scan, name)
	return d.signed(ctx, w, s)
}

// Reject rejects, for a reason.
func (k *Desk) Reject(ctx context.Context, w *record.Work, d *Document, s *Sign, reason string, by By) error {
	if err := k.move(ctx, w, d, s, Reject, by, k.act(w, d, by, NoMethod), Evidence{Act: ActReject, Reason: reason}); err != nil {
		return err
	}
	w.Happened(SignRejected{d.on(), s.ofSign()})
	return nil
}

// Reopen makes what was rejected a draft again.
func (k *Desk) Reopen(ctx context.Context, w *record.Work, d *Document, s *Sign, by By) error {
	if d.IsSigned() {
		return ErrSigned
	}
	if err := k.chain.Move(ctx, d, s, Reopen, k.act(w, d, by, NoMethod)); err != nil {
		return err
	}
	w.Happened(SignReopened{d.on(), s.ofSign()})
	return nil
}

// CodeText is the code that was last made for a sign.
func (k *Desk) CodeText(ctx context.Context, d *Document, s *Sign) (string, error) {
	return s.Code.Text(ctx, k.keys, d, s)
}

// Links checks the chain of a sign's stages; see Chain.Links.
func (k *Desk) Links(ctx context.Context, d *Document, s *Sign) ([][]byte, error) {
	return k.chain.Links(ctx, d, s)
}

// Evidence reads the evidence of a stage; nil if nothing is kept about it.
func (k *Desk) Evidence(ctx context.Context, t *table.Tenant, g Stage) (*Evidence, error) {
	if g.Evidence() == nil {
		return nil, nil
	}
	e, err := ReadEvidence(ctx, k.Files, t.ID(), g.Evidence())
	return &e, err
}
