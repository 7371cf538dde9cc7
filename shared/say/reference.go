package say

import (
	"cmp"
	"slices"
	"strings"
)

// Saying is a row of the catalogue as a reference shows it.
type Saying struct {
	ID     string
	Params []string // in the order of the English text
	row    row
}

// In is the text in a language, with each parameter as its name in braces. Of a word that goes with a number it has the last form.
func (s Saying) In(language Language) string {
	return each(s.row.in(language), func(inside string) string {
		if forms := strings.Split(inside, "|"); len(forms) > 1 {
			return forms[len(forms)-1]
		}
		name, _, _ := strings.Cut(inside, ":")
		return "{" + name + "}"
	})
}

// Codes are the codes of all refusals with what they say, in the order of their names, and the texts of each in that of their ids.
func Codes() map[string][]Saying {
	codes := map[string][]Saying{}
	for _, r := range rows {
		if !r.refuses() {
			continue
		}
		s := Saying{ID: r.id, Params: []string{}, row: r}
		each(r.en, func(inside string) string {
			name, _, _ := strings.Cut(inside, "|")
			if !slices.Contains(s.Params, name) {
				s.Params = append(s.Params, name)
			}
			return ""
		})
		code := cmp.Or(r.code, r.id)
		codes[code] = append(codes[code], s)
	}
	return codes
}

// notRefusals are how ids begin of what is said, and refuses nothing: events of timelines, steps of prices, letters, words of sheets,
// labels.
var notRefusals = []string{
	"calendar_month", "choice_", "column_", "company_named", "company_numbered", "document_called", "document_that_was_deleted",
	"document_without_name", "event_", "example_", "kind_", "link_main", "link_secondary", "mail_", "many_", "moment_in_", "pricing_",
	"reference_", "role_", "signer_without_name", "size_", "sms_sign_", "template_part_content", "template_part_footer",
	"template_part_header", "time_", "title_", "variable_", "word_",
}

// refuses tells whether a row may be what a refusal says. One that states its code may, whatever its id.
func (r row) refuses() bool {
	return r.code != "" || !slices.ContainsFunc(notRefusals, func(prefix string) bool { return strings.HasPrefix(r.id, prefix) })
}

// Refuses tells whether the message is of a row that a refusal may say, and so has a code that Codes has.
func (m Message) Refuses() bool {
	r, ok := find(m.ID())
	return ok && r.refuses()
}

// each is a text with what stands in braces replaced.
func each(text string, by func(inside string) string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "{")
		b.WriteString(before)
		inside, after, closed := strings.Cut(rest, "}")
		if !ok || !closed {
			return b.String()
		}
		b.WriteString(by(inside))
		text = after
	}
}
