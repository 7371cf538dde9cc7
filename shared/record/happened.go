package record

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/record/event"
)

// Happened says what the unit of work does to a record that it creates, changes or removes. Of a record that it creates or removes,
// the event created or deleted comes by itself, before; of one that it changes, the event updated does, if nobody says anything else of
// it, or if what is said tells only a part of what callers see of it (event.Part). So each revision has an event, even if its history
// shows no change: histories leave out addresses. The record has an id: what happens to a new one is said Finally, or after Number.
func (w *Work) Happened(e event.Event) { w.events = append(w.events, e) }

// say works out the events of the unit of work, once its revisions are known: those of each record in one piece, in the order of the
// revisions.
func (w *Work) say() error {
	said, parts := map[event.Ref][]event.Said{}, map[event.Ref][]string{}
	for _, e := range w.events {
		s, err := event.Say(e)
		if err != nil {
			return err
		}
		k, ok := w.kindCalled(s.Name.Record())
		if !ok {
			return fmt.Errorf("record: the event %s begins with no kind of records", s.Name)
		}
		about := event.Ref{Kind: k.Code, ID: s.ID}
		said[about] = append(said[about], s)
		if of, ok := e.(event.Part); ok {
			parts[about] = append(parts[about], of.Tells()...)
		} else {
			parts[about] = append(parts[about], all)
		}
	}
	w.said = nil
	concerned := w.concerned()
	for i := range w.revisions {
		r := &w.revisions[i]
		if err := r.Compare(); err != nil {
			return err
		}
		about := event.Ref{Kind: r.Kind, ID: r.ID}
		r.Events = said[about]
		delete(said, about)
		for n := range r.Events {
			r.Events[n].Revision = r.Number
		}
		kind, _ := w.scope.Table.Kind(r.Kind)
		if s, ok, err := changed(r, kind, parts[about]); err != nil {
			return err
		} else if ok {
			s.Concern(concerned[about]...)
			w.said = append(w.said, s)
		}
		w.said = append(w.said, r.Events...)
	}
	for _, p := range w.tracked {
		k, id := p.kindAndID()
		about := event.Ref{Kind: k.Code, ID: id}
		if !p.writes() {
			continue
		}
		for _, s := range said[about] { // of a record without a history of its own
			s.Revision = p.revision()
			w.said = append(w.said, s)
		}
		delete(said, about)
	}
	for about := range said {
		return fmt.Errorf("record: an event about %s %d, which the unit of work does not write", about.Kind, about.ID)
	}
	return nil
}

// kindCalled returns the kind with a name. ok is false if no kind has it.
func (w *Work) kindCalled(name string) (k kinds.Kind, ok bool) {
	if k, ok = kinds.ByName(name); ok {
		return k, true
	}
	for _, k := range w.scope.Table.Kinds() { // those of tests are not registered
		if k.Name == name {
			return k, true
		}
	}
	return k, false
}

// concerned are the records that events concern which come by themselves, by the records that these are about.
func (w *Work) concerned() map[event.Ref][]event.Ref {
	found := map[event.Ref][]event.Ref{}
	for _, p := range w.tracked {
		if !p.writes() {
			continue
		}
		if refs := p.concerned(); len(refs) > 0 {
			k, id := p.kindAndID()
			found[event.Ref{Kind: k.Code, ID: id}] = refs
		}
	}
	return found
}

func (p *trackedRecord[T]) concerned() (refs []event.Ref) {
	if p.kind.Concerns == nil {
		return nil
	}
	if p.action != remove {
		refs = p.kind.Concerns(p.rec)
	}
	if p.action != create {
		refs = append(refs, p.kind.Concerns(p.before)...)
	}
	return event.Some(refs...)
}

// imports adds the event of an import of records with successive ids.
func (w *Work) imports(k kinds.Kind, first int64, count int) error {
	data, err := encode.JSON(event.ImportedData{First: first, Last: first + int64(count) - 1, Count: int64(count)})
	w.imported = []event.Said{{Name: event.Imported.Of(k), ID: first, Revision: 1, Data: data}}
	return err
}

// all stands for every field, where events tell what has changed.
const all = ""

// changed is the event of a change that comes by itself; false if verbs have said it all. told are the fields that they tell.
func changed(r *audit.Revision, k kinds.Kind, told []string) (s event.Said, ok bool, err error) {
	s = event.Said{ID: r.ID, Revision: r.Number}
	switch {
	case r.Action == audit.Created:
		s.Name = event.Created.Of(k)
	case r.Action == audit.Deleted:
		s.Name = event.Deleted.Of(k)
	default:
		fields := slices.DeleteFunc(r.Changed(), func(field string) bool {
			return slices.ContainsFunc(told, func(name string) bool {
				return name == all || field == name || strings.HasPrefix(field, name+".")
			})
		})
		if len(r.Events) > 0 && len(fields) == 0 { // all is said
			return s, false, nil
		}
		s.Name = event.Updated.Of(k)
		s.Data, err = event.Fields(fields)
	}
	return s, err == nil, err
}

// rise works out the stamp of the unit of work. Each record keeps it (Meta.Stamp), also one whose own last change is earlier: its next
// change would stand before this one in the log otherwise.
func (w *Work) rise() {
	w.stamp = w.scope.moment()
	for _, p := range w.tracked {
		if p.writes() {
			w.stamp = max(w.stamp, p.earliest())
		}
	}
}

func (p *trackedRecord[T]) earliest() moment.Micros {
	return max(p.was().Updated, p.was().Stamp) + 1
}

func (p *trackedRecord[T]) revision() int64 { return p.rec.meta().Revision }
