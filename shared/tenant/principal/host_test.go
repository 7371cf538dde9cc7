package principal

import "testing"

func TestHosts(t *testing.T) {
	for in, want := range map[string]string{
		"api.example": "api.example", "API.Example": "api.example", "api.example:8000": "api.example", "api.example.": "api.example", "": "",
	} {
		if got := Host(in); got != want {
			t.Errorf("host %q: %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{
		"https://One.Example": "one.example", "http://one.example:3000": "one.example",
		"null": "", "": "", "one.example": "", "ftp://one.example": "", "https://u@one.example": "",
		"https://one.example/path": "", "https://one.example#x": "", "https://one.example?": "", "https://one.example, https://two.example": "", "https://%zz": "", "https://": "", "https://:443": "",
	} {
		if got := OriginHost(in); got != want {
			t.Errorf("origin %q: %q, want %q", in, got, want)
		}
		if got := Origin(in); (got == "") != (want == "") {
			t.Errorf("origin %q is %q, and its host %q", in, got, want)
		}
	}
	for in, want := range map[string]string{
		"https://One.Example": "https://one.example", "HTTPS://one.example:443": "https://one.example", "https://one.example:": "https://one.example",
		"http://one.example:80": "http://one.example", "http://one.example:443": "http://one.example:443", "https://one.example:8443": "https://one.example:8443",
		"http://[::1]:5173": "http://[::1]:5173", "http://[::1]": "http://[::1]", "http://[2001:db8::80]": "http://[2001:db8::80]",
	} {
		if got := Origin(in); got != want {
			t.Errorf("origin %q: %q, want %q", in, got, want)
		}
	}
}
