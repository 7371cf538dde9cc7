package clerk

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/tenantry/tenantry/functions/clients/client"
	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/functions/seal/job"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table/throttle"
)

// seal seals a document of which everybody has signed, and then tells its clients' records. It may be called any number of
// times: a document that is sealed stays as it is, and what a client's record knows already changes nothing.
func (s *clerk) seal(ctx context.Context, m outbox.Message) error {
	scope, err := s.workScope(m)
	if err != nil {
		return err
	}
	id, err := strconv.ParseInt(m.Body, 10, 64)
	if err != nil {
		return fmt.Errorf("%w: %w", outbox.ErrDrop, err)
	}
	d, err := s.desk.ToSeal(ctx, scope, id)
	switch {
	case errors.Is(err, fault.ErrNotFound):
		return nil // it was deleted
	case err != nil:
		return err
	case !d.IsSigned():
		return nil
	}
	c, err := company.Get(ctx, scope.Reading())
	if err != nil {
		return err
	}
	if d.Seal == nil {
		if m.Attempts <= 1 { // while seals can't be made, what is tried again uses up nothing
			if _, err := s.limits.Take(ctx, Seals().Of(scope.Table.ID().String())); err != nil {
				return later(err, s.now())
			}
		}
		if d, err = s.makeSeal(ctx, scope, d, c); err != nil {
			return err
		}
	}
	if d.Withdrawn() != nil {
		return nil // it is nobody's agreement
	}
	return s.agree(ctx, scope, d, c)
}

// Seals is how many seals may be begun for a company in a day (UTC): each is a signature of the host's key, and perhaps a time stamp of
// somebody else's service. What is over it is sealed on the next day.
func Seals() throttle.Rule { return throttle.Rule{Name: "seals", Limit: 5000, Window: 24 * time.Hour} }

// later is what becomes of a message whose count is full: it waits until the next window of time.
func later(err error, now time.Time) error {
	if f, ok := fault.As(err); ok && f.Code == fault.Throttled {
		return outbox.Later{Until: now.Add(f.RetryAfter)}
	}
	return err
}

// makeSeal has the sealed file made, and makes it the document's if nobody was faster.
func (s *clerk) makeSeal(ctx context.Context, scope record.Scope, d *document.Document, c company.Company) (*document.Document, error) {
	request, err := s.sealRequest(ctx, scope, d, c)
	if err != nil {
		return nil, err
	}
	answer, err := job.Call(ctx, s.sealer, request)
	if err != nil {
		return nil, err
	}
	if answer.Problem != "" {
		return nil, fmt.Errorf("documents: document %d of company %d can't be sealed: %s: %s",
			d.ID, scope.Table.ID(), answer.Problem, answer.Text)
	}
	var sealed *document.Document
	err = scope.Do(ctx, nil, func(w *record.Work) (err error) {
		if sealed, err = s.desk.Sealing(ctx, w, d.ID); err != nil || sealed.Seal != nil {
			return err
		}
		head, _ := sealed.HeadOf()
		if hex.EncodeToString(head) != request.Record.Head || sealed.Shown != d.Shown {
			return fmt.Errorf("documents: document %d of company %d has changed since everybody signed", d.ID, scope.Table.ID())
		}
		sealed.AddFile(files.Object{
			ID: request.Output, Version: answer.Version, SHA256: answer.SHA256, Size: answer.Size, ContentType: document.PDF,
		}, document.SealedFile, sealedName(sealed))
		sealed.Seal = &document.Seal{
			At: w.Scope().Actor.At.UnixMicro(), Level: answer.Level, Certificate: answer.Certificate, Head: head,
		}
		s.desk.Public.Register(w, sealed)
		s.desk.Sealed(w, sealed)
		return nil
	})
	return sealed, err
}

// sealedName is the name of the sealed file.
func sealedName(d *document.Document) string {
	name := []rune(d.Name)
	return string(name[:min(len(name), document.MaxName-10)]) + " (sealed).pdf"
}

