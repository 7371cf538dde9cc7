package files_test

import (
	"mime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tenantry/tenantry/shared/files"
)

func TestDisposition(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"contract.pdf", `attachment; filename="contract.pdf"; filename*=UTF-8''contract.pdf`},
		{"Шарт №1.pdf", `attachment; filename="____ _1.pdf"; filename*=UTF-8''%D0%A8%D0%B0%D1%80%D1%82%20%E2%84%961.pdf`},
		{"", `attachment; filename="file"; filename*=UTF-8''file`},
		{"...", `attachment; filename="file"; filename*=UTF-8''file`},
		{"a%41.txt", `attachment; filename="a_41.txt"; filename*=UTF-8''a%2541.txt`},
		{`a"; filename="b.exe`, `attachment; filename="a__ filename=_b.exe"; filename*=UTF-8''a__%20filename%3D_b.exe`},
		{"a\r\nSet-Cookie: x=1", `attachment; filename="a__Set-Cookie_ x=1"; filename*=UTF-8''a__Set-Cookie_%20x%3D1`},
		{"../../etc/passwd", `attachment; filename="_.._etc_passwd"; filename*=UTF-8''_.._etc_passwd`},
		{`C:\x\y.txt`, `attachment; filename="C__x_y.txt"; filename*=UTF-8''C__x_y.txt`},
		{"gpj.\u202eexe", `attachment; filename="gpj.exe"; filename*=UTF-8''gpj.exe`},
		{"a\xff\x00b", `attachment; filename="a_b"; filename*=UTF-8''a_b`},
	} {
		if got := files.Disposition(c.name); got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func FuzzDisposition(f *testing.F) {
	for _, s := range []string{"a.pdf", strings.Repeat("ұ", 400) + ".pdf", "\x00\xff", strings.Repeat(".", 300), `"';=`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		header := files.Disposition(name)
		for _, c := range []byte(header) {
			if c < ' ' || c > '~' {
				t.Fatalf("%q: byte %#x in %q", name, c, header)
			}
		}
		kind, params, err := mime.ParseMediaType(header)
		if err != nil || kind != "attachment" {
			t.Fatalf("%q: %q %v", name, header, err)
		}
		saved := params["filename"]
		if saved == "" || len(saved) > 200 || !utf8.ValidString(saved) || strings.ContainsAny(saved, "/\\\"") || saved[0] == '.' {
			t.Fatalf("%q is saved as %q", name, saved)
		}
		if strings.HasSuffix(name, ".pdf") && len(name) > 300 && !strings.HasSuffix(saved, ".pdf") {
			t.Fatalf("%q lost its extension: %q", name, saved)
		}
	})
}
