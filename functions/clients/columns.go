package clients

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record/customfield"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/sheet"
)

// A sheet of clients has the same columns whether it is a template, an import or
// an export, so that what was exported can be imported.

// column is one of them.
type column struct {
	field   string // of the row of an import; of the client where no import takes it
	english string
	russian string
	also    []string // other headers that people use
	is      cell
	example string
}

// cell is what the cells of a column hold, which says how they are read.
type cell int

const (
	text   cell = iota
	number      // digits that a sheet may have taken for a number
	twelve      // the same, 12 of them
	date
	moment // with a time, for people alone
)

// The fields that are columns of no import.
const (
	fieldID      = "id"
	fieldType    = "type"
	fieldCreated = "created_at"
	fieldComment = "comment"
)

// columnsOf are the columns of a kind of sheet: "individual", "legal", or "" for
// one that has both.
func columnsOf(kind string) []column {
	name := column{
		field: "name", english: "Name", russian: "Имя", example: "Асель Қасымова",
		also: []string{"Имя", "ФИО", "Ф.И.О.", "Наименование", "Название", "Full name", "Клиент", "Company", "Компания", "Аты-жөні", "Атауы"},
	}
	switch kind {
	case "individual":
		name.russian = "ФИО"
	case "legal":
		name.russian, name.example = "Наименование", "ТОО «Степь Логистик»"
	}
	common := []column{
		name,
		{field: "phone", english: "Phone", russian: "Телефон", also: []string{"Phone number", "Номер телефона", "Мобильный", "Сотовый", "Тел"}, is: number, example: "+77011234567"},
		{field: "email", english: "Email", russian: "Эл. почта", also: []string{"E-mail", "Mail", "Почта", "Электронная почта", "Емейл", "Имейл"}, example: "assel@example.com"},
	}
	individual := []column{
		{field: "iin", english: "IIN", russian: "ИИН", also: []string{"ЖСН"}, is: twelve, example: "850515300016"},
		{field: "document_number", english: "Document number", russian: "Номер документа", also: []string{"Удостоверение", "Номер удостоверения", "Document"}, example: "012345678"},
		{field: "issue_date", english: "Issue date", russian: "Дата выдачи", also: []string{"Выдан"}, is: date, example: "2020-05-15"},
		{field: "issue_date_end", english: "Expiry date", russian: "Срок действия", also: []string{"Issue date end", "Valid until", "Действителен до", "Действует до"}, is: date, example: "2030-05-15"},
		{field: "birth_date", english: "Birth date", russian: "Дата рождения", also: []string{"Date of birth", "Birthday", "День рождения", "Туған күні"}, is: date, example: "1985-05-15"},
		{field: "attraction_method", english: "Attraction method", russian: "Способ привлечения", also: []string{"Источник", "Source", "Откуда узнали"}, example: "Instagram"},
	}
	legal := []column{
		{field: "bin", english: "BIN", russian: "БИН", also: []string{"БСН", "БИН/ИИН"}, is: twelve, example: "140340010302"},
		{field: "address", english: "Address", russian: "Адрес", also: []string{"Юридический адрес", "Мекенжайы"}, example: "Алматы, пр. Абая 1"},
		{field: "director", english: "Director", russian: "Директор", also: []string{"Руководитель"}, example: "Серік Ахметов"},
		{field: "bik", english: "BIK", russian: "БИК", also: []string{"BIC", "SWIFT"}, example: "KCJBKZKX"},
		{field: "bank", english: "Bank", russian: "Банк", also: []string{"Название банка"}, example: "Bank CenterCredit"},
		{field: "iban", english: "IBAN", russian: "ИИК", also: []string{"Расчётный счёт", "Р/с", "Счёт", "Account"}, example: "KZ86125KZT5004100100"},
	}
	switch kind {
	case "individual":
		return append(common, individual...)
	case "legal":
		return append(common, legal...)
	}
	return slices.Concat(common, individual, legal)
}

// typeColumn says of which type a client is: a sheet that holds both can't be
// imported as one by mistake.
func typeColumn() column {
	return column{field: fieldType, english: "Type", russian: "Тип", also: []string{"Тип клиента"}}
}

