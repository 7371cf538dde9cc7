package sheet

import (
	"encoding/xml"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/shared/say"
)

// workbook holds the names of the parts of a workbook that are read.
type workbook struct {
	sheets   []string // the visible ones
	texts    string   // the part with the shared texts; "" if the workbook has none
	styles   string
	from1904 bool // dates are counted from 1904, and not from 1900
}

func readXLSX(data []byte, to *collector) error {
	p, err := openParts(data)
	if err != nil {
		return err
	}
	w, err := p.workbook()
	if err != nil {
		return plain(err)
	}
	dates, err := p.dates(w)
	if err != nil {
		return plain(err)
	}
	for _, name := range w.sheets {
		s := sheet{dates: dates, shared: map[int]*text{}, rows: to}
		if err := s.read(p, name); err != nil {
			return plain(err)
		}
		if err := p.sharedTexts(w.texts, s.shared); err != nil {
			return plain(err)
		}
		if err := s.deliver(); err != nil || to.some() {
			return err
		}
	}
	return nil
}

// plain turns an error into an Error for the sender, when the cell is not known.
func plain(err error) error {
	if errors.Is(err, errLongToken) {
		return broken("a text in it is too long")
	}
	return err
}

// relation is one entry in a part's list of the parts that it refers to.
type relation struct{ id, kind, target string }

// relations lists the parts to which a part refers. If the part has no list of them, the result is empty.
func (p parts) relations(of string) ([]relation, error) {
	folder, name := path.Split(of)
	list := folder + "_rels/" + name + ".rels"
	if !p.has(list) {
		return nil, nil
	}
	var all []relation
	err := p.walk(list, func(_ []string, token xml.Token) error {
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "Relationship" && attr(e, "TargetMode") != "External" {
			all = append(all, relation{attr(e, "Id"), path.Base(attr(e, "Type")), target(of, attr(e, "Target"))})
		}
		return nil
	})
	return all, err
}

func find(all []relation, is func(relation) bool) string {
	if i := slices.IndexFunc(all, is); i >= 0 {
		return all[i].target
	}
	return ""
}

func ofKind(kind string) func(relation) bool {
	return func(r relation) bool { return r.kind == kind }
}

func (p parts) workbook() (workbook, error) {
	top, err := p.relations("")
	if err != nil {
		return workbook{}, err
	}
	main := find(top, ofKind("officeDocument"))
	switch {
	case main == "" && p.has("mimetype"):
		return workbook{}, wrong(0, 0, say.SheetOpenDocument)
	case main == "" || !strings.HasSuffix(main, ".xml"):
		return workbook{}, wrong(0, 0, say.SheetNoWorkbook)
	}
	related, err := p.relations(main)
	if err != nil {
		return workbook{}, err
	}
	w := workbook{texts: find(related, ofKind("sharedStrings")), styles: find(related, ofKind("styles"))}
	err = p.walk(main, func(_ []string, token xml.Token) error {
		e, ok := token.(xml.StartElement)
		switch {
		case !ok:
		case e.Name.Local == "workbookPr":
			w.from1904 = isTrue(attr(e, "date1904"))
		case e.Name.Local == "sheet" && (attr(e, "state") == "" || attr(e, "state") == "visible"):
			id := relationID(e)
			if name := find(related, func(r relation) bool { return r.id == id && r.kind == "worksheet" }); name != "" {
				w.sheets = append(w.sheets, name)
			}
		}
		return nil
	})
	if err == nil && len(w.sheets) == 0 {
		err = wrong(0, 0, say.SheetNoneVisible)
	}
	return w, err
}

// relationID is r:id, which stands beside other ids.
func relationID(e xml.StartElement) string {
	for _, a := range e.Attr {
		if a.Name.Local == "id" && strings.HasSuffix(a.Name.Space, "/relationships") {
			return a.Value
		}
	}
	return ""
}

func isTrue(s string) bool { return s == "1" || s == "true" }

// text is a shared text that cells refer to.
type text struct {
	row, column int // of the first cell that does
	value       strings.Builder
	found       bool
	whole       string
}

// sharedTexts reads the shared texts that cells refer to. Other shared texts are
// not kept.
func (p parts) sharedTexts(name string, wanted map[int]*text) error {
	if len(wanted) == 0 {
		return nil
	}
	if name == "" {
		return broken("it has no shared texts")
	}
	at, size := -1, 0
	err := p.walk(name, func(within []string, token xml.Token) error {
		switch t := token.(type) {
		case xml.StartElement:
			if len(within) == 2 && t.Name.Local == "si" {
				at++
				if want := wanted[at]; want != nil {
					want.found = true
				}
			}
		case xml.CharData:
			want := wanted[at]
			if want == nil || !isText(within[min(2, len(within)):]) {
				return nil
			}
			if want.value.Len()+len(t) > maxCellBytes {
				return longCell(want.row, want.column)
			}
			want.value.Write(t)
			if size += len(t); size > maxText {
				return wrong(0, 0, say.SheetTextsTooLarge(maxText>>20))
			}
		}
		return nil
	})
	if want := wanted[at]; errors.Is(err, errLongToken) && want != nil {
		return longCell(want.row, want.column)
	}
	if err != nil {
		return err
	}
	for _, want := range wanted {
		if !want.found {
			return broken("a cell refers to a text that is not there")
		}
		want.whole = unescapedXML(want.value.String())
	}
	return nil
}

// isText tells whether characters are part of a text, plain or rich, and not
// how it is pronounced. The names are those within si or is.
func isText(within []string) bool {
	return slices.Equal(within, []string{"t"}) || slices.Equal(within, []string{"r", "t"})
}
