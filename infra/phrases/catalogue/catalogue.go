// Package catalogue reads the rows of what the platform says, finds what is wrong with them, and writes them as Go.
package catalogue

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Row is a text with its translations.
type Row struct {
	ID       string            `yaml:"-"`
	File     string            `yaml:"-"`
	Code     string            `yaml:"code"`   // by which programs tell it apart, where several rows are one case; else the id
	Params   map[string]string `yaml:"params"` // by name, their types: those of types
	English  string            `yaml:"en"`
	Russian  string            `yaml:"ru"`
	Kazakh   string            `yaml:"kk"`
	Reviewed string            `yaml:"kk_reviewed"` // who signed the Kazakh text off
	Terms    []string          `yaml:"terms"`       // parameters that are words for programmers: Russian and Kazakh texts leave them out
	Words    []string          `yaml:"words"`       // parameters that are words for people: the contract's English text leaves them out
	Unsaid   []string          `yaml:"unsaid"`      // parameters that programs alone learn: no text has them
}

// Texts are the row's texts by language.
func (r Row) Texts() map[string]string {
	return map[string]string{"en": r.English, "ru": r.Russian, "kk": r.Kazakh}
}

// forms is how many forms a word beside a number has in each language, by CLDR's rules for cardinals. (This package doesn't import
// shared/say, because it writes a part of it.)
var forms = map[string]int{"en": 2, "ru": 3, "kk": 2}

// Read returns the rows of all files of a directory, in the order of their ids, or all that is wrong with them.
func Read(dir fs.FS) ([]Row, error) {
	files, err := fs.Glob(dir, "*.yaml")
	if err != nil {
		return nil, err
	}
	var rows []Row
	var wrong []error
	seen := map[string]string{}
	for _, file := range files {
		content, err := fs.ReadFile(dir, file)
		if err != nil {
			return nil, err
		}
		var read map[string]Row
		decoder := yaml.NewDecoder(strings.NewReader(string(content)))
		decoder.KnownFields(true)
		if err := decoder.Decode(&read); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for id, row := range read {
			row.ID, row.File = id, file
			if other, twice := seen[id]; twice {
				wrong = append(wrong, fmt.Errorf("%s: %s: is in %s too", file, id, other))
			}
			seen[id] = file
			for _, fault := range row.Faults() {
				wrong = append(wrong, fmt.Errorf("%s: %s: %s", file, id, fault))
			}
			rows = append(rows, row)
		}
	}
	slices.SortFunc(rows, func(a, b Row) int { return strings.Compare(a.ID, b.ID) })
	slices.SortFunc(wrong, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return rows, errors.Join(wrong...)
}

var (
	name   = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	braces = regexp.MustCompile(`\{([^{}]*)\}`)
)

// Faults are what is wrong with a row by itself.
func (r Row) Faults() (list []string) {
	if !name.MatchString(r.ID) {
		list = append(list, "an id is lower-case words with underscores between them")
	}
	if r.Code != "" && !name.MatchString(r.Code) {
		list = append(list, "a code is lower-case words with underscores between them")
	}
	for p, kind := range r.Params {
		if !name.MatchString(p) {
			list = append(list, fmt.Sprintf("parameter %q is no name", p))
		}
		if _, ok := types[kind]; !ok {
			known := strings.Join(slices.Sorted(maps.Keys(types)), ", ")
			list = append(list, fmt.Sprintf("parameter %s has no type %q, but one of %s", p, kind, known))
		}
	}
	for language, text := range r.Texts() {
		list = append(list, r.faultsIn(language, text)...)
	}
	slices.Sort(list)
	return list
}

// faultsIn are the faults of the text in one language. Each parameter of the row stands in it, or a form that goes with it, and no
// other.
func (r Row) faultsIn(language, text string) (list []string) {
	if strings.TrimSpace(text) == "" || text != strings.TrimSpace(text) {
		return []string{language + ": the text is missing, or has spaces around it"}
	}
	if strings.ContainsAny(braces.ReplaceAllString(text, ""), "{}") {
		list = append(list, language+": a brace is not closed")
	}
	used := map[string]bool{}
	for _, found := range braces.FindAllStringSubmatch(text, -1) {
		parts := strings.Split(found[1], "|")
		kind, ok := r.Params[parts[0]]
		used[parts[0]] = true
		switch {
		case !ok:
			list = append(list, fmt.Sprintf("%s: there is no parameter %q", language, parts[0]))
		case len(parts) > 1 && kind != "number" && (kind != "size" || language != "en"):
			list = append(list, fmt.Sprintf("%s: forms go with a number, and %s is none", language, parts[0]))
		case len(parts) > 1 && len(parts)-1 != forms[language]:
			list = append(list, fmt.Sprintf("%s: %s needs %d forms", language, parts[0], forms[language]))
		}
	}
	for p := range r.Params {
		elsewhere := r.Terms
		if language == "en" {
			elsewhere = r.Words
		}
		if left := slices.Contains(r.Unsaid, p) || slices.Contains(elsewhere, p); used[p] == left {
			list = append(list, fmt.Sprintf("%s: parameter %s is not used, or is a term that doesn't belong there", language, p))
		}
	}
	return list
}

// order of parameters in a function: as the English text names them.
func (r Row) order() []string {
	at := func(p string) int {
		a, b := strings.Index(r.English, "{"+p+"}"), strings.Index(r.English, "{"+p+"|")
		if a < 0 || b >= 0 && b < a {
			return b
		}
		return a
	}
	names := make([]string, 0, len(r.Params))
	for p := range r.Params {
		names = append(names, p)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(at(a), at(b)) })
	return names
}
