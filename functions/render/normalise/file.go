package normalise

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"io"
	"strconv"

	"github.com/tenantry/tenantry/functions/render/job"
	"github.com/tenantry/tenantry/shared/pdflex"
	"github.com/tenantry/tenantry/shared/say"
)

// Bounds of a file.
const (
	mostObjects    = 500_000
	mostUnpacked   = 64 << 20  // bytes of the streams that hold objects
	mostContent    = 512 << 20 // bytes of all other compressed streams but images
	mostOneContent = 128 << 20 // of one of them
)

// object is what a number stands for.
type object struct {
	value  any
	stream []byte // as it lies in the file
	is     bool   // it has a stream, and be it empty
}

// file is a PDF that has been read.
type file struct {
	ctx      context.Context // of one call
	data     []byte
	values   int
	work     int
	unpacked int
	places   map[int]int // where an object begins, the last of each number: behind its "obj"
	objects  map[int]*object
	root     any
	info     any
	id       any
	locked   bool // it is encrypted
}

// read reads all objects from the beginning to the end, whatever its tables of places say: what an
// object is that is there twice, the later one says. Only what is read here is ever written, so
// nothing can hide behind a table.
func read(ctx context.Context, data []byte) (*file, error) {
	f := &file{
		ctx: ctx, data: data, values: mostValues, work: 6*len(data) + 1<<20,
		places: map[int]int{}, objects: map[int]*object{},
	}
	if start := bytes.Index(data[:min(len(data), 1024)], []byte("%PDF-")); start < 0 {
		return nil, job.Refuse(job.NotPDF, say.PDFNone)
	}
	if err := f.find(); err != nil {
		return nil, err
	}
	if err := f.scan(); err != nil {
		return nil, f.because(err)
	}
	if f.locked {
		return nil, job.Refuse(job.Encrypted, say.PDFEncrypted)
	}
	return f, nil
}

// because is what an error of the scanner means.
func (f *file) because(err error) error {
	if errors.Is(err, errBudget) {
		return job.Refuse(job.TooLarge, say.PDFTooManyObjects)
	}
	if errors.Is(err, errSyntax) {
		return job.Refuse(job.NotPDF, say.PDFDamaged)
	}
	return err
}

// find notes where objects begin.
func (f *file) find() error {
	for at := 0; ; {
		next := bytes.Index(f.data[at:], []byte("obj"))
		if next < 0 {
			return nil
		}
		at += next + len("obj")
		if number, ok := f.header(at - len("obj")); ok {
			if f.places[number] = at; len(f.places) > mostObjects {
				return job.Refuse(job.TooLarge, say.PDFTooManyObjects)
			}
		}
	}
}

// header reads the number of an object backwards from its "obj".
func (f *file) header(at int) (number int, ok bool) {
	digits := func() (int, bool) {
		end := at
		for at > 0 && pdflex.IsSpace(f.data[at-1]) {
			at--
		}
		if at == end && end > 0 && f.data[at] != 'o' {
			return 0, false
		}
		end = at
		for at > 0 && end-at < 10 && f.data[at-1] >= '0' && f.data[at-1] <= '9' {
			at--
		}
		n, err := strconv.Atoi(string(f.data[at:end]))
		return n, err == nil
	}
	if _, ok := digits(); !ok {
		return 0, false
	}
	return digits()
}

// scan reads objects and trailers in the order of the file.
func (f *file) scan() error {
	for at, count := 0, 0; ; count++ {
		if count%256 == 0 {
			if err := f.ctx.Err(); err != nil {
				return err
			}
		}
		next := bytes.IndexAny(f.data[at:], "ot")
		if next < 0 {
			return nil
		}
		at += next
		switch {
		case bytes.HasPrefix(f.data[at:], []byte("obj")):
			at += len("obj")
			number, ok := f.header(at - len("obj"))
			if !ok {
				continue
			}
			end, err := f.object(number, at)
			if errors.Is(err, errSyntax) {
				continue // it is as if it weren't there
			}
			if err != nil {
				return err
			}
			at = end
		case bytes.HasPrefix(f.data[at:], []byte("trailer")):
			at += len("trailer")
			s := f.scanner(f.data, at)
			v, err := s.value(0)
			if errors.Is(err, errBudget) {
				return err
			}
			if d, ok := v.(dict); ok {
				f.trailer(d)
				at = s.At
			}
		default:
			at++
		}
	}
}

func (f *file) scanner(data []byte, at int) *scanner {
	return &scanner{Lexer: pdflex.Lexer{Data: data, At: at}, values: &f.values, work: &f.work}
}

// trailer takes what a trailer says. A later one says it anew.
func (f *file) trailer(d dict) {
	if v := d.get("Root"); v != nil {
		f.root = v
	}
	if v := d.get("Info"); v != nil {
		f.info = v
	}
	if v := d.get("ID"); v != nil {
		f.id = v
	}
	if v := d.get("Encrypt"); v != nil && v != token("null") {
		f.locked = true
	}
}

