package layout

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/render/job"
	"github.com/tenantry/tenantry/shared/font"
)

// logo is a PNG with transparency, as a data URI.
func logo(tb testing.TB, width, height int) string {
	tb.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			m.SetNRGBA(x, y, color.NRGBA{20, uint8(255 * x / width), 160, uint8(255 * y / height)})
		}
	}
	var out bytes.Buffer
	if err := png.Encode(&out, m); err != nil {
		tb.Fatal(err)
	}
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(out.Bytes())
}

// contract is the demo contract: five pages in Russian and Kazakh.
func contract(tb testing.TB) *job.Page {
	tb.Helper()
	html, err := os.ReadFile("testdata/contract.html")
	if err != nil {
		tb.Fatal(err)
	}
	return &job.Page{
		HTML:   strings.ReplaceAll(string(html), "{logo}", logo(tb, 320, 80)),
		Header: `<table style="width:100%"><tr><td>Договор № 2026/118</td><td style="text-align:right">ТОО «Құрал-Сайман»</td></tr></table>`,
		Footer: `<p style="text-align:center">Страница {page} из {pages} / {page}-бет, барлығы {pages}</p>`,
		Format: "A4", Margins: job.Margins{Top: 20, Right: 15, Bottom: 20, Left: 25},
		Title: "Договор аренды № 2026/118", Language: "ru", At: time.Date(2026, 11, 22, 10, 30, 0, 0, time.UTC),
	}
}

func TestContract(t *testing.T) {
	r := New()
	pdf, pages, err := r.PDF(t.Context(), contract(t))
	if err != nil {
		t.Fatal(err)
	}
	if pages != 5 {
		t.Errorf("%d pages", pages)
	}
	again, _, err := New().PDF(t.Context(), contract(t))
	if err != nil || !bytes.Equal(pdf, again) {
		t.Errorf("the same page becomes other bytes: %v", err)
	}
}

// allFaces are the bytes of all fonts.
func allFaces() []byte {
	return bytes.Join([][]byte{font.Regular(), font.Bold(), font.Italic(), font.BoldItalic()}, nil)
}

// TestNothingIsLeftBehind draws letters that are put together of others, which fpdf writes into a font's bytes, at the same
// time as others. The fonts stay as they are, and the same page becomes the same bytes.
func TestNothingIsLeftBehind(t *testing.T) {
	r := New()
	letters := plain("Й ё À Ә ң <b>Ѐ Ӂ Ӓ</b> <i>Ÿ Ž й</i> <b><i>Ӭ ½")
	fonts := allFaces()
	first, _, err := r.PDF(t.Context(), letters)
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for _, html := range []string{"<b>Qwz Й</b> ₸<i>Җ</i>", "й<b><i>Ѭ Ÿ", "<h1>Ԛ Ә"} {
		group.Go(func() {
			if _, _, err := r.PDF(t.Context(), plain(html)); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if !bytes.Equal(fonts, allFaces()) {
		t.Error("the fonts have changed")
	}
	if last, _, err := r.PDF(t.Context(), letters); err != nil || !bytes.Equal(first, last) {
		t.Errorf("it becomes other bytes than before: %v", err)
	}
}

// BenchmarkContract tells besides how long the slowest twentieth takes at least.
func BenchmarkContract(b *testing.B) {
	page, r := contract(b), New()
	b.ReportAllocs()
	var took []time.Duration
	for b.Loop() {
		begun := time.Now()
		if _, _, err := r.PDF(b.Context(), page); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(begun))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
}
