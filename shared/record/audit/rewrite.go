package audit

import (
	"github.com/tenantry/tenantry/shared/table"
)

// Changes are what an audit record tells, as it is stored.
func Changes(item table.Attributes) (changes []Change, err error) {
	var a audit
	if err := item.Decode(&a); err != nil {
		return nil, err
	}
	err = unpack(a.Changes, a.Zipped, &changes)
	return changes, err
}

// Rewrite lets a function put other values into the changes of an audit record; it tells whether it did. Where it did not, the record
// stays as it is. A history never changes: this is for whoever brings records to another company, where their numbers differ.
func Rewrite(item table.Attributes, anew func(c *Change) (changed bool, err error)) error {
	changes, err := Changes(item)
	if err != nil {
		return err
	}
	some := false
	for i := range changes {
		changed, err := anew(&changes[i])
		if err != nil {
			return err
		}
		some = some || changed
	}
	if !some {
		return nil
	}
	packed, zipped, err := pack(changes)
	if err != nil {
		return err
	}
	item.SetBytes("c", packed)
	if delete(item, "z"); zipped {
		item.SetBool("z", true)
	}
	return nil
}
