package customfield

import (
	"slices"
	"strings"

	"github.com/tenantry/tenantry/shared/say"

	"golang.org/x/net/html"
)

// attributes returns the attributes that a tag may have; ok tells whether the tag is allowed at
// all. Allowed is structure and emphasis: nothing that runs, is fetched, or covers the page
// that shows it.
func attributes(tag string) (allowed []string, ok bool) {
	switch tag {
	case "a":
		return []string{"href"}, true
	case "td", "th":
		return []string{"colspan", "rowspan"}, true
	case "p", "br", "b", "strong", "i", "em", "u", "s", "ul", "ol", "li", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "span", "div",
		"table", "caption", "thead", "tbody", "tfoot", "tr":
		return nil, true
	}
	return nil, false
}

// wrongHTML says what is not allowed in a piece of HTML; "" if everything is. A page may show
// allowed HTML as it is. wrongHTML never repairs HTML: that would need a full parser, such as
// functions/documents has, and every writer of a record would pay for its start.
func wrongHTML(text string) say.Message {
	z, read := html.NewTokenizer(strings.NewReader(text)), 0
	for {
		kind := z.Next()
		raw := string(z.Raw())
		switch kind {
		case html.ErrorToken:
			if read < len(text) { // an unclosed tag would swallow the rest of the page
				return say.HTMLTagWithoutEnd
			}
			return ""
		case html.TextToken:
			if strings.Contains(raw, "<") {
				return say.HTMLBareLessThan
			}
		case html.CommentToken:
			return say.HTMLComment
		case html.DoctypeToken:
			return say.HTMLDoctype
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			if message := wrongTag(z.Token(), raw); message != "" {
				return message
			}
		}
		read += len(raw)
	}
}

func wrongTag(tag html.Token, raw string) say.Message {
	allowed, ok := attributes(tag.Data)
	if !ok {
		return say.HTMLTagNotAllowed(cut(tag.Data))
	}
	for _, a := range tag.Attr {
		switch {
		case !slices.Contains(allowed, a.Key):
			return say.HTMLAttributeNotAllowed(cut(a.Key), tag.Data)
		case a.Key == "href" && !isLink(a.Val):
			return say.HTMLBadLink
		case a.Key != "href" && (len(a.Val) == 0 || len(a.Val) > 3 || strings.Trim(a.Val, "0123456789") != ""):
			return say.HTMLAttributeNotNumber(a.Key, tag.Data)
		}
	}
	if !wholly(tag, raw) {
		return say.HTMLTagMalformed(tag.Data)
	}
	return ""
}

// wholly tells whether the tokenizer reported everything in the text of a tag. The tokenizer
// silently drops attributes that are repeated, have no name, or are in an end tag.
func wholly(tag html.Token, raw string) bool {
	const space = " \t\r\n\f"
	rest := strings.TrimPrefix(strings.TrimPrefix(raw, "<"), "/")[len(tag.Data):]
	for range tag.Attr {
		_, value, ok := strings.Cut(rest, "=")
		if value = strings.TrimLeft(value, space); !ok || value == "" {
			return false
		}
		if quote := value[:1]; quote == `"` || quote == "'" {
			_, rest, _ = strings.Cut(value[1:], quote)
		} else {
			rest = value[max(0, strings.IndexAny(value, space+">")):]
		}
	}
	rest = strings.Trim(rest, space)
	return rest == ">" || rest == "/>" && tag.Type == html.SelfClosingTagToken
}

// isLink tells whether an address is absolute, and has a scheme that can't run code.
func isLink(address string) bool {
	lower := strings.ToLower(address)
	for _, scheme := range []string{"http://", "https://", "mailto:", "tel:"} {
		if strings.HasPrefix(lower, scheme) {
			return !strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r == 0x7f })
		}
	}
	return false
}
