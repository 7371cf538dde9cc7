package decode_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"reflect"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/say"
)

func TestMediaType(t *testing.T) {
	const no = `"unsupported_media: Unsupported media type \"%s\" in request."`
	for _, c := range []struct{ contentType, body, want string }{
		{"application/json", `{"i":1}`, `{"i":1}`},
		{"APPLICATION/JSON", `{"i":1}`, `{"i":1}`},
		{"application/json; charset=UTF-8", `{"i":1}`, `{"i":1}`},
		{`application/json;charset="utf-8"`, `{"i":1}`, `{"i":1}`},
		{"application/json;", `{"i":1}`, `{"i":1}`},
		{"application/json; charset", `{"i":1}`, `{"i":1}`},
		{"application/json; charset=utf-16", `{"i":1}`, fmt.Sprintf(no, "application/json; charset=utf-16")}, // ours
		{"text/plain", `{"i":1}`, fmt.Sprintf(no, "text/plain")},
		{"", `{"i":1}`, fmt.Sprintf(no, "")},
		{"json", `{"i":1}`, fmt.Sprintf(no, "json")},
		{"application/vnd.api+json", `{"i":1}`, fmt.Sprintf(no, "application/vnd.api+json")},
		{`application/xml; a="b"`, `{}`, fmt.Sprintf(no, `application/xml; a=\"b\"`)},
		{"text/plain", ``, `{}`},
		{"", ``, `{}`},
		{"multipart/form-data", ``, `{}`},
		{"multipart/form-data", `x`, `"malformed: Multipart form parse error - Invalid boundary in multipart: None"`},
	} {
		if got := read(c.contentType, []byte(c.body), false); got != c.want {
			t.Errorf("%s %s\n got %s\nwant %s", c.contentType, c.body, got, c.want)
		}
	}
	_, err := decode.Parse("multipart/form-data; boundary=a", []byte("x"), []string{decode.TypeJSON})
	if f, _ := fault.As(err); f == nil || f.Code != fault.MediaType {
		t.Errorf("a media type that the operation does not take: %v", err)
	}
}

func TestForm(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", `{}`},
		{"text=", `{}`},
		{"blank=", `{"blank":""}`},
		{"nul=", `{"nul":null}`},
		{"both=", `{"both":""}`},
		{"i=", `{}`},
		{"inul=", `{"inul":null}`},
		{"i=5", `{"i":5}`},
		{"i=x", `{"i":["A valid integer is required."]}`},
		{"b=", `{}`},
		{"bn=", `{"bn":null}`},
		{"b=on", `{"b":true}`},
		{"ci=", `{}`},
		{"ci=1", `{"ci":1}`},
		{"cn=", `{"cn":null}`},
		{"text=a&text=b", `{"text":"b"}`},
		{"text=a;b", `{"text":"a;b"}`},
		{"text=%", `{"text":"%"}`},
		{"text=%4", `{"text":"%4"}`},
		{"text=%zz", `{"text":"%zz"}`},
		{"text=%ff", `"malformed: Form parse error - the body is not valid UTF-8"`},
		{"%c0%af=a", `"malformed: Form parse error - the body is not valid UTF-8"`},
		{"text=%ef%bf%bd", "{\"text\":\"\uFFFD\"}"}, // replaced on its way
		{"text=%D0%b0+%2B", `{"text":"а +"}`},
		{"text=+a+", `{"text":"a"}`},
		{"text", `{}`},
		{"&&text=a&&", `{"text":"a"}`},
		{"t%65xt=a=b", `{"text":"a=b"}`},
		{"li=1&li=2", `{"li":[1,2]}`},
		{"li=", `{"li":{"0":["A valid integer is required."]}}`},
		{`j={"a":1}`, `{"j":{"a":1}}`},
		{`j=x`, `{"j":["Value must be valid JSON."]}`},
		{"row=x", `{"row":{"non_field_errors":["Invalid data. Expected a dictionary, but got str."]}}`},
		{strings.Repeat("x=1&", 999) + "i=2", `{"i":2}`},
		{strings.Repeat("x=1&", 1000) + "i=2", `"malformed: Form parse error - too many fields"`},
	} {
		if got := read(decode.TypeForm, []byte(c.in), false); got != c.want {
			t.Errorf("%.100s\n got %s\nwant %s", c.in, got, c.want)
		}
	}
	type login struct {
		Name decode.Optional[string] `json:"name" required:"true"`
		Code decode.Optional[string] `json:"code" required:"true" nullable:"true"`
	}
	tree, err := decode.Parse(decode.TypeForm, []byte("name=&code="), []string{decode.TypeForm})
	if err != nil {
		t.Fatal(err)
	}
	err = decode.Struct(tree, new(login), false)
	if want := fault.Field("name", say.Blank); fmt.Sprint(err) != want.Error() {
		t.Errorf("required and empty: %v, want %v", err, want)
	}
}

func TestMultipart(t *testing.T) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	_ = w.WriteField("text", " a ")
	_ = w.WriteField("i", "3")
	part, _ := w.CreateFormFile("file", "договор.pdf")
	_, _ = part.Write([]byte("%PDF\x00"))
	_ = w.Close()
	whole := b.Bytes()
	want := `{"file":{"URI":"","Name":"договор.pdf","ContentType":"application/octet-stream","Data":"JVBERgA="},"i":3,"text":"a"}`
	if got := read(w.FormDataContentType(), whole, false); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	for cut := range len(whole) - 5 {
		if got := read(w.FormDataContentType(), whole[:cut], false); cut > 0 &&
			!strings.HasPrefix(got, `"malformed: Multipart form parse error - `) {
			t.Fatalf("cut at %d: %s", cut, got)
		}
	}
	broken := strings.Replace(string(whole), " a ", " \xff ", 1)
	if got := read(
		w.FormDataContentType(), []byte(broken), false,
	); got != `"malformed: Multipart form parse error - the body is not valid UTF-8"` {
		t.Errorf("invalid UTF-8: %s", got)
	}
	many := strings.Repeat("--a\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n\r\n", 1001) + "--a--\r\n"
	if got := read("multipart/form-data; boundary=a", []byte(many), false); !strings.Contains(got, "too many fields") {
		t.Errorf("many parts: %s", got)
	}
	file := "--a\r\nContent-Disposition: form-data; name=\"%s\"; filename=\"f\"\r\n\r\n%s\r\n--a--\r\n"
	for _, c := range []struct{ name, data, want string }{
		{"text", "x", `{"text":["Not a valid string."]}`},
		{"ci", "x", `{"ci":["\"f\" is not a valid choice."]}`},
		{"b", "x", `{"b":["Must be a valid boolean."]}`},
		{"i", "x", `{"i":["A valid integer is required."]}`},
		{"u", "x", `{"u":["Must be a valid UUID."]}`},
		{"file", "", `{"file":["The submitted file is empty."]}`},
	} {
		if got := read("multipart/form-data; boundary=a", fmt.Appendf(nil, file, c.name, c.data), false); got != c.want {
			t.Errorf("a file for %s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestQuery(t *testing.T) {
	q := decode.Query("a=1&a=2&b&=c&search=50%&%zz=%ff;d")
	want := map[string][]string{"a": {"1", "2"}, "b": {""}, "": {"c"}, "search": {"50%"}, "%zz": {"\uFFFD;d"}}
	if !reflect.DeepEqual(map[string][]string(q), want) {
		t.Errorf("got %q", q)
	}
}
