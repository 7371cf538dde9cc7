package pages

import (
	"strconv"

	"github.com/tenantry/tenantry/functions/seal/job"
)

// words are what the pages say, in one language.
type words struct {
	title, page, of                                 string
	explains                                        string
	verify                                          string
	document, number, company, bin, iin             string
	created, pages, original, finished              string
	stages, head                                    string
	client, firm                                    string
	method, phone, email, signed, agreed            string
	recorded, scan                                  string
	subject, issuer, serial, algorithm, until       string
	attachment                                      string
	time, event, address, evidence, link            string
	consent, attachments, size, attachmentsExplains string
	methods                                         [3]string
	events                                          [7]string
	reopened                                        string
	byLink, byStaff                                 string // who has done what is no signing; a number follows byStaff
	removed, removedBy, removedExplains             string
	elsewhere                                       string // of how many first events, and the day on which they were taken over
}

// happened is what a stage tells, and who has done it where that is not the signer for sure.
func (w *words) happened(g *job.Stage) string {
	text := at(w.events[:], g.To)
	if g.To == 0 && g.From != 0 { // only reopening leads back to a draft; else it is a signer who was added
		text = w.reopened
	}
	switch g.By {
	case job.ByLink:
		return text + " (" + w.byLink + ")"
	case job.ByStaff:
		return text + " (" + w.byStaff + " " + strconv.FormatInt(g.User, 10) + ")"
	}
	return text
}

// in returns the words of a language; Russian ones for any that isn't known.
func in(language string) words {
	switch language {
	case "kk":
		return kazakh()
	case "en":
		return english()
	}
	return russian()
}

func russian() words {
	return words{
		title: "Протокол подписания", page: "страница", of: "из",
		explains: "Страницы перед этим протоколом — исходный документ без изменений. Протокол добавлен, когда подписали все стороны. " +
			"Файл скреплён электронной печатью: любое изменение в нём обнаруживается при проверке.",
		verify:   "Проверить подлинность",
		document: "Документ", number: "Номер", company: "Компания", bin: "БИН", iin: "ИИН",
		created: "Создан", pages: "Страниц", original: "SHA-256 исходного документа", finished: "Подписан всеми",
		stages: "Событий", head: "Хеш цепочки событий",
		client: "клиент", firm: "компания",
		method: "Способ", phone: "Телефон", email: "Эл. почта", signed: "Подписано", agreed: "Согласие на языке",
		recorded: "Подпись внёс(ла)", scan: "SHA-256 скана",
		subject: "Владелец сертификата", issuer: "Издатель", serial: "Серийный номер", algorithm: "Алгоритм", until: "Действителен до",
		attachment: "Подпись в файле",
		time:       "Время", event: "Событие", address: "Сеть", evidence: "Доказательство", link: "Хеш цепочки",
		consent: "Текст согласия", attachments: "Вложения", size: "Б",
		attachmentsExplains: "Вложены в этот файл без изменений. В audit.json — всё, что напечатано здесь, с полными хешами.",
		methods:             [3]string{"подпись от руки (скан)", "код из SMS", "электронная цифровая подпись (eGov)"},
		events:              [7]string{"добавлен", "готов к подписанию", "документ открыт", "запрошен код", "отказ", "подписано", "удалён"},
		reopened:            "отказ снят, открыто заново",
		byLink:              "тот, у кого была ссылка", byStaff: "сотрудник №",
		removed: "Удалённые подписанты", removedBy: "Удалил(а)",
		removedExplains: "Они были добавлены к документу и удалены из него раньше, чем подписали. Документ не ждёт их подписи; события " +
			"сохранены.",
		elsewhere: "События с 1 по %d записаны на другой установке и приняты сюда %s; номера сотрудников в них — её собственные. " +
			"Подтвердить их можно только ключом той установки.",
	}
}

