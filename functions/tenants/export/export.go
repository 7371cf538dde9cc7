// Package export makes an export of a company: all of its records as the API shows them, as JSON Lines by kind, and a manifest that says
// how many there are and names each file.
//
// An export is one item, the company's last. It knows how far it is and which parts are stored, so whoever goes on after a crash begins
// where the item ends, and stores the part again that was not written in it. Parts lie among the bucket's temporary objects, for a day.
//
// What never goes in here: HTTP, what a record looks like (functions/show is asked), and what moves a company to another stage
// (infra/operator).
package export

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

const (
	// Kind is the message that makes an export, or goes on with one.
	Kind outbox.Kind = "tenants.export"
	// Done is the message that tells who asked for it. It has the same key.
	Done outbox.Kind = "tenants.exported"
	// Whole is the key of both messages: a company has one of each.
	Whole = "all"

	// Life is how long an export can be had.
	Life = 24 * time.Hour
	// ManifestName is the name of the manifest.
	ManifestName = "manifest.json"

	// stuck is after how long another export may begin although this one has not ended.
	stuck = time.Hour
	// maxPart is how many bytes a part has at most, but for its last record.
	maxPart = 4 << 20

	lines = "application/x-ndjson"

	// filesOf is what parts are of that name files: documents' files, PDFs and images, by the API's own addresses.
	filesOf = "file"
)

// Part is one file of an export.
type Part struct {
	Of      string `dynamo:"o"` // what it has records of; filesOf for addresses of files
	Name    string `dynamo:"n"`
	UUID    string `dynamo:"u"`
	Records int64  `dynamo:"c"`
	Size    int64  `dynamo:"z"`
	SHA256  string `dynamo:"h"` // in hexadecimal
}

// Export is one as it is stored.
type Export struct {
	table.Item
	ID       string        `dynamo:"id"`
	By       int64         `dynamo:"u"`    // the user who asked
	Base     string        `dynamo:"base"` // scheme and host of the API
	Begun    moment.Micros `dynamo:"at"`
	Ended    moment.Micros `dynamo:"end,omitempty"`
	Turn     int64         `dynamo:"t"`             // counts its writes
	Turned   moment.Micros `dynamo:"tt,omitempty"`  // when it was gone on with
	Step     int           `dynamo:"s"`             // which of job.Kinds is next
	After    int64         `dynamo:"af"`            // the last id of it that is stored
	Parts    []Part        `dynamo:"p,omitempty"`   // in their order
	Failed   []string      `dynamo:"f,omitempty"`   // what could not be shown: "client 7"
	Manifest *Part         `dynamo:"man,omitempty"` // once it has ended
}

// Version is the schema version of an Export.
const Version = 1

// Running tells whether an export is being made, as far as can be told.
func (e Export) Running(now time.Time) bool {
	return e.ID != "" && e.Ended == 0 && now.Before(max(e.Begun, e.Turned).Time().Add(stuck))
}

// Expires is when nothing of an export can be had any more.
func (e Export) Expires() time.Time { return e.Begun.Time().UTC().Add(Life) }

// Records is how many records it has so far.
func (e Export) Records() (n int64) {
	for _, p := range e.Parts {
		if p.Of != filesOf {
			n += p.Records
		}
	}
	return n
}

// Find returns the file of a name.
func (e Export) Find(name string) (Part, bool) {
	if e.Manifest != nil && e.Manifest.Name == name {
		return *e.Manifest, true
	}
	for _, p := range e.Parts {
		if p.Name == name {
			return p, true
		}
	}
	return Part{}, false
}

// Last is a company's last export; its ID is empty if there was none.
func Last(ctx context.Context, s record.Scope) (e Export, err error) {
	err = s.Table.Get(ctx, s.Table.Export(), &e)
	if errors.Is(err, table.ErrNotFound) {
		return Export{}, nil
	}
	return e, err
}

// Begin begins an export, whose ID, By and Base are given, and leaves it to the worker; or it has the one gone on with that is being made,
// also where the worker had given it up. e is set to either before the answer a is kept. allowed is called before an export is begun. It
// fails with fault.ErrForbidden if the actor is no owner any more.
func Begin(ctx context.Context, s record.Scope, a record.Answer, e *Export, allowed func() error) error {
	wanted, asked := *e, false
	return table.Anew(ctx, table.Tries, func() error {
		before, err := Last(ctx, s)
		if err != nil {
			return err
		}
		running := before.Running(s.Now())
		if *e = before; !running {
			if !asked {
				if err := allowed(); err != nil {
					return err
				}
				asked = true
			}
			*e = wanted
			e.Item, e.Begun, e.Turn = table.At(s.Table.Export(), Version), moment.Of(s.Now()), before.Turn+1
		}
		through := s.Through // an answer is kept with the user, who is of no company
		if through == nil {
			through = s.Table
		}
		return through.Write(ctx, func(tx *table.Tx, _ int) error {
			if !running {
				e.put(tx, s.Table, before.Turn)
			}
			member := s.Table.Member(s.Actor.User)
			tx.Check(s.Table.Table().Check("pk", member.PK).Range("sk", member.SK).If("r = ?", tenant.Owner), fault.ErrForbidden)
			outbox.Arm(tx, s.Table, outbox.NewKeyed(s.Table.Message, Kind, Whole, s.Now()))
			return a.Keep(ctx, tx)
		})
	}, nil)
}

// put writes an export that had been written so often.
func (e *Export) put(tx *table.Tx, of *table.Tenant, turn int64) {
	put := of.Put(e)
	if turn == 0 {
		put.If("attribute_not_exists(pk)")
	} else {
		put.If("t = ?", turn)
	}
	tx.Put(put, table.ErrRevision)
}

// GoOn goes on with a company's export for a while, and leaves the rest to the next message. company is the company's own record as the
// API shows it. What was stored before a worker died is stored again, and what of it no item names is swept.
func GoOn(ctx context.Context, s record.Scope, m Maker, company func(base string) (any, error), until time.Time) error {
	e, err := Last(ctx, s)
	if err != nil || e.ID == "" || e.Ended != 0 {
		return err
	}
	own, err := company(e.Base)
	if err != nil {
		return err
	}
	turn := e.Turn
	if err := m.Advance(ctx, s.Table.ID(), &e, own, until); err != nil {
		return err
	}
	e.Turn, e.Turned = e.Turn+1, moment.Of(s.Now())
	err = s.Table.Write(ctx, func(tx *table.Tx, _ int) error {
		e.put(tx, s.Table, turn)
		next := Kind
		if e.Ended != 0 {
			next = Done
		}
		outbox.Arm(tx, s.Table, outbox.NewKeyed(s.Table.Message, next, Whole, s.Now()))
		return nil
	})
	if errors.Is(err, table.ErrRevision) {
		return nil // another worker has gone on with it, or another export was begun
	}
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}
