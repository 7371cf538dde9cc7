package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// report is docs/performance.json: all that was measured, of which docs/performance.md shows the most wanted.
type report struct {
	Sections []*section `json:"sections"`
}

// section is what one part has measured, or what was measured otherwise and written by hand.
type section struct {
	Part     string   `json:"part,omitempty"` // none where it is written by hand
	Title    string   `json:"title"`
	Measured string   `json:"measured"` // when, and on what
	Figures  []figure `json:"figures,omitempty"`
	Blocks   []block  `json:"blocks,omitempty"`
}

// block is a paragraph, or a table.
type block struct {
	Text    string     `json:"text,omitempty"`
	Columns []string   `json:"columns,omitempty"`
	Rows    [][]string `json:"rows,omitempty"`
}

// figure is one measured value. Without a bound it is only for information.
type figure struct {
	What     string `json:"what"`
	Measured string `json:"measured"`
	Bound    string `json:"bound,omitempty"`
	Held     bool   `json:"held,omitempty"`
	Timed    bool   `json:"timed,omitempty"` // it depends on the machine
	Why      string `json:"why,omitempty"`   // it is missed; written by hand, and kept as long as it is
}

// dataFile and pageFile are where the report's data is, and its page.
const dataFile, pageFile = "docs/performance.json", "docs/performance.md"

// readReport returns what was measured until now.
func readReport(name string) (*report, error) {
	content, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	r := &report{}
	return r, json.Unmarshal(content, r)
}

// take puts sections in the place of those that their parts had before. All others stay, and so do the reasons of bounds that are
// missed again.
func (r *report) take(measured []*section) {
	for _, s := range measured {
		i := slices.IndexFunc(r.Sections, func(old *section) bool { return old.Part == s.Part })
		if i < 0 {
			r.Sections = append(r.Sections, s)
			continue
		}
		for _, old := range r.Sections[i].Figures {
			for j := range s.Figures {
				if f := &s.Figures[j]; f.What == old.What && f.missed() {
					f.Why = old.Why
				}
			}
		}
		r.Sections[i] = s
	}
	order := map[string]int{}
	for i, p := range parts() {
		order[p.name] = i - len(parts()) // what is written by hand comes last
	}
	slices.SortStableFunc(r.Sections, func(a, b *section) int { return order[a.Part] - order[b.Part] })
}

var (
	texts  = regexp.MustCompile(`\[\n\s+"(?:[^"\\\n]|\\.)*"(?:,\n\s+"(?:[^"\\\n]|\\.)*")*\n\s+\]`)
	breaks = regexp.MustCompile(`\n\s+`)
)

// encode writes the data with each row of a table in one line.
func (r *report) encode() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(r); err != nil {
		return nil, err
	}
	return texts.ReplaceAllFunc(b.Bytes(), func(row []byte) []byte {
		row = bytes.ReplaceAll(row, []byte(",\n"), []byte(", \n"))
		return breaks.ReplaceAll(row, nil)
	}), nil
}

// write writes the data, and the page that is made of it.
func (r *report) write(root string) error {
	content, err := r.encode()
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(root, dataFile), content, 0o644); err != nil { //nolint:gosec // a file of the project
		return err
	}
	return os.WriteFile(filepath.Join(root, pageFile), []byte(r.page()), 0o644) //nolint:gosec // a page of the project
}

// joined is a paragraph in one line.
func joined(paragraph string) string { return strings.Join(strings.Fields(paragraph), " ") }
