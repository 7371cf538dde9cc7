// Package audit keeps who did what to a record, and when: one audit record for
// each revision, written in the transaction of the change itself, so that none
// is missing and none tells what did not happen.
//
// An audit record holds what callers see of the record, field by field, as it
// was and as it became. What they never see (secrets, codes) is no part of that
// view, and so never here. A value of more than 2 KB is kept as its size and
// SHA-256, and an audit record as a whole is bounded.
//
// The audit records of one record lie in one partition under its revisions,
// which follow each other without a hole from 1. So a page and its count are
// exact, and cost the same however long the history is. An import writes one
// state for all of its records instead, which stands for the first revision of
// each.
//
// What never goes in here: what a record is, and who may see its history.
package audit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
)

// Actor is who makes a change.
type Actor struct {
	User    int64
	Request string // its id
	At      time.Time
}

// requestAttribute is the id of the request among what an import keeps.
const requestAttribute = "rq"

// About is what an import keeps of its actor beside the user and the time (see
// bulk.Plan), for the histories of its records.
func (a Actor) About() table.Attributes {
	about := table.Attributes{}
	about.SetText(requestAttribute, a.Request)
	return about
}

// Log writes audit records of one company on behalf of an actor.
type Log struct {
	tenant *table.Tenant
	actor  Actor
}

// Of is the log of a company for an actor.
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

// Revision is one revision of a record, and what made it.
type Revision struct {
	Kind   kinds.Code
	ID     int64
	Number int64
	Action Action
	// Before and After are what callers see of the record; the zero View is none.
	Before, After View
}

// Add adds the audit record of a revision to a transaction: one operation, which
// fails with table.ErrRevision where the revision has been written.
func (l Log) Add(tx *table.Tx, r Revision) error {
	changes, err := diff(r.Before, r.After)
	if err != nil {
		return err
	}
	a := audit{
		Item: table.At(l.tenant.Audit(r.Kind, r.ID, r.Number), version), Action: r.Action,
		User: l.actor.User, Request: l.actor.Request, At: l.actor.At.UnixMicro(),
	}
	if err := a.set(changes); err != nil {
		return err
	}
	tx.Put(l.tenant.Create(a), fmt.Errorf("audit: revision %d of %s %d has been written: %w", r.Number, r.Kind, r.ID, table.ErrRevision))
	return nil
}

// Happened tells, by a consistent read, whether it was this very request that made
// a revision of a record. Whoever did not hear the answer to a transaction learns
// by it what to answer.
func (l Log) Happened(ctx context.Context, kind kinds.Code, id, revision int64) (bool, error) {
	var a audit
	err := l.tenant.Get(ctx, l.tenant.Audit(kind, id, revision), &a)
	if errors.Is(err, table.ErrNotFound) {
		return false, nil
	}
	return err == nil && a.Request == l.actor.Request && a.User == l.actor.User, err
}
