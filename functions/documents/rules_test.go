package documents

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/fault/faulttest"
	"github.com/tenantry/tenantry/shared/files"
)

// sent is a body as a caller sends it; "upload" stands for a file's uri.
func sent(t *testing.T, text string) body {
	t.Helper()
	tree, err := decode.Parse("application/json", []byte(text), []string{"application/json"})
	if err != nil {
		t.Fatal(err)
	}
	var b body
	if err := decode.Struct(tree, &b, true); err != nil {
		t.Fatal(err)
	}
	return b
}

const someFile = `"file":"https://files.test/uploads/1/a"`

func madeOfHTML() document.Document {
	d := document.Document{Meta: someMeta(), Name: "a", Content: &document.Object{ID: uuid.UUID{1}, Version: "v1"}}
	d.SetOriginal(&files.Object{ID: uuid.UUID{1}, Version: "v1", Size: 5, ContentType: document.PDF}, "")
	return d
}

func madeOfTemplate() document.Document {
	d := madeOfHTML()
	d.Template, d.Layout = 5, &document.Object{ID: uuid.UUID{3}, Version: "l"}
	return d
}

func madeOfFile() document.Document {
	d := document.Document{Meta: someMeta(), Name: "a", Source: document.Uploaded}
	d.SetOriginal(&files.Object{ID: uuid.UUID{2}, Version: "v2", Size: 9, ContentType: "application/pdf"}, "a.pdf")
	return d
}

func with(d document.Document, statuses ...document.Status) document.Document {
	for i, s := range statuses {
		d.Signs = append(d.Signs, document.Sign{ID: int64(i + 1), Status: s})
	}
	return d
}

func linkedTo(d document.Document, id int64) document.Document {
	d.SetMain(&document.Link{Model: "Document", ObjectID: id, Label: "old"})
	return d
}

// judge is decide with what is wrong as an error.
func judge(d document.Document, in body) (plan, error) {
	errs := fault.FieldErrors{}
	p, err := decide(d, in, errs)
	if err == nil {
		err = errs.Err()
	}
	return p, err
}

