package normalise

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tenantry/tenantry/functions/render/job"
)

// A small PDF, in pieces that tests change. It has no table of places: none is read.
const (
	catalog = "1 0 obj <</Type/Catalog/Pages 2 0 R%s>> endobj\n"
	node    = "2 0 obj <</Type/Pages/Kids[3 0 R 4 0 R]/Count 2/MediaBox[0 0 595 842]/Rotate -90/Resources<</Font<<>>>>>> endobj\n"
	page1   = "3 0 obj <</Type/Page/Parent 2 0 R/Contents 5 0 R%s>> endobj\n"
	page2   = "4 0 obj <</Type/Page/Parent 2 0 R/CropBox[100 200 10 20]/Rotate 450/Contents[5 0 R]/PieceInfo<</a 1>>>> endobj\n"
	content = "5 0 obj <</Length 9>> stream\n0 0 m S Q\nendstream endobj\n"
	trailer = "trailer <</Root 1 0 R/Info 9 0 R%s>>\n%%%%EOF\n"
)

// file puts the pieces together: what the catalog, the first page and the trailer have besides, and other objects.
func document(inCatalog, inPage, inTrailer string, more ...string) string {
	return "%PDF-1.4\n%\xe2\xe3\n" + fmt.Sprintf(catalog, inCatalog) + node + fmt.Sprintf(page1, inPage) + page2 + content +
		strings.Join(more, "\n") + "\n" + fmt.Sprintf(trailer, inTrailer)
}

func packed(data string) string {
	var out bytes.Buffer
	z := zlib.NewWriter(&out)
	_, _ = z.Write([]byte(data))
	_ = z.Close()
	return out.String()
}

func stream(number int, in, data string) string {
	return fmt.Sprintf("%d 0 obj <<%s/Length %d>> stream\n%s\nendstream endobj", number, in, len(data), data)
}

// objects is a stream that holds objects.
func objects(number int, filter, values string) string {
	heads := "7 0 "
	data := heads + values
	if filter != "" {
		data = packed(data)
	}
	return stream(number, fmt.Sprintf("/Type/ObjStm/N 1/First %d%s", len(heads), filter), data)
}

func problemOf(t *testing.T, data string) string {
	t.Helper()
	out, pages, err := PDF(t.Context(), []byte(data))
	var p *job.Problem
	switch {
	case errors.As(err, &p):
		if p.Text == "" || out != nil {
			t.Errorf("%s has no text, or there is a PDF beside it", p.Code)
		}
		return p.Code
	case err != nil:
		t.Fatal(err)
	case pages < 1:
		t.Errorf("%d pages", pages)
	}
	again, _, err := PDF(t.Context(), out)
	if err != nil || !bytes.Equal(out, again) {
		t.Errorf("written anew it is another file: %v", err)
	}
	return ""
}

