package normalise

import (
	"strconv"

	"github.com/tenantry/tenantry/functions/render/job"
	"github.com/tenantry/tenantry/shared/say"
)

// resolve follows refs.
func (f *file) resolve(v any) any {
	for range 20 {
		r, ok := v.(ref)
		if !ok {
			return v
		}
		o := f.objects[int(r)]
		if o == nil {
			return nil
		}
		v = o.value
	}
	return nil
}

func (f *file) dict(v any) dict {
	d, _ := f.resolve(v).(dict)
	return d
}

func (f *file) list(v any) array {
	a, _ := f.resolve(v).(array)
	return a
}

// catalog finds the root of the file: what the last trailer says, or else the last catalog there is.
func (f *file) catalog() dict {
	if d := f.dict(f.root); d.get("Pages") != nil {
		return d
	}
	var found dict
	last := -1
	for number, o := range f.objects {
		if d, ok := o.value.(dict); ok && number > last && d.get("Type") == name("Catalog") {
			found, last = d, number
		}
	}
	return found
}

// inherited is what a page has from the nodes above it.
type inherited struct {
	resources, media, crop any
	rotate                 any
}

func (in inherited) with(d dict) inherited {
	for i, into := range []*any{&in.resources, &in.media, &in.crop, &in.rotate} {
		if v := d.get([]name{"Resources", "MediaBox", "CropBox", "Rotate"}[i]); v != nil {
			*into = v
		}
	}
	return in
}

// tree reads the pages of a file.
type tree struct {
	f     *file
	seen  map[int]bool
	pages []ref
	next  int // a number that no object has
}

const mostLevels = 60

// read reads a node of the tree and what is below it.
func (t *tree) read(v any, in inherited, level int) error {
	if level > mostLevels {
		return job.Refuse(job.NotPDF, say.PDFNestedTooDeep)
	}
	number := -1
	if r, ok := v.(ref); ok {
		number = int(r)
		if t.seen[number] {
			return job.Refuse(job.NotPDF, say.PDFPageTwice)
		}
		t.seen[number] = true
	}
	d, ok := t.f.resolve(v).(dict)
	if !ok {
		return nil
	}
	in = in.with(d)
	if kids := d.get("Kids"); kids != nil {
		for _, kid := range t.f.list(kids) {
			if err := t.read(kid, in, level+1); err != nil {
				return err
			}
		}
		return nil
	}
	page, err := t.page(d, in)
	if err != nil {
		return err
	}
	if number < 0 {
		number = t.next
		t.next++
	}
	t.f.objects[number] = &object{value: page}
	if t.pages = append(t.pages, ref(number)); len(t.pages) > job.MostUploadPages {
		return job.Refuse(job.TooManyPages, say.PDFTooManyPages(job.MostUploadPages))
	}
	return nil
}

// page makes a page that has all that it had from above itself, and nothing that pages don't need.
func (t *tree) page(d dict, in inherited) (dict, error) {
	if d.get("AA") != nil {
		return nil, active(say.PDFActs)
	}
	page := dict{{"Type", name("Page")}, {"Parent", pagesRef}}
	media, ok := t.box(in.media)
	if in.media == nil {
		media, ok = array{token("0"), token("0"), token("612"), token("792")}, true
	}
	if !ok {
		return nil, job.Refuse(job.NotPDF, say.PDFPageSizeWrong)
	}
	page = append(page, entry{"MediaBox", media})
	if crop, ok := t.box(in.crop); ok {
		page = append(page, entry{"CropBox", crop})
	}
	if turn := number(t.f.resolve(in.rotate)); turn != 0 {
		page = append(page, entry{"Rotate", token(strconv.Itoa(((int(turn)/90*90)%360 + 360) % 360))})
	}
	if in.resources != nil {
		page = append(page, entry{"Resources", in.resources})
	}
	for _, key := range []name{"Contents", "Annots", "Group", "UserUnit", "StructParents", "Tabs", "BleedBox", "TrimBox", "ArtBox"} {
		if v := d.get(key); v != nil {
			if key == "Annots" {
				v = t.f.withoutLinks(v)
			}
			page = append(page, entry{key, v})
		}
	}
	return page, nil
}

// box reads a rectangle, which is written with its lower left corner first.
func (t *tree) box(v any) (array, bool) {
	a := t.f.list(v)
	if len(a) != 4 {
		return nil, false
	}
	var n [4]float64
	for i := range a {
		n[i] = number(t.f.resolve(a[i]))
	}
	left, bottom, right, top := min(n[0], n[2]), min(n[1], n[3]), max(n[0], n[2]), max(n[1], n[3])
	if w, h := right-left, top-bottom; !(w >= 3 && h >= 3 && w <= 14_400 && h <= 14_400) {
		return nil, false
	}
	out := make(array, 0, 4)
	for _, x := range []float64{left, bottom, right, top} {
		out = append(out, token(strconv.FormatFloat(x, 'f', -1, 64)))
	}
	return out, true
}

// number is the number that a token is, or 0.
func number(v any) float64 {
	t, ok := v.(token)
	if !ok || !isNumber(t) {
		return 0
	}
	n, err := strconv.ParseFloat(string(t), 64)
	if err != nil || !(n > -1e6 && n < 1e6) {
		return 0
	}
	return n
}

// isNumber tells whether a token is a number as PDF writes them: no exponents, no infinity.
func isNumber(t token) bool {
	digits, points := 0, 0
	for i, c := range []byte(t) {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c == '.':
			points++
		case (c == '-' || c == '+') && i == 0:
		default:
			return false
		}
	}
	return digits > 0 && digits < 40 && points <= 1
}
