package stage_test

import (
	"testing"

	"github.com/tenantry/tenantry/infra/operator/stage"
)

func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"Acme Rentals":          "Acme Rentals",
		"Прокат «Ёлка» №1 😀":    "Прокат «Ёлка» №1 😀",
		"A\nB  99  active":      `A\nB  99  active`,
		"\x1b[31mred\x1b[0m":    `\x1b[31mred\x1b[0m`,
		"evil\u202egnp.exe":     `evil\u202egnp.exe`,
		"a\rb\tc\u0000\u2028d":  `a\rb\tc\x00\u2028d`,
		"back\\slash 'and' \"q": "back\\slash 'and' \"q",
	} {
		if got := stage.Plain(text); got != want {
			t.Errorf("%q is %s, not %s", text, got, want)
		}
	}
	for text, ok := range map[string]bool{"Paid. Thank you!\nCall us.": true, "Pay \x1b[8mnow": false, "\u202eabc": false} {
		if err := stage.Printable("-notice", text); (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
	}
}
