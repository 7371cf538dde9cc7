// Package recheck verifies again what was signed: that the stages of every sign are those that were chained, that every
// file and every piece of evidence has the bytes whose hash is stored, and that every sealed file is whole, names what the
// table names, and is found by its hash.
//
// It only reads. What never goes in here: repairing anything.
package recheck

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/functions/seal"
	"github.com/tenantry/tenantry/functions/seal/job"
	"github.com/tenantry/tenantry/functions/seal/pades"
	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/search"
)

// Checker verifies the documents of a company.
type Checker struct {
	Desk  *document.Desk
	Files *files.Store
	Scope record.Scope
	// Seals are the certificates with which the platform has sealed. Without any, each document is held to the one that its
	// item names.
	Seals []pades.Sum
}

// maxFile is more than any file of a document has, in bytes.
const maxFile = 64 << 20

// page is how many documents are read at once.
const page = 100

// Report is what was found.
type Report struct {
	Documents int     // that have signs
	Sealed    int     // of these
	Elsewhere int     // signs that hold by the mark of what was made on another installation: only that one can prove those stages
	Problems  []Fault // none: everything holds
}

// Fault is what does not hold of a document.
type Fault struct {
	Document int64
	Problem  string
}

// All verifies all documents of the company, and those that were withdrawn. Its error says that something could not be read, not that it
// does not hold.
func (c *Checker) All(ctx context.Context) (r Report, err error) {
	for offset := 0; ; offset += page {
		list, _, err := c.Desk.Kind.Page(ctx, c.Scope, search.Query{}, record.Window{Offset: offset, Size: page})
		if err != nil {
			return r, err
		}
		for _, d := range list {
			if len(d.Signs) == 0 {
				continue
			}
			if err := c.add(ctx, &r, d); err != nil {
				return r, err
			}
		}
		if len(list) < page {
			break
		}
	}
	for d, err := range c.Desk.Kind.Removed(ctx, c.Scope) {
		if err != nil {
			return r, err
		}
		if d.Withdrawn() == nil { // nobody had signed it
			continue
		}
		if err := c.add(ctx, &r, d); err != nil {
			return r, err
		}
	}
	return r, nil
}

// add verifies a document and adds what was found to a report.
func (c *Checker) add(ctx context.Context, r *Report, d *document.Document) error {
	r.Documents++
	if d.Seal != nil {
		r.Sealed++
	}
	found, err := c.one(ctx, d)
	if err != nil {
		return fmt.Errorf("document %d: %w", d.ID, err)
	}
	r.Elsewhere += found.elsewhere
	for _, p := range found.list {
		r.Problems = append(r.Problems, Fault{d.ID, p})
	}
	return nil
}

// problems collects what does not hold, and counts what holds by a mark alone.
type problems struct {
	list      []string
	elsewhere int
}

func (p *problems) addf(format string, args ...any) {
	p.list = append(p.list, fmt.Sprintf(format, args...))
}

// One verifies a document.
func (c *Checker) One(ctx context.Context, d *document.Document) ([]string, error) {
	found, err := c.one(ctx, d)
	return found.list, err
}

func (c *Checker) one(ctx context.Context, d *document.Document) (found problems, err error) {
	contents := make(map[document.FileType][]byte, len(d.Files))
	for i := range d.Files {
		f := &d.Files[i]
		data, err := c.read(ctx, &found, fmt.Sprintf("file %d", f.Number), f.ID, f.Version, f.SHA256)
		if err != nil {
			return found, err
		}
		contents[f.Type] = data
	}
	for _, list := range [][]document.Sign{d.Signs, d.Removed} {
		for i := range list {
			if err := c.sign(ctx, &found, d, &list[i]); err != nil {
				return found, err
			}
		}
	}
	switch {
	case d.Seal != nil:
		err := c.seal(ctx, &found, d, contents)
		return found, err
	case d.FileOf(document.SealedFile) != nil:
		found.addf("it has a sealed file, and nothing says how it was sealed")
	}
	return found, nil
}

