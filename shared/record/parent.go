package record

import (
	"maps"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/audit"
)

// Parent is the record whose history tells the changes of another one, its child.
type Parent struct {
	Kind kinds.Code
	ID   int64
	List string // the list under which the history tells them: "inventories"
}

// childChange is a change of a child as the history of its parent tells it.
type childChange struct {
	parent        Parent
	id            int64
	before, after any // nil if the child does not exist then
}

func (p *trackedRecord[T]) childChanges() []childChange {
	if p.kind.Parent == nil || !p.dirty {
		return nil
	}
	var was, is childChange
	if p.action != create {
		p.side(p.before, &was.parent, &was.before)
	}
	if p.action != remove {
		p.side(p.rec, &is.parent, &is.after)
	}
	was.id = p.rec.meta().ID
	is.id = was.id
	return was.and(&is)
}

// side tells of which parent a record is, and what the parent's history shows of it.
func (p *trackedRecord[T]) side(rec T, parent *Parent, shown *any) {
	*parent, *shown = p.kind.Parent(rec), p.kind.Shown(rec)
}

// and are the changes of a child that was one and is another.
func (was *childChange) and(is *childChange) []childChange {
	switch {
	case was.before == nil:
		return []childChange{*is}
	case is.after == nil:
		return []childChange{*was}
	case was.parent != is.parent: // one parent loses it, the other gets it
		return []childChange{*was, *is}
	}
	is.before = was.before
	return []childChange{*is}
}

func (p *trackedRecord[T]) takeChild(t childChange) bool {
	if p.action == onlyRead || p.kind.Parent != nil {
		return false
	}
	p.children, p.dirty = append(p.children, t), true
	return true
}

// withChildren adds the changes of children to the lists of a view.
func withChildren(lists audit.Lists, children []childChange, side func(childChange) any) audit.Lists {
	if len(children) == 0 {
		return lists
	}
	all := audit.Lists{}
	for name, list := range lists {
		all[name] = maps.Clone(list)
	}
	for _, c := range children {
		if all[c.parent.List] == nil {
			all[c.parent.List] = map[int64]any{}
		}
		if view := side(c); view != nil {
			all[c.parent.List][c.id] = view
		}
	}
	return all
}
