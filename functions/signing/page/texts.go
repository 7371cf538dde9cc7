package page

import (
	"embed"
	"encoding/json"
	"html"
	"strings"
)

//go:embed texts
var textFiles embed.FS

// texts are what the pages say in one language. Braces in them stand for values.
type texts struct {
	lang   string
	Page   map[string]string `json:"page"`
	Script json.RawMessage   `json:"script"` // what the script says
	said   said
}

// said is the part of the script's texts that the server says, too.
type said struct {
	Steps   map[string]string `json:"steps"`
	States  []string          `json:"states"`
	Methods []string          `json:"methods"`
	You     string            `json:"you"`
}

type language struct{ code, name string }

// languages are those of the pages; the first is the usual one.
func languages() []language {
	return []language{{"ru", "Русский"}, {"kk", "Қазақша"}, {"en", "English"}}
}

// textsIn reads the texts of a language; the usual ones for any other.
func textsIn(lang string) (t texts) {
	found := languages()[0].code
	for _, l := range languages() {
		if l.code == lang {
			found = lang
		}
	}
	body, _ := textFiles.ReadFile("texts/" + found + ".json") // it is embedded, and a test reads each
	_ = json.Unmarshal(body, &t)                              // likewise
	_ = json.Unmarshal(t.Script, &t.said)                     // likewise
	t.lang = found
	return t
}

// fill puts values into a text, each after its name, and escapes all but plain ones.
func fill(text string, values ...any) plain {
	text = html.EscapeString(text)
	for i := 0; i+1 < len(values); i += 2 {
		name, _ := values[i].(string) // the name of a value, always a constant
		var value string
		switch v := values[i+1].(type) {
		case plain:
			value = string(v)
		case string:
			value = html.EscapeString(v)
		}
		text = strings.ReplaceAll(text, "{"+name+"}", value)
	}
	return plain(text)
}

// state is what a sign's state is called.
func (t texts) state(status int64) string {
	if status < 0 || status >= int64(len(t.said.States)) {
		return ""
	}
	return t.said.States[status]
}

// method is what a way of signing is called.
func (t texts) method(m int64) string {
	if m < 0 || m >= int64(len(t.said.Methods)) {
		return ""
	}
	return t.said.Methods[m]
}
