package samples

import _ "embed"

// contract is the text of a rental contract in Russian and Kazakh.
//
//go:embed contract.html
var contract string

// templates are the templates of the company's documents.
func templates() []Step {
	return []Step{step("/v2/documents/templates/", []Record{{
		"name": "Договор аренды / Жалға алу шарты", "content_type": "orderrequest", "content": contract,
		"header": `<table style="width:100%"><tr><td>Договор / Шарт № {{order.number}}</td>` +
			`<td style="text-align:right">{{company.name}}</td></tr></table>`,
		"footer": `<p style="text-align:center">Страница {page} из {pages} / {page}-бет, барлығы {pages}</p>`,
	}})}
}
