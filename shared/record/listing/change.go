package listing

import (
	"github.com/guregu/dynamo/v2"
)

// change is what a transaction adds to the counters in one item of a bucket.
type change struct {
	counters [attributes]counter
	records  int64 // created ones minus deleted ones
	deletes  bool  // some of the records are deleted
}

// count counts a record; by is 1 for a created and -1 for a deleted one.
func (c *change) count(id, by int64) {
	group := int((id - 1) % Bucket / span)
	c.counters[group/digits].count(group%digits, by)
	c.records += by
	c.deletes = c.deletes || by < 0
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
