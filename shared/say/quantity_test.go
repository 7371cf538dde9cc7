package say_test

import (
	"testing"

	"github.com/tenantry/tenantry/shared/say"
)

// English texts are the contract's, so they have bytes and points; the others are for people.
func TestQuantities(t *testing.T) {
	for _, c := range []struct {
		message    say.Message
		en, ru, kk string
	}{
		{
			say.TooManyBytes(16 << 10), "Ensure this field has no more than 16384 bytes.",
			"Слишком много данных. Здесь может быть не больше 16 КБ.", "Деректер тым көп. Мұнда 16 КБ-тан артық болмауы керек.",
		},
		{
			say.TooManyBytes(1), "Ensure this field has no more than 1 byte.",
			"Слишком много данных. Здесь может быть не больше 1 Б.", "Деректер тым көп. Мұнда 1 Б-тан артық болмауы керек.",
		},
		{
			say.PrintImagesTooLarge(5_000_000), "The images have more than 5000000 bytes.",
			"Изображения занимают больше 5 МБ. Уменьшите их.", "Суреттердің көлемі 5 МБ-тан асады. Оларды кішірейтіңіз.",
		},
		{
			say.PrintImagesTooLarge(5 << 20), "The images have more than 5242880 bytes.",
			"Изображения занимают больше 5 МБ. Уменьшите их.", "Суреттердің көлемі 5 МБ-тан асады. Оларды кішірейтіңіз.",
		},
		{
			say.PrintImagesTooLarge(5_000_001), "The images have more than 5000001 bytes.",
			"Изображения занимают больше 5000001 Б. Уменьшите их.", "Суреттердің көлемі 5000001 Б-тан асады. Оларды кішірейтіңіз.",
		},
		{
			say.PricingDiscountPercent("12.5%", "1234567.80"), "discount of 12.5% of 1234567.80",
			"скидка 12,5\u00a0% от 1\u00a0234\u00a0567,80", "1\u00a0234\u00a0567,80 сомасынан 12,5\u00a0% жеңілдік",
		},
		{
			say.PricingDiscountAmount("-9000.00"), "discount of -9000.00",
			"скидка -9000", "жеңілдік -9000",
		},
		{ // no number, such as a length of time
			say.TooSmall("1 00:00:00"), "Ensure this value is greater than or equal to 1 00:00:00.",
			"Значение должно быть не меньше 1 00:00:00.", "Мән кемінде 1 00:00:00 болуы керек.",
		},
		{
			say.TooSmall("."), "Ensure this value is greater than or equal to ..",
			"Значение должно быть не меньше ..", "Мән кемінде . болуы керек.",
		},
	} {
		for language, want := range map[say.Language]string{say.English: c.en, say.Russian: c.ru, say.Kazakh: c.kk} {
			if got := c.message.In(language); got != want {
				t.Errorf("%s: %q, want %q", language, got, want)
			}
		}
	}
}

// A reference shows a parameter by its name alone, whatever it is written as.
func TestParametersOfTheReference(t *testing.T) {
	for _, s := range say.Codes()["too_many_bytes"] {
		if got := s.In(say.Russian); got != "Слишком много данных. Здесь может быть не больше {max}." {
			t.Error(got)
		}
	}
}
