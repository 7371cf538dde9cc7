package layout

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tenantry/tenantry/functions/render/job"
)

// texts counts the letters X of a tree that are shown: those of tables' parts that hold no text aren't.
func texts(n *node, shown bool) int {
	count := 0
	if n.tag == "" && shown {
		count = strings.Count(n.text, "X")
	}
	for _, kid := range n.kids {
		count += texts(kid, n.tag != "colgroup")
	}
	return count
}

// TestAnything lays out pieces of HTML in any order. Whatever it is, it becomes a PDF: nothing on its pages is lost or
// there twice, but for heads of tables, and no page is too high.
func TestAnything(t *testing.T) {
	pieces := []string{
		"<p>", "</p>", "<div style='border:1px solid;padding:5px'>", "</div>", "<table border=1>", "</table>", "<tr>", "</tr>", "<td>", "<td rowspan=3>",
		"<td colspan=2>", "</td>", "<tbody>", "<ul>", "<ol>", "<li>", "</ul>", "</ol>", "</li>", "<b>", "</b>", "<i>", "</i>", "<br>", "<hr>",
		"<h2>", "</h2>", "<pre>", "</pre>", "<caption>", "</caption>", "<div style='page-break-inside:avoid'>", "<p style='page-break-before:always'>",
		"<td style='width:30%;height:200px'>", "<p style='font-size:90pt'>", "X ", "X", strings.Repeat("X ", 300), strings.Repeat("X<br>", 70), "X-X", " ",
	}
	faces, err := loadFaces()
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		page := plain(strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 40).Draw(t, "pieces"), ""))
		page.Format = rapid.SampledFrom([]string{"A5", "A4"}).Draw(t, "format")
		d, err := newDocument(t.Context(), page, faces)
		if err != nil {
			t.Fatal(err)
		}
		want := texts(d.body, true)
		if err := d.compose(); err != nil {
			var p *job.Problem
			if errors.As(err, &p) && p.Code == job.TooManyPages {
				return
			}
			t.Fatal(err)
		}
		got := 0
		for i, strips := range d.pages {
			got += strings.Count(lines(strips), "X")
			if h := tall(strips); h > d.height-d.top-d.bottom+0.1 {
				t.Errorf("page %d is %.0f high, of %.0f", i+1, h, d.height-d.top-d.bottom)
			}
		}
		if got != want {
			t.Errorf("%d of %d are on its pages", got, want)
		}
		if _, err := d.draw(); err != nil {
			t.Error(err)
		}
	})
}
