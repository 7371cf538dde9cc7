package document

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
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

// Sealed is a sealed document that was found by a hash. Of one whose company was erased nothing is left but the Erased seal, whose
// time and level alone are known.
type Sealed struct {
	*Document      // nil where the company was erased
	Whole     bool // the hash is that of the sealed file, and not of the original
	Erased    *Seal
}

// SealOf is how it was sealed.
func (s Sealed) SealOf() *Seal {
	if s.Erased != nil {
		return s.Erased
	}
	return s.Document.Seal
}

// Bounds of what one hash finds: somebody may have the same file signed again and again. Whoever is among the first is found
// nevertheless.
const (
	mostFound = 20  // documents
	mostItems = 100 // of the hash that are read, of which some may be of documents that are gone
)

// Find returns the sealed documents whose sealed file, or whose original, has a SHA-256, the oldest first, and those that were
// withdrawn too. It reads the hash's items and then each document, which must still name the hash.
func (p Public) Find(ctx context.Context, sum []byte) (list []Sealed, err error) {
	var items []hashItem
	err = p.all.Table().Get("pk", crosstenant.Hashed(sum)).Order(dynamo.Ascending).Limit(mostItems).Consistent(true).All(ctx, &items)
	if err != nil && !errors.Is(err, dynamo.ErrNotFound) {
		return nil, fmt.Errorf("document: hash: %w", err)
	}
	// The sealed files come first, however many originals there are. No file is both, because what is sealed is refused as an original.
	slices.SortStableFunc(items, func(a, b hashItem) int { return rank(&a.HashItem) - rank(&b.HashItem) })
	for _, item := range items {
		if item.IsErased() {
			list = append(list, Sealed{Whole: true, Erased: &Seal{At: item.SealedAt, Level: item.Level}})
			continue
		}
		d, err := orWithdrawn(ctx, Kind(), record.Scope{Table: table.Of(p.conn, item.Tenant)}, item.Document)
		if errors.Is(err, fault.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		of := Original
		if item.IsSealed() {
			of = SealedFile
		}
		if f := d.FileOf(of); d.Seal != nil && f != nil && string(f.SHA256) == string(sum) {
			list = append(list, Sealed{Document: d, Whole: item.IsSealed()})
		}
		if len(list) == mostFound {
			break
		}
	}
	slices.SortStableFunc(list, func(a, b Sealed) int { return cmp.Compare(a.SealOf().At, b.SealOf().At) })
	return list, nil
}

// hashItem is any item of a hash: that of a document, or what stays of one.
type hashItem struct {
	crosstenant.HashItem
	SealedAt int64  `dynamo:"a"`
	Level    string `dynamo:"l"`
}

// rank is 0 for a sealed file and 1 for an original.
func rank(h *crosstenant.HashItem) int {
	if h.IsSealed() || h.IsErased() {
		return 0
	}
	return 1
}

// IsFound tells whether a sealed document is among what the hash of one of its files finds, however many others are.
func (p Public) IsFound(ctx context.Context, company tenant.ID, d *Document, kind FileType) (bool, error) {
	err := p.all.Get(ctx, hashKey(company, d, kind), &crosstenant.HashItem{})
	if err != nil && !errors.Is(err, table.ErrNotFound) {
		return false, fmt.Errorf("document: hash: %w", err)
	}
	return err == nil, nil
}

// hashKey is the key under which the hash of a file of a sealed document is.
func hashKey(company tenant.ID, d *Document, kind FileType) table.Key {
	sum := d.FileOf(kind).SHA256
	if kind == SealedFile {
		return crosstenant.SealedHash(sum, company, d.ID)
	}
	return crosstenant.OriginalHash(sum, time.UnixMicro(d.Seal.At), company, d.ID)
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

// Forget makes the uuid of a sign that is removed reach nothing.
func (p Public) Forget(w *record.Work, id uuid.UUID) {
	w.Also(func(tx *table.Tx) error {
		tx.Delete(p.all.Delete(crosstenant.Sign(id)), errors.New("document: the uuid of a sign can't be removed")) // it has no condition
		return nil
	})
}

// Register makes a sealed document found by the hashes of its original and of its sealed file.
func (p Public) Register(w *record.Work, d *Document) {
	company := w.Scope().Table.ID()
	w.Also(func(tx *table.Tx) error {
		for _, kind := range []FileType{SealedFile, Original} {
			tx.Put(p.all.Put(crosstenant.HashItem{
				Item:   table.At(hashKey(company, d, kind), crosstenant.HashVersion),
				Tenant: company, Document: d.ID,
			}), errors.New("document: a hash can't be registered")) // it has no condition
		}
		return nil
	})
}
