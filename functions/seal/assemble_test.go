package seal

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"reflect"
	"testing"

	"github.com/tenantry/tenantry/functions/seal/job"
	"github.com/tenantry/tenantry/functions/seal/pdf"
	"github.com/tenantry/tenantry/functions/seal/pdf/pdftest"
)

// What the original's pages inherit doesn't reach the record's.
func TestTheRecordsPages(t *testing.T) {
	o := newOffice(t, false)
	page := pdftest.Page()
	turned := pdftest.Section(page, fmt.Sprintf("/Root 1 0 R/Prev %d", pdftest.Table(page)), map[int]string{
		2: "<</Type/Pages/Kids 5 0 R/Count 1/MediaBox[0 0 100 100]/CropBox[0 0 10 10]/Rotate 90/Resources<<>>>>", 5: "[3 0 R]",
	})
	r := o.request(t, turned, 1, 1)
	f, err := pdf.Read(o.sealed(t, r, o.ask(t, r)))
	if err != nil {
		t.Fatal(err)
	}
	catalog, _ := f.Dict(f.Trailer["Root"])
	tree, _ := f.Dict(catalog["Pages"])
	kids, _ := f.Array(tree["Kids"])
	if len(kids) != 2 || kids[0] != (pdf.Ref{Number: 3}) || tree["Count"] != pdf.Raw("2") || tree["Rotate"] != pdf.Raw("90") {
		t.Fatal(tree)
	}
	node, _ := f.Dict(kids[1])
	ours, _ := f.Array(node["Kids"])
	first, err := f.Dict(ours[0])
	if err != nil {
		t.Fatal(err)
	}
	a4 := pdf.Array{pdf.Raw("0"), pdf.Raw("0"), pdf.Raw("595.28"), pdf.Raw("841.89")}
	if !reflect.DeepEqual(first["MediaBox"], a4) || !reflect.DeepEqual(first["CropBox"], a4) || first["Rotate"] != pdf.Raw("0") || first["Resources"] == nil {
		t.Error(first)
	}
}

// embedded are the files inside a sealed one.
func embedded(t testing.TB, whole []byte) map[string][]byte {
	t.Helper()
	f, err := pdf.Read(whole)
	if err != nil {
		t.Fatal(err)
	}
	catalog, _ := f.Dict(f.Trailer["Root"])
	names, _ := f.Dict(catalog["Names"])
	tree, _ := f.Dict(names["EmbeddedFiles"])
	list, _ := f.Array(tree["Names"])
	all := map[string][]byte{}
	for i := 1; i < len(list); i += 2 {
		d, _ := f.Dict(list[i])
		ef, _ := f.Dict(d["EF"])
		v, err := f.Resolve(ef["F"])
		s, ok := v.(*pdf.Stream)
		if err != nil || !ok {
			t.Fatal(err)
		}
		data := s.Data
		if s.Dict["Filter"] == pdf.Name("FlateDecode") {
			r, err := zlib.NewReader(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			if data, err = io.ReadAll(r); err != nil {
				t.Fatal(err)
			}
		}
		name := ""
		for _, known := range []string{job.AuditName, "sign-1.p7s"} {
			if list[i-1] == pdf.Text(known) && d["UF"] == pdf.Text(known) {
				name = known
			}
		}
		all[name] = data
	}
	if af, _ := f.Array(catalog["AF"]); len(af) != len(all) {
		t.Errorf("%d files are associated with the document", len(af))
	}
	return all
}
