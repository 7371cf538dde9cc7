package document

import (
	"encoding/hex"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/say"
)

// Answers are written by hand, because a page is up to a thousand documents: by reflection a list of 20 took a fifth more of the
// function's time, and 400 more allocations.

// Typical is how many bytes the answer about a document with a file has.
const Typical = 700

// Reader is whom an answer is for.
type Reader struct {
	Base string // the API's own address
	// Signs says that the reader may know the uuids of signs. Such a uuid is all that its signer shows, so whoever knows it
	// can act as the signer.
	Signs bool
	// Language is the language of the labels of links. Where it is empty the labels are messages, because an answer that is kept for a
	// repeated request gets its language when it is sent. A list names its language, because looking for messages in it takes longer.
	Language say.Language
}

// Encode is the answer about one document.
func Encode(d *Document, to Reader) []byte {
	return d.Append(make([]byte, 0, Typical), to)
}

// Append appends the answer about one document.
func (d *Document) Append(b []byte, to Reader) []byte {
	b = append(b, `{"id":`...)
	b = strconv.AppendInt(b, d.ID, 10)
	b = append(b, `,"uuid":"`...)
	b = append(b, d.UUID.String()...)
	b = append(b, `","name":`...)
	b = appendText(b, d.Name)
	b = append(b, `,"source":`...)
	b = strconv.AppendInt(b, int64(d.Source), 10)
	b = append(b, `,"created_by":`...)
	if d.CreatedBy > 0 {
		b = strconv.AppendInt(b, d.CreatedBy, 10)
	} else {
		b = append(b, "null"...)
	}
	b = append(b, `,"template":`...)
	if d.Template > 0 {
		b = strconv.AppendInt(b, d.Template, 10)
	} else {
		b = append(b, "null"...)
	}
	b = append(b, `,"signed":`...)
	b = strconv.AppendBool(b, d.IsSigned())
	b = append(b, `,"created_at":`...)
	b = appendTime(b, d.Created.Time())
	b = append(b, `,"updated_at":`...)
	b = appendTime(b, d.Updated.Time())
	if l := d.MainLink(); l != nil {
		b = append(b, `,"content_type":`...)
		b = appendText(b, l.Model)
		b = append(b, `,"object_id":`...)
		b = strconv.AppendInt(b, l.ObjectID, 10)
	} else {
		b = append(b, `,"content_type":null,"object_id":null`...)
	}
	b = append(b, `,"files":[`...)
	for i := range d.Files {
		if i > 0 {
			b = append(b, ',')
		}
		b = d.appendFile(b, &d.Files[i], to.Base)
	}
	b = append(b, `],"signs":[`...)
	for i := range d.Signs {
		if i > 0 {
			b = append(b, ',')
		}
		b = d.Signs[i].Append(b, to)
	}
	b = append(b, `],"links":[`...)
	for i := range d.Links {
		if i > 0 {
			b = append(b, ',')
		}
		b = d.Links[i].append(b, to)
	}
	return append(b, ']', '}')
}

func (d *Document) appendFile(b []byte, f *File, base string) []byte {
	id := FileID(d.ID, f.Number)
	b = append(b, `{"id":`...)
	b = strconv.AppendInt(b, id, 10)
	b = append(b, `,"file":"`...)
	b = appendAddress(b, base, d.ID)
	b = append(b, "documents/"...)
	b = strconv.AppendInt(b, id, 10)
	b = append(b, `/","type":`...)
	b = strconv.AppendInt(b, int64(f.Type), 10)
	b = append(b, `,"extra":{"content_type":`...)
	b = appendText(b, f.ContentType)
	b = append(b, `,"size":`...)
	b = strconv.AppendInt(b, f.Size, 10)
	b = append(b, `,"sha256":"`...)
	b = hex.AppendEncode(b, f.SHA256)
	return append(b, `"}}`...)
}

func (l *Link) append(b []byte, to Reader) []byte {
	said := labelsIn(to.Language)
	b = append(b, `{"content_type":`...)
	b = appendText(b, l.Model)
	k, _ := kinds.ByModel(l.Model)
	b = append(b, `,"content_type_label":`...)
	b = appendText(b, said.models[l.Model])
	b = append(b, `,"object_id":`...)
	b = strconv.AppendInt(b, l.ObjectID, 10)
	if l.Role == Secondary {
		b = append(b, `,"role":"secondary","role_label":`...)
		b = appendText(b, said.secondary)
	} else {
		b = append(b, `,"role":"main","role_label":`...)
		b = appendText(b, said.main)
	}
	b = append(b, `,"label":`...)
	b = appendText(b, l.Label)
	b = append(b, `,"url":"`...)
	b = append(b, to.Base...)
	b = append(b, k.One(l.ObjectID)...)
	return append(b, '"', '}')
}

