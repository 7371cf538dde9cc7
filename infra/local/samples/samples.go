// Package samples makes up data of companies, for demonstrations and measurements. Data that a test compares with
// never goes in here: names and numbers may change.
package samples

import (
	"embed"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/tenantry/tenantry/functions/documents"
	"github.com/tenantry/tenantry/infra/local/steps"
)

// BIN is the number of the company, which its signatures by eGov name.
const BIN = "140340010302"

//go:embed *.yaml
var files embed.FS

// contract is the text of a rental contract in Russian and Kazakh.
//
//go:embed contract.html
var contract string

// Company is what the demo company has, in the order in which it has to be made, and the values that the steps begin with. Times are
// relative to now, so that the demo shows the last three months, and what goes on now, whenever it is made. Some methods of the steps are
// the program's own:
//
//   - fill and list make the records of a body in a list that has none, at the second address if there is one. List answers the id of the
//     first record that was there before, if there was one, and the ids of all by their names and unique_ids.
//   - code reads the code that a telephone was sent, scan uploads a file again, and seal signs it with the key of an IIN or a BIN.
func Company(now time.Time) (list []steps.Step, given steps.Values, err error) {
	for _, name := range []string{
		"people", "catalogue", "fleet", "money", "sales", "orders", "sms", "penalties", "papers",
	} {
		text, err := files.ReadFile(name + ".yaml")
		if err != nil {
			return nil, nil, err
		}
		part, err := steps.Parse(text)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		list = append(list, part...)
	}
	now = now.In(time.FixedZone("Almaty", 5*60*60)).Truncate(30 * time.Minute)
	return list, steps.Values{"now": now, "contract": contract, "bin": BIN}, nil
}

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
