package words

// currency is how a currency and its hundredth are called.
type currency struct {
	gender  gender       // of the Russian word
	russian [2][3]string // behind 1, 2 and 5
	kazakh  [2]string
	english [2][2]string // behind 1 and 2
}

// currencies are those of the companies' neighbours and of the world's trade, by ISO 4217. Dictionaries decline the
// Russian word for a tiyn; invoices and contracts in Kazakhstan don't.
var currencies = map[string]currency{
	"KZT": {
		russian: [2][3]string{{"тенге", "тенге", "тенге"}, {"тиын", "тиын", "тиын"}},
		kazakh:  [2]string{"теңге", "тиын"},
		english: [2][2]string{{"tenge", "tenge"}, {"tiyn", "tiyn"}},
	},
	"RUB": {
		russian: [2][3]string{{"российский рубль", "российских рубля", "российских рублей"}, kopecks},
		kazakh:  [2]string{"ресей рублі", "копейка"},
		english: [2][2]string{{"Russian ruble", "Russian rubles"}, {"kopeck", "kopecks"}},
	},
	"BYN": {
		russian: [2][3]string{{"белорусский рубль", "белорусских рубля", "белорусских рублей"}, kopecks},
		kazakh:  [2]string{"беларусь рублі", "копейка"},
		english: [2][2]string{{"Belarusian ruble", "Belarusian rubles"}, {"kopeck", "kopecks"}},
	},
	"UAH": {
		gender: feminine, russian: [2][3]string{{"гривна", "гривны", "гривен"}, kopecks},
		kazakh:  [2]string{"гривна", "копейка"},
		english: [2][2]string{{"hryvnia", "hryvnias"}, {"kopiyka", "kopiykas"}},
	},
	"UZS": {
		russian: [2][3]string{{"узбекский сум", "узбекских сума", "узбекских сумов"}, {"тийин", "тийина", "тийинов"}},
		kazakh:  [2]string{"өзбек сумы", "тийин"},
		english: [2][2]string{{"Uzbek sum", "Uzbek sums"}, {"tiyin", "tiyins"}},
	},
	"KGS": {
		russian: [2][3]string{{"киргизский сом", "киргизских сома", "киргизских сомов"}, {"тыйын", "тыйына", "тыйынов"}},
		kazakh:  [2]string{"қырғыз сомы", "тыйын"},
		english: [2][2]string{{"Kyrgyz som", "Kyrgyz soms"}, {"tyiyn", "tyiyns"}},
	},
	"TJS": {
		russian: [2][3]string{{"сомони", "сомони", "сомони"}, {"дирам", "дирама", "дирамов"}},
		kazakh:  [2]string{"сомони", "дирам"},
		english: [2][2]string{{"somoni", "somoni"}, {"diram", "dirams"}},
	},
	"AZN": {
		russian: [2][3]string{
			{"азербайджанский манат", "азербайджанских маната", "азербайджанских манатов"}, {"гяпик", "гяпика", "гяпиков"},
		},
		kazakh:  [2]string{"әзербайжан манаты", "гепік"},
		english: [2][2]string{{"Azerbaijani manat", "Azerbaijani manats"}, {"qapik", "qapiks"}},
	},
	"AMD": {
		russian: [2][3]string{{"армянский драм", "армянских драма", "армянских драмов"}, {"лума", "лумы", "лум"}},
		kazakh:  [2]string{"армян драмы", "лума"},
		english: [2][2]string{{"Armenian dram", "Armenian drams"}, {"luma", "lumas"}},
	},
	"GEL": {
		russian: [2][3]string{{"лари", "лари", "лари"}, {"тетри", "тетри", "тетри"}},
		kazakh:  [2]string{"лари", "тетри"},
		english: [2][2]string{{"lari", "lari"}, {"tetri", "tetri"}},
	},
	"TRY": {
		gender: feminine, russian: [2][3]string{{"турецкая лира", "турецкие лиры", "турецких лир"}, {"куруш", "куруша", "курушей"}},
		kazakh:  [2]string{"түрік лирасы", "куруш"},
		english: [2][2]string{{"Turkish lira", "Turkish liras"}, {"kurush", "kurush"}},
	},
	"CNY": {
		russian: [2][3]string{{"китайский юань", "китайских юаня", "китайских юаней"}, {"фынь", "фыня", "фыней"}},
		kazakh:  [2]string{"қытай юані", "фынь"},
		english: [2][2]string{{"Chinese yuan", "Chinese yuan"}, {"fen", "fen"}},
	},
	"AED": {
		russian: [2][3]string{{"дирхам ОАЭ", "дирхама ОАЭ", "дирхамов ОАЭ"}, {"филс", "филса", "филсов"}},
		kazakh:  [2]string{"БАӘ дирхамы", "филс"},
		english: [2][2]string{{"UAE dirham", "UAE dirhams"}, {"fils", "fils"}},
	},
	"USD": {
		russian: [2][3]string{{"доллар США", "доллара США", "долларов США"}, cents},
		kazakh:  [2]string{"АҚШ доллары", "цент"},
		english: [2][2]string{{"US dollar", "US dollars"}, {"cent", "cents"}},
	},
	"EUR": {
		russian: [2][3]string{{"евро", "евро", "евро"}, cents},
		kazakh:  [2]string{"еуро", "цент"},
		english: [2][2]string{{"euro", "euros"}, {"cent", "cents"}},
	},
	"GBP": {
		russian: [2][3]string{{"фунт стерлингов", "фунта стерлингов", "фунтов стерлингов"}, {"пенс", "пенса", "пенсов"}},
		kazakh:  [2]string{"фунт стерлинг", "пенс"},
		english: [2][2]string{{"pound sterling", "pounds sterling"}, {"penny", "pence"}},
	},
	"CHF": {
		russian: [2][3]string{{"швейцарский франк", "швейцарских франка", "швейцарских франков"}, {"раппен", "раппена", "раппенов"}},
		kazakh:  [2]string{"швейцар франкі", "раппен"},
		english: [2][2]string{{"Swiss franc", "Swiss francs"}, {"centime", "centimes"}},
	},
}

var kopecks = [...]string{"копейка", "копейки", "копеек"}

var cents = [...]string{"цент", "цента", "центов"}