func TestWritten(t *testing.T) {
	out, pages, err := PDF(t.Context(), []byte(document("/OpenAction[3 0 R/Fit]/Lang(ru)/Metadata 6 0 R", "/Annots[8 0 R]", "/ID[<00><11>]",
		stream(6, "/Type/Metadata", "<x/>"), "8 0 obj <</Subtype/Link/A<</S/URI/URI(https://example.com)>>/P 3 0 R/X 77 0 R/N#61me#20x true>> endobj",
		"9 0 obj <</Title(\\(a\\) b)/Trapped/True/Producer<feff0041>>> endobj")))
	if err != nil {
		t.Fatal(err)
	}
	if pages != 2 {
		t.Errorf("%d pages", pages)
	}
	want := `%PDF-1.7
%....
1 0 obj
<</Type /Catalog
/Pages 2 0 R
/Lang (ru)
>>
endobj
2 0 obj
<</Type /Pages
/Count 2
/Kids [3 0 R 4 0 R]
>>
endobj
3 0 obj
<</Type /Page
/Parent 2 0 R
/MediaBox [0 0 595 842]
/Rotate 270
/Resources <</Font <<>>
>>
/Contents 5 0 R
/Annots [6 0 R]
>>
endobj
4 0 obj
<</Type /Page
/Parent 2 0 R
/MediaBox [0 0 595 842]
/CropBox [10 20 100 200]
/Rotate 90
/Resources <</Font <<>>
>>
/Contents [5 0 R]
>>
endobj
5 0 obj
<</Length 9>>
stream
0 0 m S Q
endstream
endobj
6 0 obj
<</Subtype /Link
/A <</S /URI
/URI (https://example.com)
>>
/P 3 0 R
/X null
/Name#20x true
>>
endobj
7 0 obj
<</Title (\(a\) b) /Producer <feff0041>>>
endobj
xref
0 8
`
	got := string(bytes.Replace(out, []byte("%\xe2\xe3\xcf\xd3"), []byte("%...."), 1))
	if !strings.HasPrefix(got, want) {
		t.Errorf("got %s", got)
	}
	end := regexp.MustCompile(`\ntrailer\n<<\n/Size 8\n/Root 1 0 R\n/Info 7 0 R\n/ID \[<[0-9a-f]{32}> <[0-9a-f]{32}>\]\n>>\nstartxref\n(\d+)\n%%EOF\n$`)
	if !end.MatchString(got) {
		t.Errorf("its end: %s", got[len(want):])
	}
	// Each object is where the table says.
	for i, row := range strings.Split(got[len(want):], "\n")[1:8] {
		var at int
		if _, err := fmt.Sscanf(row, "%d 00000 n", &at); err != nil || !bytes.HasPrefix(out[at:], fmt.Appendf(nil, "%d 0 obj\n", i+1)) {
			t.Errorf("object %d isn't at %d: %v", i+1, at, err)
		}
	}
}

