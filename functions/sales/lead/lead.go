package lead

import (
	"context"
	"errors"
	"slices"

	"github.com/tenantry/tenantry/functions/tenants/staff"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/nullable"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/column"
	"github.com/tenantry/tenantry/shared/record/event"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
)

// Lead is a lead as it is stored.
type Lead struct {
	record.Meta
	Stage        int64        `dynamo:"s"`
	Funnel       int64        `dynamo:"f"`
	Price        money.Amount `dynamo:"p"`
	Ordering     int64        `dynamo:"o"`
	CancelReason *string      `dynamo:"cr,omitempty,allowempty"` // may be empty
	Extra        decode.JSON  `dynamo:"e"`
	Client       *int64       `dynamo:"cl,omitempty"`
	Manager      *int64       `dynamo:"ma,omitempty"` // number of a user
	Source       *int64       `dynamo:"so,omitempty"` // an attraction method
	Request      *int64       `dynamo:"od,omitempty"` // an order
}

// Shown is what callers and the history see of a lead.
type Shown struct {
	ID           int64        `json:"id"`
	CreatedAt    string       `json:"created_at" format:"date-time"`
	UpdatedAt    string       `json:"updated_at" format:"date-time"`
	Stage        int64        `json:"stage"`
	Funnel       int64        `json:"funnel"`
	Price        money.Amount `json:"price"`
	Ordering     int64        `json:"ordering"`
	CancelReason *string      `json:"cancel_reason" nullable:"true"`
	Extra        decode.JSON  `json:"extra"`
	Tenant       int64        `json:"tenant"`
	Client       *int64       `json:"client" nullable:"true"`
	Manager      *int64       `json:"manager" nullable:"true" doc:"Number of a user"`
	Source       *int64       `json:"source" nullable:"true" doc:"Id of an attraction method"`
	Request      *int64       `json:"request" nullable:"true" doc:"Id of an order"`
	Sale         *int64       `json:"sale" nullable:"true" doc:"Always null"`
}

// extraKey is the key of the custom fields of leads.
const extraKey = "funnel_lead"

// Kind is the kind of leads. A unit of work that makes, changes or removes a lead calls Place or
// Leave, too.
func Kind() *record.Kind[*Lead] { return declared.Get(declare) }

var declared record.Declared[*Lead]

func declare() record.Kind[*Lead] {
	return record.Kind[*Lead]{
		Kind: kinds.Of(kinds.Lead), Shown: func(l *Lead) any { return l.Shown() },
		Columns: columns(), References: references, Concerns: concerns,
		Extras: record.Free(extraKey, func(l *Lead) decode.JSON { return l.Extra }),
	}
}

// Shown returns what callers see of a lead.
func (l *Lead) Shown() Shown {
	return Shown{
		ID: l.ID, CreatedAt: l.CreatedAt(), UpdatedAt: l.UpdatedAt(), Stage: l.Stage, Funnel: l.Funnel, Price: l.Price,
		Ordering:     l.Ordering,
		CancelReason: l.CancelReason, Extra: l.Extra, Tenant: int64(l.Tenant()), Client: l.Client, Manager: l.Manager, Source: l.Source,
		Request: l.Request,
	}
}

// ByClient is the letter of a lead's client in the search.
const ByClient = "c"

// columns are the values by which lists of leads are filtered and ordered.
func columns() []column.Column[*Lead] {
	return []column.Column[*Lead]{
		column.Reference("stage", "s", func(l *Lead) *int64 { return &l.Stage }).Doc("Id of a stage"),
		column.Reference("funnel", "f", func(l *Lead) *int64 { return &l.Funnel }).Doc("Id of a funnel"),
		column.Reference("manager", "m", func(l *Lead) *int64 { return l.Manager }).Doc("Number of a user"),
		column.Reference("client", ByClient, func(l *Lead) *int64 { return l.Client }).Doc("Id of a client"),
		column.Reference("source", "a", func(l *Lead) *int64 { return l.Source }).Doc("Id of an attraction method"),
		column.Amount("price", "p", func(l *Lead) *money.Amount { return &l.Price }).
			Doc("What the lead is worth"),
		column.Number("ordering", "o", func(l *Lead) *int64 { return &l.Ordering }).Doc("Its place among leads"),
	}
}

func references(l *Lead) []record.Reference {
	list := []record.Reference{
		{Field: "stage", Kind: kinds.Stage, ID: l.Stage, Hold: true}, {Field: "funnel", Kind: kinds.Funnel, ID: l.Funnel},
	}
	if l.Client != nil {
		list = append(list, record.Reference{Field: "client", Kind: kinds.Client, ID: *l.Client})
	}
	if l.Source != nil {
		list = append(list, record.Reference{Field: "source", Kind: kinds.AttractionMethod, ID: *l.Source})
	}
	if l.Request != nil {
		list = append(list, record.Reference{Field: "request", Kind: kinds.Order, ID: *l.Request})
	}
	return list
}