// sealRequest tells the seal who signed, how and when. It fails if the stages of a sign are not those that were chained.
func (s *clerk) sealRequest(ctx context.Context, scope record.Scope, d *document.Document, c company.Company) (job.Request, error) {
	zone, err := c.Zone() // times are printed as they are where the company is
	if err != nil {
		return job.Request{}, err
	}
	original := d.FileOf(document.Original)
	head, stages := d.HeadOf()
	sum := hex.EncodeToString(original.SHA256)
	r := job.Request{
		Tenant: scope.Table.ID(), Output: s.newUUID(),
		Original:  job.Object{ID: original.ID, Version: original.Version, SHA256: original.SHA256},
		VerifyURL: d.Base + "/verify/#sha256=" + sum, Language: string(languageOf(c)), Level: s.level,
		Record: job.Record{
			Version: job.RecordVersion, Document: d.UUID, Number: d.ID, Name: d.Name, Company: c.Name, Original: sum,
			Created: d.Created.Time().In(zone), Stages: stages, Head: hex.EncodeToString(head),
		},
	}
	if c.BIN != nil {
		r.Record.BIN = *c.BIN
	}
	for i := range d.Signs {
		sign, evidence, err := s.sealedSign(ctx, scope, d, &d.Signs[i], zone)
		if err != nil {
			return r, err
		}
		if sign.SignedAt.After(r.At) {
			r.At = sign.SignedAt
		}
		r.Record.Signs = append(r.Record.Signs, sign)
		if f := fileNamed(d, sign.Attachment); f != nil {
			r.Attachments = append(r.Attachments, job.Attachment{
				Name: f.Name, Object: job.Object{ID: f.ID, Version: f.Version, SHA256: f.SHA256},
			})
		}
		if evidence != nil && evidence.Consent != nil {
			consent := job.Consent{
				ID: evidence.Consent.ID, SHA256: hex.EncodeToString(evidence.Consent.SHA256),
				Language: evidence.Consent.Language, Text: evidence.Consent.Text,
			}
			if !slices.Contains(r.Record.Consent, consent) {
				r.Record.Consent = append(r.Record.Consent, consent)
			}
		}
	}
	for i := range d.Removed {
		sign, _, err := s.sealedSign(ctx, scope, d, &d.Removed[i], zone)
		if err != nil {
			return r, err
		}
		r.Record.Removed = append(r.Record.Removed, sign)
	}
	return r, nil
}

// byWhom says who has done what a stage tells, where that isn't the signing itself: a member of staff, or somebody of whom nothing
// is known but the link.
func byWhom(g document.Stage) string {
	switch {
	case g.User() > 0:
		return job.ByStaff
	case g.To() == document.Viewing, g.To() == document.Confirmation, g.To() == document.Rejected:
		return job.ByLink
	}
	return ""
}

// removedBy is who removed a sign, by the stage that did it: the name as it was then.
func (s *clerk) removedBy(ctx context.Context, scope record.Scope, g document.Stage) (string, error) {
	e, err := s.desk.Evidence(ctx, scope.Table, g)
	if err != nil {
		return "", err
	}
	if e != nil && e.Staff != "" {
		return e.Staff, nil
	}
	return fmt.Sprintf("№ %d", g.User()), nil
}

