package printing

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/functions/documents/template"
)

func TestCleanKeepsWhatAContractNeeds(t *testing.T) {
	s := newSanitiser()
	for _, html := range []string{
		`<h1>Шарт № 1</h1><p align="center">Ұзақ <b>мәтін</b> <i>a</i> <u>b</u></p>`,
		`<table border="1" cellpadding="4"><thead><tr><th>Цена</th></tr></thead><tbody><tr><td colspan="2">5&nbsp;000 ₸</td></tr></tbody></table>`,
		`<ol><li>a</li></ol><ul><li>b</li></ul><hr><br/>`,
		`<p style="text-align: right; font-size: 12pt">a</p>`,
		`<td style="border: 1px solid #ccc; padding: 5px; width: 33.3%; vertical-align: top; color: #000">a</td>`,
		`<img src="data:image/png;base64,iVBORw0KGgo=" alt="подпись"/>`,
	} {
		want := strings.NewReplacer("&nbsp;", "\u00a0").Replace(html)
		if got := s.clean(html); got != want {
			t.Errorf("%s\nbecame %s", html, got)
		}
	}
	if got := s.clean(`<a href="https://example.com/a">b</a>`); got != `<a href="https://example.com/a" rel="nofollow noreferrer">b</a>` {
		t.Errorf("a link became %s", got)
	}
}

func TestCleanRemovesWhatActs(t *testing.T) {
	s := newSanitiser()
	for name, html := range map[string]string{
		"script":            `<p>ok</p><script>evil()</script>`,
		"script in svg":     `<svg><script>evil()</script></svg><p>ok</p>`,
		"mathml":            `<math><mtext><table><mglyph><style><img src=x onerror=evil()></style></mglyph></table></mtext></math><p>ok</p>`,
		"handler":           `<p onclick="evil()" ONLOAD=evil()>ok</p>`,
		"handler in image":  `<img src=x onerror=evil()><p>ok</p>`,
		"script link":       `<a href="javascript:evil()">ok</a>`,
		"hidden scheme":     `<a href="  java&#x0A;script:evil()">ok</a>`,
		"data page":         `<a href="data:text/html,<script>evil()</script>">ok</a>`,
		"vbscript":          `<a href="vbscript:evil()">ok</a>`,
		"frame":             `<iframe src="https://evil.test"></iframe><p>ok</p>`,
		"object":            `<object data="https://evil.test"></object><embed src="https://evil.test"><p>ok</p>`,
		"base":              `<base href="https://evil.test/"><p>ok</p>`,
		"meta refresh":      `<meta http-equiv="refresh" content="0;url=https://evil.test"><p>ok</p>`,
		"style sheet":       `<link rel="stylesheet" href="https://evil.test/a.css"><style>@import "https://evil.test"</style><p>ok</p>`,
		"picture of others": `<img src="https://evil.test/pixel.png"><p>ok</p>`,
		"svg as picture":    `<img src="data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9ZXZpbCgpPg=="><p>ok</p>`,
		"style url":         `<p style="background-image:url(https://evil.test/a)">ok</p>`,
		"style overlay":     `<p style="position:fixed;top:0;left:0;width:expression(evil())">ok</p>`,
		"style escape":      `<p style="w\69 dth:expression(evil())">ok</p>`,
		"form":              `<form action="https://evil.test"><input name=a><button>ok</button></form>`,
		"comment":           `<!-- evil --><p>ok</p><!--[if IE]><script>evil()</script><![endif]-->`,
		"unclosed":          `<p>ok</p><img src="x" onerror="evil()"`,
		"broken nesting":    `<<script>evil()//<</script>p>ok</p>`,
		"noscript":          `<noscript><p title="</noscript><img src=x onerror=evil()>"></noscript><p>ok</p>`,
		"template":          `<template><script>evil()</script></template><p>ok</p>`,
		"relative":          `<a href="//evil.test">ok</a><a href="/v2/documents/">ok</a>`,
	} {
		got := s.clean(html)
		low := strings.ToLower(got)
		for _, bad := range []string{
			"evil", "script", "<svg", "<style", "<iframe", "<form", "<meta", "<base", "onerror", "position", "url(", "data:text",
			"svg+xml",
		} {
			// Text that a reader sees is harmless, as long as it is no markup.
			markup := strings.Contains(low, "<"+bad) || strings.Contains(low, "="+bad) || strings.Contains(low, `="`+bad)
			if strings.Contains(low, bad) && (bad != "evil" && bad != "script" || markup) {
				t.Errorf("%s: %s is left in %s", name, bad, got)
			}
		}
		if !strings.Contains(got, "ok") {
			t.Errorf("%s: the text is lost: %q", name, got)
		}
		if again := s.clean(got); again != got {
			t.Errorf("%s: cleaned twice it differs:\n%s\n%s", name, got, again)
		}
	}
}

