package normalise

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// Of the links on a page those to the web, to mail and to telephones stay, however they are written; no other is in what is signed.
func TestLinks(t *testing.T) {
	utf16 := func(s string) string {
		var b strings.Builder
		b.WriteString("<FEFF")
		for _, c := range s {
			fmt.Fprintf(&b, "%04x", c)
		}
		return b.String() + ">"
	}
	for _, c := range []struct {
		name, address string
		stays         bool
	}{
		{"web", "(http://example.com)", true},
		{"web, secure", "(HTTPS://example.com/a?b=javascript:c)", true},
		{"mail", "(mailto:a@example.com)", true},
		{"telephone", "(tel:+77011234567)", true},
		{"hexadecimal", "<6874 7470733a2f2f61>", true},
		{"with escapes", `(\150ttp\163://a\(b\))`, true},
		{"UTF-16", utf16("https://a"), true},
		{"UTF-8 with a mark", "(\xef\xbb\xbfhttps://a)", true},
		{"a line that goes on", "(htt\\\nps://a)", true},

		{"script", "(javascript:alert(1))", false},
		{"script in capitals", "(JaVaScRiPt:alert\\(1\\))", false},
		{"script in octal digits", `(\152avascript:x)`, false},
		{"script in hexadecimal digits", "<6A6176617363726970743a78>", false},
		{"script in UTF-16", utf16("javascript:x"), false},
		{"script in UTF-16, the other way round", "<fffe6a006100>", false},
		{"script behind a space", "( javascript:x)", false},
		{"script behind a control character", `(\001javascript:x)`, false},
		{"script with a line end in it", `(java\nscript:x)`, false},
		{"script with a tab in it", "(java\tscript:x)", false},
		{"a scheme with a line end in it", "(ht\ntp://a)", false},
		{"file", "(file:///etc/passwd)", false},
		{"data", "(data:text/html,x)", false},
		{"other script", "(vbscript:x)", false},
		{"another program", "(ms-msdt:/id)", false},
		{"no scheme", "(www.example.com)", false},
		{"no scheme, another host", "(//example.com)", false},
		{"nothing", "()", false},
		{"no string", "77", false},
		{"a name", "/https:a", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			for form, data := range map[string]string{
				"in place":          document("", "/Annots[<</Subtype/Link/A<</S/URI/URI"+" "+c.address+">>>>]", ""),
				"obfuscated":        document("", "/Annots[<</#53ubtype/Link/#41<</#53/U#52I/#55RI "+c.address+">>>>]", ""),
				"elsewhere":         document("", "/Annots 10 0 R", "", linked(c.address)...),
				"of another kind":   document("", "/Annots[<</Subtype/Link/A<</S/GoTo/URI "+c.address+">>>>]", ""),
				"as another action": document("", "/Annots[<</Subtype/Link/PA<</S/URI/URI "+c.address+">>>>]", ""),
				"after another":     document("", "/Annots[<</Subtype/Link/A<</S/GoTo/D[3 0 R/Fit]/Next[<</S/URI/URI "+c.address+">>]>>>>]", ""),
				"in the outline":    document("/Outlines<</First<</Title(a)/A<</S/URI/URI "+c.address+">>>>>>", "", ""),
				"of no page":        document("/StructTreeRoot<</K[<</S/Link/X<</URI "+c.address+">>>>]>>", "", ""),
			} {
				if problem := problemOf(t, data); problem != "" {
					t.Fatalf("%s: it is %s", form, problem)
				}
				out, _, err := PDF(t.Context(), []byte(data))
				if err != nil {
					t.Fatal(err)
				}
				stays := bytes.Contains(out, []byte("/URI")) && (c.address == "77" || bytes.Contains(out, []byte(c.address)))
				if stays != c.stays || !c.stays && bytes.Contains(out, []byte("/URI")) {
					t.Errorf("%s:\n%s", form, out)
				}
				if marked := bytes.Contains(out, []byte("/Subtype /Link")); strings.HasPrefix(form, "elsewhere") && marked != c.stays {
					t.Errorf("the link itself: %t", marked)
				}
			}
		})
	}
}

// linked is a link whose parts are objects of their own.
func linked(address string) []string {
	return []string{
		"8 0 obj " + address + " endobj", "10 0 obj [11 0 R] endobj", "11 0 obj <</Subtype/Link/A 12 0 R>> endobj",
		"12 0 obj 13 0 R endobj", "13 0 obj <</S 14 0 R/URI 8 0 R>> endobj", "14 0 obj /URI endobj",
	}
}

// What all links of a file would begin with is not kept.
func TestBaseOfLinks(t *testing.T) {
	out, _, err := PDF(t.Context(), []byte(document("/URI<</Base(javascript:x//)>>", "", "")))
	if err != nil || bytes.Contains(out, []byte("Base")) {
		t.Errorf("%v, %s", err, out)
	}
}
