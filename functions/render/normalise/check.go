package normalise

import (
	"bytes"
	"compress/zlib"
	"io"

	"github.com/tenantry/tenantry/functions/render/job"
	"github.com/tenantry/tenantry/shared/say"
)

// active is the refusal of a file that does more than to show pages.
func active(why say.Message) error { return job.Refuse(job.Active, why) }

func signed() error {
	return job.Refuse(job.Signed, say.PDFSigned)
}

// root checks what the whole file does, and returns what of it is kept: nothing that acts, and no claim
// to follow a standard.
func (f *file) keep(root dict) (dict, error) {
	if len(f.dict(root.get("Perms"))) > 0 {
		return nil, signed()
	}
	if err := f.form(root.get("AcroForm")); err != nil {
		return nil, err
	}
	if root.get("AA") != nil {
		return nil, active(say.PDFActs)
	}
	switch open := f.resolve(root.get("OpenAction")).(type) {
	case nil, array, token, name: // a place to begin at; it isn't kept
	case dict:
		if kind := f.resolve(open.get("S")); kind != nil && kind != name("GoTo") {
			return nil, active(say.PDFActs)
		}
	}
	names := f.dict(root.get("Names"))
	for _, key := range []name{"JavaScript", "EmbeddedFiles", "AlternatePresentations", "Renditions"} {
		if tree := f.dict(names.get(key)); len(f.list(tree.get("Names")))+len(f.list(tree.get("Kids"))) > 0 {
			return nil, active(say.PDFHasScriptsOrFiles)
		}
	}
	if f.resolve(root.get("Collection")) != nil || len(f.list(root.get("AF"))) > 0 {
		return nil, active(say.PDFHasFiles)
	}
	out := dict{{"Type", name("Catalog")}, {"Pages", pagesRef}}
	for _, key := range []name{
		"Lang", "MarkInfo", "StructTreeRoot", "OutputIntents", "Outlines", "PageLabels", "PageLayout", "PageMode", "ViewerPreferences",
		"Dests", "OCProperties",
	} {
		if v := root.get(key); v != nil {
			out = append(out, entry{key, v})
		}
	}
	if v := names.get("Dests"); v != nil {
		out = append(out, entry{"Names", dict{{"Dests", v}}})
	}
	return out, nil
}

// form refuses forms that somebody could still fill in. One without fields is left out.
func (f *file) form(v any) error {
	form := f.dict(v)
	if form.get("XFA") != nil {
		return active(say.PDFIsForm)
	}
	fields := f.list(form.get("Fields"))
	for _, field := range fields {
		if d := f.dict(field); d.get("FT") == name("Sig") && f.resolve(d.get("V")) != nil {
			return signed()
		}
	}
	if len(fields) > 0 {
		return active(say.PDFHasFields)
	}
	return nil
}

// check refuses a dict that is about to be written.
func (f *file) check(d dict, stream bool) error {
	for i := range d {
		switch d[i].key {
		case "JS", "JavaScript", "XFA", "AA":
			return active(say.PDFHasScripts)
		case "EF", "EmbeddedFiles", "RichMediaContent", "AF":
			return active(say.PDFHasFiles)
		case "ByteRange":
			return signed()
		case "F", "FFilter", "Ref":
			if stream {
				return active(say.PDFIncomplete)
			}
		case "S":
			if acts(f.resolve(d[i].value)) {
				return active(say.PDFHasActiveLinks)
			}
		case "Subtype":
			if plays(f.resolve(d[i].value)) {
				return active(say.PDFHasMedia)
			}
		case "Type":
			if v := f.resolve(d[i].value); v == name("Sig") || v == name("DocTimeStamp") {
				return signed()
			}
		}
	}
	return nil
}

// acts tells whether a kind of action does more than to go to a place or an address.
func acts(v any) bool {
	switch v {
	case name("Launch"), name("JavaScript"), name("SubmitForm"), name("ImportData"), name("ResetForm"), name("GoToE"), name("GoToR"),
		name("Thread"),
		name("Rendition"), name("Movie"), name("Sound"), name("RichMediaExecute"), name("Hide"), name("SetOCGState"), name("GoTo3DView"):
		return true
	}
	return false
}

// plays tells whether a kind of annotation is more than a note or a link.
func plays(v any) bool {
	switch v {
	case name("FileAttachment"), name("Screen"), name("Movie"), name("Sound"), name("RichMedia"), name("3D"), name("Widget"),
		name("TrapNet"):
		return true
	}
	return false
}

// bounded refuses a stream that would become huge in a reader.
func (f *file) bounded(d dict, stream []byte, content *int) error {
	if f.resolve(d.get("Subtype")) == name("Image") {
		const most = 200_000_000 // pixels
		w, h := number(f.resolve(d.get("Width"))), number(f.resolve(d.get("Height")))
		if w*h > most {
			return job.Refuse(job.TooLarge, say.PDFImageTooLarge)
		}
		return nil
	}
	filters := f.list(d.get("Filter"))
	if len(filters) == 0 {
		filters = array{f.resolve(d.get("Filter"))}
	}
	packed := 0
	for i := range filters {
		switch f.resolve(filters[i]) {
		case name("FlateDecode"), name("Fl"), name("LZWDecode"), name("LZW"), name("RunLengthDecode"), name("RL"):
			packed++
		}
	}
	if packed > 1 {
		return job.Refuse(job.TooLarge, say.PDFPackedTwice)
	}
	if first := f.resolve(filters[0]); first != name("FlateDecode") && first != name("Fl") {
		return nil
	}
	n := 0
	if z, err := zlib.NewReader(bytes.NewReader(stream)); err == nil { // of one that isn't packed, readers show nothing
		unpacked, _ := io.Copy(io.Discard, io.LimitReader(z, mostOneContent+1))
		n = int(unpacked)
	}
	if *content += n; n > mostOneContent || *content > mostContent {
		return job.Refuse(job.TooLarge, say.PDFPagesTooLarge)
	}
	return nil
}
