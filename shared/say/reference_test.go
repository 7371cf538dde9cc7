package say

import "testing"

// The codes by which programs know refusals are a contract, and so are the names of their parameters.
func TestCodesOfTheContract(t *testing.T) {
	codes := Codes()
	for code, param := range map[string]string{
		"required": "", "null": "", "not_unique": "", "locked": "", "invalid": "", "event_expired": "",
		"too_long": "max", "does_not_exist": "value", "invalid_choice": "value",
	} {
		texts := codes[code]
		if len(texts) == 0 {
			t.Errorf("no text has the code %s", code)
			continue
		}
		if param != "" && (len(texts[0].Params) == 0 || texts[0].Params[0] != param) {
			t.Errorf("%s has the parameters %q, want %s", code, texts[0].Params, param)
		}
	}
	if got := codes["too_long"][0].In(Russian); got != "Не больше {max} символов." {
		t.Errorf("too_long: %q", got)
	}
	if got := codes["moment_in_future"][0].In(Russian); got != "Это время ещё не наступило. Сейчас {now}." {
		t.Errorf("moment_in_future: %q", got)
	}
	if codes["title_invalid"] != nil || TitleInvalid.Refuses() || !Required.Refuses() {
		t.Error("a title is no refusal")
	}
}
