package directory

import (
	"fmt"
	"slices"

	"github.com/guregu/dynamo/v2"
)

// change is what is added to one item of a bucket.
type change struct {
	counters [attributes]counter
	records  int64
}

// count counts a record, or with -1 its end.
func (c *change) count(id, by int64) {
	group := int((id - 1) % Bucket / span)
	c.counters[group/digits].count(group%digits, by)
	c.records += by
}

// on adds the change to an update.
func (c *change) on(u *dynamo.Update) *dynamo.Update {
	u = u.Add("n", c.records).Set("v", version)
	for a, by := range c.counters {
		if by != (counter{}) {
			u = u.Add(name(a), by.number())
		}
	}
	return u
}

// count gives the changes of creating records, by bucket.
func count(ids, used []int64) (map[int]*change, error) {
	changes := map[int]*change{}
	for i, id := range used {
		if !slices.Contains(ids, id) || slices.Contains(used[:i], id) {
			return nil, fmt.Errorf("directory: id %d is not the caller's to use", id)
		}
		b := bucketOf(id)
		if changes[b] == nil {
			changes[b] = new(change)
		}
		changes[b].count(id, 1)
	}
	return changes, nil
}
