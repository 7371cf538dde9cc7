package estate

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/shared/tenant"
)

// Tally is how many there are, and their bytes.
type Tally struct {
	Number int
	Bytes  int64
}

// Count is what a company has, by what the registry of keys calls it.
type Count struct {
	Items   map[string]Tally // by the pattern of the partition: "T#<tenant>#<kind>#log#<id>"
	Kinds   map[string]Tally // the company's own items again, by kind or name of the partition: "cli"
	Objects map[string]Tally // by folder; versions and marks of deletions
}

// NewCount counts nothing.
func NewCount() *Count {
	return &Count{Items: map[string]Tally{}, Kinds: map[string]Tally{}, Objects: map[string]Tally{}}
}

func add(to map[string]Tally, name string, bytes int64) {
	was := to[name]
	to[name] = Tally{was.Number + 1, was.Bytes + bytes}
}

// Count counts what a company has.
func (e *Estates) Count(ctx context.Context, t tenant.ID, n Numbers) (*Count, error) {
	c := NewCount()
	for item, err := range e.Own(ctx, t, n) {
		if err != nil {
			return nil, err
		}
		pk, size := item.Text("pk"), int64(item.Size())
		add(c.Items, e.Pattern(pk).Key, size)
		add(c.Kinds, KindOf(pk), size)
	}
	for item, err := range e.Outside(ctx, t) {
		if err != nil {
			return nil, err
		}
		add(c.Items, e.Pattern(item.Text("pk")).Key, int64(item.Size()))
	}
	for o, err := range e.Objects(ctx, t) {
		if err != nil {
			return nil, err
		}
		folder, _, _ := strings.Cut(o.Key, "/")
		add(c.Objects, folder, o.Size)
	}
	return c, nil
}

// Total is the sum of the items and of the objects.
func (c *Count) Total() (items, objects Tally) {
	for _, t := range c.Items {
		items = Tally{items.Number + t.Number, items.Bytes + t.Bytes}
	}
	for _, t := range c.Objects {
		objects = Tally{objects.Number + t.Number, objects.Bytes + t.Bytes}
	}
	return items, objects
}

// Print writes a line for each pattern and each folder.
func (c *Count) Print(out io.Writer) error {
	for _, name := range slices.Sorted(maps.Keys(c.Items)) {
		of := c.Items[name]
		if _, err := fmt.Fprintf(out, "%8d items   %12d bytes  %s\n", of.Number, of.Bytes, name); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Objects)) {
		of := c.Objects[name]
		if _, err := fmt.Fprintf(out, "%8d objects %12d bytes  %s/<tenant>/\n", of.Number, of.Bytes, name); err != nil {
			return err
		}
	}
	return nil
}
