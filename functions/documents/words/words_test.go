package words

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/money"
)

func TestInteger(t *testing.T) {
	for _, c := range []struct {
		n          int64
		ru, kk, en string
	}{
		{0, "ноль", "нөл", "zero"},
		{1, "один", "бір", "one"},
		{2, "два", "екі", "two"},
		{5, "пять", "бес", "five"},
		{10, "десять", "он", "ten"},
		{11, "одиннадцать", "он бір", "eleven"},
		{12, "двенадцать", "он екі", "twelve"},
		{14, "четырнадцать", "он төрт", "fourteen"},
		{19, "девятнадцать", "он тоғыз", "nineteen"},
		{20, "двадцать", "жиырма", "twenty"},
		{21, "двадцать один", "жиырма бір", "twenty-one"},
		{40, "сорок", "қырық", "forty"},
		{90, "девяносто", "тоқсан", "ninety"},
		{99, "девяносто девять", "тоқсан тоғыз", "ninety-nine"},
		{100, "сто", "жүз", "one hundred"},
		{101, "сто один", "жүз бір", "one hundred one"},
		{111, "сто одиннадцать", "жүз он бір", "one hundred eleven"},
		{200, "двести", "екі жүз", "two hundred"},
		{999, "девятьсот девяносто девять", "тоғыз жүз тоқсан тоғыз", "nine hundred ninety-nine"},
		{1_000, "одна тысяча", "бір мың", "one thousand"},
		{1_001, "одна тысяча один", "бір мың бір", "one thousand one"},
		{2_000, "две тысячи", "екі мың", "two thousand"},
		{5_000, "пять тысяч", "бес мың", "five thousand"},
		{11_000, "одиннадцать тысяч", "он бір мың", "eleven thousand"},
		{12_000, "двенадцать тысяч", "он екі мың", "twelve thousand"},
		{21_000, "двадцать одна тысяча", "жиырма бір мың", "twenty-one thousand"},
		{22_022, "двадцать две тысячи двадцать два", "жиырма екі мың жиырма екі", "twenty-two thousand twenty-two"},
		{100_000, "сто тысяч", "жүз мың", "one hundred thousand"},
		{111_111, "сто одиннадцать тысяч сто одиннадцать", "жүз он бір мың жүз он бір", "one hundred eleven thousand one hundred eleven"},
		{1_000_000, "один миллион", "бір миллион", "one million"},
		{2_000_000, "два миллиона", "екі миллион", "two million"},
		{5_000_001, "пять миллионов один", "бес миллион бір", "five million one"},
		{
			1_284_500, "один миллион двести восемьдесят четыре тысячи пятьсот", "бір миллион екі жүз сексен төрт мың бес жүз",
			"one million two hundred eighty-four thousand five hundred",
		},
		{1_000_000_000, "один миллиард", "бір миллиард", "one billion"},
		{21_000_000_000_000, "двадцать один триллион", "жиырма бір триллион", "twenty-one trillion"},
		{-2_002, "минус две тысячи два", "минус екі мың екі", "minus two thousand two"},
		{
			math.MinInt64,
			"минус девять квинтиллионов двести двадцать три квадриллиона триста семьдесят два триллиона тридцать шесть миллиардов восемьсот пятьдесят четыре миллиона семьсот семьдесят пять тысяч восемьсот восемь",
			"минус тоғыз квинтиллион екі жүз жиырма үш квадриллион үш жүз жетпіс екі триллион отыз алты миллиард сегіз жүз елу төрт миллион жеті жүз жетпіс бес мың сегіз жүз сегіз",
			"minus nine quintillion two hundred twenty-three quadrillion three hundred seventy-two trillion thirty-six billion eight hundred fifty-four million seven hundred seventy-five thousand eight hundred eight",
		},
	} {
		for l, want := range map[Language]string{Russian: c.ru, Kazakh: c.kk, English: c.en} {
			if got := Integer(c.n, l); got != want {
				t.Errorf("%s %d: %s", l, c.n, got)
			}
		}
	}
}