// Place checks the place of a lead that a unit of work makes or changes: its stage, the reason
// that a stage of the type CANCEL wants, its manager, and that it keeps its order, which is no other
// client's. It adds the lead's price to the sum of its stage. told says that the caller gave
// cancel_reason. Errors are reported at fields of the body.
// What the checks need is read in one batch.
func Place(ctx context.Context, w *record.Work, l *Lead, told bool) error {
	before, errs := Kind().Before(w, l.ID), w.Errors("")
	if err := w.Load(ctx, asked(w, before, l)...); err != nil {
		return err
	}
	if isNew(before, l, func(l *Lead) *int64 { return l.Manager }) && !errs.Has("manager") {
		member, err := staff.IsMember(ctx, w, *l.Manager)
		if err != nil {
			return err
		}
		if !member {
			errs.Add("manager", say.DoesNotExist(*l.Manager))
		}
	}
	if err := l.keepsOrder(ctx, w, before, errs); err != nil {
		return err
	}
	if err := l.sharesClient(ctx, w, before, errs); err != nil {
		return err
	}
	moves := before == nil || before.Stage != l.Stage
	if !moves && nullable.Same(before.CancelReason, l.CancelReason) {
		told = false // what was read can be sent back, also where the stage has become one of the type CANCEL
	}
	if moves || before.Funnel != l.Funnel || told {
		if err := l.enters(ctx, w, moves, told, errs); err != nil {
			return err
		}
	}
	if before != nil && moves {
		w.Happened(Moved{event.Of(l.ID, concerns(l)...), before.Stage, l.Stage, l.Funnel})
	}
	if before != nil {
		Stages().AddToSums(w, before.Stage, record.Addition{Name: prices, By: before.Price.Neg()})
	}
	Stages().AddToSums(w, l.Stage, record.Addition{Name: prices, By: l.Price})
	return nil
}

// prices is the sum of the prices of the leads of a stage.
const prices = "s"

// enters checks the stage that a lead is in from now on. A lead that moves to a stage that is
// not one of the type CANCEL loses its reason, if the caller does not give one.
func (l *Lead) enters(ctx context.Context, w *record.Work, moves, told bool, errs fault.FieldErrors) error {
	s, err := Stages().Read(ctx, w, l.Stage)
	if errors.Is(err, fault.ErrNotFound) {
		return nil // the references are checked later
	}
	if err != nil {
		return err
	}
	if s.Funnel != l.Funnel && !errs.Has("funnel") {
		if _, err := Funnels().Read(ctx, w, l.Funnel); err == nil { // one that does not exist is the error of its own field
			errs.Add("stage", say.StageOfOtherFunnel)
		} else if !errors.Is(err, fault.ErrNotFound) {
			return err
		}
	}
	switch {
	case s.Type == Cancel && (l.CancelReason == nil || *l.CancelReason == "") && (moves || told):
		errs.Add("cancel_reason", say.CancelReasonMissing)
	case s.Type != Cancel && moves && !told:
		l.CancelReason = nil
	}
	return nil
}

// asked are the keys of what a lead names and has not named before, and of what checks its free
// part.
func asked(w *record.Work, before, l *Lead) (keys []table.Key) {
	t := w.Scope().Table
	var known []record.Reference
	if before != nil {
		known = references(before)
	}
	for _, r := range references(l) {
		if !slices.Contains(known, r) {
			keys = append(keys, t.Record(r.Kind, r.ID))
		}
	}
	if l.pairs(before) && !isNew(before, l, func(l *Lead) *int64 { return l.Request }) {
		keys = append(keys, t.Record(kinds.Order, *l.Request))
	}
	if l.parts(before) {
		keys = append(keys, t.Record(kinds.Order, *before.Request))
	}
	if isNew(before, l, func(l *Lead) *int64 { return l.Manager }) {
		keys = append(keys, t.Member(*l.Manager))
	}
	if before == nil || string(before.Extra) != string(l.Extra) {
		keys = append(keys, t.Definitions(extraKey))
	}
	return keys
}

// isNew tells whether a lead names a record that it did not name before.
func isNew(before, l *Lead, of func(l *Lead) *int64) bool {
	named := of(l)
	if named == nil || before == nil {
		return named != nil
	}
	was := of(before)
	return was == nil || *was != *named
}

// Leave takes the price of a lead that a unit of work removes from the sum of its stage.
func Leave(w *record.Work, l *Lead) {
	Stages().AddToSums(w, l.Stage, record.Addition{Name: prices, By: l.Price.Neg()})
}
