package customfield_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/record/customfield"
	"github.com/tenantry/tenantry/shared/say"
)

// wrongHTML is what Check says of the HTML of a custom field.
func wrongHTML(t *testing.T, text string) string {
	t.Helper()
	extra, err := encode.JSON(map[string]string{"f": text})
	if err != nil {
		t.Fatal(err)
	}
	set := customfield.Set{List: []customfield.Definition{{Name: "f", Type: "html"}}}
	_, errs := set.Check(extra)
	if len(errs) == 0 {
		return ""
	}
	list, ok := errs["f"].([]say.Message)
	if !ok || len(errs) != 1 || len(list) != 1 {
		t.Fatalf("%v", errs)
	}
	return list[0].Error()
}

func TestHTML(t *testing.T) {
	const (
		less    = "A < that begins no tag must be written as &lt;."
		open    = "A tag has no end."
		comment = "Comments are not allowed."
		odd     = "The tag <%> is not well formed."
		link    = "The href of <a> must begin with http://, https://, mailto: or tel:, and have no spaces."
		tag     = "The tag <%> is not allowed."
	)
	of := func(name string) string { return strings.Replace(tag, "%", name, 1) }
	for text, want := range map[string]string{
		"": "", " ": "", "a & b > c": "", "&lt;script&gt;": "", "Договор": "",
		"<p>a<br>b<br/>c<br /></p><H1>x</H1><ul><li>1<li>2</ul>":                                                                                       "",
		"<b><strong><i><em><u><s>a</s></u></em></i></strong></b>":                                                                                      "",
		"<h2>a</h2><h6>b</h6><ol><li>c</li></ol><blockquote><div><span>d</span></div></blockquote>":                                                    "",
		`<table><caption>t</caption><thead><tr><th colspan="2">h</th></tr></thead><tbody><tr><td rowspan=2>d</td></tr></tbody><tfoot></tfoot></table>`: "",
		`<a href="https://example.com/?a=1&amp;b=<2>">a</a>`:                                                                                           "",
		`<A HREF='HTTP://example.com'>a</A><a href=mailto:a@b.kz>b</a><a href="tel:+77011234567">c</a><a>d</a>`:                                        "",

		"<script>alert(1)</script>": of("script"), "<SCRIPT/x>": of("script"), "<scr<script>ipt>": of("scr<script"),
		"a<img src=x onerror=alert(1)>": of("img"), "<svg/onload=alert(1)>": of("svg"), "<math><mi>": of("math"),
		"<style>*{}</style>": of("style"), "<textarea>": of("textarea"), "<title>": of("title"), "<iframe src=x>": of("iframe"),
		"<noscript><p title='</noscript><img src=x onerror=alert(1)>'>": of("noscript"), "<plaintext>": of("plaintext"),
		"<form action=/x>": of("form"), "<base href=x>": of("base"), "<meta http-equiv=refresh>": of("meta"), "</body>": of("body"), "<x-y>": of("x-y"),

		`<p onclick="x">`: "The attribute onclick of <p> is not allowed.", `<p/ONCLICK=x>`: "The attribute onclick of <p> is not allowed.",
		`<b style="position:fixed">`: "The attribute style of <b> is not allowed.", `<p id=a>`: "The attribute id of <p> is not allowed.",
		`<a href="https://x"onmouseover=x>`: "The attribute onmouseover of <a> is not allowed.", "</p onclick=x>": odd,
		`<a target=_blank href="https://x">`: "The attribute target of <a> is not allowed.", `<p href="https://x">`: "The attribute href of <p> is not allowed.",
		`<td colspan="x">`: "The attribute colspan of <td> must be a number.", `<th rowspan>`: "The attribute rowspan of <th> must be a number.",
		`<td colspan=1000>`: "The attribute colspan of <td> must be a number.",

		`<a href="javascript:alert(1)">`: link, `<a href="JaVaScRiPt:alert(1)">`: link, "<a href=' javascript:alert(1)'>": link,
		`<a href="java&#10;script:alert(1)">`: link, `<a href="&#106;avascript:alert(1)">`: link, `<a href="data:text/html,x">`: link,
		`<a href="/relative">`: link, `<a href="//example.com">`: link, `<a href>`: link, `<a href="https:example">`: link,
		`<a href="https://x" href="javascript:alert(1)">`: odd, `<p ="x">`: `The attribute ="x" of <p> is not allowed.`, "<p / >": odd, "</p/>": odd, `<a href="tel:1"/x>`: "The attribute x of <a> is not allowed.",
		`<a href = "tel:1" ><td rowspan=1 colspan='2'><br / >`: "The tag <br> is not well formed.", `<a href="tel:1" "">`: "The attribute \"\" of <a> is not allowed.",
		"<a href='https://x\ty'>": link,

		"<!-- a -->": comment, "<!-->": comment, "<?php x ?>": comment, "</ x>": comment, "<![CDATA[x]]>": comment, "<!x>": comment,
		"<!DOCTYPE html>": "A document type is not allowed.",
		"5 < 6":           less, "a <": less, "<3": less,
		"a<p": open, `<a href="https://x`: open, "<img src=x onerror=alert(1) ": open, "</p": open, "<!-- a": comment,
	} {
		if want == odd {
			want = strings.Replace(odd, "%", strings.Trim(text, "</")[:1], 1)
		}
		if got := wrongHTML(t, text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// FuzzHTML: what is let through is, as a browser reads it within a page, nothing
// but what is allowed, and ends where it ends.
func FuzzHTML(f *testing.F) {
	for _, seed := range []string{
		"<p>a</p>", `<a href="https://x">y</a>`, "<td colspan=2>", "<a/href='tel:1'>", "a<", "</p", "<b><!--", "&lt;<br/>", "<script>",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 10_000 || strings.ToValidUTF8(text, "") != text || wrongHTML(t, text) != "" {
			return
		}
		root, err := html.Parse(strings.NewReader("<!doctype html><body><main>" + text + "<hr id=end></main>"))
		if err != nil {
			t.Fatal(err)
		}
		ended := false
		for n := range root.Descendants() {
			switch {
			case n.Type == html.CommentNode:
				t.Errorf("%q has the comment %q", text, n.Data)
			case n.Type != html.ElementNode:
			case n.Data == "hr" && len(n.Attr) == 1 && n.Attr[0].Val == "end":
				ended = true
			case strings.Contains(" html head body main p br b strong i em u s ul ol li h1 h2 h3 h4 h5 h6 blockquote span div table caption thead tbody tfoot tr td th colgroup a ", " "+n.Data+" "):
				for _, a := range n.Attr {
					if a.Key != "href" && a.Key != "colspan" && a.Key != "rowspan" ||
						strings.HasPrefix(strings.ToLower(a.Val), "javascript") {
						t.Errorf("%q has %s=%q", text, a.Key, a.Val)
					}
				}
			default:
				t.Errorf("%q has <%s>", text, n.Data)
			}
		}
		if !ended {
			t.Errorf("%q swallows what comes after it", text)
		}
	})
}
