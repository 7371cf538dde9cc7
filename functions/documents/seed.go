package documents

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/functions/documents/printing"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

const (
	// seedBatch is odd, so that batches side by side count on different items
	// of the listing.
	seedBatch   = listing.MaxOperations - 1
	seedBlock   = 100 * seedBatch // ids that are taken at once
	seedWorkers = 4
	seedSpan    = 2 * 365 * 24 * time.Hour
)

// Samples are the contents and names from which documents are made.
type Samples struct {
	// Contents are the HTML that documents share.
	Contents []string
	// Name makes up the name of a document, and says which of Contents it has.
	Name func(random *rand.Rand, number int) (name string, content int)
}

// Seeding is what is seeded: N documents of a user of a company.
type Seeding struct {
	Company tenant.ID
	User    int64
	N       int
	Samples Samples
	// Keep tells which ids become documents. The other ids are left unused, like those of
	// deleted documents. nil keeps all.
	Keep func(id int64) bool
	// Progress is called from time to time with the number of documents so far; it may be nil.
	Progress func(done int)
}

// Seed adds documents to a company, through the store and in batches. Each has a name
// and a date of its own. They are spread over the last two years, or over the time since
// the company's newest document, in the order of their ids. For demonstrations and
// measurements: nobody else may change the company meanwhile.
func Seed(ctx context.Context, env app.Env, of Seeding) error {
	s, n := newService(env), of.N
	seeder := seeder{
		Seeding: of,
		scope:   record.Scope{Table: table.Of(env.Table, of.Company), Now: s.now},
		newUUID: env.NewUUID,
		until:   s.now(),
	}
	if err := seeder.prepare(ctx, s); err != nil {
		return fmt.Errorf("documents: seed: %w", err)
	}
	g, workers := errgroup.WithContext(ctx)
	g.SetLimit(seedWorkers)
	var last int64 // the last id that was taken
	for done := 0; done < n && workers.Err() == nil; done += seedBlock {
		block := min(seedBlock, n-done)
		first, err := seeder.listing().Reserve(workers, block)
		if err != nil {
			g.Go(func() error { return err })
			break
		}
		last = first + int64(block) - 1
		for _, b := range batches(first, block, of.Keep) {
			g.Go(func() error { return seeder.write(workers, b, done+int(b.ids[0]-first)) })
		}
	}
	err := g.Wait()
	if err == nil {
		err = seeder.settle(ctx, last)
	}
	if err != nil {
		return fmt.Errorf("documents: seed: %w", err)
	}
	return nil
}

// settle folds the counters of all ids up to the last one and sweeps the rest at once. The
// worker would wait until no request can still use them, but no other request uses a company
// that is being seeded.
func (s *seeder) settle(ctx context.Context, last int64) error {
	for bucket := range int(last / listing.Bucket) {
		below, err := s.listing().Fold(ctx, bucket)
		if err != nil {
			return err
		}
		if below > 0 {
			if err := s.listing().Sweep(ctx, bucket, below); err != nil {
				return err
			}
		}
	}
	return nil
}

// batch is a run of ids, and those among them that become documents.
type batch struct{ ids, used []int64 }

// batches cuts a block of ids into batches of seedBatch documents.
func batches(first int64, block int, keep func(id int64) bool) (list []batch) {
	var b batch
	for id := first; id < first+int64(block); id++ {
		b.ids = append(b.ids, id)
		if keep == nil || keep(id) {
			b.used = append(b.used, id)
		}
		if len(b.used) == seedBatch {
			list, b = append(list, b), batch{}
		}
	}
	switch {
	case len(b.used) > 0:
		list = append(list, b)
	case len(list) > 0: // the last ids may ask for a fold
		last := &list[len(list)-1]
		last.ids = append(last.ids, b.ids...)
	}
	return list
}

// seeder writes documents.
type seeder struct {
	Seeding
	scope    record.Scope
	newUUID  func() uuid.UUID
	from     time.Time
	until    time.Time
	contents []*printing.Kept // as they are stored

	mu   sync.Mutex
	done int
}

func (s *seeder) listing() listing.Listing { return s.scope.Listing(kinds.Document) }

// prepare finds out where the dates begin and stores the contents.
func (s *seeder) prepare(ctx context.Context, service *service) error {
	newest, _, err := service.kind.Page(ctx, s.scope, search.Query{}, record.Window{Size: 1})
	if err != nil {
		return err
	}
	s.from = s.until.Add(-seedSpan)
	if len(newest) > 0 && newest[0].Created.Time().After(s.from) {
		s.from = newest[0].Created.Time().UTC()
	}
	for _, html := range s.Samples.Contents {
		stored, err := service.sample(ctx, s.scope.Reading(), html, s.from)
		if err != nil {
			return err
		}
		s.contents = append(s.contents, stored)
	}
	return nil
}

// sample stores a content and the PDF that is made of it, which many documents share.
func (s *service) sample(ctx context.Context, w *record.Work, html string, at time.Time) (*printing.Kept, error) {
	company := w.Scope().Table.ID()
	sheet, err := s.press.Content(ctx, w, "", html)
	if err != nil {
		return nil, err
	}
	page, err := sheet.Page(defaultName, at)
	if err != nil {
		return nil, err
	}
	done, err := s.press.Print(ctx, company, page)
	if err != nil {
		return nil, err
	}
	return s.press.Keep(ctx, company, done, &sheet)
}

// write creates the documents of a batch in one transaction; ordinal is the
// number of its first id among all.
func (s *seeder) write(ctx context.Context, b batch, ordinal int) error {
	list := make([]*document.Document, len(b.used))
	for i, id := range b.used {
		list[i] = s.document(id, ordinal+int(id-b.ids[0]))
	}
	err := s.listing().CreateMany(ctx, b.ids, func(tx *table.Tx) ([]int64, error) {
		for _, d := range list {
			tx.Put(s.scope.Table.Create(d), table.ErrRevision)
		}
		return b.used, nil
	})
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done += len(b.used)
	if s.Progress != nil {
		s.Progress(s.done)
	}
	return nil
}

// document makes up the document of an ordinal; names and dates are the same
// every time.
func (s *seeder) document(id int64, ordinal int) *document.Document {
	random := rand.New(rand.NewPCG(uint64(ordinal), 7)) //nolint:gosec // names, not secrets
	name, content := s.Samples.Name(random, ordinal+1)
	span := s.until.Sub(s.from)
	at := s.from.Add(time.Duration(float64(span) * float64(ordinal+1) / float64(s.N+1))).Truncate(time.Microsecond)
	changed := at
	if random.IntN(4) == 0 {
		changed = at.Add(time.Duration(random.Int64N(int64(s.until.Sub(at)) + 1))).Truncate(time.Microsecond)
	}
	sample := s.contents[content]
	d := &document.Document{
		Meta: record.Meta{Revision: 1, Created: moment.Of(at), Updated: moment.Of(changed)},
		UUID: s.newUUID(), Name: name, Source: document.Generated, CreatedBy: s.User, Content: sample.Content,
	}
	d.SetOriginal(&sample.PDF, "")
	document.Kind().Place(s.scope.Table, d, id)
	return d
}
