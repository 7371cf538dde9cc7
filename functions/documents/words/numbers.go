package words

// gender is that of a Russian noun behind a number.
type gender uint8

const (
	masculine gender = iota
	feminine
)

// russianPowers are the words of thousands, by their power.
var russianPowers = [...][3]string{
	{},
	{"тысяча", "тысячи", "тысяч"},
	{"миллион", "миллиона", "миллионов"},
	{"миллиард", "миллиарда", "миллиардов"},
	{"триллион", "триллиона", "триллионов"},
	{"квадриллион", "квадриллиона", "квадриллионов"},
	{"квинтиллион", "квинтиллиона", "квинтиллионов"},
}

var russianUnits = [...]string{
	"", "один", "два", "три", "четыре", "пять", "шесть", "семь", "восемь", "девять", "десять", "одиннадцать", "двенадцать", "тринадцать",
	"четырнадцать", "пятнадцать", "шестнадцать", "семнадцать", "восемнадцать", "девятнадцать",
}

var russianTens = [...]string{
	"", "", "двадцать", "тридцать", "сорок", "пятьдесят", "шестьдесят", "семьдесят", "восемьдесят", "девяносто",
}

var russianHundreds = [...]string{
	"", "сто", "двести", "триста", "четыреста", "пятьсот", "шестьсот", "семьсот", "восемьсот", "девятьсот",
}

func russian(n uint64, g gender) string {
	if n == 0 {
		return "ноль"
	}
	var words []string
	groups(n, func(group uint64, power int) {
		words = append(words, russianHundreds[group/100])
		of := g
		if power > 0 {
			of = masculine
		}
		if power == 1 {
			of = feminine
		}
		last := group % 100
		if last >= 20 {
			words = append(words, russianTens[last/10])
			last %= 10
		}
		switch {
		case of == feminine && last == 1:
			words = append(words, "одна")
		case of == feminine && last == 2:
			words = append(words, "две")
		default:
			words = append(words, russianUnits[last])
		}
		words = append(words, ofThree(group, russianPowers[power]))
	})
	return join(words)
}

var kazakhUnits = [...]string{"", "бір", "екі", "үш", "төрт", "бес", "алты", "жеті", "сегіз", "тоғыз"}

var kazakhTens = [...]string{"", "он", "жиырма", "отыз", "қырық", "елу", "алпыс", "жетпіс", "сексен", "тоқсан"}

var kazakhPowers = [...]string{"", "мың", "миллион", "миллиард", "триллион", "квадриллион", "квинтиллион"}

// kazakh writes "жүз" for one hundred, and "бір мың" for one thousand, as contracts do.
func kazakh(n uint64) string {
	if n == 0 {
		return "нөл"
	}
	var words []string
	groups(n, func(group uint64, power int) {
		if hundreds := group / 100; hundreds > 1 {
			words = append(words, kazakhUnits[hundreds])
		}
		if group >= 100 {
			words = append(words, "жүз")
		}
		words = append(words, kazakhTens[group/10%10], kazakhUnits[group%10], kazakhPowers[power])
	})
	return join(words)
}

var englishUnits = [...]string{
	"", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen",
	"fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
}

var englishTens = [...]string{"", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"}

var englishPowers = [...]string{"", "thousand", "million", "billion", "trillion", "quadrillion", "quintillion"}

func english(n uint64) string {
	if n == 0 {
		return "zero"
	}
	var words []string
	groups(n, func(group uint64, power int) {
		if group >= 100 {
			words = append(words, englishUnits[group/100], "hundred")
		}
		switch last := group % 100; {
		case last < 20:
			words = append(words, englishUnits[last])
		case last%10 == 0:
			words = append(words, englishTens[last/10])
		default:
			words = append(words, englishTens[last/10]+"-"+englishUnits[last%10])
		}
		words = append(words, englishPowers[power])
	})
	return join(words)
}
