package decode

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"mime"
	"mime/multipart"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/say"
)

// The media types that an operation may take.
const (
	TypeJSON      = "application/json"
	TypeForm      = "application/x-www-form-urlencoded"
	TypeMultipart = "multipart/form-data"
)

// maxDepth bounds the nesting of a JSON body. No body of this API has more
// than a few levels besides the free-form extra fields.
const maxDepth = 64

// maxFields bounds the fields of a form.
const maxFields = 1000

// Parse reads a body of one of the accepted media types into a tree of map[string]any, []any,
// string, json.Number, bool and nil, or into a form. An empty body is an empty object,
// whatever its media type.
func Parse(contentType string, body []byte, accepted []string) (any, error) {
	media, params, err := mime.ParseMediaType(contentType)
	if errors.Is(err, mime.ErrInvalidMediaParameter) {
		err = nil // the media type itself could be read
	}
	if len(body) == 0 {
		if media == TypeForm || media == TypeMultipart {
			return form{}, nil
		}
		return map[string]any{}, nil
	}
	if charset := params["charset"]; err != nil || !slices.Contains(accepted, media) || !isUTF8(charset) {
		return nil, fault.New(fault.MediaType, say.UnsupportedMediaType(contentType))
	}
	switch media {
	case TypeForm:
		return parseForm(body)
	case TypeMultipart:
		return parseMultipart(body, params["boundary"])
	default:
		return parseJSON(body)
	}
}

func isUTF8(charset string) bool {
	switch strings.ToLower(charset) {
	case "", "utf-8", "utf8", "us-ascii", "ascii":
		return true
	}
	return false
}

func malformed(format, text string) error {
	return fault.New(fault.Malformed, say.MalformedBody(format, text))
}

func parseJSON(body []byte) (any, error) {
	if err := wellFormedText(body); err != "" {
		return nil, malformed("JSON", err)
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	var tree any
	if err := dec.Decode(&tree); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return nil, malformed("JSON", fmt.Sprintf("%s (char %d)", syntax.Error(), syntax.Offset))
		}
		return nil, malformed("JSON", "unexpected end of JSON input")
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, malformed("JSON", fmt.Sprintf("extra data (char %d)", dec.InputOffset()))
	}
	return tree, nil
}

// wellFormedText finds what encoding/json would silently replace, or read by deep recursion:
// bytes that are not UTF-8, escaped surrogates without their other half, and nesting deeper
// than maxDepth.
func wellFormedText(body []byte) string {
	if !utf8.Valid(body) {
		return notUTF8
	}
	depth, inString := 0, false
	for i := 0; i < len(body); i++ {
		c := body[i]
		switch {
		case inString && c == '\\':
			i++
			if i < len(body) && body[i] == 'u' {
				unit, ok := hex4(body, i+1)
				switch {
				case !ok: // the decoder reports it
				case unit >= 0xDC00 && unit <= 0xDFFF:
					return fmt.Sprintf("unpaired surrogate (char %d)", i-1)
				case unit >= 0xD800 && unit <= 0xDBFF:
					low, ok := hex4(body, i+7)
					if !ok || body[i+5] != '\\' || body[i+6] != 'u' || low < 0xDC00 || low > 0xDFFF {
						return fmt.Sprintf("unpaired surrogate (char %d)", i-1)
					}
					i += 6
				}
			}
		case inString:
			inString = c != '"'
		case c == '"':
			inString = true
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return fmt.Sprintf("nested deeper than %d levels (char %d)", maxDepth, i)
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return ""
}

func hex4(b []byte, at int) (rune, bool) {
	if at+4 > len(b) {
		return 0, false
	}
	var r rune
	for _, c := range b[at : at+4] {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c >= 'a' && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case c >= 'A' && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

// Query reads names and values as a browser writes them. It never fails: a percent sign that
// escapes nothing stands for itself, and bytes that are not UTF-8 are replaced.
func Query(raw string) url.Values {
	values := url.Values{}
	for name, value := range pairs(raw) {
		values.Add(strings.ToValidUTF8(name, "\uFFFD"), strings.ToValidUTF8(value, "\uFFFD"))
	}
	return values
}

// pairs yields the names and values of a query or a form, even if they are not UTF-8.
func pairs(raw string) iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		for pair := range strings.SplitSeq(raw, "&") {
			name, value, _ := strings.Cut(pair, "=")
			if pair != "" && !yield(unescape(name), unescape(value)) {
				return
			}
		}
	}
}

func unescape(s string) string {
	if !strings.ContainsAny(s, "%+") {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '+':
			out = append(out, ' ')
		case c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
			b, _ := strconv.ParseUint(s[i+1:i+3], 16, 8) // two hex digits
			out = append(out, byte(b))
			i += 2
		default:
			out = append(out, c)
		}
	}
	return string(out)
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

const notUTF8 = "the body is not valid UTF-8"

func parseForm(body []byte) (any, error) {
	if bytes.Count(body, []byte("&")) >= maxFields {
		return nil, malformed("Form", "too many fields")
	}
	tree := form{}
	for name, value := range pairs(string(body)) {
		if !utf8.ValidString(name) || !utf8.ValidString(value) {
			return nil, malformed("Form", notUTF8)
		}
		tree[name] = append(tree[name], value)
	}
	return tree, nil
}

func parseMultipart(body []byte, boundary string) (any, error) {
	if boundary == "" {
		return nil, malformed("Multipart form", "Invalid boundary in multipart: None")
	}
	tree := form{}
	r := multipart.NewReader(bytes.NewReader(body), boundary)
	for n := 0; ; n++ {
		part, err := r.NextPart()
		if errors.Is(err, io.EOF) && bytes.Contains(body, []byte("--"+boundary+"--")) { // without its closing boundary the body was cut off
			return tree, nil
		}
		var data []byte
		if err == nil {
			data, err = io.ReadAll(part)
		}
		name := ""
		if err == nil {
			name = part.FormName()
		}
		switch {
		case err != nil:
			return nil, malformed("Multipart form", "the body is cut off, or a part of it is not well-formed")
		case n >= maxFields:
			return nil, malformed("Multipart form", "too many fields")
		case name == "":
		case part.FileName() != "":
			tree[name] = append(tree[name], File{Name: part.FileName(), ContentType: part.Header.Get("Content-Type"), Data: data})
		case !utf8.Valid(data):
			return nil, malformed("Multipart form", notUTF8)
		default:
			tree[name] = append(tree[name], string(data))
		}
	}
}
