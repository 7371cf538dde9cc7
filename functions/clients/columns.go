package clients

import (
	"slices"

	"github.com/tenantry/tenantry/functions/clients/client"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource/sheets"
)

// column is a column of the sheets of clients.
type column = sheets.Column[*client.Client]

// The kinds of sheets: a sheet has either people or companies; an export may have both.
const (
	individual = "individual"
	legal      = "legal"
)

const fieldType = "type"

// columnsOf returns the columns of a kind of sheet; "" is a sheet with both.
func columnsOf(kind string) []column {
	name := column{
		Field:   "name",
		Title:   say.ColumnClientName,
		Example: say.ExamplePersonName,
		Value:   func(c *client.Client) string { return c.Name },
		Also: []string{
			// A sheet that has both a first name and a surname is refused, because one of them would be lost.
			"Имя", "Фамилия", "ФИО", "Ф.И.О.", "ФИО клиента", "Фамилия Имя", "Фамилия Имя Отчество", "Наименование", "Название",
			"Full name", "Клиент", "Company", "Компания", "Аты-жөні", "Аты", "Атауы",
		},
	}
	switch kind {
	case individual:
		name.Title = say.ColumnPersonName
	case legal:
		name.Title, name.Example = say.ColumnCompanyName, say.ExampleCompanyName
	}
	common := []column{
		name,
		{
			Field: "phone", Title: say.ColumnPhone, Holds: sheets.Digits, Example: sheets.Sample("+77011234567"),
			Also:  []string{"Phone number", "Номер телефона", "Мобильный", "Сотовый", "Тел", "Моб. тел."},
			Value: func(c *client.Client) string { return sheets.Optional(c.Phone) },
		},
		{
			Field: "email", Title: say.ColumnEmail, Example: sheets.Sample("assel@example.com"),
			Also:  []string{"E-mail", "Mail", "Почта", "Электронная почта", "Емейл", "Имейл"},
			Value: func(c *client.Client) string { return sheets.Optional(c.Email) },
		},
	}
	switch kind {
	case individual:
		return append(common, ofPeople()...)
	case legal:
		return append(common, ofCompanies()...)
	}
	return slices.Concat(common, ofPeople(), ofCompanies())
}

// ofPeople returns the columns that only individuals have.
func ofPeople() []column {
	return []column{
		{
			Field: "iin", Title: say.ColumnIIN, Also: []string{"ЖСН"}, Holds: sheets.Digits, Length: 12,
			Example: sheets.Sample("850515300016"),
			Value:   ofPerson(func(p *client.Individual) *string { return p.IIN }),
		},
		{
			Field: "document_number", Title: say.ColumnDocumentNumber, Example: sheets.Sample("012345678"),
			Also:  []string{"Удостоверение", "Номер удостоверения", "Document"},
			Value: ofPerson(func(p *client.Individual) *string { return p.DocumentNumber }),
		},
		{
			Field:   "issue_date",
			Title:   say.ColumnIssueDate,
			Also:    []string{"Выдан"},
			Holds:   sheets.Date,
			Example: sheets.Sample("2020-05-15"),
			Value:   ofPerson(func(p *client.Individual) *decode.Date { return p.IssueDate }),
		},
		{
			Field: "issue_date_end", Title: say.ColumnIssueDateEnd, Holds: sheets.Date, Example: sheets.Sample("2030-05-15"),
			Also:  []string{"Issue date end", "Valid until", "Действителен до", "Действует до"},
			Value: ofPerson(func(p *client.Individual) *decode.Date { return p.IssueDateEnd }),
		},
		{
			Field: "birth_date", Title: say.ColumnBirthDate, Holds: sheets.Date, Example: sheets.Sample("1985-05-15"),
			Also:  []string{"Date of birth", "Birthday", "День рождения", "Дата рожд.", "Д. р.", "Туған күні"},
			Value: ofPerson(func(p *client.Individual) *decode.Date { return p.BirthDate }),
		},
		{
			Field: "attraction_method", Title: say.ColumnAttractionMethod, Example: sheets.Sample("Instagram"),
			Also:  []string{"Источник", "Source", "Откуда узнали"},
			Names: kinds.AttractionMethod, Value: func(c *client.Client) string { return sheets.Optional(c.AttractionMethod) },
		},
	}
}

