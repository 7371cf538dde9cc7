package clients

import (
	"slices"

	"github.com/tenantry/tenantry/functions/clients/client"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/kinds"
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
		English: "Name",
		Russian: "Имя",
		Example: "Асель Қасымова",
		Value:   func(c *client.Client) string { return c.Name },
		Also: []string{
			"Имя", "ФИО", "Ф.И.О.", "Наименование", "Название", "Full name", "Клиент", "Company", "Компания", "Аты-жөні", "Атауы",
		},
	}
	switch kind {
	case individual:
		name.Russian = "ФИО"
	case legal:
		name.Russian, name.Example = "Наименование", "ТОО «Степь Логистик»"
	}
	common := []column{
		name,
		{
			Field: "phone", English: "Phone", Russian: "Телефон", Holds: sheets.Digits, Example: "+77011234567",
			Also:  []string{"Phone number", "Номер телефона", "Мобильный", "Сотовый", "Тел"},
			Value: func(c *client.Client) string { return sheets.Optional(c.Phone) },
		},
		{
			Field: "email", English: "Email", Russian: "Эл. почта", Example: "assel@example.com",
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
			Field: "iin", English: "IIN", Russian: "ИИН", Also: []string{"ЖСН"}, Holds: sheets.Digits, Length: 12, Example: "850515300016",
			Value: ofPerson(func(p *client.Individual) *string { return p.IIN }),
		},
		{
			Field: "document_number", English: "Document number", Russian: "Номер документа", Example: "012345678",
			Also:  []string{"Удостоверение", "Номер удостоверения", "Document"},
			Value: ofPerson(func(p *client.Individual) *string { return p.DocumentNumber }),
		},
		{
			Field:   "issue_date",
			English: "Issue date",
			Russian: "Дата выдачи",
			Also:    []string{"Выдан"},
			Holds:   sheets.Date,
			Example: "2020-05-15",
			Value:   ofPerson(func(p *client.Individual) *decode.Date { return p.IssueDate }),
		},
		{
			Field: "issue_date_end", English: "Expiry date", Russian: "Срок действия", Holds: sheets.Date, Example: "2030-05-15",
			Also:  []string{"Issue date end", "Valid until", "Действителен до", "Действует до"},
			Value: ofPerson(func(p *client.Individual) *decode.Date { return p.IssueDateEnd }),
		},
		{
			Field: "birth_date", English: "Birth date", Russian: "Дата рождения", Holds: sheets.Date, Example: "1985-05-15",
			Also:  []string{"Date of birth", "Birthday", "День рождения", "Туған күні"},
			Value: ofPerson(func(p *client.Individual) *decode.Date { return p.BirthDate }),
		},
		{
			Field: "attraction_method", English: "Attraction method", Russian: "Способ привлечения", Example: "Instagram",
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
			English: "BIN",
			Russian: "БИН",
			Also:    []string{"БСН", "БИН/ИИН"},
			Holds:   sheets.Digits,
			Length:  12,
			Example: "140340010302",
			Value:   ofCompany(func(p *client.Legal) *string { return p.BIN }),
		},
		{
			Field:   "address",
			English: "Address",
			Russian: "Адрес",
			Also:    []string{"Юридический адрес", "Мекенжайы"},
			Example: "Алматы, пр. Абая 1",
			Value:   ofCompany(func(p *client.Legal) *string { return p.Address }),
		},
		{
			Field: "director", English: "Director", Russian: "Директор", Also: []string{"Руководитель"}, Example: "Серік Ахметов",
			Value: ofCompany(func(p *client.Legal) *string { return p.Director }),
		},
		{
			Field: "bik", English: "BIK", Russian: "БИК", Also: []string{"BIC", "SWIFT"}, Example: "KCJBKZKX",
			Value: ofCompany(func(p *client.Legal) *string { return p.BIK }),
		},
		{
			Field: "bank", English: "Bank", Russian: "Банк", Also: []string{"Название банка"}, Example: "Bank CenterCredit",
			Value: ofCompany(func(p *client.Legal) *string { return p.Bank }),
		},
		{
			Field:   "iban",
			English: "IBAN",
			Russian: "ИИК",
			Also:    []string{"Расчётный счёт", "Р/с", "Счёт", "Account"},
			Example: "KZ86125KZT5004100100",
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
// from being imported as one of them by mistake.
func typeColumn() column {
	return column{
		Field: fieldType, English: "Type", Russian: "Тип", Also: []string{"Тип клиента"},
		Choices: []sheets.Choice{
			{Value: individual, English: "Individual", Russian: "Физическое лицо", Also: []string{"0", "Физлицо", "Жеке"}},
			{Value: legal, English: "Legal", Russian: "Юридическое лицо", Also: []string{"1", "Legal entity", "Юрлицо"}},
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
			Field: "comment", English: "Comment", Russian: "Комментарий", ExportOnly: true,
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
