package printing

import (
	"regexp"
	"sync"

	"github.com/microcosm-cc/bluemonday"
)

// sanitiser keeps the HTML that a printed contract needs: structure, emphasis, tables, pictures that are embedded
// or may be ours (images puts these inside), links. It removes scripts, forms, everything that a browser would fetch
// when the document is opened, and everything that covers other parts of the page.
type sanitiser struct {
	tame, strict func() *bluemonday.Policy
}

// newSanitiser makes a sanitiser. Its policies are made when they are first needed, because
// making them takes longer than a request.
func newSanitiser() sanitiser {
	return sanitiser{tame: sync.OnceValue(tamePolicy), strict: sync.OnceValue(strictPolicy)}
}

// clean works in two passes. The CSS parser in the second pass takes quadratic time for styles
// with many signs ("{{{", "---"): minutes for a megabyte. The first pass therefore keeps only
// styles with few words and no nesting.
func (s sanitiser) clean(html string) string { return s.strict().Sanitize(s.tame().Sanitize(html)) }

// tamePolicy is the policy of the first pass.
func tamePolicy() *bluemonday.Policy {
	// The parser's time depends on how many words there are and how close together they are,
	// but not on their length.
	const (
		property = `-?([a-z]{4,20}|[a-z]{2,20}(-[a-z]{2,20}){1,4})`
		amount   = `([0-9]+(\.[0-9]+)?|\.[0-9]+)`
		word     = `(-?[a-z]+(-[a-z]+){0,4}|#[0-9a-f]+|` + amount + `(%|[a-z]+)?|-` + amount + `(%|[a-z]+))`
		pair     = property + `\s*:\s*` + word + `((\s+|\s*,\s*)` + word + `){0,3}\s*`
	)
	p := structure()
	p.AllowAttrs("style").Matching(regexp.MustCompile(`^(?i:\s*` + pair + `(;\s*` + pair + `){0,9};?\s*)$`)).Globally()
	return p
}

// strictPolicy is the policy of the second pass.
func strictPolicy() *bluemonday.Policy {
	p := structure()
	length := regexp.MustCompile(`^\d{1,4}(\.\d{1,2})?(px|pt|mm|cm|em|rem|%)?$`)
	p.AllowStyles("text-align").MatchingEnum("left", "right", "center", "justify").Globally()
	p.AllowStyles("font-weight").MatchingEnum("normal", "bold", "400", "500", "600", "700").Globally()
	p.AllowStyles("font-style").MatchingEnum("normal", "italic").Globally()
	p.AllowStyles("text-decoration").MatchingEnum("none", "underline", "line-through").Globally()
	p.AllowStyles("vertical-align").MatchingEnum("top", "middle", "bottom", "baseline").Globally()
	p.AllowStyles("page-break-before", "page-break-after", "page-break-inside").MatchingEnum("auto", "always", "avoid").Globally()
	p.AllowStyles("border-collapse").MatchingEnum("collapse", "separate").OnElements("table")
	p.AllowStyles("font-size", "width", "height", "text-indent", "margin-top", "margin-bottom", "margin-left", "margin-right",
		"padding", "padding-top", "padding-bottom", "padding-left", "padding-right", "line-height").Matching(length).Globally()
	p.AllowStyles("color", "background-color").Matching(regexp.MustCompile(`^(#[0-9a-fA-F]{3}|#[0-9a-fA-F]{6}|[a-z]{3,20})$`)).Globally()
	p.AllowStyles("border", "border-top", "border-bottom", "border-left", "border-right").
		Matching(regexp.MustCompile(`^(none|\d{1,2}(px|pt) (solid|dashed|dotted|double)( (#[0-9a-fA-F]{3,6}|[a-z]{3,20}))?)$`)).Globally()
	return p
}

// structure is the policy for everything but styles.
func structure() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements(
		"h1", "h2", "h3", "h4", "h5", "h6", "p", "div", "span", "br", "hr", "blockquote", "pre", "code",
		"b", "strong", "i", "em", "u", "s", "del", "ins", "sub", "sup", "small", "mark",
		"section", "article", "header", "footer", "figure", "figcaption", "center",
	)
	p.AllowLists()
	p.AllowTables()
	p.AllowAttrs("align").Matching(regexp.MustCompile(`^(?i:left|right|center|justify)$`)).
		OnElements("p", "div", "h1", "h2", "h3", "h4", "h5", "h6", "table", "tr", "td", "th", "img")
	p.AllowAttrs("border", "cellpadding", "cellspacing").Matching(bluemonday.Integer).OnElements("table")
	p.AllowAttrs("href").OnElements("a")
	p.AllowURLSchemes("https", "http", "mailto", "tel")
	p.RequireParseableURLs(true)
	p.AllowRelativeURLs(false)
	p.RequireNoFollowOnLinks(true)
	p.RequireNoReferrerOnLinks(true)
	const ours = `https?://[^/?#]+/v[12]/[a-z0-9/]{1,100}/$`
	p.AllowAttrs("src").Matching(regexp.MustCompile(`^(data:image/(png|jpeg|gif|webp);base64,|` + ours + `)`)).OnElements("img")
	p.AllowAttrs("alt").Matching(bluemonday.Paragraph).OnElements("img")
	p.AllowAttrs("width", "height").Matching(bluemonday.NumberOrPercent).OnElements("img", "table", "td", "th")
	p.AllowDataURIImages()
	return p
}