// ofCompanies returns the columns that only legal entities have.
func ofCompanies() []column {
	return []column{
		{
			Field:   "bin",
			Title:   say.ColumnBIN,
			Also:    []string{"БСН", "БИН/ИИН"},
			Holds:   sheets.Digits,
			Length:  12,
			Example: sheets.Sample("140340010302"),
			Value:   ofCompany(func(p *client.Legal) *string { return p.BIN }),
		},
		{
			Field:   "address",
			Title:   say.ColumnAddress,
			Also:    []string{"Юридический адрес", "Мекенжайы"},
			Example: say.ExampleAddress,
			Value:   ofCompany(func(p *client.Legal) *string { return p.Address }),
		},
		{
			Field: "director", Title: say.ColumnDirector, Also: []string{"Руководитель"}, Example: say.ExampleDirector,
			Value: ofCompany(func(p *client.Legal) *string { return p.Director }),
		},
		{
			Field: "bik", Title: say.ColumnBIK, Also: []string{"BIC", "SWIFT"}, Example: sheets.Sample("KCJBKZKX"),
			Value: ofCompany(func(p *client.Legal) *string { return p.BIK }),
		},
		{
			Field: "bank", Title: say.ColumnBank, Also: []string{"Название банка"}, Example: sheets.Sample("Bank CenterCredit"),
			Value: ofCompany(func(p *client.Legal) *string { return p.Bank }),
		},
		{
			Field:   "iban",
			Title:   say.ColumnIBAN,
			Also:    []string{"Расчётный счёт", "Р/с", "Счёт", "Account"},
			Example: sheets.Sample("KZ86125KZT5004100100"),
			Value:   ofCompany(func(p *client.Legal) *string { return p.IBAN }),
		},
	}
}

func ofPerson[V any](value func(p *client.Individual) *V) func(c *client.Client) string {
	return func(c *client.Client) string {
		if c.Individual == nil {
			return ""
		}
		return sheets.Optional(value(c.Individual))
	}
}

func ofCompany[V any](value func(p *client.Legal) *V) func(c *client.Client) string {
	return func(c *client.Client) string {
		if c.Legal == nil {
			return ""
		}
		return sheets.Optional(value(c.Legal))
	}
}

// typeColumn returns the column with the type of a client. It prevents a sheet with both types
// from being imported as one of them by mistake, and one whose rows are something else, such as
// cars, from being imported at all.
func typeColumn() column {
	return column{
		Field: fieldType, Title: say.ColumnType, Also: []string{"Тип клиента"},
		Choices: []sheets.Choice{
			{Value: individual, Title: say.ChoiceIndividual, Also: []string{"0", "Физлицо", "Жеке"}},
			{Value: legal, Title: say.ChoiceLegal, Also: []string{"1", "Legal entity", "Юрлицо"}},
		},
		Value: func(c *client.Client) string {
			if c.Type == client.TypeLegal {
				return legal
			}
			return individual
		},
	}
}

// ofExport returns the columns of an export of a kind of clients.
func ofExport(kind string) []column {
	return slices.Concat([]column{typeColumn()}, columnsOf(kind), []column{
		sheets.ID[*client.Client](),
		{
			Field: "comment", Title: say.ColumnComment, ExportOnly: true,
			Value: func(c *client.Client) string { return sheets.Optional(c.Comment) },
		},
		sheets.Created[*client.Client](),
	})
}

// chosen returns the columns that fit the filter by type.
func chosen(r *web.Request) []column {
	switch r.Param("type") {
	case "0":
		return ofExport(individual)
	case "1":
		return ofExport(legal)
	}
	return ofExport("")
}
