package keyspace_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table/keyspace"
)

func TestPatterns(t *testing.T) {
	for _, tt := range []struct {
		name string
		want []string
	}{
		{"company", []string{"T#*#company"}},
		{"user", []string{"U#*"}},
		{"users", []string{"G#user"}},
		{"cli#live", []string{"T#*#cli"}},
		{"cli#log", []string{"T#*#cli#log#*"}},
		{"cli#unique", []string{"T#*#unique#cli.iin#*", "T#*#unique#cli.bin#*"}},
		{"cli", []string{"T#*#cli", "T#*#cli#*", "T#*#unique#cli.iin#*", "T#*#unique#cli.bin#*"}},
		{"pt", []string{"T#*#pt", "T#*#pt#*"}},
		{"pt#unique", nil},
		{"pt#", nil},
		{"pt#company", nil},
		{"no#log", nil},
		{"live", nil},
		{"unique", nil},
		{"", nil},
	} {
		if got, ok := keyspace.Patterns(tt.name); !slices.Equal(got, tt.want) || ok != (tt.want != nil) {
			t.Errorf("%s: %q, %t", tt.name, got, ok)
		}
	}
	for _, tt := range []struct {
		index string
		kind  kinds.Code
		want  []string
	}{
		{"changes", kinds.Client, []string{"T#*#cli"}},
		{"children", kinds.Transaction, []string{"T#*#trn#of#*#*"}},
		{"changes", "no", nil},
		{"pending", kinds.Client, nil},
		{"no", kinds.Client, nil},
	} {
		if got, ok := keyspace.IndexPatterns(tt.index, tt.kind); !slices.Equal(got, tt.want) || ok != (tt.want != nil) {
			t.Errorf("%s of %s: %q, %t", tt.index, tt.kind, got, ok)
		}
	}
}

// sampled is a key, with all names that stand for its partition.
type sampled struct {
	key   string
	names []string
}

// sample draws a key of each partition of the registry.
func sample(t *rapid.T) (list []sampled) {
	all := kinds.All()
	text := rapid.StringMatching(`([a-z#*?.@-]|cli|log|T#7#)+`)
	draw := map[string]*rapid.Generator[string]{
		"tenant": rapid.StringMatching(`[1-9][0-9]{0,17}`), "number": rapid.StringMatching(`[1-9][0-9]{0,17}`),
		"id": rapid.StringMatching(`[0-9]{12}|-`), "shard": rapid.StringMatching(`[0-9a-f]`), "word": rapid.StringMatching(`[a-z._-]+|cli|log`),
		"uuid": rapid.StringMatching(`[0-9a-f-]{36}`), "hash": rapid.StringMatching(`[A-Za-z0-9_-]{43}`), "text": text,
	}
	marks := regexp.MustCompile(`<[a-z]+>`)
	fill := func(key string) string {
		return marks.ReplaceAllStringFunc(key, func(m string) string { return draw[strings.Trim(m, "<>")].Draw(t, m) })
	}
	for _, p := range keyspace.Partitions() {
		switch {
		case p.Name == "unique":
			for _, k := range all {
				for _, name := range k.Unique {
					key := strings.Replace(p.Key, "<unique>", k.UniqueName(name), 1)
					list = append(list, sampled{fill(key), []string{string(k.Code), string(k.Code) + "#unique"}})
				}
			}
		case strings.Contains(p.Key, "<kind>"):
			for _, k := range all {
				key := strings.Replace(p.Key, "<kind>", string(k.Code), 1)
				list = append(list, sampled{fill(key), []string{string(k.Code), string(k.Code) + "#" + p.Name}})
			}
		default:
			list = append(list, sampled{fill(p.Key), []string{p.Name}})
		}
	}
	return list
}

// matches compares a text with patterns as policies do.
func matches(patterns []string, text string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		parts, rest := strings.Split(p, "*"), text
		for i, part := range parts {
			at := strings.Index(rest, part)
			switch {
			case i == len(parts)-1 && i > 0:
				return strings.HasSuffix(rest, part)
			case at < 0 || i == 0 && at > 0:
				return false
			}
			rest = rest[at+len(part):]
		}
		return rest == ""
	})
}

// The patterns of a name match its partitions of any company, and none of another name: * in a
// pattern also stands for the # between the parts of a key.
func TestPatternsMatchTheirPartitionsAlone(t *testing.T) {
	patterns := map[string][]string{}
	space := keyspace.New()
	rapid.Check(t, func(r *rapid.T) {
		keys := sample(r)
		for _, k := range keys {
			if !space.Partition(k.key) {
				r.Fatalf("%s is not registered", k.key)
			}
			for _, name := range k.names {
				if patterns[name] == nil {
					patterns[name], _ = keyspace.Patterns(name)
				}
			}
		}
		for name, list := range patterns {
			for _, k := range keys {
				if got, want := matches(list, k.key), slices.Contains(k.names, name); got != want {
					r.Fatalf("%s is of %v, and the patterns of %s (%s) match it: %t", k.key, k.names, name, list, got)
				}
			}
		}
	})
}

// The same for the partitions of the indexes.
func TestPatternsOfIndexesMatchTheirPartitionsAlone(t *testing.T) {
	for _, i := range keyspace.Indexes() {
		for _, p := range i.Partition {
			if !strings.Contains(p, "<kind>") {
				continue // of no kind: nobody but the worker has it
			}
			for _, k := range kinds.All() {
				patterns, _ := keyspace.IndexPatterns(i.Name, k.Code)
				for _, other := range kinds.All() {
					for _, parent := range kinds.All() {
						key := strings.Replace(strings.Replace(p, "<tenant>", "17", 1), "<kind>", string(other.Code), 1)
						key = strings.Replace(strings.Replace(key, "<kind>", string(parent.Code), 1), "<id>", id, 1)
						if got := matches(patterns, key); got != (other.Code == k.Code) {
							t.Fatalf("%s in %s, and the patterns of %s match it: %t", key, i.Name, k.Code, got)
						}
					}
				}
			}
		}
	}
}

// A name stands for one thing.
func TestNamesOfPartitions(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range kinds.All() {
		seen[string(k.Code)] = true
	}
	for _, p := range keyspace.Partitions() {
		if p.Name == "" || strings.Trim(p.Name, "abcdefghijklmnopqrstuvwxyz") != "" || seen[p.Name] {
			t.Errorf("%s is named %q, as something else is", p.Key, p.Name)
		}
		seen[p.Name] = true
	}
}