func TestTaken(t *testing.T) {
	for _, c := range []struct{ name, data string }{
		{"as it is", document("", "", "")},
		{"an empty tree of files", document("/Names<</EmbeddedFiles<</Names[]>>/JavaScript<<>>>>", "", "")},
		{"a form without fields", document("/AcroForm<</Fields[]/DA(x)>>", "", "")},
		{"a place to begin at, as an action", document("/OpenAction<</S/GoTo/D[3 0 R/Fit]>>", "", "")},
		{"no trailer", strings.Split(document("", "", ""), "trailer")[0]},
		{"a wrong length", strings.Replace(document("", "", ""), "Length 9", "Length 900", 1)},
		{"a length further on", strings.Replace(document("", "", "", "6 0 obj 9 endobj"), "Length 9", "Length 6 0 R", 1)},
		{"a length that is nowhere", strings.Replace(document("", "", ""), "Length 9", "Length 66 0 R", 1)},
		{"something before the header", "mail\r\n\r\n" + document("", "", "")},
		{"something after the end", document("", "", "") + strings.Repeat("\x00", 5000)},
		{"objects in a stream", document("", "/Group 7 0 R", "", objects(6, "/Filter/FlateDecode", "<</S/Transparency>>"))},
		{"objects in a plain stream", document("", "/Group 7 0 R", "", objects(6, "", "<</S/Transparency>>"))},
		{"a damaged object that nothing needs", document("", "", "", "6 0 obj << /a ( endobj")},
		{"a page without a size", strings.Replace(document("", "", ""), "/MediaBox[0 0 595 842]", "", 1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := problemOf(t, c.data); got != "" {
				t.Errorf("it is %s", got)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	const link = "8 0 obj <</Subtype/Link/A %s>> endobj"
	linked := func(action string) string { return document("", "/Annots[8 0 R]", "", fmt.Sprintf(link, action)) }
	for _, c := range []struct{ name, data, want string }{
		{"nothing", "", job.NotPDF},
		{"text", "hello", job.NotPDF},
		{"HTML", "<html>", job.NotPDF},
		{"a header alone", "%PDF-1.7\n", job.NotPDF},
		{"a header too far down", strings.Repeat(" ", 2000) + document("", "", ""), job.NotPDF},
		{"no pages", strings.Replace(document("", "", ""), "/Kids[3 0 R 4 0 R]", "/Kids[]", 1), job.NotPDF},
		{"pages in a circle", strings.Replace(document("", "", ""), "/Kids[3 0 R 4 0 R]", "/Kids[3 0 R 2 0 R]", 1), job.NotPDF},
		{"a page twice", strings.Replace(document("", "", ""), "/Kids[3 0 R 4 0 R]", "/Kids[3 0 R 3 0 R]", 1), job.NotPDF},
		{"a page without an extent", strings.Replace(document("", "", ""), "595 842", "0 0", 1), job.NotPDF},
		{"a page as large as a town", strings.Replace(document("", "", ""), "595 842", "99999 99999", 1), job.NotPDF},
		{"encrypted", document("", "", "/Encrypt 6 0 R"), job.Encrypted},
		{"encrypted, as a stream says", document("", "", "", stream(6, "/Type/XRef/Root 1 0 R/Encrypt<</Filter/Standard>>", "x")), job.Encrypted},
		{"signed", document("/AcroForm<</SigFlags 3/Fields[6 0 R]>>", "", "", "6 0 obj <</FT/Sig/V 7 0 R>> endobj", "7 0 obj <</Type/Sig/ByteRange[0 1 2 3]>> endobj"), job.Signed},
		{"certified", document("/Perms<</DocMDP 6 0 R>>", "", ""), job.Signed},
		{"a signature that a page has", document("", "/Annots[<</Type/Sig>>]", ""), job.Signed},
		{"a script at the opening", document("/OpenAction<</S/JavaScript/JS(app.alert)>>", "", ""), job.Active},
		{"a script at the opening, further on", document("/OpenAction 6 0 R", "", "", "6 0 obj <</S 7 0 R>> endobj 7 0 obj /JavaScript endobj"), job.Active},
		{"scripts by name", document("/Names<</JavaScript<</Names[(a)6 0 R]>>>>", "", ""), job.Active},
		{"files in it", document("/Names<</EmbeddedFiles<</Kids[6 0 R]>>>>", "", ""), job.Active},
		{"files beside it", document("/AF[6 0 R]", "", ""), job.Active},
		{"a collection", document("/Collection<</View/D>>", "", ""), job.Active},
		{"a form", document("/AcroForm<</Fields[6 0 R]>>", "", "", "6 0 obj <</FT/Tx>> endobj"), job.Active},
		{"a form of XFA", document("/AcroForm<</Fields[]/XFA 6 0 R>>", "", ""), job.Active},
		{"a catalog that acts", document("/AA<</WC<</S/JavaScript/JS()>>>>", "", ""), job.Active},
		{"a page that acts", document("", "/AA<</O<</S/URI>>>>", ""), job.Active},
		{"a link to a program", linked("<</S/Launch/F(cmd.exe)>>"), job.Active},
		{"a link with a script", linked("<</S/JavaScript/JS(x)>>"), job.Active},
		{"a link with a script, in other letters", linked("<</#53/#4a#61vaScript/J#53(x)>>"), job.Active},
		{"a link with a script after another", linked("<</S/URI/URI(tel:1)/Next[<</S/GoTo>><</S/JavaScript>>]>>"), job.Active},
		{"a link that sends a form", linked("<</S/SubmitForm/F(https://example.com)>>"), job.Active},
		{"a link to another file", linked("<</S/GoToR/F(other.pdf)>>"), job.Active},
		{"a script in packed objects", document("", "/Annots[7 0 R]", "", objects(6, "/Filter/FlateDecode", "<</Subtype/Link/A<</S/JavaScript>>>>")), job.Active},
		{"a field", document("", "/Annots[<</Subtype/Widget/FT/Tx>>]", ""), job.Active},
		{"an attached file", document("", "/Annots[<</Subtype/FileAttachment/FS 6 0 R>>]", ""), job.Active},
		{"a film", document("", "/Annots[<</Subtype/RichMedia>>]", ""), job.Active},
		{"content from elsewhere", strings.Replace(document("", "", ""), "/Length 9", "/Length 9/F(https://example.com)", 1), job.Active},
		{"a page of another file", document("", "/X 6 0 R/Group 6 0 R", "", stream(6, "/Subtype/Form/Ref<</F(a)>>", "x")), job.Active},
		{"a script behind an update", document("", "", "") + "1 0 obj <</Type/Catalog/Pages 2 0 R/AA<</WC 6 0 R>>>> endobj", job.Active},
		{"1,001 pages", manyPages(1001), job.TooManyPages},
		{"more than 25 MB", document("", "", "") + strings.Repeat(" ", job.MostUpload), job.TooLarge},
		{"content packed twice", strings.Replace(document("", "", ""), "/Length 9", "/Length 9/Filter[/FlateDecode/FlateDecode]", 1), job.TooLarge},
		{"objects packed by a filter that isn't read", document("", "", "", objects(6, "/Filter/LZWDecode", "null")), job.NotPDF},
		{"an image of 400 megapixels", document("", "/Group 6 0 R", "", stream(6, "/Subtype/Image/Width 20000/Height 20000", "x")), job.TooLarge},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := problemOf(t, c.data); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func manyPages(n int) string {
	var kids strings.Builder
	for range n {
		kids.WriteString("<</Type/Page>>")
	}
	return strings.Replace(document("", "", ""), "/Kids[3 0 R 4 0 R]", "/Kids["+kids.String()+"]", 1)
}

// TestBombs gives it little files that become large for those who read them, and looks at what it allocates.
func TestBombs(t *testing.T) {
	zeros := packed(strings.Repeat("\x00", 200<<20))
	long := packed(strings.Repeat("[", 60<<20))
	for _, c := range []struct{ name, data, want string }{
		{"objects that are 200 MB", document("", "", "", stream(6, "/Type/ObjStm/N 1/First 4/Filter/FlateDecode", zeros)), job.TooLarge},
		{"streams of objects, each of 60 MB", document("", "", "", stream(6, "/Type/ObjStm/N 1/First 4/Filter/FlateDecode", long), stream(7, "/Type/ObjStm/N 1/First 4/Filter/FlateDecode", long)), job.TooLarge},
		{"content that is 200 MB", document("", "/Group 6 0 R", "", stream(6, "/Filter/FlateDecode", zeros)), job.TooLarge},
		{"arrays in arrays", document("", "", "", "6 0 obj "+strings.Repeat("[", 1<<20)), ""},
		{"arrays in arrays, many times", document("", "", "", strings.Repeat("6 0 obj "+strings.Repeat("[", 99)+"\n", 40_000)), job.TooLarge},
		{"a string without an end, many times", document("", "", "", strings.Repeat("6 0 obj (\n", 200_000)), job.TooLarge},
		{"a hexadecimal string without an end, many times", document("", "", "", strings.Repeat("6 0 obj <a\n", 200_000)), ""},
		{"a stream without an end, many times", strings.Replace(document("", "", "", strings.Repeat("6 0 obj <<>> stream\n", 200_000)), "endstream", "", 1), job.TooLarge},
		{"refs in a circle", document("", "/Resources 6 0 R/Group 6 0 R", "", "6 0 obj 7 0 R endobj 7 0 obj 6 0 R endobj"), ""},
		{"names without an end", document("", "", "", "6 0 obj ["+strings.Repeat("/", 4_000_000)+"]"), job.TooLarge},
		{"objects without an end", document("", "", "", manyObjects(510_000)), job.TooLarge},
		{"one object a million times", document("", "", "", strings.Repeat("6 0 obj 1 endobj ", 1_000_000)), job.TooLarge},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if got := problemOf(t, c.data); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			runtime.ReadMemStats(&after)
			if all := (after.TotalAlloc - before.TotalAlloc) >> 20; all > 400 {
				t.Errorf("it took %d MB in all", all)
			}
		})
	}
}

func manyObjects(n int) string {
	var s strings.Builder
	for i := range n {
		fmt.Fprintf(&s, "%d 0 obj 1 endobj ", i+100)
	}
	return s.String()
}

// TestNothingHides gives it files whose tables of places or streams would show a reader something else.
func TestNothingHides(t *testing.T) {
	inStream := stream(6, "", "3 0 obj <</Type/Page/AA<</O 1>>/Hidden true>> endobj")
	twice := "3 0 obj <</Type/Page/Parent 2 0 R/Annots[/Later]>> endobj"
	for _, c := range []struct {
		name, data string
		has, lacks string
	}{
		{"an object in a stream", document("", "/Group 6 0 R", "", inStream), "(stream)", "/Page\n/Hidden"},
		{"an object that is there twice", document("", "/Annots[/Earlier]", "", twice), "/Later", "/Earlier"},
		{"what no page uses", document("", "", "", "6 0 obj (unused) endobj"), "", "unused"},
		{"a comment", document("", "", "", "% 3 0 R (a comment)"), "", "comment"},
		{"keywords in the place of values", document("", "/Annots[endobj stream xref obj 1e5]", ""), "/Annots [null null null null null]", "1e5"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, _, err := PDF(t.Context(), []byte(c.data))
			if err != nil {
				t.Fatal(err)
			}
			if c.has != "(stream)" && !bytes.Contains(out, []byte(c.has)) || bytes.Contains(out, []byte(c.lacks)) {
				t.Errorf("%s", out)
			}
		})
	}
}

func TestTime(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := PDF(ctx, []byte(document("", "", ""))); !errors.Is(err, context.Canceled) {
		t.Errorf("it went on: %v", err)
	}
}

// TestAnything changes a file at any places. It is refused, or written so that it stays the same when it is written again.
func TestAnything(t *testing.T) {
	base := document("/Lang(ru)", "/Annots[8 0 R]", "/ID[<00><11>]", objects(6, "/Filter/FlateDecode", "<</S/Transparency>>"),
		"8 0 obj <</Subtype/Link/A<</S/URI/URI(tel:1)>>>> endobj")
	pieces := []string{"", "(", ")", "<<", ">>", "[", "]", "obj", "endobj", "stream", "endstream", "0 R", "/Kids", "/Length", "9", "-", "\r", "%", "#", "trailer"}
	rapid.Check(t, func(t *rapid.T) {
		data := base
		for range rapid.IntRange(1, 6).Draw(t, "changes") {
			at := rapid.IntRange(0, len(data)-1).Draw(t, "at")
			to := min(len(data), at+rapid.IntRange(0, 8).Draw(t, "length"))
			data = data[:at] + rapid.SampledFrom(pieces).Draw(t, "piece") + data[to:]
		}
		out, _, err := PDF(context.Background(), []byte(data))
		var p *job.Problem
		if errors.As(err, &p) {
			return
		}
		if err != nil {
			t.Fatalf("%v of %q", err, data)
		}
		again, _, err := PDF(context.Background(), out)
		if err != nil || !bytes.Equal(out, again) {
			t.Fatalf("written anew it is another file: %v\n%s\n%s", err, out, again)
		}
	})
}

func BenchmarkScan(b *testing.B) {
	image := strings.Repeat("\x80\x81\x82 obj", 20<<20/7)
	data := []byte(document("", "/Group 6 0 R", "", stream(6, "/Subtype/Image/Width 2000/Height 3000/Filter/DCTDecode", image)))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := PDF(b.Context(), data); err != nil {
			b.Fatal(err)
		}
	}
}