// sealedSign is what the seal tells of a sign, and the evidence of how it was signed.
func (s *clerk) sealedSign(
	ctx context.Context, scope record.Scope, d *document.Document, sign *document.Sign, zone *time.Location,
) (told job.Sign, signing *document.Evidence, err error) {
	links, err := s.desk.Links(ctx, d, sign)
	if err != nil {
		return told, nil, err
	}
	told = job.Sign{
		ID: sign.ID, Name: sign.Signer.Name, Type: string(sign.Signer.Type), Phone: document.MaskedPhone(sign.Signer.Phone),
		Email: document.MaskedEmail(sign.Signer.Email), Method: int64(sign.Method), Status: int64(sign.Status),
	}
	if e := sign.Elsewhere; e != nil {
		told.Elsewhere = job.NewElsewhere(e.Stages, time.UnixMicro(e.At).In(zone))
	}
	for i, g := range sign.Stages {
		stage := job.Stage{
			ID: int64(i + 1), From: int64(g.From()), To: int64(g.To()), At: time.UnixMicro(g.At()).In(zone), Network: g.Network(),
			Stored: hex.EncodeToString(g.Masked()), Hash: hex.EncodeToString(links[i]), Evidence: hex.EncodeToString(g.Evidence()),
			By: byWhom(g), User: g.User(),
		}
		if g.To() == document.Gone {
			if told.RemovedBy, err = s.removedBy(ctx, scope, g); err != nil {
				return told, nil, err
			}
		}
		if g.To() == document.Signed {
			told.SignedAt = stage.At
			if signing, err = s.desk.Evidence(ctx, scope.Table, g); err != nil {
				return told, nil, err
			}
		}
		told.Stages = append(told.Stages, stage)
	}
	if signing != nil && signing.Consent != nil {
		told.Consent, told.Language = hex.EncodeToString(signing.Consent.SHA256), signing.Consent.Language
	}
	if signing != nil && sign.Method == document.Manual {
		told.Staff, told.Scan = cmp.Or(signing.Staff, fmt.Sprintf("№ %d", signing.User)), hex.EncodeToString(signing.File)
	}
	if signing != nil && signing.Cert != nil {
		cert := signing.Cert
		told.Certificate = &job.Certificate{
			Subject: cert.Subject, IIN: cert.IIN, BIN: cert.BIN, Serial: cert.Serial, Issuer: cert.Issuer, Algorithm: cert.Algorithm,
			NotAfter: cert.NotAfter,
		}
		told.Attachment = document.CMSName(sign.ID)
	}
	return told, signing, nil
}

// fileNamed is the file with a name, of those that signing has added; nil if there is none.
func fileNamed(d *document.Document, name string) *document.File {
	for i := range d.Files {
		if f := &d.Files[i]; name != "" && f.Type == document.CMS && f.Name == name {
			return f
		}
	}
	return nil
}

// agree makes a sealed document the agreement of each client that signed it.
func (s *clerk) agree(ctx context.Context, scope record.Scope, d *document.Document, c company.Company) error {
	zone, err := c.Zone()
	if err != nil {
		return err
	}
	at := time.UnixMicro(d.Seal.At)
	day := decode.Date(at.In(zone).Format(time.DateOnly))
	for i := range d.Signs {
		id := d.Signs[i].Signer.OuterID
		if id == nil {
			continue
		}
		err := scope.Do(ctx, nil, func(w *record.Work) error {
			if _, err := s.kind.Rely(ctx, w, d.ID); err != nil { // what is deleted meanwhile is nobody's agreement
				return err
			}
			return client.Agree(ctx, w, *id, d.ID, at, day)
		})
		if err != nil && !errors.Is(err, fault.ErrNotFound) {
			return err
		}
	}
	return nil
}

// goneKind is the message that a document was deleted which clients have signed.
const goneKind outbox.Kind = "documents.gone"

// goneBody says whose agreement the document may have been.
type goneBody struct {
	Document int64   `json:"document"`
	Clients  []int64 `json:"clients"`
}

// Gone leaves the message about a document that is deleted.
func Gone(w *record.Work, d *document.Document) error {
	if !d.IsSigned() {
		return nil
	}
	b := goneBody{Document: d.ID}
	for i := range d.Signs {
		if id := d.Signs[i].Signer.OuterID; id != nil {
			b.Clients = append(b.Clients, *id)
		}
	}
	return w.Send(goneKind, b)
}

// disagree gives the clients of a deleted document the agreement before it.
func (s *clerk) disagree(ctx context.Context, m outbox.Message) error {
	scope, err := s.workScope(m)
	if err != nil {
		return err
	}
	var b goneBody
	if err := m.Decode(&b); err != nil {
		return fmt.Errorf("%w: %w", outbox.ErrDrop, err)
	}
	c, err := company.Get(ctx, scope.Reading())
	if err != nil {
		return err
	}
	zone, err := c.Zone()
	if err != nil {
		return err
	}
	for _, id := range b.Clients {
		err := scope.Do(ctx, nil, func(w *record.Work) error { return client.Disagree(ctx, w, id, b.Document, zone) })
		if err != nil && !errors.Is(err, fault.ErrNotFound) {
			return err
		}
	}
	return nil
}
