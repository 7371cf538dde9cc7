package keyspace

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Space knows all valid keys. It is safe for concurrent use.
type Space struct {
	kinds      map[string]kinds.Kind
	unique     map[string]bool
	partitions []partition
	indexes    map[string][]pattern
}

// partition is a Partition in a form that keys can be compared with.
type partition struct {
	Partition
	pattern
	items []pattern
}

// pattern is the steps of a key, which are separated by #.
type pattern []step

// step is a fixed text, or a mark: a placeholder for texts of one sort.
type step struct {
	text string
	mark bool
}

// New is the space of the registered kinds, and more: tests add their own.
func New(more ...kinds.Kind) *Space {
	all := slices.Concat(kinds.All(), more)
	s := &Space{kinds: map[string]kinds.Kind{}, unique: map[string]bool{}, indexes: map[string][]pattern{}}
	for _, k := range all {
		s.kinds[string(k.Code)] = k
	}
	for _, name := range uniques(all) {
		s.unique[name] = true
	}
	for _, p := range Partitions() {
		made := partition{Partition: p, pattern: parse(p.Key)}
		for _, item := range p.Items {
			made.items = append(made.items, parse(item.Sort))
		}
		s.partitions = append(s.partitions, made)
	}
	for _, i := range Indexes() {
		for _, p := range i.Partition {
			s.indexes[i.Name] = append(s.indexes[i.Name], parse(p))
		}
	}
	return s
}

func parse(key string) (p pattern) {
	for text := range strings.SplitSeq(key, "#") {
		name := strings.TrimSuffix(strings.TrimPrefix(text, "<"), ">")
		p = append(p, step{text: name, mark: name != text})
	}
	return p
}

// Kind is the kind with a code, if there is one.
func (s *Space) Kind(c kinds.Code) (kinds.Kind, bool) {
	k, ok := s.kinds[string(c)]
	return k, ok
}

// Kinds are all kinds, ordered by code.
func (s *Space) Kinds() (list []kinds.Kind) {
	for _, code := range slices.Sorted(maps.Keys(s.kinds)) {
		list = append(list, s.kinds[code])
	}
	return list
}

// Partition tells whether a partition is registered.
func (s *Space) Partition(pk string) bool { return s.find(pk) != nil }

// Item tells whether a key is registered.
func (s *Space) Item(pk, sk string) bool {
	p := s.find(pk)
	if p == nil {
		return false
	}
	for _, item := range p.items {
		if s.matches(item, sk) {
			return true
		}
	}
	return false
}

// Index tells whether a partition of an index is registered.
func (s *Space) Index(name, hash string) bool {
	for _, p := range s.indexes[name] {
		if s.matches(p, hash) {
			return true
		}
	}
	return false
}

// Of returns the registered kind of a partition, and whether the partition is registered.
func (s *Space) Of(pk string) (Partition, bool) {
	if p := s.find(pk); p != nil {
		return p.Partition, true
	}
	return Partition{}, false
}

func (s *Space) find(pk string) *partition {
	for i := range s.partitions {
		if s.matches(s.partitions[i].pattern, pk) {
			return &s.partitions[i]
		}
	}
	return nil
}

// matches compares a key step by step. A mark at the end of a pattern stands for the rest of
// the key.
func (s *Space) matches(p pattern, key string) bool {
	for i, want := range p {
		text, rest, more := strings.Cut(key, "#")
		if i == len(p)-1 {
			text = key
		} else if !more {
			return false
		}
		if want.mark && !s.stands(want.text, text) || !want.mark && want.text != text {
			return false
		}
		key = rest
	}
	return true
}

// Widths of numbers in keys.
const (
	idDigits     = 12
	bucketDigits = 6
)

// none is the sort key for numbers that no record can have.
const none = "-"