// title is the header of a column in a language.
func (c column) title(language string) string {
	if language == russian {
		return c.russian
	}
	return c.english
}

// The languages of headers.
const (
	english = "en"
	russian = "ru"
)

// headerKey is a header as it is compared: its letters and digits.
func headerKey(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == 'ё':
			return 'е'
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			return r
		}
		return -1
	}, search.Fold(s))
}

// place is where a column of an import takes its cells to.
type place struct {
	column
	custom  *customfield.Definition // nil for a field of the row
	foreign bool                    // the rows of the other import have it
}

// path is the place as errors name it.
func (p place) path() string {
	if p.custom != nil {
		return customPath(p.custom)
	}
	return p.field
}

func customPath(d *customfield.Definition) string { return "extra." + d.Name }

// headersOf are the headers that a sheet of a kind can have, by their keys, each
// with its place. A custom field goes by its path, its name or its label. The
// fields of the row come first.
func headersOf(kind string, custom customfield.Set) map[string]place {
	known := map[string]place{}
	add := func(header string, p place) {
		if key := headerKey(header); key != "" {
			if _, taken := known[key]; !taken {
				known[key] = p
			}
		}
	}
	for _, c := range append(columnsOf(kind), typeColumn()) {
		for _, header := range append([]string{c.field, c.english, c.russian}, c.also...) {
			add(header, place{column: c})
		}
	}
	for _, header := range []func(d *customfield.Definition) string{
		customPath,
		func(d *customfield.Definition) string { return d.Name },
		func(d *customfield.Definition) string { return d.Label },
	} {
		for i := range custom.List {
			add(header(&custom.List[i]), place{custom: &custom.List[i]})
		}
	}
	return known
}

// match tells what each column of a sheet is, by its header: nil for one that
// means nothing here, whose header is among the ignored. A column of the other
// kind is an error, but for a sheet that says of which type each row is, such as
// an export of all clients: there it may be empty.
func match(kind string, headers []string, custom customfield.Set) (places []*place, ignored []string, err error) {
	known, others := headersOf(kind, custom), headersOf(otherKind(kind), customfield.Set{})
	places, ignored = make([]*place, len(headers)), []string{}
	taken := map[string]int{}
	for i, header := range headers {
		p, ok := known[headerKey(header)]
		if !ok {
			p, ok = others[headerKey(header)]
			p.foreign = true
		}
		if !ok {
			if header = strings.TrimSpace(header); header != "" {
				ignored = append(ignored, header)
			}
			continue
		}
		if first, twice := taken[p.path()]; twice {
			return nil, nil, badSheet("Columns " + sheet.ColumnName(first+1) + " and " + sheet.ColumnName(i+1) + " both are " + p.path() + ".")
		}
		taken[p.path()], places[i] = i, &p
	}
	for i, p := range places {
		if _, mixed := taken[fieldType]; !mixed && p != nil && p.foreign {
			return nil, nil, badSheet("Column "+sheet.ColumnName(i+1)+", "+listed(headers[i:i+1])+", is of clients of the type "+otherKind(kind)+
				": leave it out, or import them as that.").With("column", sheet.ColumnName(i+1))
		}
	}
	if _, ok := taken["name"]; !ok {
		return nil, nil, badSheet("No column is called name. The headers are: "+listed(headers)+".").With("headers", headers)
	}
	return places, ignored, nil
}

func otherKind(kind string) string {
	if kind == "individual" {
		return "legal"
	}
	return "individual"
}

// badSheet is the fault of a file that can't be taken as a whole.
func badSheet(message string) *fault.Error { return fault.Field("file", message) }

// longestHeader is how much of a header an error repeats, in characters, and
// mostHeaders how many headers.
const (
	longestHeader = 40
	mostHeaders   = 30
)

func listed(headers []string) string {
	var shown []string
	for _, h := range headers {
		if h = strings.TrimSpace(h); h == "" {
			continue
		}
		if runes := []rune(h); len(runes) > longestHeader {
			h = string(runes[:longestHeader]) + "…"
		}
		if shown = append(shown, strconv.Quote(h)); len(shown) == mostHeaders {
			break
		}
	}
	if len(shown) == 0 {
		return "none"
	}
	return strings.Join(shown, ", ")
}
