package keyspace_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table/keyspace"
)

const id, uuid = "000000000123", "0b6f6b0e-6d0e-4d6b-9f3a-0a1b2c3d4e5f"

func TestWhatIsRegistered(t *testing.T) {
	s := keyspace.New(kinds.Kind{Code: "zz", Unique: []string{"tag"}})
	for _, tt := range []struct {
		pk, sk string
		known  bool
	}{
		{"T#7#doc", id, true},
		{"T#7#doc", "-", true},
		{"T#7#doc", "123", false},
		{"T#7#zz", id, true},
		{"T#7#no", id, false},
		{"T#07#doc", id, false},
		{"T#-7#doc", id, false},
		{"T##doc", id, false},
		{"T#7", id, false},
		{"T#7#", id, false},
		{"T#7#doc#gone", id, true},
		{"T#7#doc#went", id, false},
		{"T#7#doc#seq", "-", true},
		{"T#7#doc#seq", id, false},
		{"T#7#doc#dir", "000001", true},
		{"T#7#doc#dir", "000001#0#31", true},
		{"T#7#doc#dir", "000001#0", false},
		{"T#7#doc#dir", "p#" + id, true},
		{"T#7#doc#dir", "s#", true},
		{"T#7#doc#dir", "s#" + id, false},
		{"T#7#doc#log#" + id, id, true},
		{"T#7#doc#log#5", id, false},
		{"T#7#acc#days#" + id, "2026-03", true},
		{"T#7#acc#days#5", "2026-03", false},
		{"T#7#unique#cli.iin#a", "850515300016", true},
		{"T#7#unique#zz.tag#a", "x#y", true},
		{"T#7#unique#cli.iin#g", "850515300016", false},
		{"T#7#unique#cli.iin#aa", "850515300016", false},
		{"T#7#unique#cli.name#a", "x", false},
		{"T#7#outbox", "outbox#01J", true},
		{"T#7#outbox", "01J", false},
		{"T#7#upload", uuid, true},
		{"T#7#replay#" + strings.Repeat("aZ0-_", 8) + "abc", "-", true},
		{"T#7#replay#" + strings.Repeat("aZ0-#", 8) + "abc", "-", false},
		{"T#7#replay#cli", "-", false},
		{"U#3", "family#" + uuid, true},
		{"U#x", "user", false},
		{"E#a#b@example.com", "email", true},
		{"E#a@example.com", "invite#7", true},
		{"E#a@example.com", "invite#x", false},
		{"R#login#a#b@example.com", "1770000000", true},
		{"R#Login#a", "1770000000", false},
		{"G#other", "seq", false},
		{"pending#1", "x", false},
		{"", "", false},
	} {
		if got := s.Item(tt.pk, tt.sk); got != tt.known {
			t.Errorf("%s %s: registered: %t", tt.pk, tt.sk, got)
		}
	}
	for hash, indexes := range map[string][]string{
		"T#7#doc": {"changes"}, "T#7#doc#gone": nil, "pending#3": {"pending"}, "pending#": nil, "failed": {"pending"}, "U#3": nil,
	} {
		for _, i := range keyspace.Indexes() {
			if got := s.Index(i.Name, hash); got != slices.Contains(indexes, i.Name) {
				t.Errorf("%s in the index %s: %t", hash, i.Name, got)
			}
		}
	}
}

// What a company has is found by names and numbers, and by nothing else; see also
// the test of the known world, which looks for every item that the groups write.
func TestWhatBelongsToACompanyIsFound(t *testing.T) {
	s := keyspace.New()
	named := slices.Collect(s.Named(7))
	for _, pk := range []string{"T#7#cli", "T#7#cli#gone", "T#7#unique#cli.iin#0", "T#7#unique#cli.iin#f", "T#7#company", "T#7#com#seq"} {
		if !slices.Contains(named, pk) {
			t.Errorf("%s is not found by name", pk)
		}
	}
	numbered := slices.Collect(s.Numbered(7, func(k kinds.Code) int64 { return map[kinds.Code]int64{kinds.Client: 2, kinds.Order: 1}[k] }))
	if want := []string{
		"T#7#cli#days#000000000001", "T#7#cli#days#000000000002", "T#7#cli#log#000000000001", "T#7#cli#log#000000000002",
		"T#7#com#days#000000000007", "T#7#com#log#000000000007",
		"T#7#ord#days#000000000001", "T#7#ord#log#000000000001", "T#7#ord#told#000000000001", // orders alone have a timeline
	}; !slices.Equal(slices.Sorted(slices.Values(numbered)), want) {
		t.Errorf("found by number: %v", numbered)
	}
	for _, pk := range slices.Concat(named, numbered) {
		if p, ok := s.Of(pk); !ok || strings.Contains(pk, "<") || !strings.HasPrefix(pk, "T#7#") ||
			p.Found != keyspace.ByName && p.Found != keyspace.ByNumber {
			t.Errorf("%s is %+v", pk, p)
		}
	}
	for range s.Named(7) {
		break // a caller may stop
	}
	for range s.Numbered(7, func(kinds.Code) int64 { return 9 }) {
		break
	}
}

// A company's partitions begin with the company, and say how they are found.
func TestPartitionsAreOfACompanyOrNot(t *testing.T) {
	for _, p := range keyspace.Partitions() {
		own := strings.HasPrefix(p.Key, "T#<tenant>#")
		allowed := []keyspace.Found{keyspace.ByTime, keyspace.ByOthers}
		if own {
			allowed = []keyspace.Found{keyspace.ByTime, keyspace.ByName, keyspace.ByNumber}
		}
		if !slices.Contains(allowed, p.Found) {
			t.Errorf("%s is found %q", p.Key, p.Found)
		}
	}
}

func BenchmarkItem(b *testing.B) {
	s := keyspace.New()
	for b.Loop() {
		if !s.Item("T#123456#cli", id) || !s.Item("T#123456#cli#dir", "000001#0#31") {
			b.Fatal("not registered")
		}
	}
}
