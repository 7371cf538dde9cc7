package say_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"

	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/say"
)

func TestMessages(t *testing.T) {
	inside := say.LinesToName(50, 120)
	for _, c := range []struct {
		message          say.Message
		id, code, params string
		en, ru, kk       string
	}{
		{
			say.Required, "required", "required", "",
			"This field is required.", "Обязательное поле.", "Бұл өрісті толтыру міндетті.",
		},
		{
			say.OrderNoneOut, "order_none_out", "status", "",
			"No item of the order is out.", "Ни одного предмета заказа сейчас нет у клиента.", "Қазір клиентте тапсырыстың бірде-бір заты жоқ.",
		},
		{
			say.TooLong(21), "too_long", "too_long", `{"max":21}`,
			"Ensure this field has no more than 21 characters.", "Не больше 21 символа.", "21 таңбадан артық болмауы керек.",
		},
		{
			inside, "lines_to_name", "lines_to_name", `{"most":50,"count":120}`,
			"Name the lines, at most 50 in a call: there are 120.", "Выберите позиции, не больше 50 за раз: всего их 120.",
			"Позицияларды таңдаңыз, бір жолы ең көбі 50. Барлығы: 120.",
		},
		{
			say.InvalidChoice("{\"\\\x01\xff}"), "invalid_choice", "invalid_choice", `{"value":"{\"\\\u0001�}"}`,
			"\"{\"\\\x01�}\" is not a valid choice.", "Значения «{\"\\\x01�}» нет среди допустимых. Выберите одно из списка.",
			"«{\"\\\x01�}» мәні рұқсат етілгендер арасында жоқ. Тізімнен біреуін таңдаңыз.",
		},
		{
			say.InvalidChoice(json.RawMessage(`{"max":[1,"}"],"b":{}}`)), "invalid_choice", "invalid_choice", `{"value":{"max":[1,"}"],"b":{}}}`,
			`"{"max":[1,"}"],"b":{}}" is not a valid choice.`, `Значения «{"max":[1,"}"],"b":{}}» нет среди допустимых. Выберите одно из списка.`,
			`«{"max":[1,"}"],"b":{}}» мәні рұқсат етілгендер арасында жоқ. Тізімнен біреуін таңдаңыз.`,
		},
		{
			say.InvalidChoice("\x00required"), "invalid_choice", "invalid_choice", `{"value":"�required"}`,
			`"�required" is not a valid choice.`, `Значения «�required» нет среди допустимых. Выберите одно из списка.`,
			`«�required» мәні рұқсат етілгендер арасында жоқ. Тізімнен біреуін таңдаңыз.`,
		},
		{
			say.InvalidChoice([]string{"\x00required"}), "invalid_choice", "invalid_choice", `{"value":["\ufffdrequired"]}`,
			`"["\ufffdrequired"]" is not a valid choice.`, `Значения «["\ufffdrequired"]» нет среди допустимых. Выберите одно из списка.`,
			`«["\ufffdrequired"]» мәні рұқсат етілгендер арасында жоқ. Тізімнен біреуін таңдаңыз.`,
		},
		{"A text of somebody's own.", "", "", "", "A text of somebody's own.", "A text of somebody's own.", "A text of somebody's own."},
		{"", "", "", "", "", "", ""},
	} {
		if m := c.message; m.ID() != c.id || m.Code() != c.code || string(m.Params()) != c.params {
			t.Errorf("%q: id %q, code %q, params %s", m, m.ID(), m.Code(), m.Params())
		}
		if c.params != "" && !json.Valid([]byte(c.params)) {
			t.Error(c.params)
		}
		for l, want := range map[say.Language]string{say.English: c.en, say.Russian: c.ru, say.Kazakh: c.kk} {
			if got := c.message.In(l); got != want {
				t.Errorf("%s: %q, want %q", l, got, want)
			}
		}
		if c.message.Error() != c.en {
			t.Errorf("as an error: %q", c.message.Error())
		}
	}
}

// The forms that stand beside numbers are those that the Unicode consortium's rules name.
func TestForms(t *testing.T) {
	names := map[plural.Form]int{plural.One: 0, plural.Few: 1, plural.Many: 2, plural.Other: 1}
	ru := []string{"Не больше %d символа.", "Не больше %d символов.", "Не больше %d символов."} // the genitive, as after "at most"
	for n := range 10_000 {
		form := plural.Cardinal.MatchPlural(language.Russian, n, 0, 0, 0, 0)
		if got, want := say.TooLong(n).In(say.Russian), fmt.Sprintf(ru[names[form]], n); got != want {
			t.Fatalf("%q, want %q", got, want)
		}
		seconds := []string{"секунду", "секунды", "секунд"}[names[form]]
		if got, want := say.Throttled(n).In(say.Russian), fmt.Sprintf("Слишком много запросов. Повторите через %d %s.", n, seconds); got != want {
			t.Fatalf("%q, want %q", got, want)
		}
		second := []string{"second", "seconds"}[names[plural.Cardinal.MatchPlural(language.English, n, 0, 0, 0, 0)]]
		if got, want := say.Throttled(n).Error(), fmt.Sprintf("Request was throttled. Expected available in %d %s.", n, second); got != want {
			t.Fatalf("%q, want %q", got, want)
		}
	}
	if got := say.Throttled(-21).In(say.Russian); got != "Слишком много запросов. Повторите через -21 секунду." {
		t.Error(got)
	}
}