// TestCleanTakesOfStylesWhatItKnows: what the policy doesn't know takes nothing
// else away, as long as it is made of plain words.
func TestCleanTakesOfStylesWhatItKnows(t *testing.T) {
	s := newSanitiser()
	for style, want := range map[string]string{
		"FONT-SIZE:12.5pt ;\n  font-family: Times New Roman, serif; color:red;":           "FONT-SIZE: 12.5pt; color: red",
		"margin: 0 auto 0 .5em; text-indent:-18pt; -webkit-margin: y; width: 5%":          "width: 5%",
		"mso-margin-top-alt:auto;margin-top:0cm;line-height:107%;page-break-after: avoid": "margin-top: 0cm; line-height: 107%; page-break-after: avoid",
	} {
		if got := s.clean(`<p style="` + style + `">a</p>`); got != `<p style="`+want+`">a</p>` {
			t.Errorf("%s\nbecame %s", style, got)
		}
	}
}

// TestTameLeavesNoLongStyle: the parser of styles gets no text that takes it
// the square of its time, however often there is one.
func TestTameLeavesNoLongStyle(t *testing.T) {
	s := newSanitiser()
	pieces := []string{
		"-", ".", "#", ":", ",", ";", "%", "1", "a", " ", "{", "a:b;", "color:red;", "color:", "a ", "1 ", "-1 ", "-a", "1.", "#a ", "\n", ", ", "+", `\61`,
	}
	for _, piece := range pieces {
		for _, before := range []string{"", "color:red;", "color: "} {
			for _, after := range []string{"", ";", "red"} {
				style := before + strings.Repeat(piece, 999) + after
				got := s.tame().Sanitize(`<p style='` + style + `'>a</p>`)
				// Letters and spaces in a row are one word, however many.
				words := len(strings.FieldsFunc(got, func(r rune) bool { return strings.ContainsRune(" \n:;,.#%-", r) }))
				if signs := strings.Count(got, "-") + strings.Count(got, ".") + strings.Count(got, ":"); words > 60 || signs > 60 {
					t.Errorf("%q after %q: %d words and %d signs are left", piece, before, words, signs)
				}
			}
		}
	}
}

// TestCleanEnds: no content that is taken keeps the sanitiser busy for ever.
func TestCleanEnds(t *testing.T) {
	s := newSanitiser()
	for _, piece := range []string{
		"<div>", "</div>", "<", "&amp;", "<!--", `<p a="b" `, "Ұ", `<p style="`, `<p style="color:red;width:1px">`, `<p style="{">`,
		`<p style="` + strings.Repeat("-", 999) + `">`, `<p style="` + strings.Repeat("size:1 1 1 1;", 10) + `">`,
	} {
		s.clean(strings.Repeat(piece, template.MaxContent/len(piece)))
	}
	for _, piece := range []string{
		"color:red;", "color:", "a", "{", "}", "{}", "{a:b}", "(", `\61`, "@media{", "/*", "'", "!important", ";",
	} {
		if got := s.clean(`<p style="` + strings.Repeat(piece, template.MaxContent/len(piece)) + `">a</p>`); got != "<p>a</p>" {
			t.Errorf("%q: %.100s", piece, got)
		}
		s.clean(`<p style="` + strings.Repeat(piece, 100) + `">a</p>`)
	}
	s.clean(`<a href="https://a/` + strings.Repeat("a", template.MaxContent) + `">`)
}
