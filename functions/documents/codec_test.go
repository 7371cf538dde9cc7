package documents

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web"
)

const base = "https://api.tenantry.test"

// someMeta is that of document 7.
func someMeta() record.Meta {
	return record.Meta{Item: table.At(table.Key{PK: "T#1#doc", SK: table.SortID(7)}, 1), ID: 7, Revision: 3}
}

// itemOf is the item of a document.
func itemOf(t require, d *document.Document) table.Attributes {
	t.Helper()
	a, err := d.MarshalDynamoItem()
	if err != nil {
		t.Fatal(err)
	}
	return table.Attributes(a)
}

// require is what a test and a property have in common.
type require interface {
	Helper()
	Fatal(args ...any)
}

// any document that can be stored.
func anyDocument(t *rapid.T) document.Document {
	text := rapid.StringOfN(rapid.RuneFrom([]rune("aя№ұ\"\\<>&\n\t\u2028\u2029😀\x7f")), 0, 40, -1)
	instant := rapid.Custom(func(t *rapid.T) time.Time {
		times := []int64{0, 1_772_443_800_000_000, 1_772_443_800_000_001, 1_772_443_800_120_000}
		return time.UnixMicro(rapid.SampledFrom(times).Draw(t, "time")).UTC()
	})
	id := rapid.Custom(func(t *rapid.T) (u uuid.UUID) {
		copy(u[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "uuid"))
		return u
	})
	stored := rapid.Custom(func(t *rapid.T) document.Object {
		return document.Object{ID: id.Draw(t, "object"), Version: rapid.StringN(1, 8, -1).Draw(t, "version")}
	})
	d := document.Document{
		Meta: someMeta(), UUID: id.Draw(t, "uuid"), Name: text.Draw(t, "name"), Source: document.Source(rapid.Int64Range(0, 1).Draw(t, "source")),
		CreatedBy: rapid.Int64Range(0, 9).Draw(t, "by"), LastFile: rapid.Int64Range(0, 99).Draw(t, "last"),
		LastSign: rapid.Int64Range(0, 99).Draw(t, "last sign"), Template: rapid.Int64Range(0, 9).Draw(t, "template"),
		Shown: rapid.Int64Range(0, 9).Draw(t, "shown"), Base: rapid.SampledFrom([]string{"", "https://api.example.com"}).Draw(t, "base"),
	}
	for _, of := range []**document.Object{&d.Layout, &d.Upload} {
		if rapid.Bool().Draw(t, "has object") {
			o := stored.Draw(t, "object")
			*of = &o
		}
	}
	if rapid.Bool().Draw(t, "is sealed") {
		d.Seal = &document.Seal{At: 1, Level: "B-T", Certificate: []byte{3}, Head: []byte{4}}
	}
	d.Created, d.Updated = moment.Of(instant.Draw(t, "created")), moment.Of(instant.Draw(t, "updated"))
	if rapid.Bool().Draw(t, "has content") {
		o := stored.Draw(t, "content")
		d.Content = &o
	}
	for i := range rapid.IntRange(0, 2).Draw(t, "files") {
		d.Files = append(d.Files, document.File{
			Object: stored.Draw(t, "file"), Number: int64(i + 1), Type: document.FileType(rapid.Int64Range(0, 3).Draw(t, "type")), Name: text.Draw(t, "file name"),
			ContentType: "a/b", Size: rapid.Int64Range(0, 1<<40).Draw(t, "size"), SHA256: rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "sum"),
		})
	}
	for i := range rapid.IntRange(0, 2).Draw(t, "links") {
		d.Links = append(d.Links, document.Link{Model: "Document", ObjectID: 1<<62 + int64(i), Role: int64(i), Label: text.Draw(t, "label")})
	}
	for i := range rapid.IntRange(0, 2).Draw(t, "signs") {
		phone, outer := "+77011234567", int64(5)
		s := document.Sign{
			ID: int64(i), UUID: id.Draw(t, "sign"), Method: 1, Allowed: []document.Method{2, 1},
			Status: document.Status(rapid.Int64Range(0, 5).Draw(t, "status")),
			Signer: document.Signer{ID: 3, Name: "Ә", Type: "client"}, CreatedAt: instant.Draw(t, "sign created").UnixMicro(),
			UpdatedAt: instant.Draw(t, "sign updated").UnixMicro(), Stages: []document.Stage{}, Head: []byte{1}, Genesis: []byte{2},
		}
		if i > 0 {
			s.Signer.Phone, s.Signer.OuterID = &phone, &outer
			s.Stages = []document.Stage{rapid.SliceOfN(rapid.Byte(), 100, 100).Draw(t, "stage")}
			s.Stages[0][0] = 2
			for range rapid.IntRange(0, 2).Draw(t, "marks") {
				s.Elsewhere = &document.Elsewhere{Stages: 1, Head: []byte{1}, At: 9, Key: []byte{1, 2, 3}, MAC: []byte{4}, Earlier: s.Elsewhere}
			}
		}
		d.Signs = append(d.Signs, s)
	}
	return d
}

// TestCodec: what is stored is read back.
func TestCodec(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := anyDocument(t)
		var got document.Document
		if err := itemOf(t, &d).Decode(&got); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, d) {
			t.Fatalf("read  %+v\nwrote %+v", got, d)
		}
	})
}

// TestEncodeIsTheDescription: what is written by hand is, byte for byte, what
// the described types say.
func TestEncodeIsTheDescription(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, to := anyDocument(t), document.Reader{
			Base: base, Signs: rapid.Bool().Draw(t, "signs"),
			Language: rapid.SampledFrom(append(say.Languages(), "")).Draw(t, "language"),
		}
		got := document.Encode(&d, to)
		var described Document
		dec := json.NewDecoder(bytes.NewReader(got))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&described); err != nil {
			t.Fatalf("%v in %s", err, got)
		}
		if want, err := encode.JSON(described); err != nil || string(want) != string(got) {
			t.Fatalf("wrote %s\nwant  %s", got, want)
		}
		if described.Name != d.Name || described.UUID != d.UUID || described.Signed != d.IsSigned() ||
			(described.CreatedBy == nil) != (d.CreatedBy == 0) {
			t.Fatalf("%+v is described as %+v", d, described)
		}
		next := base + "/?page=2"
		list := encodeList(web.List[*document.Document]{Count: 2, Next: &next, Results: []*document.Document{&d, &d}}, to)
		want, _ := encode.JSON(web.List[json.RawMessage]{Count: 2, Next: &next, Results: []json.RawMessage{got, got}})
		if string(list) != string(want) {
			t.Fatalf("wrote %s\nwant  %s", list, want)
		}
	})
}

func TestEmptyList(t *testing.T) {
	got := encodeList(web.List[*document.Document]{}, document.Reader{Base: base})
	if string(got) != `{"count":0,"next":null,"previous":null,"results":[]}` {
		t.Errorf("%s", got)
	}
}

func TestTypicalItemIsSmall(t *testing.T) {
	d := madeOfFile()
	d.Name, d.Meta, d.Files[0].SHA256 = strings.Repeat("Договор ", 6), someMeta(), make([]byte, 32)
	if size := itemOf(t, &d).Size(); size > 600 { // 1 KB with the search entry
		t.Errorf("%d bytes", size)
	}
}