// stands tells whether a mark can stand for a text.
func (s *Space) stands(mark, text string) bool {
	switch mark {
	case "tenant", "number":
		return isNumber(text)
	case "kind":
		_, known := s.kinds[text]
		return known
	case "unique":
		return s.unique[text]
	case "id":
		return len(text) == idDigits && isDigits(text) || text == none
	case "bucket":
		return len(text) == bucketDigits && isDigits(text)
	case "generation", "stripe":
		return isDigits(text)
	case "shard":
		return len(text) == 1 && strings.Contains(shards, text)
	case "word":
		return text != "" && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz-_.") == ""
	case "hash":
		return isHash(text)
	case "uuid":
		return len(text) == len("00000000-0000-0000-0000-000000000000")
	case "text":
		return true
	}
	return false
}

func isDigits(s string) bool {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return s != ""
}

// isHash tells whether a text can be a SHA-256 in base64, as URLs have it. Nothing shorter is one: it could be the
// code of a kind, and a policy's pattern for that kind would match the key.
func isHash(s string) bool {
	return len(s) == base64.RawURLEncoding.EncodedLen(sha256.Size) &&
		strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") == ""
}

// isNumber tells whether a text is a number in its usual form: without a sign and without
// leading zeros.
func isNumber(s string) bool { return isDigits(s) && (s[0] != '0' || s == "0") }

// shards are the names of the shards of a partition that is spread over several.
const shards = "0123456789abcdef"

// Shards is the number of shards of such a partition.
const Shards = len(shards)

// Shard is the name of one shard.
func Shard(i int) string { return shards[i : i+1] }

// Named lists the partitions of a company that are found by name.
func (s *Space) Named(t tenant.ID) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, p := range s.partitions {
			if p.Found == ByName && !s.each(p.Key, t, yield) {
				return
			}
		}
	}
}

// each yields the partitions of a pattern whose marks all stand for known values.
func (s *Space) each(key string, t tenant.ID, yield func(string) bool) bool {
	before, after, _ := strings.Cut(key, "<")
	mark, after, marked := strings.Cut(after, ">")
	if !marked {
		return yield(key)
	}
	for _, value := range s.values(mark, t) {
		if !s.each(before+value+after, t, yield) {
			return false
		}
	}
	return true
}

func (s *Space) values(mark string, t tenant.ID) (list []string) {
	switch mark {
	case "tenant":
		return []string{t.String()}
	case "kind":
		for kind := range s.kinds {
			list = append(list, kind)
		}
	case "unique":
		for name := range s.unique {
			list = append(list, name)
		}
	case "shard":
		return strings.Split(shards, "")
	}
	return list
}

// Numbered lists the partitions of a company that are found by number, where a
// kind's last number is known. The company itself has the number of the company.
func (s *Space) Numbered(t tenant.ID, last func(kinds.Code) int64) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, p := range s.partitions {
			if p.Found != ByNumber {
				continue
			}
			for kind, k := range s.kinds {
				if p.Name == "told" && !k.Timeline {
					continue
				}
				of := strings.NewReplacer("<tenant>", t.String(), "<kind>", kind)
				from, to := int64(1), last(kinds.Code(kind))
				if kinds.Code(kind) == kinds.Company {
					from, to = int64(t), int64(t)
				}
				for id := from; id <= to; id++ {
					if !yield(strings.Replace(of.Replace(p.Key), "<id>", SortID(id), 1)) {
						return
					}
				}
			}
		}
	}
}

// SortID is an id as it is written in keys, which then sort like the ids. For an id that no
// record can have it is a sort key that no record has.
func SortID(id int64) string {
	if id < 0 || id > MaxID {
		return none
	}
	return fmt.Sprintf("%0*d", idDigits, id)
}

// ParseSortID is the id in a text made by SortID.
func ParseSortID(s string) (int64, error) {
	if len(s) != idDigits || !isDigits(s) {
		return 0, fmt.Errorf("table: %q is not the sort key of a record", s)
	}
	return strconv.ParseInt(s, 10, 64)
}

// MaxID is the largest number that a record can have.
const MaxID int64 = 999_999_999_999
