// Package seal makes the sealed file of a document that everybody has signed: the original, pages that
// tell how it was signed, the signers' own signatures, and one signature of the platform over all of
// it. It serves no requests: the function bulk asks it (functions/seal/job).
//
// It is a function of its own because it alone may use the seal's key. It reads and writes files of
// the company that it is asked for, and nothing else; what it is told about the signs it believes.
//
// Before a sealed file is stored it is verified, as everybody can verify it later.
package seal

import (
	"bytes"
	"context"
	"crypto"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"github.com/tenantry/tenantry/functions/seal/job"
	"github.com/tenantry/tenantry/functions/seal/pades"
	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/tenant"
)

// store is the company's files.
type store interface {
	Get(ctx context.Context, t tenant.ID, id uuid.UUID, version string, most int64) ([]byte, error)
	Put(ctx context.Context, t tenant.ID, id uuid.UUID, contentType string, data []byte) (files.Object, error)
}

// sealer seals.
type sealer struct {
	files  store
	signer func(context.Context) (crypto.Signer, error)
	chain  []*x509.Certificate
	stamps *stamps // nil: none are configured
	now    func() time.Time
}

// problem is what trying again doesn't help.
type problem struct{ code, text string }

func (p *problem) Error() string { return p.code + ": " + p.text }

func problemf(code, format string, args ...any) error {
	return &problem{code: code, text: fmt.Sprintf(format, args...)}
}

