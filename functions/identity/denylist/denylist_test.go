package denylist_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/tenantry/tenantry/functions/identity/denylist"
)

func TestHas(t *testing.T) {
	for password, want := range map[string]bool{
		"password": true, "password1": true, "Password1": true, " PASSWORD1 ": true, "qwertyuiop": true, "1q2w3e4r5t": true,
		"123456789": true, "iloveyou": true, "football1": true, "qwerty123": true, "11111111": true, "p@ssw0rd": true,
		"correct horse battery staple": false, "correct horse 42": false, "correct horse": false, "": false, "password1 of mine": false,
	} {
		if got := denylist.Has(password); got != want {
			t.Errorf("%q: %t", password, got)
		}
	}
}

// The filter is as small as is promised, and hardly ever wrong about what is not in it.
func TestHowOftenItIsWrong(t *testing.T) {
	if stored, err := os.Stat("passwords.bloom"); err != nil || stored.Size() > 40_000 {
		t.Errorf("%d bytes, %v", stored.Size(), err)
	}
	wrong := 0
	const tries = 200_000
	for i := range tries {
		if denylist.Has(fmt.Sprintf("nobody's choice %d", i)) {
			wrong++
		}
	}
	if wrong > tries/10_000 {
		t.Errorf("%d of %d other passwords are found", wrong, tries)
	}
}

func TestFilter(t *testing.T) {
	bits := func(list ...string) (n int) {
		for _, b := range denylist.Filter(list) {
			for ; b != 0; b &= b - 1 {
				n++
			}
		}
		return n
	}
	if one := bits("password1"); one == 0 || one > 16 || bits("password1", "PASSWORD1", " password1", "123456") != one {
		t.Errorf("a password sets %d bits", one)
	}
}
