package customfield

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// attributes are the tags that HTML may have, each with its attributes: structure
// and emphasis. Nothing runs, is fetched, or lies over the page that shows it.
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

// wrongHTML says what HTML has beside what is allowed; "" for nothing. A page may
// show what it lets through as it is. It never repairs: that would be a parser of
// documents, as functions/documents has it, whose start each writer of a record
// would pay for.
func wrongHTML(text string) string {
	z, read := html.NewTokenizer(strings.NewReader(text)), 0
	for {
		kind := z.Next()
		raw := string(z.Raw())
		switch kind {
		case html.ErrorToken:
			if read < len(text) { // it would swallow what a page has after it
				return "A tag has no end."
			}
			return ""
		case html.TextToken:
			if strings.Contains(raw, "<") {
				return "A < that begins no tag must be written as &lt;."
			}
		case html.CommentToken:
			return "Comments are not allowed."
		case html.DoctypeToken:
			return "A document type is not allowed."
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			if message := wrongTag(z.Token(), raw); message != "" {
				return message
			}
		}
		read += len(raw)
	}
}

func wrongTag(tag html.Token, raw string) string {
	allowed, ok := attributes(tag.Data)
	if !ok {
		return fmt.Sprintf("The tag <%s> is not allowed.", cut(tag.Data))
	}
	for _, a := range tag.Attr {
		switch {
		case !slices.Contains(allowed, a.Key):
			return fmt.Sprintf("The attribute %s of <%s> is not allowed.", cut(a.Key), tag.Data)
		case a.Key == "href" && !isLink(a.Val):
			return "The href of <a> must begin with http://, https://, mailto: or tel:, and have no spaces."
		case a.Key != "href" && (len(a.Val) == 0 || len(a.Val) > 3 || strings.Trim(a.Val, "0123456789") != ""):
			return fmt.Sprintf("The attribute %s of <%s> must be a number.", a.Key, tag.Data)
		}
	}
	if !wholly(tag, raw) {
		return fmt.Sprintf("The tag <%s> is not well formed.", tag.Data)
	}
	return ""
}

// wholly tells whether the text of a tag has nothing but what the tokenizer gives
// of it, which leaves out what comes twice, has no name, or stands in an end tag.
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

// isLink tells whether an address is absolute, and of a scheme that runs nothing.
func isLink(address string) bool {
	lower := strings.ToLower(address)
	for _, scheme := range []string{"http://", "https://", "mailto:", "tel:"} {
		if strings.HasPrefix(lower, scheme) {
			return !strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r == 0x7f })
		}
	}
	return false
}