// object reads an object behind its "obj", and says where it ends.
func (f *file) object(number, at int) (end int, err error) {
	s := f.scanner(f.data, at)
	v, err := s.value(0)
	if err != nil {
		return 0, err
	}
	o := &object{value: v}
	if first, ok := asInt(v); ok { // an object may be a ref itself
		mark := s.At
		second, _ := s.value(0)
		third, _ := s.value(0)
		if _, ok := asInt(second); ok && third == token("R") {
			o.value = ref(first)
		} else {
			s.At = mark
		}
	}
	end = s.At
	s.Space()
	d, isDict := v.(dict)
	if isDict && s.Next("stream") {
		if o.stream, end, err = f.stream(d, s.At+len("stream")); err != nil {
			return 0, err
		}
		o.is = true
	}
	f.objects[number] = o
	if len(f.objects) > mostObjects {
		return 0, errBudget
	}
	if o.is {
		switch d.get("Type") {
		case name("XRef"):
			f.trailer(d)
			delete(f.objects, number)
		case name("ObjStm"):
			delete(f.objects, number)
			return end, f.unpack(d, o.stream)
		}
	}
	return end, nil
}

// stream finds the bytes of a stream.
func (f *file) stream(d dict, at int) (data []byte, end int, err error) {
	if at < len(f.data) && f.data[at] == '\r' {
		at++
	}
	if at < len(f.data) && f.data[at] == '\n' {
		at++
	}
	ends := func(at int) (int, bool) {
		for i := 0; i < 3 && at < len(f.data) && pdflex.IsSpace(f.data[at]); i++ {
			at++
		}
		return at + len("endstream"), at <= len(f.data) && bytes.HasPrefix(f.data[at:], []byte("endstream"))
	}
	if n, ok := f.length(d.get("Length")); ok && n <= len(f.data)-at {
		if end, ok := ends(at + n); ok {
			return f.data[at : at+n], end, nil
		}
	}
	n := bytes.Index(f.data[at:], []byte("endstream"))
	if n < 0 {
		f.work -= len(f.data) - at
		return nil, 0, errSyntax
	}
	end = at + n + len("endstream")
	if n > 0 && f.data[at+n-1] == '\n' {
		n--
	}
	if n > 0 && f.data[at+n-1] == '\r' {
		n--
	}
	return f.data[at : at+n], end, nil
}

// length is that of a stream. It may be an object of its own, further on.
func (f *file) length(v any) (int, bool) {
	if r, ok := v.(ref); ok {
		at, ok := f.places[int(r)]
		if !ok {
			return 0, false
		}
		s := f.scanner(f.data, at)
		if v, _ = s.value(0); v == nil {
			return 0, false
		}
	}
	return asInt(v)
}

// unpack reads the objects in a stream.
func (f *file) unpack(d dict, stream []byte) error {
	count, ok1 := asInt(d.get("N"))
	first, ok2 := asInt(d.get("First"))
	if !ok1 || !ok2 {
		return errSyntax
	}
	filter := d.get("Filter")
	if a, ok := filter.(array); ok && len(a) == 1 {
		filter = a[0]
	}
	data := stream
	switch {
	case filter == nil:
	case filter == name("FlateDecode") || filter == name("Fl"):
		var err error
		if data, err = inflate(stream, mostUnpacked-f.unpacked); err != nil {
			return err
		}
		if predicted(d.get("DecodeParms")) {
			return job.Refuse(job.NotPDF, say.PDFPackingUnknown)
		}
	default:
		return job.Refuse(job.NotPDF, say.PDFPackingUnknown)
	}
	f.unpacked += len(data)
	f.work += 3 * len(data)
	heads := f.scanner(data, 0)
	for range count {
		n, err1 := heads.value(0)
		at, err2 := heads.value(0)
		if errors.Is(err1, errBudget) || errors.Is(err2, errBudget) {
			return errBudget
		}
		number, ok1 := asInt(n)
		offset, ok2 := asInt(at)
		if !ok1 || !ok2 || first+offset > len(data) {
			return errSyntax
		}
		s := f.scanner(data, first+offset)
		v, err := s.value(0)
		if errors.Is(err, errBudget) {
			return err
		}
		if err == nil {
			if f.objects[number] = (&object{value: v}); len(f.objects) > mostObjects {
				return errBudget
			}
		}
	}
	return nil
}

func predicted(params any) bool {
	if a, ok := params.(array); ok && len(a) == 1 {
		params = a[0]
	}
	d, ok := params.(dict)
	n, is := asInt(d.get("Predictor"))
	return ok && (d.get("Predictor") != nil && (!is || n > 1))
}

// inflate decompresses up to so many bytes.
func inflate(data []byte, most int) ([]byte, error) {
	z, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, errSyntax
	}
	out, err := io.ReadAll(io.LimitReader(z, int64(most)+1))
	if len(out) > most {
		return nil, errBudget
	}
	if err != nil && !errors.Is(err, zlib.ErrChecksum) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, errSyntax
	}
	return out, nil
}
