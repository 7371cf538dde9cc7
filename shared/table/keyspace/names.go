package keyspace

import (
	"slices"
	"strings"

	"github.com/tenantry/tenantry/shared/kinds"
)

// Patterns returns what a policy writes for a name of partitions, for dynamodb:LeadingKeys: patterns
// in which * stands for any text, # included. Together they match the partitions of the name, of
// whatever company, and no others. A name is
//
//	company     a partition that is of no kind, by its Name
//	cli#log     a partition of a kind, by the kind's code and the partition's Name; unique names the
//	            partitions of all unique values of the kind
//	cli         all partitions of a kind
//
// ok is false for a name that is not registered.
func Patterns(name string) (list []string, ok bool) {
	code, part, parted := strings.Cut(name, "#")
	k := kinds.Of(kinds.Code(code))
	if k.Code != "" && !parted {
		list = []string{"T#*#" + code, "T#*#" + code + "#*"}
		part = unique
	}
	for _, p := range Partitions() {
		switch {
		case !p.ofKind():
			if p.Name == name {
				list = append(list, star(p.Key))
			}
		case k.Code == "" || p.Name != part:
		case p.Name == unique:
			for _, name := range k.Unique {
				list = append(list, star(strings.Replace(p.Key, "<unique>", k.UniqueName(name), 1)))
			}
		default:
			list = append(list, star(strings.Replace(p.Key, "<kind>", code, 1)))
		}
	}
	return list, len(list) > 0
}

// IndexPatterns is Patterns for the partitions of an index that hold records of a kind.
func IndexPatterns(index string, k kinds.Code) (list []string, ok bool) {
	at := slices.IndexFunc(Indexes(), func(i Index) bool { return i.Name == index })
	if at < 0 || kinds.Of(k).Code == "" {
		return nil, false
	}
	for _, p := range Indexes()[at].Partition {
		if strings.Contains(p, "<kind>") {
			list = append(list, star(strings.Replace(p, "<kind>", string(k), 1)))
		}
	}
	return list, len(list) > 0
}

// unique is the Name of the partitions of unique values.
const unique = "unique"

// ofKind tells whether the partition is one of many kinds.
func (p Partition) ofKind() bool { return strings.Contains(p.Key, "<kind>") || p.Name == unique }

// FullName is the name of the partition in roles, with <kind> for the code of a kind.
func (p Partition) FullName() string {
	if p.ofKind() {
		return "<kind>#" + p.Name
	}
	return p.Name
}

// star is a key with * instead of its marks.
func star(key string) string {
	before, rest, marked := strings.Cut(key, "<")
	if !marked {
		return key
	}
	_, after, _ := strings.Cut(rest, ">")
	return before + "*" + star(after)
}
