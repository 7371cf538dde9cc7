// Package samples makes up data of companies, for demonstrations and measurements. Data that a test compares with
// never goes in here: names and numbers may change.
package samples

import (
	"fmt"
	"math/rand/v2"

	"github.com/tenantry/tenantry/functions/documents"
)

// Documents makes up documents of a rental company.
func Documents() documents.Samples {
	return documents.Samples{Contents: contents(), Name: documentName}
}

// Each of these is a language of documents, and its index in contents.
const (
	russian = iota
	kazakh
	english
)

func pick(random *rand.Rand, list ...string) string { return list[random.IntN(len(list))] }

// documentName makes up the name of a document, and returns the language that the name is in.
func documentName(random *rand.Rand, number int) (name string, language int) {
	car := pick(random, "Toyota Camry", "Hyundai Accent", "Kia Sportage", "Chevrolet Cobalt", "Lada Largus", "BMW X5", "Renault Duster")
	plate := fmt.Sprintf("%03d %s %02d", 1+random.IntN(999), pick(random, "ABC", "KZA", "TOY", "BEK", "AST", "DKR"), 1+random.IntN(20))
	language = []int{russian, russian, russian, kazakh, kazakh, english}[random.IntN(6)]
	switch language {
	case kazakh:
		client := pick(random, "Ахметов Ерлан", "Сәрсенбаева Айгүл", "Нұрланұлы Бауыржан", "Қасымова Әсел", "Өтегенов Ғалым")
		name = pick(random,
			fmt.Sprintf("Көлікті жалға беру шарты № %d, %s, %s", number, car, plate),
			fmt.Sprintf("Қабылдау-тапсыру актісі № %d, %s", number, client),
			fmt.Sprintf("Төлем шоты № %d, %s", number, client),
			fmt.Sprintf("Көлікті басқаруға сенімхат № %d, %s", number, plate),
			fmt.Sprintf("Қосымша келісім № %d, %s", number, client),
		)
	case english:
		client := pick(random, "John Smith", "Anna Müller", "Steppe Logistics LLP", "Aibek Trading LLP", "Chloé Martin")
		name = pick(random,
			fmt.Sprintf("Rental agreement No. %d, %s, %s", number, car, plate),
			fmt.Sprintf("Handover report No. %d, %s", number, client),
			fmt.Sprintf("Invoice No. %d, %s", number, client),
			fmt.Sprintf("Damage report No. %d, %s", number, plate),
		)
	default:
		client := pick(random, "Иванова О. П.", "Ким В. А.", "Петров Сергей", "ТОО «Степь Логистик»", "ИП Ёлкина")
		name = pick(random,
			fmt.Sprintf("Договор аренды автомобиля № %d, %s, %s", number, car, plate),
			fmt.Sprintf("Акт приёма-передачи № %d, %s", number, client),
			fmt.Sprintf("Счёт на оплату № %d, %s", number, client),
			fmt.Sprintf("Дополнительное соглашение № %d, %s", number, client),
			fmt.Sprintf("Доверенность на управление № %d, %s", number, plate),
		)
	}
	return name, language
}

// contents returns the contents of documents, by language.
func contents() []string {
	return []string{
		russian: `<h1>Договор аренды автомобиля</h1>` +
			`<p>Арендодатель передаёт, а арендатор принимает автомобиль во временное пользование.</p>` +
			`<table><tr><th>Срок</th><th>Цена за сутки</th></tr><tr><td>3 суток</td><td>15 000 ₸</td></tr></table>`,
		kazakh: `<h1>Көлікті жалға беру шарты</h1>` +
			`<p>Жалға беруші көлікті уақытша пайдалануға береді, ал жалға алушы оны қабылдайды.</p>` +
			`<table><tr><th>Мерзімі</th><th>Тәуліктік бағасы</th></tr><tr><td>3 тәулік</td><td>15 000 ₸</td></tr></table>`,
		english: `<h1>Rental agreement</h1>` +
			`<p>The lessor hands over the vehicle for temporary use, and the lessee accepts it.</p>` +
			`<table><tr><th>Term</th><th>Price per day</th></tr><tr><td>3 days</td><td>15 000 ₸</td></tr></table>`,
	}
}
