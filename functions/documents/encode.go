package documents

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/web"
)

// Answers are written by hand: a page is up to a thousand documents, and
// reflection would take most of the time that a list takes in the function.

const typical = 700 // bytes of a document with a file

// encodeDocument is the answer about one document; base is the API's address.
func encodeDocument(d *document, base string) ([]byte, error) {
	return appendDocument(make([]byte, 0, typical), d, base)
}

// encodeList is the answer of a list.
func encodeList(list web.List[document], base string) ([]byte, error) {
	b := make([]byte, 0, 200+typical*len(list.Results))
	b = append(b, `{"count":`...)
	b = strconv.AppendInt(b, int64(list.Count), 10)
	b = append(b, `,"next":`...)
	b = appendTextOrNull(b, list.Next)
	b = append(b, `,"previous":`...)
	b = appendTextOrNull(b, list.Previous)
	b = append(b, `,"results":[`...)
	for i := range list.Results {
		if i > 0 {
			b = append(b, ',')
		}
		var err error
		if b, err = appendDocument(b, &list.Results[i], base); err != nil {
			return nil, err
		}
	}
	return append(b, ']', '}'), nil
}

func appendDocument(b []byte, d *document, base string) ([]byte, error) {
	b = append(b, `{"id":`...)
	b = strconv.AppendInt(b, d.ID, 10)
	b = append(b, `,"uuid":"`...)
	b = append(b, d.UUID.String()...)
	b = append(b, `","name":`...)
	b = appendText(b, d.Name)
	b = append(b, `,"source":`...)
	b = strconv.AppendInt(b, d.Source, 10)
	b = append(b, `,"created_by":`...)
	if d.CreatedBy > 0 {
		b = strconv.AppendInt(b, d.CreatedBy, 10)
	} else {
		b = append(b, "null"...)
	}
	b = append(b, `,"template":null,"signed":`...)
	b = strconv.AppendBool(b, d.signed())
	b = append(b, `,"created_at":`...)
	b = appendTime(b, time.UnixMicro(d.Created))
	b = append(b, `,"updated_at":`...)
	b = appendTime(b, time.UnixMicro(d.Updated))
	if l := d.mainLink(); l != nil {
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
		b = d.appendFile(b, &d.Files[i], base)
	}
	b = append(b, `],"signs":`...)
	b, err := appendSigns(b, d.Signs)
	if err != nil {
		return nil, fmt.Errorf("documents: signs of %d: %w", d.ID, err)
	}
	b = append(b, `,"links":[`...)
	for i := range d.Links {
		if i > 0 {
			b = append(b, ',')
		}
		b = d.Links[i].append(b, base)
	}
	return append(b, ']', '}'), nil
}

func (d *document) appendFile(b []byte, f *file, base string) []byte {
	id := fileID(d.ID, f.Number)
	b = append(b, `{"id":`...)
	b = strconv.AppendInt(b, id, 10)
	b = append(b, `,"file":"`...)
	b = appendAddress(b, base, d.ID)
	b = append(b, "documents/"...)
	b = strconv.AppendInt(b, id, 10)
	b = append(b, `/","type":`...)
	b = strconv.AppendInt(b, f.Type, 10)
	b = append(b, `,"extra":{"content_type":`...)
	b = appendText(b, f.ContentType)
	b = append(b, `,"size":`...)
	b = strconv.AppendInt(b, f.Size, 10)
	b = append(b, `,"sha256":"`...)
	b = hex.AppendEncode(b, f.SHA256)
	return append(b, `"}}`...)
}

func (l *link) append(b []byte, base string) []byte {
	b = append(b, `{"content_type":`...)
	b = appendText(b, l.Model)
	k, _ := kinds.ByModel(l.Model)
	b = append(b, `,"content_type_label":`...)
	b = appendText(b, k.Label)
	b = append(b, `,"object_id":`...)
	b = strconv.AppendInt(b, l.ObjectID, 10)
	if l.Role == secondaryRole {
		b = append(b, `,"role":"secondary","role_label":"Additional","label":`...)
	} else {
		b = append(b, `,"role":"main","role_label":"Primary","label":`...)
	}
	b = appendText(b, l.Label)
	b = append(b, `,"url":"`...)
	b = append(b, base...)
	b = append(b, k.One(l.ObjectID)...)
	return append(b, '"', '}')
}

// appendSigns leaves signs to reflection: few documents have any.
func appendSigns(b []byte, signs []sign) ([]byte, error) {
	views := make([]DocumentSign, len(signs))
	for i := range signs {
		views[i] = signs[i].view()
	}
	if len(views) == 0 {
		return append(b, "[]"...), nil
	}
	encoded, err := encode.JSON(views)
	return append(b, encoded...), err
}

func (s *sign) view() DocumentSign {
	v := DocumentSign{
		ID: s.ID, UUID: s.UUID, Method: s.Method, MethodAllowed: s.Allowed, Status: s.Status,
		Signer: Signer{
			ID: s.Signer.ID, Name: s.Signer.Name, Phone: s.Signer.Phone, Email: s.Signer.Email,
			Type: s.Signer.Type, OuterID: s.Signer.OuterID,
		},
		CreatedAt: encode.Instant(s.CreatedAt), UpdatedAt: encode.Instant(s.UpdatedAt),
		Stages: make([]DocumentSignStage, len(s.Stages)),
	}
	if v.MethodAllowed == nil {
		v.MethodAllowed = []int64{}
	}
	for i, g := range s.Stages {
		v.Stages[i] = DocumentSignStage{ID: g.ID, StatusFrom: g.From, StatusTo: g.To, CreatedAt: encode.Instant(g.CreatedAt)}
		if g.Meta != "" {
			v.Stages[i].Meta = json.RawMessage(g.Meta)
		}
	}
	return v
}

// address is the API's own address of a document.
func address(base string, id int64) string { return string(appendAddress(nil, base, id)) }

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

func appendTextOrNull(b []byte, s *string) []byte {
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
