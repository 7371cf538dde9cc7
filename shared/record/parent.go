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

// told is a change of a child as the history of its parent tells it.
type told struct {
	parent        Parent
	id            int64
	before, after any // nil if the child does not exist then
}

func (p *one[T]) tells() []told {
	if p.kind.Parent == nil || !p.dirty {
		return nil
	}
	id := metaOf(p.rec).ID
	var was, is told
	if p.before != nil {
		was = told{parent: p.kind.Parent(p.before), id: id, before: p.kind.Shown(p.before)}
	}
	if p.doing != removes {
		is = told{parent: p.kind.Parent(p.rec), id: id, after: p.kind.Shown(p.rec)}
	}
	return was.and(is)
}

// and are the changes of a child that was one and is another.
func (was told) and(is told) []told {
	switch {
	case was.before == nil:
		return []told{is}
	case is.after == nil:
		return []told{was}
	case was.parent != is.parent: // one parent loses it, the other gets it
		return []told{was, is}
	}
	is.before = was.before
	return []told{is}
}

func (p *one[T]) takes(t told) bool {
	if p.doing == reads || p.kind.Parent != nil {
		return false
	}
	p.told, p.dirty = append(p.told, t), true
	return true
}

// with adds the changes of children to the lists of a view.
func with(lists audit.Lists, children []told, side func(told) any) audit.Lists {
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
