package sheets

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record/customfield"
	"github.com/tenantry/tenantry/shared/say"
)

// people are headers of a sheet of people, with custom fields.
func people(definitions ...customfield.Definition) headers[int] {
	h := headers[int]{
		columns: []Column[int]{
			{Field: "name", Title: say.ColumnPersonName, Also: []string{"Full name"}},
			{Field: "account", Title: "Account", Also: []string{"Расчётный счёт"}},
			{Field: "id", Title: "ID", Also: []string{"Номер"}, ExportOnly: true},
		},
		others: []Column[int]{{Field: "bank", Title: "Bank", Also: []string{"Банк"}}},
		need:   []string{"name"},
	}
	for i := range definitions {
		h.custom = append(h.custom, custom{&definitions[i], "extra"})
	}
	return h
}

func fieldsIn(h headers[int], titles ...string) (string, error) {
	places, left, err := h.match(titles)
	var list []string
	for _, p := range places {
		if p == nil {
			list = append(list, "-")
		} else {
			list = append(list, p.path())
		}
	}
	return strings.Join(append(list, left.ignored...), " "), err
}

func TestHeaders(t *testing.T) {
	of := func(name, label string) customfield.Definition {
		return customfield.Definition{Name: name, Label: label}
	}
	for name, tt := range map[string]struct {
		custom  []customfield.Definition
		headers string
		want    string
	}{
		"fields":                                 {nil, "name|account", "name account"},
		"titles, however they are written":       {nil, " full  NAME|расчетный счет", "name account"},
		"what means nothing":                     {nil, "Name|Dog||-", "name - - - Dog -"},
		"what only an export has":                {nil, "Name|ID", "name - ID"},
		"what is only known":                     {nil, "Name|БАНК", "name bank"},
		"a custom field by its path":             {[]customfield.Definition{of("passport", "Паспорт")}, "Name|extra.passport", "name extra.passport"},
		"a custom field by its name":             {[]customfield.Definition{of("passport", "Паспорт")}, "Name|Passport", "name extra.passport"},
		"a custom field by its label":            {[]customfield.Definition{of("passport", "Паспорт")}, "Name|паспорт", "name extra.passport"},
		"a field comes before a custom field":    {[]customfield.Definition{of("name", "Name"), of("account", "")}, "Name|Account", "name account"},
		"a custom field before what is known":    {[]customfield.Definition{of("b", "Bank")}, "Name|Bank", "name extra.b"},
		"a name before another's label":          {[]customfield.Definition{of("b", "a"), of("a", "c")}, "Name|a", "name extra.a"},
		"of labels the first":                    {[]customfield.Definition{of("b", "d"), of("a", "d")}, "Name|d", "name extra.b"},
		"a custom field like an export's column": {[]customfield.Definition{of("id", "x")}, "Name|ID", "name extra.id"},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := fieldsIn(people(tt.custom...), strings.Split(tt.headers, "|")...); got != tt.want || err != nil {
				t.Errorf("%q, want %q (%v)", got, tt.want, err)
			}
		})
	}
}

func TestRefusedHeaders(t *testing.T) {
	long := strings.Repeat("ж", 100)
	for name, tt := range map[string]struct{ headers, want string }{
		"one that is needed": {"Account|Дом|" + long, `Each row needs name, and no column is called that. Add it, or use the template. The headers are: "Account", "Дом", "` + long[:80] + `…".`},
		"none":               {"||", `Each row needs name, and no column is called that. Add it, or use the template. The headers are: none.`},
		"a field twice":      {"Name|account|ФИО", "Columns A and C both are name."},
		"by two titles":      {"Name|account|x|Расчётный счёт", "Columns B and D both are account."},
		"a custom field":     {"Name|p|P", "Columns B and C both are extra.p."},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := fieldsIn(people(customfield.Definition{Name: "p", Label: "P"}), strings.Split(tt.headers, "|")...)
			f, ok := fault.As(err)
			if !ok || f.Code != fault.Invalid {
				t.Fatal(err)
			}
			if got, _ := f.Fields["file"].([]say.Message); len(got) != 1 || got[0].Error() != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// People know a column by what the template calls it, and not by the field's name.
func TestRefusedHeadersForPeople(t *testing.T) {
	for headers, want := range map[string]struct{ ru, kk string }{
		"Account|Дом": {
			`Нет обязательного столбца «ФИО». Добавьте его или возьмите шаблон. Заголовки таблицы: "Account", "Дом".`,
			`Міндетті «Аты-жөні» бағаны жоқ. Оны қосыңыз немесе үлгіні алыңыз. Кестенің тақырыптары: "Account", "Дом".`,
		},
		"Name|account|ФИО": {
			"Столбцы A и C — об одном и том же. Объедините их или удалите один.", "A және C бағандары бір нәрсе туралы. Оларды біріктіріңіз немесе біреуін алып тастаңыз.",
		},
	} {
		_, err := fieldsIn(people(), strings.Split(headers, "|")...)
		f, ok := fault.As(err)
		if !ok {
			t.Fatal(err)
		}
		got, _ := f.Fields["file"].([]say.Message)
		if len(got) != 1 || got[0].In(say.Russian) != want.ru || got[0].In(say.Kazakh) != want.kk {
			t.Errorf("%q: %q", headers, got)
		}
	}
}

// A group refuses a sheet by the columns that it has.
func TestUnfitHeaders(t *testing.T) {
	h := people(customfield.Definition{Name: "p"})
	var all []Found
	h.fits = func(found []Found) error { all = found; return BadFile("No.") }
	if _, err := fieldsIn(h, "x", "Name", "БАНК", "P"); err == nil {
		t.Error("it is taken")
	}
	want := []Found{{"B", `"Name"`, "name", false}, {"C", `"БАНК"`, "bank", false}, {"D", `"P"`, "extra.p", true}}
	if len(all) != 3 || all[0] != want[0] || all[1] != want[1] || all[2] != want[2] {
		t.Errorf("%v", all)
	}
}

// A custom field whose label means something else is written by its path.
func TestTitlesOfCustomFields(t *testing.T) {
	h := people(
		customfield.Definition{Name: "a", Label: "Name"}, customfield.Definition{Name: "b", Label: "Bank"},
		customfield.Definition{Name: "c", Label: "A"},
	)
	if got := strings.Join(h.titles(), " "); got != "extra.a Bank extra.c" {
		t.Error(got)
	}
}

// What is wrong deep in a row is told by its path, and by the column that has it. A row is told from left to right.
func TestErrorsOfCells(t *testing.T) {
	errs := fault.FieldErrors{
		"name":  []say.Message{"a", say.TooLong(5)},
		"extra": fault.FieldErrors{"p": []say.Message{"c"}},
		"lines": []fault.FieldErrors{{}, {"price": []say.Message{"d"}}},
	}
	var got []string
	seats := origin{"name": {"B", " Имя "}, "extra.p": {"AA", strings.Repeat("p", 41)}}
	for _, e := range seats.errors(7, errs, map[string]string{"name": "x"}, people().titleOf) {
		got = append(got, fmt.Sprintf("%d %s %s %s %s %q %s", e.Row, Optional(e.Column), e.Title.Error(), e.Field, e.Code, Optional(e.Cell), e.Message.Error()))
	}
	if want := `[7 B Имя name invalid "x" a 7 B Имя name too_long "x" ` + say.TooLong(5).Error() + ` 7 AA ` + strings.Repeat("p", 40) + `… extra.p invalid "" c 7  lines.1.price lines.1.price invalid "" d]`; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
}
