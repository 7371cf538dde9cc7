package layout

import (
	"math"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/functions/render/job"
)

// composed is a document whose pages are filled and not drawn.
func composed(t *testing.T, page *job.Page) *document {
	t.Helper()
	faces, err := loadFaces()
	if err != nil {
		t.Fatal(err)
	}
	d, err := newDocument(t.Context(), page, faces)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.compose(); err != nil {
		t.Fatal(err)
	}
	return d
}

// lines are the texts of strips: lines end with /, cells are in brackets.
func lines(strips []strip) string {
	var out strings.Builder
	for i := range strips {
		switch s := &strips[i]; s.kind {
		case lineStrip:
			for _, r := range s.line.runs {
				if r.pic != nil {
					out.WriteString("(picture)")
				}
				out.WriteString(r.text)
			}
			out.WriteString("/")
		case rowStrip:
			for _, c := range s.row.cells {
				out.WriteString("[" + strings.TrimSuffix(lines(c.strips), "/") + "]")
			}
			out.WriteString("/")
		}
	}
	return out.String()
}

func TestText(t *testing.T) {
	long := strings.Repeat("слово ", 40)
	for _, c := range []struct{ name, html, want string }{
		{"white space is one space", "<p>  a \n\t b  </p>  <p>c</p>", "a b/c/"},
		{"white space between inline tags stays", "<p><b>a</b> <i>b</i><u> c</u> d</p>", "a b c d/"},
		{"no white space between inline tags stays none", "<p>a<b>b</b>c<i></i>d</p>", "abcd/"},
		{"br", "a<br>b<br><br>c<br>", "a/b//c/"},
		{"a text between blocks", "a<div>b<p>c</p>d</div>e", "a/b/c/d/e/"},
		{"a block in an inline element", "<b>a<div>b</div>c</b>", "a/b/c/"},
		{"pre", "<pre>a  b\n c</pre>", "a\u00a0\u00a0b/\u00a0c/"},
		{"a space that doesn't break", "a&nbsp;&nbsp;b", "a\u00a0\u00a0b/"},
		{"an unordered list", "<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul>", "a•/b•/c•/"},
		{"an ordered list", "<ol><li>a<li>b<li value=7>c<li>d</ol>", "a1./b2./c7./d8./"},
		{"letters and Roman numbers", "<ol type=a start=26><li>a<li>b</ol><ol type=I start=1994><li>c</ol>", "az./baa./cMCMXCIV./"},
		{"an item with a table", "<ul><li><table><tr><td>a</table></ul>", "•/[a]/"},
		{"an item with a paragraph", "<ol><li><p>a</p><p>b</p></ol>", "a1./b/"},
		{"an empty item", "<ol><li></li><li>b</ol>", "1./b2./"},
		{"letters that stand for others", "≤ ☐ \u2009x\u00ad\u200by и\u0306", "<= [\u00a0\u00a0] xy й/"},
		{"entities", "&lt;b&gt; &laquo;x&raquo; &#8470; &amp;nbsp;", "<b> «x» № &nbsp;/"},
		{"placeholders of headers stay in a text", "{page}", "{page}/"},
		{"a link is its text", `<a href="https://example.com">a</a>`, "a/"},
		{"tags that are crossed", "<p><b>a<i>b</b>c</i>d</p>", "abcd/"},
		{"tags that aren't closed", "<p>a<p>b<li>c<li>d", "a/b/c/d/"},
		{"a dash between letters", "<div style='width:60pt'>оплата-возврат 10/12</div>", "оплата-/возврат/10/12/"},
		{"a long line", "<p>" + long, strings.Repeat(strings.TrimSpace(strings.Repeat("слово ", 15))+"/", 2) + strings.TrimSpace(strings.Repeat("слово ", 10)) + "/"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := lines(composed(t, plain(c.html)).pages[0]); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestTables(t *testing.T) {
	for _, c := range []struct{ name, html, want string }{
		{"rows and cells", "<table><tr><td>a</td><td>b</td></tr><tr><td>c<td>d</table>", "[a][b]/[c][d]/"},
		{"all that may be left out", "<table><td>a<td>b<tr><td>c<tbody><td>d</table>e", "[a][b]/[c]/[d]/e/"},
		{"head and foot", "<table><thead><tr><th>a</thead><tfoot><tr><td>c</tfoot><tbody><tr><td>b</table>", "[a]/[c]/[b]/"},
		{"a caption", "<table><caption>a</caption><tr><td>b</table>", "a/[b]/"},
		{"rows that a cell goes through are one", "<table><tr><td rowspan=2>a<td>b<tr><td>c<tr><td>d</table>", "[a][b][c]/[d]/"},
		{"a cell doesn't go on into the next section", "<table><tbody><tr><td rowspan=9>a<tbody><tr><td>b</table>", "[a]/[b]/"},
		{"what can't be in a table is before it", "<table>x<tr>y<td>a</td>z</tr><p>w</p></table>", "xyz/w/[a]/"},
		{"a table in a cell", "<table><tr><td><table><tr><td>a</table><td>b</table>", "[[a]][b]/"},
		{"a table between cells", "<table><tr><td>a<tr><table><td>b</table>c", "[a]//[b]/c/"},
		{"parts of no table", "<tr><td>a</td><td>b</td></tr>c", "abc/"},
		{"columns without cells", "<table><colgroup><col><col></colgroup></table>a", "a/"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := lines(composed(t, plain(c.html)).pages[0]); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

// columnsOf are the widths of a table's columns, in whole points.
func columnsOf(t *testing.T, html string) []int {
	t.Helper()
	var widths []int
	for i := range composed(t, plain(html)).pages[0] {
		if s := &composed(t, plain(html)).pages[0][i]; s.kind == rowStrip {
			for _, c := range s.row.cells {
				widths = append(widths, int(math.Round(c.w)))
			}
			return widths
		}
	}
	return nil
}

func TestWidths(t *testing.T) {
	words := strings.Repeat("слово ", 60)
	for _, c := range []struct {
		name, html string
		want       []int
	}{
		{"by their content", "<table cellpadding=0><tr><td>i</td><td>MMMM", []int{3, 38}},
		{"all of the page", "<table style='width:100%'><tr><td style='width:25%'>a<td>b", []int{128, 383}},
		{"points and the rest", "<table style='width:400pt'><tr><td style='width:100pt'>a<td>b", []int{100, 300}},
		{"a column that is told how wide it is", "<table style='width:400pt'><colgroup><col style='width:25%'><col></colgroup><tr><td>a<td>b", []int{100, 300}},
		{"no wider than the page", "<table><tr><td>" + words + "<td>" + words, []int{255, 255}},
		{"more for more", "<table><tr><td>" + words + "<td>" + words + words, []int{181, 329}},
		{"an endless word takes no more than others leave", "<table><tr><td>" + strings.Repeat("ш", 500) + "<td>" + words, []int{377, 133}},
		{"wider than the page", "<table style='width:3000px'><tr><td style='width:2000px'>a<td style='width:1000px'>b", []int{337, 173}},
		{"over two columns", "<table cellpadding=0><tr><td colspan=2 style='width:300pt'>a<tr><td>b<td>c", []int{300}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := columnsOf(t, c.html)
			same := len(got) == len(c.want)
			for i := 0; same && i < len(got); i++ {
				same = got[i] >= c.want[i]-1 && got[i] <= c.want[i]+1
			}
			if !same {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestPages(t *testing.T) {
	p := func(n int) string { return strings.Repeat("<p>a</p>", n) }
	rows := strings.Repeat("<tr><td>b</td></tr>", 60)
	for _, c := range []struct {
		name, html string
		want       []string // what each page begins with
	}{
		{"a page after another", p(50), []string{"a/a/", "a/a/"}},
		{"a new page", "x<p style='page-break-before:always'>b</p>c<div style='page-break-after:always'>d</div>e", []string{"x/", "b/c/d/", "e/"}},
		{"no empty pages", "<p style='page-break-before:always'>b</p><p style='page-break-after:always'>c</p>", []string{"b/c/"}},
		{"a heading goes with what is below it", p(37) + "<h2>b</h2><p>c</p>", []string{"a/", "b/c/"}},
		{"two lines of a paragraph at least", p(36) + "<p>1<br>2<br>3<br>4</p>", []string{"a/", "3/4/"}},
		{"what stays whole", p(35) + "<div style='page-break-inside:avoid'>1<br>2<br>3<br>4<br>5</div>", []string{"a/", "1/2/3/4/5/"}},
		{"a head on each page", "<table><thead><tr><th>h</thead>" + rows + "</table>", []string{"[h]/[b]/[b]/", "[h]/[b]/[b]/"}},
		{"no head on its own", p(36) + "<table><thead><tr><th>h<br>h<br>h</thead>" + rows + "</table>", []string{"a/", "[h/h/h]/[b]/", "[h/h/h]/[b]/"}},
		{"a small row moves", p(37) + "<table><tr><td>1<br>2<br>3</table>", []string{"a/", "[1/2/3]/"}},
		{
			"a row higher than a page is parted", "<table><tr><td>" + strings.Repeat("b<br>", 60) + "<td>" + strings.Repeat("c<br>", 10) + "</table>d",
			[]string{"[b/b/", "[b/b/"},
		},
		{
			"cells through many rows are parted where a row ends", "<table><tr><td rowspan=60>b" + strings.Repeat("<td>c</tr><tr>", 60) + "</table>",
			[]string{"[b][c][c]", "[][c][c]"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := composed(t, plain(c.html))
			if len(d.pages) != len(c.want) {
				t.Fatalf("%d pages, want %d", len(d.pages), len(c.want))
			}
			for i, strips := range d.pages {
				if got := lines(strips); !strings.HasPrefix(got, c.want[i]) {
					t.Errorf("page %d begins with %.60s, want %s", i+1, got, c.want[i])
				}
				if h := tall(strips); h > d.height-d.top-d.bottom+0.1 {
					t.Errorf("page %d is %.0f high, of %.0f", i+1, h, d.height-d.top-d.bottom)
				}
			}
		})
	}
}

// TestNothingIsLost counts what is on the pages of a table that is parted at any place.
func TestNothingIsLost(t *testing.T) {
	for n := 1; n < 60; n++ {
		cell := func(count int, letter string) string { return "<td>" + strings.Repeat(letter+"<br>", count) }
		html := strings.Repeat("<p>a</p>", n) + "<table border=1><thead><tr><th>h<th>h<th>h</thead><tr>" + cell(n*3, "b") + cell(70, "c") + "<td rowspan=3>" +
			strings.Repeat("<p>d</p>", 2*n) + "<tr>" + cell(n, "e") + cell(2, "f") + "<tr>" + cell(1, "g") + cell(90-n, "i") + "</table>z"
		d := composed(t, plain(html))
		all := ""
		for i, strips := range d.pages {
			all += lines(strips)
			if h := tall(strips); h > d.height-d.top-d.bottom+0.1 {
				t.Errorf("%d: page %d is %.0f high, of %.0f", n, i+1, h, d.height-d.top-d.bottom)
			}
		}
		for letter, want := range map[string]int{"a": n, "b": 3 * n, "c": 70, "d": 2 * n, "e": n, "f": 2, "g": 1, "i": 90 - n, "z": 1} {
			if got := strings.Count(all, letter); got != want {
				t.Errorf("%d: %d of %d %s are left", n, got, want, letter)
			}
		}
	}
}

func TestHeaderAndFooter(t *testing.T) {
	page := plain(strings.Repeat("<p>a</p>", 50))
	page.Header, page.Footer = "<p>{page}/{pages}</p>", "<i>{page}</i>{Page}"
	d := composed(t, page)
	for _, c := range []struct {
		n    *node
		want string
	}{{d.header, "2/2/"}, {d.footer, "2{Page}/"}} {
		strips, err := d.numbered(c.n, "2", "2")
		if err != nil || lines(strips) != c.want {
			t.Errorf("got %q, want %q: %v", lines(strips), c.want, err)
		}
	}
	page.Margins.Top = 0
	if d := composed(t, page); d.top < edgeOfPage+10 {
		t.Errorf("the header is over the text, which begins at %.0f", d.top)
	}
}

func TestJustify(t *testing.T) {
	html := "<p style='text-align:justify'>" + strings.Repeat("слово и дело ", 20) + "</p>"
	d := composed(t, plain(html))
	strips := d.pages[0][:len(d.pages[0])-1] // without the margin
	for i := range strips[:len(strips)-1] {
		r := strips[i].line.runs[0]
		if end := r.x + r.width; math.Abs(end-(d.width-d.left-d.right)) > 0.01 || r.extra <= 0 {
			t.Errorf("line %d ends at %.2f", i, end)
		}
	}
	if last := strips[len(strips)-1].line.runs[0]; last.extra != 0 {
		t.Error("the last line is justified")
	}
}

func TestStyles(t *testing.T) {
	run := func(html string) run { return composed(t, plain(html)).pages[0][0].line.runs[0] }
	for _, c := range []struct {
		name, html string
		is         func(s *style) bool
	}{
		{"bold", "<b>a", func(s *style) bool { return s.face == bold }},
		{"bold and italic", "<strong><em>a", func(s *style) bool { return s.face == bold|italic }},
		{"not bold in a heading", "<h1><span style='font-weight:400'>a", func(s *style) bool { return s.face == regular }},
		{"size", "<p style='font-size:20px'>a", func(s *style) bool { return s.size == 15 }},
		{"size of a size", "<p style='font-size:20pt'><span style='font-size:50%'>a", func(s *style) bool { return s.size == 10 }},
		{"size in em", "<p style='font-size:20pt'><span style='font-size:2em'>a", func(s *style) bool { return s.size == 40 }},
		{"colour", "<p style='color:#f80'>a", func(s *style) bool { return s.color == rgb{255, 136, 0} }},
		{"a colour by name", "<p style='COLOR: Navy ;'>a", func(s *style) bool { return s.color == rgb{0, 0, 128} }},
		{"background", "<span style='background-color:yellow'>a", func(s *style) bool { return s.back != nil && *s.back == rgb{255, 255, 0} }},
		{"a block's background isn't its text's", "<p style='background-color:yellow'>a", func(s *style) bool { return s.back == nil }},
		{"underline in bold", "<u><b>a", func(s *style) bool { return s.under && s.face == bold }},
		{"strike", "<span style='text-decoration:line-through'>a", func(s *style) bool { return s.strike }},
		{"superscript", "<sup>a", func(s *style) bool { return s.shift > 0 && s.size < baseSize }},
		{"subscript", "<sub>a", func(s *style) bool { return s.shift < 0 && s.size < baseSize }},
		{"what is unknown changes nothing", "<p style='position:fixed;font-size:expression(1);color:url(x);;:;x'>a", func(s *style) bool {
			return s.size == baseSize && s.color == rgb{}
		}},
		{"line height", "<p style='line-height:2'>a", func(s *style) bool { return s.leading == 2 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			if r := run(c.html); !c.is(r.st) {
				t.Errorf("%+v", *r.st)
			}
		})
	}
	gaps := 0
	for _, s := range composed(t, plain("<ul><li>a<ul><li>b</ul><li>c</ul>d")).pages[0] {
		if s.kind == gapStrip {
			gaps++
		}
	}
	if gaps != 1 {
		t.Errorf("%d margins: a list in a list has some", gaps)
	}
	for _, c := range []struct {
		name, html string
		want       float64
	}{
		{"center", "<p style='text-align:center;width:200pt'>a", 97},
		{"right", "<p align=right style='width:200pt'>a", 194},
		{"indent", "<p style='text-indent:30pt'>a", 30},
		{"margin and padding", "<div style='margin-left:10pt;padding:5pt'>a", 15},
		{"margins of four", "<div style='margin:1pt 2pt 3pt 4pt'>a", 4},
		{"a quotation", "<blockquote>a", 21},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, s := range composed(t, plain(c.html)).pages[0] {
				if s.kind == lineStrip && math.Abs(s.line.runs[0].x-c.want) > 0.6 {
					t.Errorf("it begins at %.2f, want %.2f", s.line.runs[0].x, c.want)
				}
			}
		})
	}
}
