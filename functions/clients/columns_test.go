package clients

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record/customfield"
)

// paths matches headers, and gives where each column's cells go.
func paths(kind string, headers []string, custom ...customfield.Definition) (string, error) {
	places, _, err := match(kind, headers, customfield.Set{List: custom})
	var list []string
	for _, p := range places {
		if p == nil {
			list = append(list, "-")
		} else {
			list = append(list, p.path())
		}
	}
	return strings.Join(list, " "), err
}

func TestHeaders(t *testing.T) {
	passport := customfield.Definition{Name: "passport", Label: "Паспорт"}
	for _, tt := range []struct{ kind, headers, want string }{
		{"individual", "name|phone|email|document_number|issue_date|issue_date_end|birth_date|attraction_method|iin", "name phone email document_number issue_date issue_date_end birth_date attraction_method iin"},
		{"legal", "name|phone|email|bin|address|director|bik|bank|iban", "name phone email bin address director bik bank iban"},
		{"individual", "ФИО|Телефон|Эл. почта|Номер документа|Дата выдачи|Срок действия|Дата рождения|Источник|ИИН", "name phone email document_number issue_date issue_date_end birth_date attraction_method iin"},
		{"legal", "Наименование|ТЕЛЕФОН|эл.почта|БИН|Адрес|Директор|БИК|Банк|Расчетный счёт", "name phone email bin address director bik bank iban"},
		{"legal", "  NAME |Phone  number|E-Mail|ИИК|Unknown||Name of the dog", "name phone email iban - - -"},
		{"individual", "Full name|Bank|БИН|Способ  Привлечения|Тип", "name bank bin attraction_method type"},
		{"individual", "Name|паспорт|PASSPORT NO", "name extra.passport -"},
		{"individual", "Name|Passport", "name extra.passport"},
	} {
		got, err := paths(tt.kind, strings.Split(tt.headers, "|"), passport)
		if got != tt.want || err != nil {
			t.Errorf("%s: %s: %q, want %q (%v)", tt.kind, tt.headers, got, tt.want, err)
		}
	}
	// A field of the row comes before a custom field that is called like it.
	if got, _ := paths("individual", []string{"Name", "Phone"}, customfield.Definition{Name: "phone", Label: "Телефон"}); got != "name phone" {
		t.Error(got)
	}
	// Of labels the first counts; a name comes before another's label.
	if got, _ := paths("individual", []string{"Name", "a"}, customfield.Definition{Name: "b", Label: "a"}, customfield.Definition{Name: "a", Label: "c"}); got != "name extra.a" {
		t.Error(got)
	}
}

func TestRefusedHeaders(t *testing.T) {
	long := strings.Repeat("ж", 100)
	for headers, want := range map[string]string{
		"Phone|Дом|" + long: `No column is called name. The headers are: "Phone", "Дом", "` + long[:80] + `…".`,
		"||":                `No column is called name. The headers are: none.`,
		"Name|iin|ФИО":      "Columns A and C both are name.",
		"Name|iin|x|ИИН":    "Columns B and D both are iin.",
		"Name|p|P":          "Columns B and C both are extra.p.",
	} {
		_, err := paths("individual", strings.Split(headers, "|"), customfield.Definition{Name: "p", Label: "P"})
		f, ok := fault.As(err)
		if !ok || f.Code != fault.Invalid {
			t.Errorf("%s: %v", headers, err)
			continue
		}
		if got := f.Fields["file"].([]string); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %q, want %q", headers, got, want)
		}
	}
}

// TestTitles: whatever is written into a sheet is understood in one.
func TestTitles(t *testing.T) {
	for _, kind := range []string{"individual", "legal"} {
		for _, language := range []string{english, russian} {
			var headers, want []string
			for _, c := range columnsOf(kind) {
				headers, want = append(headers, c.title(language)), append(want, c.field)
			}
			if got, err := paths(kind, headers); err != nil || got != strings.Join(want, " ") {
				t.Errorf("%s in %s: %s, want %s (%v)", kind, language, got, want, err)
			}
		}
	}
	taken := map[string]string{}
	for _, c := range append(columnsOf(""), typeColumn()) {
		for _, header := range append([]string{c.field, c.english, c.russian}, c.also...) {
			if other, ok := taken[headerKey(header)]; ok && other != c.field {
				t.Errorf("%q is %s and %s", header, other, c.field)
			}
			taken[headerKey(header)] = c.field
		}
	}
}
