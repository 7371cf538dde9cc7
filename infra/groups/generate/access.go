package main

import (
	"bytes"
	"errors"
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
	// reads all of the index: that is for the worker's, whose partitions are of no kind. With kinds in the index of changes come
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

// check refuses names that are not registered, actions that are neither reads nor writes, and statements that would be without
// actions or without partitions.
func (a access) check() error {
	var errs []error
	for _, action := range a.Table {
		if !slices.Contains(slices.Concat(readActions, writeActions), action) {
			errs = append(errs, fmt.Errorf("%q is no action of the table that a request has a use for", action))
		}
	}
	for what, of := range map[string][2][]string{"reads": {a.Reads, readActions}, "writes": {a.Writes, writeActions}} {
		if _, err := patterns(of[0]); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", what, err))
		}
		if sorted := slices.Sorted(slices.Values(of[0])); len(slices.Compact(sorted)) != len(of[0]) {
			errs = append(errs, fmt.Errorf("%s names something twice", what))
		}
		if acts := len(those(a.Table, of[1])) > 0; acts != (len(of[0]) > 0) {
			errs = append(errs, fmt.Errorf("table has such actions: %t, and %s names partitions: %t", acts, what, len(of[0]) > 0))
		}
	}
	for _, index := range slices.Sorted(maps.Keys(a.Indexes)) {
		if !slices.ContainsFunc(keyspace.Indexes(), func(i keyspace.Index) bool { return i.Name == index }) {
			errs = append(errs, fmt.Errorf("%q is no index of the table", index))
			continue
		}
		if list, err := indexPatterns(index, a.Indexes[index]); err != nil || len(list) == 0 && index != pendingIndex {
			errs = append(errs, fmt.Errorf("%s: no kinds, or %w", index, err))
		}
	}
	return errors.Join(append(errs, a.checkSearch())...)
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
	a.Indexes, a.Reads = maps.Clone(a.Indexes), slices.Clone(a.Reads)
	if a.Indexes == nil {
		a.Indexes = map[string][]string{}
	}
	a.Indexes[changesIndex] = searched
	for _, kind := range searched {
		if !slices.Contains(a.Reads, kind+"#live") {
			a.Reads = append(a.Reads, kind+"#live")
		}
	}
	return a
}

// pendingIndex holds nothing but keys of messages that wait, of all companies. Its partitions are of no kind.
const pendingIndex = "pending"

// those are the actions that are among others, in the order in which they are named.
func those(actions, among []string) (list []string) {
	for _, a := range actions {
		if slices.Contains(among, a) {
			list = append(list, a)
		}
	}
	return list
}

// rights writes the statements about the table, and about the segments of what is searched in it.
func rights(a access) (string, error) {
	var b strings.Builder
	write := func(sid string, allowed, patterns []string, resource string) {
		const indent = "              "
		fmt.Fprintf(&b, "\n%s- Sid: %s", indent, sid)
		line := func(depth int, key, value string) {
			fmt.Fprintf(&b, "\n%s%s%s%s", indent, strings.Repeat("  ", depth), key, value)
		}
		line(1, "Effect: ", "Allow")
		line(1, "Action: ", actions("dynamodb", allowed))
		line(1, "Resource: ", resource)
		if len(patterns) > 0 {
			const key = "dynamodb:LeadingKeys: "
			line(1, "Condition:", "")
			line(2, "ForAllValues:StringLike:", "")
			line(3, key, wrapped(indent+"      ", len(key), patterns))
			line(2, "'Null': ", "{dynamodb:LeadingKeys: 'false'}")
		}
	}
	reads := slices.Clone(a.Reads)
	for _, name := range spread(a.Reads) {
		if kind, live := strings.CutSuffix(name, "#live"); live {
			reads = append(reads, kind+"#bulk")
		}
	}
	for _, s := range []struct {
		sid            string
		allowed, names []string
	}{{"Reads", readActions, reads}, {"Writes", writeActions, a.Writes}} {
		if len(s.names) == 0 {
			continue
		}
		list, err := patterns(s.names)
		if err != nil {
			return "", err
		}
		write(s.sid, those(a.Table, s.allowed), list, "!GetAtt Table.Arn")
	}
	for _, index := range slices.Sorted(maps.Keys(a.Indexes)) {
		list, err := indexPatterns(index, a.Indexes[index])
		if err != nil {
			return "", err
		}
		write(title(index)+"Index", []string{"Query"}, list, "!Sub '${Table.Arn}/index/"+index+"'")
	}
	if kinds := a.Indexes[changesIndex]; len(kinds) > 0 {
		const indent = "\n              "
		b.WriteString(indent + "- Sid: Segments" + indent + "  Effect: Allow")
		b.WriteString(indent + "  Action: s3:GetObjectVersion" + indent + "  Resource:")
		for _, kind := range kinds {
			b.WriteString(indent + "    - !Sub '${Bucket.Arn}/" + keyspace.Segments + "/*/" + kind + "/*'")
		}
	}
	return b.String(), nil
}

// wrapped writes one value, or a list of several, after a key of the given length: in lines that are not too long.
func wrapped(indent string, key int, values []string) string {
	if len(values) == 1 {
		return values[0]
	}
	const width = 120
	if line := "[" + strings.Join(values, ", ") + "]"; len(indent)+key+len(line) <= width {
		return line
	}
	var b strings.Builder
	at := width
	for i, v := range values {
		before, after := " ", ","
		if i == 0 {
			before = "["
		}
		if i == len(values)-1 {
			after = "]"
		}
		if at+len(before+v+after) > width {
			b.WriteString(strings.TrimSpace(before) + "\n" + indent + "  ")
			before, at = "", len(indent)+2
		}
		b.WriteString(before + v + after)
		at += len(before + v + after)
	}
	return b.String()
}

// roleFile says what the role of a function that is no group may do in the table.
const roleFile = "role.yaml"

// roles are the functions that are no groups, and whose statements about the table are generated all the same.
func roles() []string { return []string{"authorizer", "worker"} }

// readRole reads the rights of a function that is no group.
func readRole(root, name string) (a access, err error) {
	file := filepath.Join(root, "functions", name, roleFile)
	content, err := os.ReadFile(file)
	if err != nil {
		return a, err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	decoder.KnownFields(true)
	if err = decoder.Decode(&a); err == nil {
		err = a.check()
	}
	if err != nil {
		return a, fmt.Errorf("%s: %w", file, err)
	}
	return a, nil
}
