package restore

import (
	"cmp"
	"iter"
	"maps"

	"github.com/tenantry/tenantry/infra/operator/estate"
	"github.com/tenantry/tenantry/shared/table"
)

// at is where a stream is; without an item it is at its end.
type at struct {
	item table.Attributes
	err  error
}

func next(pull func() (table.Attributes, error, bool)) at {
	item, err, more := pull()
	if !more || err != nil {
		return at{err: err}
	}
	return at{item: item}
}

// compare orders two places by partition and key; an end comes after everything.
func (a at) compare(b at) int {
	switch {
	case a.item == nil:
		return 1
	case b.item == nil:
		return -1
	}
	x, y := estate.KeyOf(a.item), estate.KeyOf(b.item)
	return cmp.Or(cmp.Compare(x.PK, y.PK), cmp.Compare(x.SK, y.SK))
}

// merge goes through two streams of items, both ordered by partition and key, and calls do with the items of each key; nil stands for
// none. It ends at the first error.
func merge(a, b iter.Seq2[table.Attributes, error], do func(a, b table.Attributes) error) error {
	nextA, stopA := iter.Pull2(a)
	defer stopA()
	nextB, stopB := iter.Pull2(b)
	defer stopB()
	for inA, inB := next(nextA), next(nextB); ; {
		if err := cmp.Or(inA.err, inB.err); err != nil || inA.item == nil && inB.item == nil {
			return err
		}
		order, first, second := inA.compare(inB), inA.item, inB.item
		if order > 0 {
			first = nil
		} else {
			inA = next(nextA)
		}
		if order < 0 {
			second = nil
		} else {
			inB = next(nextB)
		}
		if err := do(first, second); err != nil {
			return err
		}
	}
}

func count(e *estate.Estates, c *estate.Count, item table.Attributes) {
	name := e.Pattern(item.Text("pk")).Key
	was := c.Items[name]
	c.Items[name] = estate.Tally{Number: was.Number + 1, Bytes: was.Bytes + int64(item.Size())}
}

func clone(item table.Attributes) table.Attributes { return maps.Clone(item) }