func TestDecideRefuses(t *testing.T) {
	for _, c := range []struct {
		name, in, want string
		d              document.Document
	}{
		{"an upload without its file", `{"source":1}`, `{"file":["This field is required."]}`, document.Document{}},
		{"an upload with content", `{"source":1,` + someFile + `,"content":"<p>a</p>"}`, `{"content":["An uploaded document has no content but its file."]}`, document.Document{}},
		{"an upload to be generated", `{"source":1,` + someFile + `,"regenerate":true}`, `{"regenerate":["An uploaded document can't be generated."]}`, document.Document{}},
		{"an uploaded document to be generated", `{"regenerate":true}`, `{"regenerate":["An uploaded document can't be generated."]}`, madeOfFile()},
		{"content for an uploaded document", `{"content":"a"}`, `{"content":["An uploaded document has no content but its file."]}`, madeOfFile()},
		{"a file for a generated document", `{` + someFile + `}`, `{"file":["A generated document takes no file: the source of an uploaded one is 1."]}`, document.Document{}},
		{"generated instead of uploaded, without content", `{"source":0}`, `{"content":["This field is required."]}`, madeOfFile()},
		{"uploaded instead of generated, without file", `{"source":1}`, `{"file":["This field is required."]}`, madeOfHTML()},
		{"nothing to generate from", `{"regenerate":true}`, `{"regenerate":["There is no content to generate the document from."]}`, document.Document{}},
		{"generate from what is removed", `{"regenerate":true,"content":null}`, `{"regenerate":["There is no content to generate the document from."]}`, madeOfHTML()},
		{"nothing signed", `{"resign":true}`, `{"resign":["Nothing is signed: there is nothing to be signed again."]}`, document.Document{}},
		{"nothing signed yet", `{"resign":true}`, `{"resign":["Nothing is signed: there is nothing to be signed again."]}`, with(madeOfHTML(), 0, 4)},
		{"a template of no number", `{"template":0}`, `{"template":["Invalid pk \"0\" - object does not exist."]}`, document.Document{}},
		{"a template that none can be", `{"template":1000000000000}`, `{"template":["Invalid pk \"1000000000000\" - object does not exist."]}`, document.Document{}},
		{"a template of an upload", `{"source":1,"template":5,` + someFile + `}`, `{"template":["An uploaded document is made of no template."]}`, document.Document{}},
		{"a template and content", `{"template":5,"content":"a"}`, `{"content":["A document is made of a template or of content, not of both."]}`, document.Document{}},
		{"a class alone", `{"content_type":"Document"}`, `{"object_id":["This field is required."]}`, document.Document{}},
		{"an id alone", `{"object_id":1}`, `{"content_type":["This field is required."]}`, document.Document{}},
		{"an id alone of a linked one", `{"object_id":1}`, `{"content_type":["This field is required."]}`, linkedTo(document.Document{Meta: someMeta()}, 2)},
		{"a class without its id", `{"content_type":"Document","object_id":null}`, `{"object_id":["This field may not be null."]}`, document.Document{}},
		{"an id without its class", `{"content_type":null,"object_id":1}`, `{"content_type":["This field may not be null."]}`, document.Document{}},
		{"id zero", `{"content_type":"Document","object_id":0}`, `{"object_id":["Invalid pk \"0\" - object does not exist."]}`, document.Document{}},
		{"a negative id", `{"content_type":"Document","object_id":-1}`, `{"object_id":["Invalid pk \"-1\" - object does not exist."]}`, document.Document{}},
		{"an id that no record can have", `{"content_type":"Document","object_id":1000000000000}`, `{"object_id":["Invalid pk \"1000000000000\" - object does not exist."]}`, document.Document{}},
		{"itself", `{"content_type":"Document","object_id":7}`, `{"object_id":["A document can't be linked to itself."]}`, document.Document{Meta: someMeta()}},
		{
			"everything at once", `{"source":1,"template":1,"resign":true,"object_id":1}`,
			`{"content_type":["This field is required."],"file":["This field is required."],` +
				`"resign":["Nothing is signed: there is nothing to be signed again."],"template":["An uploaded document is made of no template."]}`,
			document.Document{},
		},
	} {
		_, err := judge(c.d, sent(t, c.in))
		f, _ := fault.As(err)
		if f == nil || f.Code != fault.Invalid {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got, _ := json.Marshal(faulttest.English(f.Fields)); !sameJSON(string(got), c.want) {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func sameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}

func TestDecide(t *testing.T) {
	for _, c := range []struct {
		name, in string
		d        document.Document
		changed  bool
		check    func(p plan) bool
	}{
		{"nothing", `{}`, madeOfHTML(), false, func(p plan) bool { return p.next.Name == "a" }},
		{"the same name", `{"name":"a"}`, madeOfHTML(), false, nil},
		{"another name", `{"name":"b"}`, madeOfHTML(), true, func(p plan) bool { return p.next.Name == "b" && len(p.next.Files) == 1 }},
		{"no template", `{"template":null}`, madeOfHTML(), false, nil},
		{"a template", `{"template":5}`, madeOfHTML(), true, func(p plan) bool { return p.from == 5 && p.next.Template == 5 && !p.again }},
		{"a template instead of an upload", `{"source":0,"template":5}`, madeOfFile(), true, func(p plan) bool { return p.from == 5 }},
		{"the template that it has", `{"template":5,"content":null}`, madeOfTemplate(), false, nil},
		{"another template", `{"template":6}`, madeOfTemplate(), true, func(p plan) bool { return p.from == 6 && p.next.Template == 6 }},
		{"no template any more", `{"template":null}`, madeOfTemplate(), true, func(p plan) bool {
			return p.from == 0 && p.next.Template == 0 && p.next.Content != nil && len(p.next.Files) == 1
		}},
		{"neither template nor content", `{"template":null,"content":null}`, madeOfTemplate(), true, func(p plan) bool {
			return p.next.Template == 0 && p.next.Content == nil && p.next.Layout == nil && len(p.next.Files) == 0
		}},
		{"content instead of a template", `{"content":"a"}`, madeOfTemplate(), true, func(p plan) bool {
			return p.from == 0 && p.next.Template == 0 && p.next.Layout == nil && p.content == "a"
		}},
		{"an upload instead of a template", `{"source":1,` + someFile + `}`, madeOfTemplate(), true, func(p plan) bool {
			return p.next.Template == 0 && p.next.Layout == nil && p.next.Content == nil
		}},
		{"regenerate from a template", `{"regenerate":true}`, madeOfTemplate(), true, func(p plan) bool { return p.again && p.from == 5 }},
		{"content", `{"content":"<p>"}`, document.Document{}, true, func(p plan) bool { return p.content == "<p>" && !p.again }},
		{"content and regenerate", `{"content":"<p>","regenerate":true}`, document.Document{}, true, func(p plan) bool { return p.content == "<p>" && !p.again }},
		{"regenerate", `{"regenerate":true}`, madeOfHTML(), true, func(p plan) bool { return p.again && p.next.Content != nil }},
		{"no content", `{"content":null}`, madeOfHTML(), true, func(p plan) bool { return p.next.Content == nil && len(p.next.Files) == 0 }},
		{"empty content", `{"content":" "}`, madeOfHTML(), true, func(p plan) bool { return p.next.Content == nil && len(p.next.Files) == 0 }},
		{"no content where none was", `{"content":""}`, document.Document{}, false, nil},
		{"a file", `{"source":1,` + someFile + `}`, document.Document{}, true, func(p plan) bool { return p.take != nil && p.next.Source == document.Uploaded }},
		{"another file", `{` + someFile + `}`, madeOfFile(), true, func(p plan) bool { return p.take != nil }},
		{"the same source", `{"source":1}`, madeOfFile(), false, func(p plan) bool { return len(p.next.Files) == 1 }},
		{"no content of an upload", `{"content":null}`, madeOfFile(), false, func(p plan) bool { return len(p.next.Files) == 1 }},
		{"uploaded instead of generated", `{"source":1,` + someFile + `}`, madeOfHTML(), true, func(p plan) bool { return p.take != nil && p.next.Content == nil }},
		{"generated instead of uploaded", `{"source":0,"content":"a"}`, madeOfFile(), true, func(p plan) bool { return p.content == "a" && p.next.Source == document.Generated }},
		{"a link", `{"content_type":"Document","object_id":2}`, document.Document{Meta: someMeta()}, true, func(p plan) bool { return p.link != nil && p.link.id == 2 }},
		{"the same link", `{"content_type":"Document","object_id":2}`, linkedTo(document.Document{Meta: someMeta()}, 2), false, func(p plan) bool { return len(p.next.Links) == 1 }},
		{"no link", `{"content_type":null,"object_id":null}`, linkedTo(document.Document{Meta: someMeta()}, 2), true, func(p plan) bool { return len(p.next.Links) == 0 }},
		{"no link where none was", `{"content_type":null,"object_id":null}`, document.Document{}, false, nil},
		{"links are left alone", `{"name":"b"}`, linkedTo(document.Document{Meta: someMeta()}, 2), true, func(p plan) bool { return len(p.next.Links) == 1 && p.link == nil }},
	} {
		p, err := judge(c.d, sent(t, c.in))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if p.changed(&c.d) != c.changed || c.check != nil && !c.check(p) {
			t.Errorf("%s: changed %v\n%+v", c.name, p.changed(&c.d), p)
		}
	}
}

// TestLock: what somebody signs or has signed can't change any more.
func TestLock(t *testing.T) {
	changes := map[string]bool{ // by body: does it change what is signed?
		`{"name":"b"}`: false, `{}`: false, `{"template":null}`: false, `{"source":0}`: false,
		`{"content_type":"Document","object_id":2}`: false,
		`{"content":"b"}`: true, `{"content":null}`: true, `{"regenerate":true}`: true,
		`{"source":1,` + someFile + `}`: true, `{"name":"b","content":"b"}`: true,
	}
	named := map[string]bool{`{"name":"b"}`: true, `{"content_type":"Document","object_id":2}`: true} // changes of name and link
	for status := range document.Status(6) {
		locking := status == document.Confirmation || status == document.Signed
		for in, touches := range changes {
			want := any(nil)
			switch {
			case locking && touches:
				want = "locked"
			case status == document.Signed && named[in]:
				want = "signed"
			}
			for _, d := range []document.Document{with(madeOfHTML(), status), with(madeOfHTML(), 0, status, 4)} {
				_, err := judge(d, sent(t, in))
				var got any
				if f, _ := fault.As(err); f != nil && f.Code == fault.Conflict {
					got = f.Members["code"]
				}
				if got != want || want == nil && err != nil {
					t.Errorf("state %d, %s: %v", status, in, err)
				}
			}
		}
		same := linkedTo(with(madeOfHTML(), status), 2)
		if _, err := judge(same, sent(t, `{"name":"a","content_type":"document","object_id":2}`)); err != nil {
			t.Errorf("state %d, what is as it was: %v", status, err)
		}
		if _, err := judge(same, sent(t, `{"content_type":null,"object_id":null}`)); (err != nil) != (status == document.Signed) {
			t.Errorf("state %d, no link any more: %v", status, err)
		}
		_, err := judge(with(madeOfFile(), status), sent(t, `{`+someFile+`}`))
		if (err != nil) != locking {
			t.Errorf("state %d, another file: %v", status, err)
		}
	}
	if _, err := judge(with(document.Document{}, document.Signed), sent(t, `{"content":null}`)); err != nil {
		t.Errorf("no content where none was: %v", err)
	}
}

func TestSigned(t *testing.T) {
	for _, c := range []struct {
		statuses     []document.Status
		signed, lock bool
	}{
		{nil, false, false},
		{[]document.Status{5}, true, true},
		{[]document.Status{5, 5, 5}, true, true},
		{[]document.Status{5, 4}, false, true},
		{[]document.Status{5, 0}, false, true},
		{[]document.Status{0, 1, 2, 4}, false, false},
		{[]document.Status{3}, false, true},
	} {
		d := with(document.Document{}, c.statuses...)
		if d.IsSigned() != c.signed || d.IsLocked() != c.lock {
			t.Errorf("%v: signed %v, locked %v", c.statuses, d.IsSigned(), d.IsLocked())
		}
	}
}

// TestDecideLeavesItsInputAlone: a plan that is given up must not have changed
// the document that it began with.
func TestDecideLeavesItsInputAlone(t *testing.T) {
	d := linkedTo(madeOfHTML(), 2)
	before := d
	before.Files, before.Links = append([]document.File(nil), d.Files...), append([]document.Link(nil), d.Links...)
	for _, in := range []string{`{"content":null}`, `{"content_type":null,"object_id":null}`, `{"name":"x","source":1,` + someFile + `}`} {
		p, err := judge(d, sent(t, in))
		if err != nil {
			t.Fatal(err)
		}
		p.next.SetOriginal(&files.Object{ID: uuid.UUID{9}}, "x")
		p.next.SetMain(&document.Link{ObjectID: 99})
	}
	if !reflect.DeepEqual(d, before) {
		t.Errorf("now %+v\nbefore %+v", d, before)
	}
}

func TestFilesKeepTheirNumbers(t *testing.T) {
	d := madeOfHTML()
	if d.Files[0].Number != 1 || document.FileID(d.ID, 1) != 700_001 {
		t.Fatalf("%+v", d.Files)
	}
	d.SetOriginal(&files.Object{ID: uuid.UUID{3}}, "")
	if len(d.Files) != 1 || d.Files[0].Number != 1 || d.Files[0].ID != (uuid.UUID{3}) {
		t.Errorf("replaced: %+v", d.Files)
	}
	d.SetOriginal(nil, "")
	d.SetOriginal(&files.Object{ID: uuid.UUID{4}}, "")
	if len(d.Files) != 1 || d.Files[0].Number != 2 {
		t.Errorf("a number was given twice: %+v", d.Files)
	}
	if d.File(700_002) == nil || d.File(700_001) != nil || d.File(800_002) != nil {
		t.Error("files are found by the wrong id")
	}
}

func TestRenewed(t *testing.T) {
	d := linkedTo(with(madeOfHTML(), 5), 2)
	d.UUID, d.CreatedBy = uuid.UUID{8}, 3
	d.Files = append(d.Files, document.File{Number: 2, Type: 2})
	n := renewed(&d)
	if n.ID != 0 || n.UUID != uuid.Nil || n.Revision != 0 || len(n.Signs) != 0 || len(n.Files) != 1 || n.Content == nil ||
		n.Name != "a" || len(n.Links) != 1 || n.IsLocked() {
		t.Errorf("%+v", n)
	}
}
