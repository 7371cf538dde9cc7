package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/customfield"
	"github.com/tenantry/tenantry/shared/table/keyspace"
)

// access is what a role may do in the table. It has two statements for the table itself, one for what it reads and one for what it
// writes, and one for each index. A statement allows its actions on the partitions that it names, of all companies: which company a
// request sees is decided by the guard of shared/table.
type access struct {
	// Table are actions on the table, without "dynamodb:".
	Table []string `yaml:"table"`
	// Reads and Writes name the partitions on which those actions are allowed: names of shared/table/keyspace (docs/keys.md), or a
	// set of them (see sets). A transaction's conditions on items that it doesn't write are reads. What a unit of work writes it reads
	// too, messages and histories as well: they tell what became of a transaction whose answer was lost. And who reads live records
	// of a kind (cli#live) may also read how its imports ended (cli#bulk): records of an import count from its end on.
	Reads  []string `yaml:"reads"`
	Writes []string `yaml:"writes"`
	// Indexes are the indexes of the table that are queried, each with the kinds whose partitions are. A role without kinds
	// reads all of the index: that is for dispatch, as the partitions of pending are of no kind. With kinds in the index of changes come
	// the segments of these kinds, and it takes their records and directories among what is read.
	Indexes map[string][]string `yaml:"indexes"`
}

// Actions of the table by what they do.
var (
	readActions  = []string{"GetItem", "BatchGetItem", "Query", "ConditionCheckItem"}
	writeActions = []string{"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem"}
)

// sets are names that stand for several: what a group may meet follows from the registries, and a kind that is added there must not
// be forgotten here.
func sets() map[string][]string {
	all := map[string][]string{}
	for _, k := range kinds.All() {
		if slices.Contains(customfield.Referable(), k.Name) { // records that custom fields may refer to
			all["references"] = append(all["references"], string(k.Code)+"#live")
		}
		if k.Model != "" { // records that documents may be linked to
			all["links"] = append(all["links"], string(k.Code)+"#live")
		}
		if k.Path != "" { // records that are read at a path of their own
			all["shown"] = append(all["shown"], string(k.Code)+"#live")
		}
		for _, p := range keyspace.Partitions() { // a part of every kind: every#log
			part, ok := strings.CutPrefix(p.FullName(), "<kind>")
			if _, has := keyspace.Patterns(string(k.Code) + part); ok && has { // not every kind has unique values
				all["every"+part] = append(all["every"+part], string(k.Code)+part)
			}
		}
	}
	return all
}

// spread replaces sets by the names that they stand for.
func spread(names []string) (list []string) {
	sets := sets()
	for _, name := range names {
		if sets[name] != nil {
			list = append(list, sets[name]...)
		} else {
			list = append(list, name)
		}
	}
	return list
}

// patterns returns the key patterns of names, in the order of the names and each once.
func patterns(names []string) (list []string, err error) {
	for _, name := range spread(names) {
		found, ok := keyspace.Patterns(name)
		if !ok {
			return nil, fmt.Errorf("%q is no name of shared/table/keyspace", name)
		}
		list = append(list, found...)
	}
	return unique(list), nil
}

// unique leaves out patterns that come again, or whose keys another one matches.
func unique(list []string) (once []string) {
	for i, p := range list {
		covered := slices.ContainsFunc(list, func(o string) bool {
			matches, err := path.Match(o, p) // path.Match stops * at a slash, and no pattern has one
			return err == nil && matches && o != p
		})
		if !covered && !slices.Contains(list[:i], p) {
			once = append(once, p)
		}
	}
	return once
}

// indexPatterns returns the key patterns that kinds have in an index.
func indexPatterns(index string, names []string) (list []string, err error) {
	for _, name := range names {
		found, ok := keyspace.IndexPatterns(index, kinds.Code(name))
		if !ok {
			return nil, fmt.Errorf("%q is no kind with partitions in an index %q", name, index)
		}
		list = append(list, found...)
	}
	return unique(list), nil
}

// grant is a statement about the table, or about an index of it.
type grant struct {
	Sid, Resource string
	Actions, Keys []string // without "dynamodb:", and the patterns of the keys
}

