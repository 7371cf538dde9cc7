package layout

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/render/job"
)

// plain is a page of HTML and nothing else.
func plain(html string) *job.Page {
	return &job.Page{
		HTML: html, Format: "A4", Margins: job.Margins{Top: 15, Right: 15, Bottom: 15, Left: 15},
		At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
	}
}

// problem is the code of what is wrong with a page, "" if it becomes a PDF.
func problem(t *testing.T, page *job.Page) string {
	t.Helper()
	pdf, _, err := New().PDF(t.Context(), page)
	var p *job.Problem
	switch {
	case errors.As(err, &p):
		if p.Text == "" || pdf != nil {
			t.Errorf("%s has no text, or there is a PDF beside it", p.Code)
		}
		return p.Code
	case err != nil:
		t.Fatal(err)
	case !bytes.HasPrefix(pdf, []byte("%PDF-1.")):
		t.Errorf("no PDF: %.20q", pdf)
	}
	return ""
}

func TestHostileHTML(t *testing.T) {
	bold := func(n int) string {
		var s strings.Builder
		for i := range n {
			fmt.Fprintf(&s, `<b style="font-size:%dpx">`, i+10)
		}
		return s.String()
	}
	for _, c := range []struct{ name, html, want string }{
		{"deep", strings.Repeat("<div>", 20_000), job.BadHTML},
		{"deep as far as it goes", strings.Repeat("<blockquote>", mostDepth-1) + "a", ""},
		{"deep tables", strings.Repeat("<table border=1><tr><td>", 66) + "a", ""},
		{"deep inline", strings.Repeat("<b><i>", 20_000), job.BadHTML},
		{"deep fonts", strings.Repeat(`<span style="font-size:1000%">`, 150) + "a", ""},
		{"wide table", "<table><tr>" + strings.Repeat("<td>a</td>", 40_000), job.BadHTML},
		{"long table", "<table>" + strings.Repeat("<tr><td>a<td>b<td>c<td>d</tr>", 2_500), ""},
		{"too many cells", "<table>" + strings.Repeat("<tr>"+strings.Repeat("<td>a", 10)+"</tr>", 6_000), job.BadHTML},
		{"long rowspans", "<table>" + strings.Repeat(`<tr><td rowspan="9999">a<td>b</tr>`, 90), ""},
		{"rowspans that never end", "<table>" + strings.Repeat(`<tr><td rowspan="2">a</tr><tr><td rowspan="2">b`, 2_000), ""},
		{"colspans", `<table>` + strings.Repeat(`<tr><td colspan="100">a</tr>`, 5_000), ""},
		{"elements", strings.Repeat("<b>", 4) + strings.Repeat("<p>", 251_000), job.BadHTML},
		{"empty lines", strings.Repeat("<br>", 240_000), job.TooManyPages},
		{"empty elements", strings.Repeat("<b></b>", 140_000), ""},
		{"pages", strings.Repeat(`<p style="page-break-after:always">a</p>`, 300), job.TooManyPages},
		{"as many pages as may be", strings.Repeat(`<p style="page-break-after:always">a</p>`, 200), ""},
		{"an endless word", strings.Repeat("ш", 450_000), ""},
		{"an endless word in a table", "<table border=1><tr><td>" + strings.Repeat("ш", 100_000) + "<td>b", ""},
		{"an endless line", "<pre>" + strings.Repeat("a ", 200_000), ""},
		{"words of a letter", strings.Repeat("<p align=justify>", 1) + strings.Repeat("a ", 490_000), ""},
		{"styles that are never closed", "<p>" + bold(150) + "</p>" + strings.Repeat("<p>x", 50_000), job.TooManyPages},
		{"tables in each other's cells", strings.Repeat("<table><tr><td><table><tr><td>a</table>", 20), ""},
		{"a marker on nothing", strings.Repeat("<ul><li>", 90) + strings.Repeat("<table><tr><td>", 3), ""},
		{"huge numbers", `<ol start="99999999999999999999"><li>a</ol><ol type="A" start="2147483647"><li>b</ol><p style="margin:1e300px 99999999cm">c`, ""},
		{"huge borders", `<div style="border:9999px solid red;padding:4000px">a</div>`, ""},
		{"narrow", `<div style="width:1px">слово<div style="padding:300mm">слово</div></div><table style="width:1px"><tr><td>слово`, ""},
		{"letters of no font", "漢字 👍🏽 \U0010ffff \u202e \ud7ff אבג \x00 a\u0301", job.NoLetter},
		{"no UTF-8", "a\xff\xfe<p title='\xff'>b", ""},
		{"1 MB", strings.Repeat("a", job.MostHTML+1), job.TooLarge},
		{"nothing", "", ""},
		{"heads without bodies", strings.Repeat("<table><thead><tr><th>a</table>", 1_000), ""},
		{"a head higher than a page", "<table><thead><tr><th>" + strings.Repeat("a<br>", 100) + "<tbody><tr><td>" + strings.Repeat("b<br>", 100), ""},
		{"a block that can't stay whole", `<div style="page-break-inside:avoid">` + strings.Repeat("a<br>", 500), ""},
		{"headings only", strings.Repeat("<h1>a</h1>", 500), ""},
		{"comments and odd markup", "<!-- <p> --><![CDATA[x]]><?php x ?><p <b>>a</p></p></div></table></td>", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := problem(t, plain(c.html)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestNothingIsRead(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret.png")
	if err := os.WriteFile(secret, []byte("a secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	html := fmt.Sprintf(`<img src="%s"><img src="file://%s"><img src="https://example.com/a.png"><link rel=attachment href="file://%[1]s">
		<script>document.write("written")</script><style>p{content:url(file://%[1]s)}</style><iframe src="file://%[1]s">framed</iframe>
		<object data="file://%[1]s">object</object><svg><text>drawn</text></svg><p style="background:url(file://%[1]s)">shown</p>`, secret, secret)
	with, _, err := New().PDF(t.Context(), plain(html))
	if err != nil {
		t.Fatal(err)
	}
	without, _, err := New().PDF(t.Context(), plain("<p>shown</p>"))
	if err != nil || !bytes.Equal(with, without) {
		t.Errorf("it isn't as if it had not been there: %d and %d bytes, %v", len(with), len(without), err)
	}
}

func TestTime(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, html := range []string{"a", strings.Repeat("<p>a</p>", 1000), "<table><tr><td>a", "<img src='" + logo(t, 2, 2) + "'>"} {
		if _, _, err := New().PDF(ctx, plain(html)); !errors.Is(err, context.Canceled) {
			t.Errorf("%.20s: it went on: %v", html, err)
		}
	}
}

// mostMemory is what a page may take in all, in MB: the function is bound to 256.
const mostMemory = 220

// TestMemory lays out what takes most. The function has 256 MB, and all that is ever allocated is less.
func TestMemory(t *testing.T) {
	large := func(m image.Image) string {
		var out bytes.Buffer
		encoder := png.Encoder{CompressionLevel: png.BestSpeed}
		if err := encoder.Encode(&out, m); err != nil {
			t.Fatal(err)
		}
		return uri("png", out.Bytes())
	}
	for _, c := range []struct{ name, html string }{
		{"cells", "<table border=1>" + strings.Repeat("<tr>"+strings.Repeat("<td>a", 16)+"</tr>", 2_500)},
		{"words", strings.Repeat("a ", 490_000)},
		{"styles", strings.Repeat("<b>a</b> ", 80_000)},
		{"an image of 20 megapixels", large(image.NewNRGBA(image.Rect(0, 0, 5_000, 4_000)))},
		{"an image of 20 megapixels with a palette", large(image.NewPaletted(image.Rect(0, 0, 5_000, 4_000), color.Palette{color.Transparent}))},
		{"a deep image of 10 megapixels", large(image.NewNRGBA64(image.Rect(0, 0, 5_000, 2_000)))},
		{"justified", "<p align=justify>" + strings.Repeat("a ", 490_000)},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			page := plain(c.html)
			page.Format = "A3"
			if got := problem(t, page); got != "" {
				t.Errorf("it became %s", got)
			}
			runtime.ReadMemStats(&after)
			if all := (after.TotalAlloc - before.TotalAlloc) >> 20; all > mostMemory {
				t.Errorf("it took %d MB", all)
			}
		})
	}
}

func uri(kind string, data []byte) string {
	return fmt.Sprintf(`<img src="data:image/%s;base64,%s">`, kind, base64.StdEncoding.EncodeToString(data))
}

// chunk is a piece of a PNG.
func chunk(kind string, data []byte) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	out = append(append(out, kind...), data...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
}

func header(width, height uint32, depth, kind byte) []byte {
	data := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, width), height)
	return append([]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", append(data, depth, kind, 0, 0, 0))...)
}

func TestImages(t *testing.T) {
	encode := func(m image.Image) []byte {
		var out bytes.Buffer
		if err := png.Encode(&out, m); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	photo := func(m image.Image) []byte {
		var out bytes.Buffer
		if err := jpeg.Encode(&out, m, nil); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	square := image.Rect(0, 0, 20, 20)
	palette := image.NewPaletted(square, color.Palette{color.NRGBA{255, 0, 0, 0}, color.Black})
	good := encode(image.NewNRGBA(square))
	jpg := photo(image.NewYCbCr(square, image.YCbCrSubsampleRatio420))
	cmyk := bytes.Replace(jpg, []byte{0xff, 0xc0, 0, 17}, []byte{0xff, 0xc0, 0, 20}, 1)
	padded := func(to int) []byte { // with empty comments
		out := append([]byte(nil), jpg[:2]...)
		for len(out)+len(jpg) < to {
			out = append(append(out, 0xff, 0xfe, 0xff, 0xff), make([]byte, 0xfffd)...)
		}
		return append(out, jpg[2:]...)
	}
	for _, c := range []struct{ name, html, want string }{
		{"transparent", uri("png", good), ""},
		{"grey", uri("png", encode(image.NewGray(square))), ""},
		{"a palette with transparency", uri("png", encode(palette)), ""},
		{"16 bits", uri("png", encode(image.NewNRGBA64(square))), ""},
		{"16 bits of grey", uri("png", encode(image.NewGray16(square))), ""},
		{"JPEG", uri("jpeg", jpg), ""},
		{"grey JPEG", uri("jpeg", photo(image.NewGray(square))), ""},
		{"line breaks in base64", strings.Replace(uri("png", good), "iVBOR", "iVB\r\nOR ", 1), ""},
		{"a PNG of 20,000 by 20,000", uri("png", header(20_000, 20_000, 8, 2)), job.BadImage},
		{"a PNG whose size overflows", uri("png", header(0x7fffffff, 0x7fffffff, 8, 2)), job.BadImage},
		{"a deep PNG of 15 megapixels", uri("png", header(5_000, 3_000, 16, 6)), job.BadImage},
		{"a PNG that ends early", uri("png", good[:len(good)-20]), job.BadImage},
		{"a PNG with a wrong sum", uri("png", bytes.Replace(good, []byte("IDAT"), []byte("IDAU"), 1)), job.BadImage},
		{"a JPEG that ends early", uri("jpeg", jpg[:len(jpg)-3]), job.BadImage},
		{"a JPEG of four colours", uri("jpeg", cmyk), job.BadImage},
		{"a JPEG in a PNG's name", uri("png", jpg), job.BadImage},
		{"a GIF", uri("gif", []byte("GIF89a")), job.BadImage},
		{"an SVG", uri("svg+xml", []byte("<svg/>")), job.BadImage},
		{"no base64", `<img src="data:image/png;base64,!!!">`, job.BadImage},
		{"nothing", `<img src="data:,"><img src=""><img>`, job.BadImage},
		{"more than 5 MB", uri("jpeg", padded(2_500_000)) + uri("jpeg", padded(2_600_000)), job.TooLarge},
		{"more than 5 MB in one", uri("jpeg", padded(5_100_000)), job.TooLarge},
		{"less than 5 MB", uri("jpeg", padded(2_400_000)) + uri("jpeg", padded(2_300_000)), ""},
		{"the same one 1,000 times", strings.Repeat(uri("png", good), 1_000), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := problem(t, plain(c.html)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestPageThatCannotBe(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(p *job.Page)
	}{
		{"format", func(p *job.Page) { p.Format = "A0" }},
		{"margins over all", func(p *job.Page) { p.Margins.Left, p.Margins.Right = 100, 100 }},
		{"a negative margin", func(p *job.Page) { p.Margins.Top = -1 }},
		{"a margin that is no number", func(p *job.Page) { p.Margins.Top = nan() }},
		{"a header over all", func(p *job.Page) { p.Header = strings.Repeat("a<br>", 100) }},
		{"a footer over all", func(p *job.Page) { p.Footer = strings.Repeat("<p>{page}</p>", 100) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := plain("a")
			c.change(p)
			if got := problem(t, p); got != job.BadPage {
				t.Errorf("got %q", got)
			}
		})
	}
}

func nan() float64 { zero := 0.0; return zero / zero }
