package normalise

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/shared/pdflex"

	"github.com/tenantry/tenantry/functions/render/job"
	"github.com/tenantry/tenantry/shared/say"
)

// Refs of what is made anew. No object of a file has their numbers.
const (
	catalogRef = ref(-1)
	pagesRef   = ref(-2)
)

// writer writes what can be reached from the catalog, and checks all that it writes.
type writer struct {
	f       *file
	out     bytes.Buffer
	numbers map[ref]int
	queue   []ref
	places  []int
	content int
}

// number is the new number of an object. What is met for the first time is written later.
func (w *writer) number(r ref) int {
	n, ok := w.numbers[r]
	if !ok {
		w.queue = append(w.queue, r)
		n = len(w.queue)
		w.numbers[r] = n
	}
	return n
}

func (w *writer) all() ([]byte, error) {
	w.out.Grow(len(w.f.data) + 4096)
	w.out.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	w.number(catalogRef)
	w.number(pagesRef)
	info := w.info()
	for i := 0; i < len(w.queue); i++ {
		if i%256 == 0 {
			if err := w.f.ctx.Err(); err != nil {
				return nil, err
			}
		}
		if err := w.object(i+1, w.f.objects[int(w.queue[i])]); err != nil {
			return nil, err
		}
	}
	count := len(w.places)
	if info != "" {
		count++
		w.places = append(w.places, w.out.Len())
		fmt.Fprintf(&w.out, "%d 0 obj\n%s\nendobj\n", count, info)
	}
	xref := w.out.Len()
	fmt.Fprintf(&w.out, "xref\n0 %d\n0000000000 65535 f \n", count+1)
	for _, at := range w.places {
		fmt.Fprintf(&w.out, "%010d 00000 n \n", at)
	}
	sum := sha256.Sum256(w.out.Bytes())
	fmt.Fprintf(&w.out, "trailer\n<<\n/Size %d\n/Root 1 0 R\n", count+1)
	if info != "" {
		fmt.Fprintf(&w.out, "/Info %d 0 R\n", count)
	}
	fmt.Fprintf(&w.out, "/ID [<%x> <%x>]\n>>\nstartxref\n%d\n%%%%EOF\n", sum[:16], sum[:16], xref)
	if w.out.Len() > job.MostUpload+job.MostUpload/4 {
		return nil, job.Refuse(job.TooLarge, say.PDFTooLargeUnpacked)
	}
	return w.out.Bytes(), nil
}

// info is what the file says of itself: the usual texts.
func (w *writer) info() string {
	var s strings.Builder
	d := w.f.dict(w.f.info)
	for _, key := range []name{"Title", "Author", "Subject", "Keywords", "Creator", "Producer", "CreationDate", "ModDate"} {
		if t, ok := w.f.resolve(d.get(key)).(token); ok && isText(t) && len(t) < 4096 {
			fmt.Fprintf(&s, "/%s %s ", key, t)
		}
	}
	if s.Len() == 0 {
		return ""
	}
	return "<<" + strings.TrimSpace(s.String()) + ">>"
}

func (w *writer) object(number int, o *object) error {
	w.places = append(w.places, w.out.Len())
	w.out.WriteString(strconv.Itoa(number) + " 0 obj\n")
	switch {
	case o == nil:
		w.out.WriteString("null")
	case !o.is:
		if err := w.value(o.value); err != nil {
			return err
		}
	default:
		d, _ := o.value.(dict)
		if err := w.f.bounded(d, o.stream, &w.content); err != nil {
			return err
		}
		if err := w.dict(d, o); err != nil {
			return err
		}
		w.out.WriteString("\nstream\n")
		w.out.Write(o.stream)
		w.out.WriteString("\nendstream")
	}
	w.out.WriteString("\nendobj\n")
	return nil
}

func (w *writer) value(v any) error {
	if w.f.leadsAway(v) {
		w.out.WriteString("null")
		return nil
	}
	switch v := v.(type) {
	case token:
		switch {
		case isNumber(v), isText(v), v == "true", v == "false":
			w.out.WriteString(string(v))
		default:
			w.out.WriteString("null")
		}
	case name:
		w.name(v)
	case ref:
		if v >= 0 && w.f.objects[int(v)] == nil {
			w.out.WriteString("null")
			return nil
		}
		w.out.WriteString(strconv.Itoa(w.number(v)) + " 0 R")
	case array:
		w.out.WriteByte('[')
		for i := range v {
			if i > 0 {
				w.out.WriteByte(' ')
			}
			if err := w.value(v[i]); err != nil {
				return err
			}
		}
		w.out.WriteByte(']')
	case dict:
		return w.dict(v, nil)
	default:
		w.out.WriteString("null")
	}
	return nil
}

// dict writes a dict, and the length of its stream where it has one.
func (w *writer) dict(d dict, of *object) error {
	if err := w.f.check(d, of != nil); err != nil {
		return err
	}
	w.out.WriteString("<<")
	for i := range d {
		if of != nil && d[i].key == "Length" || w.f.leadsAway(d[i].value) {
			continue
		}
		w.name(d[i].key)
		w.out.WriteByte(' ')
		if err := w.value(d[i].value); err != nil {
			return err
		}
		w.out.WriteByte('\n')
	}
	if of != nil {
		fmt.Fprintf(&w.out, "/Length %d", len(of.stream))
	}
	w.out.WriteString(">>")
	return nil
}

func (w *writer) name(n name) {
	w.out.WriteByte('/')
	for _, c := range []byte(n) {
		if c <= ' ' || c > '~' || c == '#' || pdflex.IsDelimiter(c) {
			fmt.Fprintf(&w.out, "#%02x", c)
		} else {
			w.out.WriteByte(c)
		}
	}
}

// isText tells whether a token is a string.
func isText(t token) bool {
	if strings.HasPrefix(string(t), "(") {
		return true
	}
	return strings.HasPrefix(string(t), "<") && strings.Trim(string(t), "<>0123456789abcdefABCDEF \n\r\t\f\x00") == ""
}
