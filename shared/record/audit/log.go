// Package audit records who changed a record, how, and when. It writes one audit record for
// each revision, in the transaction of the change itself. So no change lacks its audit record,
// and no audit record tells a change that did not happen.
//
// An audit record holds what callers see of the record, field by field, before and after the
// change. What callers never see (secrets, codes) is not part of that view, and so never stored
// here. Of a value of more than 2 KB only the size and the SHA-256 are stored, and the size of
// an audit record as a whole is limited.
//
// The audit records of one record are in one partition, with the revision as sort key.
// Revisions start at 1 and have no gaps. So a page and its count are exact, and cost the same
// however long the history is. An import instead writes one state for all of its records, which
// stands for the first revision of each.
//
// What never goes in here: what a record is, and who may see its history.
package audit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/shared/enum"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/event"
	"github.com/tenantry/tenantry/shared/table"
)

// Actor is who makes a change, in which request, and when. It is a user, a feed, or a program
// with a key, or none of them if the platform itself makes it.
type Actor struct {
	User    int64
	Feed    int64  // the id of a feed token of the company
	Key     int64  // the id of a key for programs of the company
	Request string // the id of the request
	At      time.Time
}

// requestAttribute is the attribute with the id of the request, in what an import stores about
// its actor.
const requestAttribute = "rq"

// keyAttribute is the attribute with the id of the key of a program there.
const keyAttribute = "k"

// About is what an import stores about its actor, besides the user and the time (see
// bulk.Plan), for the histories of its records.
func (a Actor) About() table.Attributes {
	about := table.Attributes{}
	about.SetText(requestAttribute, a.Request)
	if a.Key != 0 {
		about.SetInt(keyAttribute, a.Key)
	}
	return about
}

// Log writes audit records of one company on behalf of an actor.
type Log struct {
	tenant *table.Tenant
	actor  Actor
}

// Of is the log of a company on behalf of an actor.
func Of(t *table.Tenant, a Actor) Log { return Log{tenant: t, actor: a} }

// Action is what happened to a record.
type Action string

// The actions.
const (
	Created  Action = "created"
	Changed  Action = "changed"
	Deleted  Action = "deleted"
	Imported Action = "imported"
)

// Values are the actions.
func (Action) Values() []enum.Value { return enum.Named(Created, Changed, Deleted, Imported) }

// Revision is one revision of a record, and the change that made it.
type Revision struct {
	Kind   kinds.Code
	ID     int64
	Number int64
	Action Action
	// Before and After are what callers see of the record; the zero View means that there is no
	// record.
	Before, After View
	// Events are what verbs said of the change; nil if none did.
	Events []event.Said

	changes []Change // once Compare has worked them out
}

// Compare works out what differs between the two views, for Changed and Add.
func (r *Revision) Compare() (err error) {
	r.changes, err = diff(r.Before, r.After)
	return err
}

// Changed are the fields in which the views differ, after Compare.
func (r *Revision) Changed() (fields []string) {
	for _, c := range r.changes {
		fields = append(fields, c.Field)
	}
	return fields
}

// Add adds the audit record of a revision to a transaction: one operation. It fails with
// table.ErrRevision if the revision has already been written.
func (l Log) Add(tx *table.Tx, r Revision) error {
	if r.changes == nil {
		if err := r.Compare(); err != nil {
			return err
		}
	}
	a := audit{
		Item: table.At(l.tenant.Audit(r.Kind, r.ID, r.Number), version), Action: r.Action,
		User: l.actor.User, Feed: l.actor.Feed, Key: l.actor.Key, Request: l.actor.Request, At: l.actor.At.UnixMicro(),
	}
	if err := a.set(r.changes); err != nil {
		return err
	}
	if err := a.say(r.Events); err != nil {
		return err
	}
	tx.Put(l.tenant.Create(a), fmt.Errorf("audit: revision %d of %s %d has been written: %w", r.Number, r.Kind, r.ID, table.ErrRevision))
	return nil
}

// Happened tells, by a consistent read, whether this very request made a revision of a record.
// A request that did not get the answer to its transaction uses it to find out what to answer.
func (l Log) Happened(ctx context.Context, kind kinds.Code, id, revision int64) (bool, error) {
	var a audit
	err := l.tenant.Get(ctx, l.tenant.Audit(kind, id, revision), &a)
	if errors.Is(err, table.ErrNotFound) {
		return false, nil
	}
	same := a.Request == l.actor.Request && a.User == l.actor.User && a.Feed == l.actor.Feed && a.Key == l.actor.Key
	return err == nil && same, err
}
