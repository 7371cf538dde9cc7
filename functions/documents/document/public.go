package document

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
)

// Public reaches documents from what the public has: the uuid of a sign, or the hash of a file. It is the only way from
// there to a company. A document's own uuid reaches nothing.
type Public struct {
	conn *table.Conn
	all  crosstenant.Table
}

// OpenPublic gives the public's way into a table.
func OpenPublic(c *table.Conn) Public { return Public{c, crosstenant.Open(c)} }

// Place is where a sign is: its company's table, and its document.
type Place struct {
	Table    *table.Tenant
	Document int64
	Sign     uuid.UUID
}

// Reach finds the sign with a uuid. It fails with fault.ErrNotFound.
func (p Public) Reach(ctx context.Context, id uuid.UUID) (Place, error) {
	var item crosstenant.SignItem
	err := p.all.Get(ctx, crosstenant.Sign(id), &item)
	if errors.Is(err, table.ErrNotFound) {
		return Place{}, fault.ErrNotFound
	}
	if err != nil {
		return Place{}, fmt.Errorf("document: sign: %w", err)
	}
	return Place{table.Of(p.conn, item.Tenant), item.Document, id}, nil
}

// Sealed is a sealed document that was found by a hash.
type Sealed struct {
	*Document
	Whole bool // the hash is that of the sealed file, and not of the original
}

// mostFound bounds how many documents one hash finds: somebody may have the same file signed again and again.
const mostFound = 20

// Find returns the sealed documents whose sealed file, or whose original, has a SHA-256. It reads the hash's items and then
// each document, which must still name the hash.
func (p Public) Find(ctx context.Context, sum []byte) (list []Sealed, err error) {
	var items []crosstenant.HashItem
	err = p.all.Table().Get("pk", crosstenant.Hashed(sum)).Order(dynamo.Descending).Limit(mostFound).Consistent(true).All(ctx, &items)
	if err != nil && !errors.Is(err, dynamo.ErrNotFound) {
		return nil, fmt.Errorf("document: hash: %w", err)
	}
	for _, item := range items {
		d, err := Kind().Get(ctx, record.Scope{Table: table.Of(p.conn, item.Tenant)}, item.Document)
		if errors.Is(err, fault.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		whole := strings.HasPrefix(item.SK, crosstenant.SealedPrefix)
		of := Original
		if whole {
			of = SealedFile
		}
		if f := d.FileOf(of); d.Seal != nil && f != nil && string(f.SHA256) == string(sum) {
			list = append(list, Sealed{d, whole})
		}
	}
	return list, nil
}

// Scope returns the scope of a unit of work that adds signs to documents, or seals them: it also writes what the public finds them by.
func (p Public) Scope(s record.Scope) record.Scope {
	s.Through = p.all
	return s
}

// Publish makes a new sign reachable by its uuid.
func (p Public) Publish(w *record.Work, d *Document, s *Sign) {
	w.Also(func(tx *table.Tx) error {
		tx.Put(p.all.Create(crosstenant.SignItem{
			Item:   table.At(crosstenant.Sign(s.UUID), crosstenant.SignVersion),
			Tenant: w.Scope().Table.ID(), Document: d.ID, Sign: s.ID,
		}), errors.New("document: another sign has the same uuid"))
		return nil
	})
}

// Withdraw makes the uuid of a sign that is removed reach nothing.
func (p Public) Withdraw(w *record.Work, id uuid.UUID) {
	w.Also(func(tx *table.Tx) error {
		tx.Delete(p.all.Delete(crosstenant.Sign(id)), errors.New("document: the uuid of a sign can't be removed")) // it has no condition
		return nil
	})
}

// Register makes a sealed document found by the hashes of its original and of its sealed file.
func (p Public) Register(w *record.Work, d *Document) {
	company := w.Scope().Table.ID()
	w.Also(func(tx *table.Tx) error {
		for prefix, kind := range map[string]int64{crosstenant.SealedPrefix: SealedFile, crosstenant.OriginalPrefix: Original} {
			tx.Put(p.all.Put(crosstenant.HashItem{
				Item:   table.At(crosstenant.Hash(d.FileOf(kind).SHA256, prefix, company, d.ID), crosstenant.HashVersion),
				Tenant: company, Document: d.ID,
			}), errors.New("document: a hash can't be registered")) // it has no condition
		}
		return nil
	})
}
