package pdfcheck

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/render/job"
	"github.com/tenantry/tenantry/functions/render/layout"
	"github.com/tenantry/tenantry/functions/render/normalise"
)

// picture is an image element of a kind.
func picture(t *testing.T, kind string, encode func(*bytes.Buffer) error) string {
	t.Helper()
	var out bytes.Buffer
	if err := encode(&out); err != nil {
		t.Fatal(err)
	}
	return `<img src="data:image/` + kind + ";base64," + base64.StdEncoding.EncodeToString(out.Bytes()) + `">`
}

// rendered are pages of all that the layout knows, with images of each kind.
func rendered(t *testing.T) map[string][]byte {
	t.Helper()
	square := image.Rect(0, 0, 60, 30)
	glass := image.NewNRGBA(square)
	for i := range glass.Pix {
		glass.Pix[i] = uint8(i)
	}
	palette := image.NewPaletted(square, color.Palette{color.NRGBA{R: 255, A: 90}, color.Black})
	images := strings.NewReplacer(
		"{png}", picture(t, "png", func(b *bytes.Buffer) error { return png.Encode(b, glass) })+
			picture(t, "png", func(b *bytes.Buffer) error { return png.Encode(b, palette) })+
			picture(t, "png", func(b *bytes.Buffer) error { return png.Encode(b, image.NewGray16(square)) }),
		"{jpg}", picture(t, "jpeg", func(b *bytes.Buffer) error { return jpeg.Encode(b, glass, nil) }),
		"{turned}", "",
		"{gray}", picture(t, "jpeg", func(b *bytes.Buffer) error { return jpeg.Encode(b, image.NewGray(square), nil) }),
	)
	all := map[string][]byte{}
	for _, name := range []string{"contract", "sample"} {
		html, err := os.ReadFile("../../functions/render/layout/testdata/" + name + ".html")
		if err != nil {
			t.Fatal(err)
		}
		page := job.Page{
			HTML: images.Replace(strings.ReplaceAll(string(html), `<img src="{logo}" width="160" alt="">`, "{png}")), Format: "A4",
			Header: "<p>Шарт № 42, {page}/{pages} {png}</p>", Margins: job.Margins{Top: 20, Right: 20, Bottom: 20, Left: 20},
			Title: `Жалға алу шарты <№ 42> & "\(`, Language: "kk", At: time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC),
		}
		page.Header = images.Replace(page.Header)
		if all[name], _, err = layout.New().PDF(t.Context(), &page); err != nil {
			t.Fatal(err)
		}
	}
	untitled := job.Page{HTML: "Oʻzbekiston \u00ad é №", Format: "A5", Margins: job.Margins{Top: 10, Right: 10, Bottom: 10, Left: 10}}
	var err error
	if all["untitled"], _, err = layout.New().PDF(t.Context(), &untitled); err != nil {
		t.Fatal(err)
	}
	return all
}

// uploaded is a PDF as other programs write it: its objects are in a stream, and there is no table of places.
func uploaded(t *testing.T) []byte {
	t.Helper()
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	catalog, pages := "<</Type/Catalog/Pages 2 0 R/Lang(ru)>>", "<</Type/Pages/Count 1/Kids[3 0 R]/MediaBox[0 0 595 842]/Rotate -90>>"
	heads := fmt.Sprintf("1 0 2 %d ", len(catalog))
	if _, err := z.Write([]byte(heads + catalog + pages)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return fmt.Appendf(nil, "%%PDF-1.5\n5 0 obj <</Type/ObjStm/N 2/First %d/Filter/FlateDecode/Length %d>> stream\n%s\nendstream endobj\n"+
		"3 0 obj <</Type/Page/Parent 2 0 R/Contents 4 0 R/CropBox[10 10 200 300]>> endobj\n"+
		"4 0 obj <</Length 25>> stream\n20 20 m 100 100 l S q Q   \nendstream endobj\ntrailer <</Root 1 0 R>>\n", len(heads), packed.Len(), packed.Bytes())
}

// What is made of HTML is PDF/A-3b, and what is written anew has no fault that qpdf would find.
func TestRendered(t *testing.T) {
	tools := os.Getenv("PDFCHECK")
	if tools == "" {
		t.Skip("make pdf-check runs it")
	}
	folder := t.TempDir()
	var paths []string
	leave := func(name string, data []byte) string {
		path := filepath.Join(folder, name+".pdf")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if said, err := exec.CommandContext(t.Context(), "qpdf", "--check", path).CombinedOutput(); err != nil {
			t.Errorf("qpdf: %v\n%s", err, said)
		}
		return path
	}
	for name, data := range rendered(t) {
		paths = append(paths, leave(name, data))
	}
	anew, _, err := normalise.PDF(t.Context(), uploaded(t))
	if err != nil {
		t.Fatal(err)
	}
	leave("uploaded", anew)
	classes := filepath.Join(tools, "verapdf", "*") + string(os.PathListSeparator) + filepath.Join(tools, "classes")
	if said, err := exec.CommandContext(t.Context(), "java", append([]string{"-cp", classes, "PDFA"}, paths...)...).CombinedOutput(); err != nil {
		t.Errorf("veraPDF: %v\n%s", err, said)
	}
}