func TestAmount(t *testing.T) {
	for _, c := range []struct {
		amount, currency, ru, kk, en string
	}{
		{"0", "KZT", "ноль тенге 00 тиын", "нөл теңге 00 тиын", "zero tenge 00 tiyn"},
		{"1.01", "KZT", "один тенге 01 тиын", "бір теңге 01 тиын", "one tenge 01 tiyn"},
		{"2.22", "KZT", "два тенге 22 тиын", "екі теңге 22 тиын", "two tenge 22 tiyn"},
		{"1284500", "KZT", "один миллион двести восемьдесят четыре тысячи пятьсот тенге 00 тиын", "бір миллион екі жүз сексен төрт мың бес жүз теңге 00 тиын", "one million two hundred eighty-four thousand five hundred tenge 00 tiyn"},
		{"11.11", "RUB", "одиннадцать российских рублей 11 копеек", "он бір ресей рублі 11 копейка", "eleven Russian rubles 11 kopecks"},
		{"21.21", "RUB", "двадцать один российский рубль 21 копейка", "жиырма бір ресей рублі 21 копейка", "twenty-one Russian rubles 21 kopecks"},
		{"102.02", "RUB", "сто два российских рубля 02 копейки", "жүз екі ресей рублі 02 копейка", "one hundred two Russian rubles 02 kopecks"},
		{"1", "UAH", "одна гривна 00 копеек", "бір гривна 00 копейка", "one hryvnia 00 kopiykas"},
		{"1002", "UAH", "одна тысяча две гривны 00 копеек", "бір мың екі гривна 00 копейка", "one thousand two hryvnias 00 kopiykas"},
		{"2000", "TRY", "две тысячи турецких лир 00 курушей", "екі мың түрік лирасы 00 куруш", "two thousand Turkish liras 00 kurush"},
		{"1000000.5", "USD", "один миллион долларов США 50 центов", "бір миллион АҚШ доллары 50 цент", "one million US dollars 50 cents"},
		{"1", "EUR", "один евро 00 центов", "бір еуро 00 цент", "one euro 00 cents"},
		{"1.01", "GBP", "один фунт стерлингов 01 пенс", "бір фунт стерлинг 01 пенс", "one pound sterling 01 penny"},
		{"-0.05", "KZT", "минус ноль тенге 05 тиын", "минус нөл теңге 05 тиын", "minus zero tenge 05 tiyn"},
		{"-2", "UAH", "минус две гривны 00 копеек", "минус екі гривна 00 копейка", "minus two hryvnias 00 kopiykas"},
		{"3.07", "XAU", "три XAU 07/100", "үш XAU 07/100", "three XAU 07/100"},
	} {
		a, err := money.ParseAmount(c.amount)
		if err != nil {
			t.Fatal(err)
		}
		for l, want := range map[Language]string{Russian: c.ru, Kazakh: c.kk, English: c.en} {
			if got := Amount(a, c.currency, l); got != want {
				t.Errorf("%s %s %s: %s", l, c.amount, c.currency, got)
			}
		}
	}
	for _, a := range []money.Amount{money.Most(), money.Least()} {
		if got := Amount(a, "KZT", Russian); !strings.Contains(got, "девяносто девять триллионов") || !strings.HasSuffix(got, " тенге 99 тиын") {
			t.Errorf("%v: %s", a, got)
		}
	}
}

func TestCurrenciesAreWhole(t *testing.T) {
	for code, c := range currencies {
		for i := range 2 {
			for _, word := range append(append(c.russian[i][:], c.kazakh[i]), c.english[i][:]...) {
				if word == "" {
					t.Errorf("%s lacks a word", code)
				}
			}
		}
	}
}

func TestDate(t *testing.T) {
	almaty := time.FixedZone("", 5*3600)
	for _, c := range []struct {
		at         time.Time
		ru, kk, en string
	}{
		{time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC), "22 ноября 2026 года", "2026 жылғы 22 қараша", "22 November 2026"},
		{time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC), "1 января 2027 года", "2027 жылғы 1 қаңтар", "1 January 2027"},
		{time.Date(2026, 12, 31, 20, 0, 0, 0, time.UTC).In(almaty), "1 января 2027 года", "2027 жылғы 1 қаңтар", "1 January 2027"},
		{time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC), "29 февраля 2024 года", "2024 жылғы 29 ақпан", "29 February 2024"},
		{time.Date(2026, 9, 30, 0, 0, 0, 0, time.UTC), "30 сентября 2026 года", "2026 жылғы 30 қыркүйек", "30 September 2026"},
	} {
		for l, want := range map[Language]string{Russian: c.ru, Kazakh: c.kk, English: c.en} {
			if got := Date(c.at, l); got != want {
				t.Errorf("%s: %s", l, got)
			}
		}
	}
}