func kazakh() words {
	return words{
		title: "Қол қою хаттамасы", page: "бет", of: "/",
		explains: "Осы хаттаманың алдындағы беттер — өзгертілмеген бастапқы құжат. Хаттама барлық тарап қол қойған кезде қосылды. Файлға " +
			"электрондық мөр басылған: ондағы кез келген өзгеріс тексеру кезінде анықталады.",
		verify:   "Түпнұсқалығын тексеру",
		document: "Құжат", number: "Нөмірі", company: "Компания", bin: "БСН", iin: "ЖСН",
		created: "Жасалған уақыты", pages: "Бет саны", original: "Бастапқы құжаттың SHA-256", finished: "Барлығы қол қойған уақыт",
		stages: "Оқиғалар саны", head: "Оқиғалар тізбегінің хеші",
		client: "клиент", firm: "компания",
		method: "Тәсілі", phone: "Телефон", email: "Эл. пошта", signed: "Қол қойылды", agreed: "Келісім тілі",
		recorded: "Қолды енгізген", scan: "Сканның SHA-256",
		subject: "Сертификат иесі", issuer: "Шығарушы", serial: "Сериялық нөмірі", algorithm: "Алгоритм", until: "Жарамды мерзімі",
		attachment: "Қолтаңба файлы",
		time:       "Уақыты", event: "Оқиға", address: "Желі", evidence: "Дәлел", link: "Тізбек хеші",
		consent: "Келісім мәтіні", attachments: "Қоса берілген файлдар", size: "байт",
		attachmentsExplains: "Осы файлға өзгеріссіз қоса берілген. audit.json ішінде осында басылғанның бәрі толық хештерімен бар.",
		methods:             [3]string{"қолмен қойылған қол (скан)", "SMS арқылы келген код", "электрондық цифрлық қолтаңба (eGov)"},
		events: [7]string{
			"қосылды", "қол қоюға дайын", "құжат ашылды", "код сұралды", "бас тартылды", "қол қойылды", "алып тасталды",
		},
		reopened: "бас тарту жойылды, қайта ашылды",
		byLink:   "сілтемесі болған адам", byStaff: "қызметкер №",
		removed: "Алып тасталған қол қоюшылар", removedBy: "Алып тастаған",
		removedExplains: "Олар құжатқа қосылып, қол қойғанға дейін алып тасталды. Құжатқа олардың қолы қажет емес; оқиғалар сақталған.",
		elsewhere: "1–%d оқиғалар басқа қондырғыда жазылып, осында %s қабылданды; олардағы қызметкер нөмірлері — сол қондырғыныкі. " +
			"Оларды тек сол қондырғының кілтімен растауға болады.",
	}
}

func english() words {
	return words{
		title: "Signing record", page: "page", of: "of",
		explains: "The pages before this record are the original document, unchanged. The record was added when all parties had signed. " +
			"The file bears an electronic seal: verification finds any change of it.",
		verify:   "Verify this document",
		document: "Document", number: "Number", company: "Company", bin: "BIN", iin: "IIN",
		created: "Created", pages: "Pages", original: "SHA-256 of the original", finished: "Signed by all",
		stages: "Events", head: "Hash of the chain of events",
		client: "client", firm: "company",
		method: "Method", phone: "Phone", email: "E-mail", signed: "Signed", agreed: "Consent in",
		recorded: "Recorded by", scan: "SHA-256 of the scan",
		subject: "Certificate's owner", issuer: "Issuer", serial: "Serial number", algorithm: "Algorithm", until: "Valid until",
		attachment: "Signature in the file",
		time:       "Time", event: "Event", address: "Network", evidence: "Evidence", link: "Hash of the chain",
		consent: "Text of the consent", attachments: "Attachments", size: "bytes",
		attachmentsExplains: "They are inside this file, unchanged. In audit.json is all that is printed here, with whole hashes.",
		methods:             [3]string{"signature by hand (scan)", "code by SMS", "digital signature (eGov)"},
		events:              [7]string{"added", "ready to sign", "document opened", "code requested", "rejected", "signed", "removed"},
		reopened:            "rejection lifted, reopened",
		byLink:              "by whoever had the link", byStaff: "by staff, user",
		removed: "Removed signers", removedBy: "Removed by",
		removedExplains: "They were added to the document and removed from it before they signed. The document does not wait for their " +
			"signatures; what happened is kept.",
		elsewhere: "Events 1 to %d were made on another installation and taken over on %s; numbers of staff in them are its own. " +
			"They can be proven by that installation's key alone.",
	}
}