// read reads a file that has a hash.
func (c *Checker) read(ctx context.Context, found *problems, what string, id uuid.UUID, version string, sum []byte) ([]byte, error) {
	data, err := c.Files.Get(ctx, c.Scope.Table.ID(), id, version, maxFile)
	if errors.Is(err, files.ErrNotFound) {
		found.addf("%s is gone", what)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if got := sha256.Sum256(data); !bytes.Equal(got[:], sum) {
		found.addf("%s has other bytes than those whose SHA-256 is stored", what)
	}
	return data, nil
}

// sign verifies the stages of a sign, and their evidence.
func (c *Checker) sign(ctx context.Context, found *problems, d *document.Document, s *document.Sign) error {
	if _, err := c.Desk.Links(ctx, d, s); errors.Is(err, document.ErrChain) {
		found.addf("%v", err)
	} else if err != nil {
		return err
	} else if s.Elsewhere != nil {
		found.elsewhere++
	}
	last := document.Draft
	for i, g := range s.Stages {
		if !g.IsWhole() {
			continue // the chain has said so
		}
		if last = g.To(); g.Evidence() == nil {
			continue
		}
		if err := c.evidence(ctx, found, fmt.Sprintf("the evidence of stage %d of sign %d", i+1, s.ID), g.Evidence()); err != nil {
			return err
		}
	}
	if len(s.Stages) > 0 && last != s.Status {
		found.addf("sign %d has the status %d, and its last stage leads to %d", s.ID, s.Status, last)
	}
	if s.Trail != nil {
		return c.evidence(ctx, found, fmt.Sprintf("the last evidence of sign %d", s.ID), s.Trail)
	}
	return nil
}

func (c *Checker) evidence(ctx context.Context, found *problems, what string, sum []byte) error {
	_, err := document.ReadEvidence(ctx, c.Files, c.Scope.Table.ID(), sum)
	switch {
	case errors.Is(err, files.ErrNotFound):
		found.addf("%s is gone", what)
	case errors.Is(err, document.ErrEvidence):
		found.addf("%s has other bytes than those that it is named by", what)
	default:
		return err
	}
	return nil
}

// seal verifies the sealed file.
func (c *Checker) seal(ctx context.Context, found *problems, d *document.Document, contents map[document.FileType][]byte) error {
	head, stages := d.HeadOf()
	if !bytes.Equal(head, d.Seal.Head) {
		found.addf("its signs are not those that were sealed")
	}
	sealed, original := contents[document.SealedFile], contents[document.Original]
	if sealed == nil || original == nil {
		found.addf("its sealed file or its original is missing")
		return nil
	}
	trust := pades.Trust{Seal: c.Seals}
	if len(trust.Seal) == 0 {
		trust.Seal = []pades.Sum{pades.Sum(d.Seal.Certificate)}
	}
	verdict, err := pades.Verify(sealed, trust)
	switch {
	case err != nil:
		found.addf("its seal does not hold: %v", err)
		return nil
	case verdict.Level != d.Seal.Level:
		found.addf("its seal is of the level %s, and %s is stored", verdict.Level, d.Seal.Level)
	case !bytes.Equal(sealed[:verdict.Prefix], original):
		found.addf("its sealed file does not begin with its original")
	}
	r, err := seal.RecordOf(sealed)
	switch {
	case err != nil:
		found.addf("the record in its sealed file can't be read: %v", err)
	case !same(r, d, head, stages):
		found.addf("the record in its sealed file is not about these signs")
	}
	for _, kind := range []document.FileType{document.Original, document.SealedFile} {
		known, err := c.Desk.Public.IsFound(ctx, c.Scope.Table.ID(), d, kind)
		if err != nil {
			return err
		}
		if !known {
			found.addf("it is not found by the hash of its file %d", d.FileOf(kind).Number)
		}
	}
	return nil
}

// same tells whether the record of a sealed file is about the signs of a document, stage by stage.
func same(r job.Record, d *document.Document, head []byte, stages int) bool {
	return r.Document == d.UUID && r.Number == d.ID && r.Head == hex.EncodeToString(head) && r.Stages == stages &&
		alike(r.Signs, d.Signs) && alike(r.Removed, d.Removed)
}

// alike tells whether a record tells the stages of signs.
func alike(told []job.Sign, signs []document.Sign) bool {
	if len(told) != len(signs) {
		return false
	}
	for i := range signs {
		if len(told[i].Stages) != len(signs[i].Stages) {
			return false
		}
		for n, g := range signs[i].Stages {
			if g.IsWhole() {
				g = g.Masked()
			}
			if told[i].Stages[n].Stored != hex.EncodeToString(g) {
				return false
			}
		}
	}
	return true
}