// handle is the function.
func (s *sealer) handle(ctx context.Context, payload []byte) (answer []byte, err error) {
	defer func() {
		if cause := recover(); cause != nil { // what draws pages panics rather than fails
			answer, err = nil, fmt.Errorf("seal: panic: %v", cause)
		}
	}()
	var r job.Request
	a := job.Answer{Problem: job.BadRequest, Text: "The request is no JSON of a job."}
	if json.Unmarshal(payload, &r) == nil {
		a, err = s.seal(ctx, &r)
		if p, ok := errors.AsType[*problem](err); ok {
			a, err = job.Answer{Problem: p.code, Text: p.text}, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return json.Marshal(a)
}

// seal makes and stores the sealed file.
func (s *sealer) seal(ctx context.Context, r *job.Request) (job.Answer, error) {
	if err := check(r); err != nil {
		return job.Answer{}, err
	}
	if r.Level == job.LevelBT && s.stamps == nil {
		return job.Answer{}, problemf(job.NoTimeStamps, "A time stamp is demanded, and no time-stamp service is configured.")
	}
	original, attachments, err := s.read(ctx, r)
	if err != nil {
		return job.Answer{}, err
	}
	signer, err := s.signer(ctx)
	if err != nil {
		return job.Answer{}, fmt.Errorf("seal: key: %w", err)
	}
	signature := pades.Signature{Signer: signer, Chain: s.chain, At: s.now(), Name: signerName(s.chain), Reason: reason}
	if s.stamps != nil {
		signature.Stamp = s.stamps.stamp
	}
	whole, err := assemble(ctx, r, original, attachments, signature)
	if err != nil {
		return job.Answer{}, err
	}
	verdict, err := pades.Verify(whole, s.trust())
	if err != nil {
		return job.Answer{}, fmt.Errorf("seal: what was sealed doesn't hold: %w", err)
	}
	if verdict.Prefix != len(original) || !bytes.HasPrefix(whole, original) || r.Level == job.LevelBT && verdict.Level != job.LevelBT {
		return job.Answer{}, errors.New("seal: what was sealed isn't what was demanded")
	}
	stored, err := s.files.Put(ctx, r.Tenant, r.Output, "application/pdf", whole)
	if err != nil {
		return job.Answer{}, fmt.Errorf("seal: %w", err)
	}
	sum, certificate := sha256.Sum256(whole), sha256.Sum256(s.chain[0].Raw)
	if !bytes.Equal(stored.SHA256, sum[:]) {
		return job.Answer{}, errors.New("seal: other bytes were stored")
	}
	a := job.Answer{
		Version: stored.Version, SHA256: sum[:], Size: int64(len(whole)), Level: verdict.Level, Certificate: certificate[:],
	}
	if verdict.Stamp != nil {
		a.Time = &verdict.Stamp.Time
	}
	return a, nil
}

// reason is what readers show as the reason of the signature.
const reason = "All parties have signed"

// signerName is who seals, according to the certificate.
func signerName(chain []*x509.Certificate) string {
	if len(chain) == 0 {
		return ""
	}
	return chain[0].Subject.CommonName
}

// trust is in the seal's own certificate, and in those of the time-stamp service.
func (s *sealer) trust() pades.Trust {
	t := pades.Trust{Seal: []pades.Sum{pades.SumOf(s.chain[0])}}
	if s.stamps != nil {
		t.Stamp = s.stamps.trusted
	}
	return t
}

// check refuses a request that is out of bounds, or that lacks what a seal needs.
func check(r *job.Request) error {
	bad := func(text string) error { return problemf(job.BadRequest, "%s", text) }
	switch {
	case r.Tenant <= 0, r.Output == uuid.Nil, r.Original.ID == uuid.Nil, r.Original.Version == "", r.Output == r.Original.ID:
		return bad("The company, the original or the output is missing.")
	case r.At.IsZero():
		return bad("The time is missing.")
	case r.VerifyURL == "" || len(r.VerifyURL) > 500:
		return bad("The address of the verification is missing, or has more than 500 characters.")
	case r.Level != "" && r.Level != job.LevelBB && r.Level != job.LevelBT:
		return bad("There is no such level.")
	case !strings.EqualFold(r.Record.Original, hex.EncodeToString(r.Original.SHA256)) || len(r.Original.SHA256) != sha256.Size:
		return bad("The record is of another original.")
	case len(r.Record.Signs) == 0 || len(r.Record.Signs) > job.MaxSigns || len(r.Record.Removed) > job.MaxRemoved ||
		len(r.Attachments) > job.MaxAttachments:
		return bad("There are no signs, or too many signs or attachments.")
	}
	names := map[string]bool{job.AuditName: true}
	for _, a := range r.Attachments {
		if names[a.Name] || !plain(a.Name) || len(a.Object.SHA256) != sha256.Size {
			return bad("An attachment's name is there twice or can't be a name, or its SHA-256 is missing.")
		}
		names[a.Name] = true
	}
	stages := 0
	for _, list := range [][]job.Sign{r.Record.Signs, r.Record.Removed} {
		for i := range list {
			s := &list[i]
			stages += len(s.Stages)
			if len(s.Stages) > job.MaxStages || s.Attachment != "" && !names[s.Attachment] {
				return bad("A sign has too many stages, or names an attachment that isn't there.")
			}
		}
	}
	if stages != r.Record.Stages {
		return bad("The number of stages isn't that of the signs' stages.")
	}
	return nil
}

// plain tells whether a name is one of a file, in letters that need no escapes.
func plain(name string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789-_."
	return name != "" && len(name) <= 64 && name[0] != '.' && strings.Trim(strings.ToLower(name), letters) == ""
}

// read reads the original and the attachments, which must be the bytes that were named.
func (s *sealer) read(ctx context.Context, r *job.Request) (original []byte, attachments [][]byte, err error) {
	attachments = make([][]byte, len(r.Attachments))
	const atOnce = 8
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(atOnce)
	g.Go(func() (err error) {
		original, err = s.get(ctx, r.Tenant, "The original", r.Original, job.MaxOriginal)
		return err
	})
	for i, a := range r.Attachments {
		g.Go(func() (err error) {
			attachments[i], err = s.get(ctx, r.Tenant, "The attachment "+a.Name, a.Object, job.MaxAttachment)
			return err
		})
	}
	return original, attachments, g.Wait()
}

func (s *sealer) get(ctx context.Context, t tenant.ID, what string, o job.Object, most int64) ([]byte, error) {
	data, err := s.files.Get(ctx, t, o.ID, o.Version, most)
	switch {
	case errors.Is(err, files.ErrNotFound):
		return nil, problemf(job.Missing, "%s isn't stored.", what)
	case errors.Is(err, files.ErrTooLarge):
		return nil, problemf(job.TooLarge, "%s has more than %d bytes.", what, most)
	case err != nil:
		return nil, fmt.Errorf("seal: %w", err)
	}
	if sum := sha256.Sum256(data); !bytes.Equal(sum[:], o.SHA256) {
		return nil, problemf(job.OtherBytes, "%s isn't what it was: its SHA-256 is another one.", what)
	}
	return data, nil
}
