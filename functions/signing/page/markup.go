package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"time"
)

// markup is HTML that is being written.
type markup struct{ bytes.Buffer }

// plain is HTML of ours, which is written as it is.
type plain string

// add writes a piece of HTML with values in it. The piece is of this package; values are escaped, for elements and for
// attributes in quotation marks, unless they are plain.
func (m *markup) add(piece string, values ...any) {
	for i, v := range values {
		switch v := v.(type) {
		case plain:
			values[i] = string(v)
		default:
			values[i] = html.EscapeString(fmt.Sprint(v))
		}
	}
	fmt.Fprintf(m, piece, values...)
}

// open begins a page, with what it hands to its scripts. The first of them runs; the others, which it imports, are named so
// that they are loaded beside it.
func open(t texts, title string, d *data, scripts ...string) *markup {
	m := new(markup)
	m.add(`<!doctype html><html lang="%s"><head><meta charset="utf-8">`+
		`<meta name="viewport" content="width=device-width, initial-scale=1">`+
		`<meta name="robots" content="noindex, nofollow"><meta name="format-detection" content="telephone=no">`+
		`<meta name="color-scheme" content="light dark"><title>%s</title>`, t.lang, title)
	m.add(`<link rel="icon" href="%s"><link rel="stylesheet" href="%s">`, address("icon.svg"), address("style.css"))
	for i, script := range scripts {
		if i == 0 {
			m.add(`<script type="module" src="%s"></script>`, address(script))
		} else {
			m.add(`<link rel="modulepreload" href="%s">`, address(script))
		}
	}
	m.add("</head><body>")
	if d != nil {
		body, _ := json.Marshal(d) // it holds texts, numbers and times, and json writes < > & in other ways
		m.add(`<script type="application/json" id="data">%s</script>`, plain(body))
	}
	return m
}

// close ends a page.
func (m *markup) close() []byte {
	m.add("</body></html>\n")
	return m.Bytes()
}

// top writes the head of a page: who it is of, and the languages.
func (m *markup) top(t texts, brand plain) {
	m.add(`<header class="top"><div class="brand">%s</div><nav aria-label="%s">`, brand, t.Page["language"])
	for _, l := range languages() {
		if l.code == t.lang {
			m.add(`<span class="here" lang="%s" aria-current="true">%s</span>`, l.code, l.name)
		} else {
			m.add(`<a href="?lang=%s" lang="%s" hreflang="%s">%s</a>`, l.code, l.code, l.code, l.name)
		}
	}
	m.add("</nav></header>")
}

// stamp is a moment. The script shows it in the reader's own time.
func stamp(at time.Time) plain {
	at = at.UTC()
	return plain(fmt.Sprintf(`<time datetime="%s">%s UTC</time>`, at.Format(time.RFC3339), at.Format("02.01.2006 15:04")))
}

// day is a day. Which one it is, is said by the zone of whose day it is.
func day(at time.Time, zone string) plain {
	if where, err := time.LoadLocation(zone); err == nil { // a company has one that there is
		at = at.In(where)
	}
	return plain(fmt.Sprintf(`<time datetime="%s" data-day>%s</time>`, at.Format(time.DateOnly), at.Format("02.01.2006")))
}