// Items of the table hold these messages for years: the notice of a company, and why a webhook's delivery failed. A row that is renamed or
// loses a parameter would leave them without a text.
func TestStoredMessagesStay(t *testing.T) {
	for stored, want := range map[say.Message]string{
		"\x00company_closed_until\x00{\"ends\":\"2026-04-01T09:30:00Z\"}": "The company is closed. Its owner can take that back until 2026-04-01T09:30:00Z.",

		"\x00webhook_record_unread":              "The record could not be read. Nothing was sent.",
		"\x00webhook_receiver_gone":              "The receiver says that it is gone.",
		"\x00webhook_redirected":                 "A redirect is not followed.",
		"\x00url_not_public":                     "The address is not public.",
		"\x00url_is_ours":                        "The address is one of this platform.",
		"\x00call_name_not_found":                "The name was not found.",
		"\x00call_name_not_looked_up":            "The name could not be looked up.",
		"\x00call_connecting_too_slow":           "Connecting took too long.",
		"\x00call_answer_too_slow":               "The answer took too long.",
		"\x00call_refused":                       "The connection was refused.",
		"\x00call_not_reached":                   "The address could not be reached.",
		"\x00call_closed":                        "The connection was closed before there was an answer.",
		"\x00call_not_understood":                "The answer is not of HTTP/1.1, or its headers are larger than 16 KB.",
		"\x00call_certificate_invalid":           "TLS: the certificate is not valid.",
		"\x00call_certificate_of_other":          "TLS: the certificate is of another host.",
		"\x00call_certificate_expired":           "TLS: the certificate has expired or is not valid yet.",
		"\x00call_tls_failed\x00{\"why\":\"x\"}": "TLS: x.",
		"\x00call_without_tls":                   "TLS: the server does not speak it.",
		"\x00call_certificate_of_unknown":        "TLS: the certificate is of an unknown authority.",
	} {
		if got := stored.In(say.English); got != want {
			t.Errorf("%q says %q", string(stored), got)
		}
	}
}

func TestErrorsAreMessages(t *testing.T) {
	if got := say.Of(fmt.Errorf("a row: %w", say.Blank)); got != say.Blank {
		t.Errorf("%q", got)
	}
	if got := say.Of(errors.New("else")); got != "else" {
		t.Errorf("%q", got)
	}
}

func TestNamed(t *testing.T) {
	if say.Named("blank") != say.Blank {
		t.Error(say.Named("blank"))
	}
	defer func() {
		if recover() == nil {
			t.Error("a row that isn't there has a message")
		}
	}()
	say.Named("no_such_row")
}

// Messages are said wherever they stand in JSON, and all else stays as it is to the byte.
func TestSpoken(t *testing.T) {
	body, err := encode.JSON(map[string]any{
		"a": say.TooLong(2), "b": []say.Message{say.Blank, "<own> \"text\""}, "c": map[string]any{"required": say.Null}, "d": 1.50, "e": "\\u0000required",
		"f": "\u0000no_such_row",
	})
	if err != nil || !say.Neutral(body) {
		t.Fatal(err, string(body))
	}
	want := `{"a":"Не больше 2 символов.","b":["Заполните это поле.","<own> \"text\""],"c":{"required":"Это поле нельзя оставить пустым. Заполните его."},` +
		`"d":1.5,"e":"\\u0000required","f":"Этот текст в нынешней версии недоступен."}`
	if got := string(say.Spoken(body, say.Russian, nil)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if plain := []byte(`{"a":"b"}`); say.Neutral(plain) || string(say.Spoken(plain, say.Kazakh, nil)) != `{"a":"b"}` {
		t.Error("a body without messages is changed")
	}
	for _, cut := range []string{`"\u0000required`, `"\u0000`, `"\u0000req\`} { // no panic
		_ = say.Spoken([]byte(cut), say.Russian, nil)
	}
}

func TestPreferred(t *testing.T) {
	all := say.Languages()
	for _, c := range []struct {
		header  string
		allowed []say.Language
		want    say.Language
	}{
		{"", all, say.English},
		{"ru", all, say.Russian},
		{"kk-KZ,kk;q=0.9,ru;q=0.8,en;q=0.7", all, say.Kazakh},
		{"de-DE,de;q=0.9,ru;q=0.5,en;q=0.4", all, say.Russian},
		{"en;q=0.1, ru;q=0.2", all, say.Russian},
		{"ru;q=0, kk", all, say.Kazakh},
		{"ru;q=0", all, say.English},
		{"*", all, say.English},
		{"de", all, say.English},
		{"ru;;;q=a", all, say.English},
		{"kz, ru;q=0.9", all, say.Kazakh},
		{"x-!, xx-yyyyyyyyyyyy, ru;q=0.9", all, say.Russian},
		{"de, *;q=0.5, kk;q=0.4", all, say.English},
		{strings.Repeat("de, ", 100) + "RU-ru", all, say.Russian},
		{"ru", []say.Language{say.English}, say.English},
		{"ru", nil, say.English},
		{"en", []say.Language{say.Russian, say.Kazakh}, say.Russian},
		{"en-GB,kk", []say.Language{say.Russian, say.Kazakh}, say.Kazakh},
	} {
		if got := say.Preferred(c.header, c.allowed); got != c.want {
			t.Errorf("%q among %v: %s, want %s", c.header, c.allowed, got, c.want)
		}
	}
	if !slices.Equal(all, []say.Language{"en", "ru", "kk"}) {
		t.Error(all)
	}
}

func BenchmarkMessage(b *testing.B) {
	for b.Loop() {
		_ = say.LinesToName(50, 120)
	}
}

func BenchmarkSpoken(b *testing.B) {
	body, err := encode.JSON(say.LinesToName(50, 120))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		_ = say.Spoken(body, say.Russian, nil)
	}
}