// Append appends a sign with its stages, as staff sees it.
func (s *Sign) Append(b []byte, to Reader) []byte {
	b = append(b, `{"id":`...)
	b = strconv.AppendInt(b, s.ID, 10)
	b = append(b, `,"uuid":`...)
	if to.Signs {
		b = append(b, '"')
		b = append(b, s.UUID.String()...)
		b = append(b, '"')
	} else {
		b = append(b, "null"...)
	}
	b = append(b, `,"method":`...)
	b = strconv.AppendInt(b, int64(s.Method), 10)
	b = append(b, `,"method_allowed":[`...)
	for i, m := range s.Allowed {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(m), 10)
	}
	b = append(b, `],"signer":`...)
	b = s.Signer.append(b)
	b = append(b, `,"status":`...)
	b = strconv.AppendInt(b, int64(s.Status), 10)
	b = append(b, `,"created_at":`...)
	b = appendTime(b, time.UnixMicro(s.CreatedAt))
	b = append(b, `,"updated_at":`...)
	b = appendTime(b, time.UnixMicro(s.UpdatedAt))
	b = append(b, `,"stages":[`...)
	for i := range s.Stages {
		if i > 0 {
			b = append(b, ',')
		}
		b = s.Stages[i].append(b, int64(i+1))
	}
	return append(b, ']', '}')
}

func (p *Signer) append(b []byte) []byte {
	b = append(b, `{"id":`...)
	b = strconv.AppendInt(b, p.ID, 10)
	b = append(b, `,"name":`...)
	b = appendText(b, p.Name)
	b = append(b, `,"phone":`...)
	b = AppendTextOrNull(b, p.Phone)
	b = append(b, `,"email":`...)
	b = AppendTextOrNull(b, p.Email)
	b = append(b, `,"type":`...)
	b = appendText(b, string(p.Type))
	b = append(b, `,"outer_id":`...)
	if p.OuterID == nil {
		return append(b, `null}`...)
	}
	b = strconv.AppendInt(b, *p.OuterID, 10)
	return append(b, '}')
}

// append appends a stage; number is its place among those of its sign.
func (g Stage) append(b []byte, number int64) []byte {
	if !g.IsWhole() { // it was damaged in the table
		return append(b, "null"...)
	}
	b = append(b, `{"id":`...)
	b = strconv.AppendInt(b, number, 10)
	b = append(b, `,"status_from":`...)
	b = strconv.AppendInt(b, int64(g.From()), 10)
	b = append(b, `,"status_to":`...)
	b = strconv.AppendInt(b, int64(g.To()), 10)
	b = append(b, `,"created_at":`...)
	b = appendTime(b, time.UnixMicro(g.At()))
	b = append(b, `,"meta":{"ip":`...)
	if ip := g.IP(); ip != "" {
		b = appendText(b, ip)
	} else {
		b = append(b, "null"...)
	}
	b = append(b, `,"method":`...)
	if m := g.Method(); m != NoMethod {
		b = strconv.AppendInt(b, int64(m), 10)
	} else {
		b = append(b, "null"...)
	}
	b = append(b, `,"user":`...)
	if u := g.User(); u > 0 {
		b = strconv.AppendInt(b, u, 10)
	} else {
		b = append(b, "null"...)
	}
	b = append(b, `,"sha256":"`...)
	b = hex.AppendEncode(b, g.SHA256())
	b = append(b, `","evidence":`...)
	if e := g.Evidence(); e != nil {
		b = append(b, '"')
		b = hex.AppendEncode(b, e)
		b = append(b, '"')
	} else {
		b = append(b, "null"...)
	}
	return append(b, '}', '}')
}

// Address is the API's own address of a document.
func Address(base string, id int64) string { return string(appendAddress(nil, base, id)) }

func appendAddress(b []byte, base string, id int64) []byte {
	b = append(b, base...)
	b = append(b, "/v2/documents/"...)
	return append(strconv.AppendInt(b, id, 10), '/')
}

func appendTime(b []byte, t time.Time) []byte {
	b = append(b, '"')
	b = encode.AppendInstant(b, t)
	return append(b, '"')
}

// AppendTextOrNull appends a JSON string, or null.
func AppendTextOrNull(b []byte, s *string) []byte {
	if s == nil {
		return append(b, "null"...)
	}
	return appendText(b, *s)
}

// appendText writes a JSON string. A text that needs escapes, which is rare, is left to the
// library.
func appendText(b []byte, s string) []byte {
	if !plain(s) {
		encoded, err := encode.JSON(s)
		if err == nil { // encoding a string never fails
			return append(b, encoded...)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' {
			return false
		}
	}
	return utf8.ValidString(s) && !strings.Contains(s, "\u2028") && !strings.Contains(s, "\u2029")
}