// Statements returns the statements about the table. It refuses names that are not registered, actions that are neither reads nor
// writes, and statements that would be without actions or without partitions.
func (a access) Statements() (all []grant, err error) {
	if strange := without(a.Table, slices.Concat(readActions, writeActions)); len(strange) > 0 {
		return nil, fmt.Errorf("%q: no actions of the table that a request has a use for", strange)
	}
	reads := slices.Clone(a.Reads)
	for _, name := range spread(a.Reads) {
		if kind, live := strings.CutSuffix(name, "#live"); live {
			reads = append(reads, kind+"#bulk")
		}
	}
	for _, s := range []struct {
		sid                  string
		among, named, spread []string
	}{{"Reads", readActions, a.Reads, reads}, {"Writes", writeActions, a.Writes, a.Writes}} {
		keys, err := patterns(s.spread)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.sid, err)
		}
		acts := without(a.Table, without(a.Table, s.among))
		if len(slices.Compact(slices.Sorted(slices.Values(s.named)))) != len(s.named) || (len(acts) > 0) != (len(keys) > 0) {
			return nil, fmt.Errorf("%s: the actions %v on %v: one of both is missing, or something stands twice", s.sid, acts, s.named)
		}
		if len(keys) > 0 {
			all = append(all, grant{s.sid, "!GetAtt Table.Arn", acts, keys})
		}
	}
	for _, index := range slices.Sorted(maps.Keys(a.Indexes)) {
		keys, err := indexPatterns(index, a.Indexes[index])
		if err != nil || len(keys) == 0 && index != pendingIndex {
			return nil, fmt.Errorf("the index %s: no kinds, or %w", index, err)
		}
		all = append(all, grant{title(index) + "Index", "!Sub '${Table.Arn}/index/" + index + "'", []string{"Query"}, keys})
	}
	return all, a.checkSearch()
}

// checkSearch refuses kinds in the index of changes whose records or directories are not read: a search needs both.
func (a access) checkSearch() error {
	read, err := patterns(a.Reads)
	for _, kind := range a.Indexes[changesIndex] {
		if err != nil {
			return err
		}
		for _, part := range []string{"#live", "#dir"} {
			need, _ := keyspace.Patterns(kind + part)
			if all := unique(slices.Concat(read, need)); len(all) > len(read) {
				return fmt.Errorf("%s: %s without reading %s", changesIndex, kind, kind+part)
			}
		}
	}
	return nil
}

// changesIndex holds what was written of a kind's records since its segments were made.
const changesIndex = "changes"

// merging returns the rights of the function that makes segments, with what that takes: the changes and the records of
// each kind that a group searches.
func merging(a access, all []declaration) access {
	var searched []string
	for _, d := range all {
		searched = append(searched, d.Indexes[changesIndex]...)
	}
	slices.Sort(searched)
	if searched = slices.Compact(searched); len(searched) == 0 {
		return a
	}
	indexes := map[string][]string{changesIndex: searched}
	maps.Copy(indexes, a.Indexes)
	a.Indexes, a.Reads = indexes, slices.Clone(a.Reads)
	for _, kind := range searched {
		if !slices.Contains(a.Reads, kind+"#live") {
			a.Reads = append(a.Reads, kind+"#live")
		}
	}
	return a
}

// pendingIndex holds nothing but keys of messages that wait, of all companies. Its partitions are of no kind.
const pendingIndex = "pending"

// without leaves out what is among others.
func without(list, others []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(a string) bool { return slices.Contains(others, a) })
}

// roleFile says what the role of a function that is no group may do in the table.
const roleFile = "role.yaml"

// roles are the functions that are no groups, and whose statements about the table are generated all the same. What carries out messages
// has one role, which is the worker's; but deliver, which talks to strangers, has its own.
func roles() []string { return []string{"authorizer", "deliver", "dispatch", "worker"} }

// role is the content of a roleFile.
type role struct {
	access `yaml:",inline"`
	// Calls are the invoked functions that the function calls.
	Calls []string `yaml:"calls"`
}

// readRole reads the rights of a function that is no group.
func readRole(root, name string) (r role, err error) {
	err = decode(filepath.Join(root, "functions", name, roleFile), &r)
	return r, err
}

// decode reads a file that has no other fields than these.
func decode(file string, into any) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	decoder.KnownFields(true)
	return decoder.Decode(into)
}
