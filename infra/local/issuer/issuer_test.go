package issuer

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"
)

const back = "http://127.0.0.1:1/back"

func started(t *testing.T) (*Issuer, *time.Time) {
	t.Helper()
	now := time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC)
	i, err := Open(t.Context(), Client{"us", "a secret & more", back}, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(i.Close)
	return i, &now
}

// verifier is of PKCE.
const verifier = "a verifier that is long enough to be one, 43 letters"

// asked are the parameters of a right request.
func asked(i *Issuer, change ...string) string {
	q := url.Values{
		"client_id": {"us"}, "redirect_uri": {back}, "response_type": {"code"}, "scope": {"openid email"}, "state": {"a state"},
		"nonce": {"a nonce"}, "code_challenge_method": {"S256"}, "code_challenge": {oauth2.S256ChallengeFromVerifier(verifier)},
	}
	for n := 0; n < len(change); n += 2 {
		q.Set(change[n], change[n+1])
	}
	return i.URL + "/authorize?" + q.Encode()
}

// stay follows no redirects.
func stay() *http.Client {
	return &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

func send(t *testing.T, method, address, body string, header ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for n := 0; n < len(header); n += 2 {
		r.Header.Set(header[n], header[n+1])
		if header[n] == "Host" {
			r.Host = header[n+1]
		}
	}
	answer, err := stay().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(content)
}

func TestThePage(t *testing.T) {
	i, _ := started(t)
	page, text := send(t, "GET", asked(i, "state", `"><script>`), "")
	for _, want := range []string{"Choose an identity", `value="a nonce"`, "http://127.0.0.1:1 asks"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}
	policy := page.Header.Get("Content-Security-Policy")
	if strings.Contains(text, "<script>") || !strings.Contains(policy, "form-action 'self' http://127.0.0.1:1") {
		t.Errorf("%v\n%s", page.Header, text)
	}
	for name, c := range map[string]struct {
		change []string
		status int
		want   string
	}{
		"another client":      {[]string{"client_id", "them"}, 400, "client_id"},
		"another address":     {[]string{"redirect_uri", back + "/"}, 400, "redirect_uri"},
		"no code":             {[]string{"response_type", "token"}, 303, back + "?error=unsupported_response_type&state=a+state"},
		"no identity":         {[]string{"scope", "email"}, 303, "error=invalid_scope"},
		"no PKCE":             {[]string{"code_challenge", ""}, 303, "error=invalid_request"},
		"PKCE without a hash": {[]string{"code_challenge_method", "plain"}, 303, "error=invalid_request"},
	} {
		t.Run(name, func(t *testing.T) {
			answer, text := send(t, "GET", asked(i, c.change...), "")
			if answer.StatusCode != c.status || !strings.Contains(answer.Header.Get("Location")+text, c.want) {
				t.Errorf("%s %v %s", answer.Status, answer.Header, text)
			}
		})
	}
	if answer, _ := send(t, "GET", asked(i), "", "Host", "stranger.example:80"); answer.StatusCode != http.StatusMisdirectedRequest {
		t.Errorf("under a stranger's name: %s", answer.Status)
	}
}

func TestAnAnswer(t *testing.T) {
	i, _ := started(t)
	_, query, _ := strings.Cut(asked(i), "?")
	for body, want := range map[string]string{
		"&answer=cancel&email=ann@gmail.example": back + "?error=access_denied&state=a+state",
		"&email=ann@gmail.example":               back + "?error=access_denied&state=a+state",
	} {
		if answer, _ := send(t, "POST", i.URL+"/authorize", query+body); answer.Header.Get("Location") != want {
			t.Errorf("%s: %s %v", body, answer.Status, answer.Header)
		}
	}
	if answer, _ := send(t, "POST", i.URL+"/authorize", query+"&answer=approve&email=ann"); answer.StatusCode != http.StatusBadRequest {
		t.Errorf("no address: %s", answer.Status)
	}
	if answer, _ := send(t, "POST", i.URL+"/authorize", "answer=approve&email=a@b.example"); answer.StatusCode != http.StatusBadRequest {
		t.Errorf("nobody asked: %s", answer.Status)
	}
}

func TestTokens(t *testing.T) {
	right := func(code string) url.Values {
		return url.Values{
			"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {back}, "code_verifier": {verifier},
			"client_id": {"us"}, "client_secret": {"a secret & more"},
		}
	}
	for name, c := range map[string]struct {
		change func(url.Values)
		want   string
	}{
		"all is right":     {func(url.Values) {}, ""},
		"another verifier": {func(q url.Values) { q.Set("code_verifier", "x") }, "invalid_grant"},
		"another address":  {func(q url.Values) { q.Set("redirect_uri", back+"/") }, "invalid_grant"},
		"another code":     {func(q url.Values) { q.Set("code", "x") }, "invalid_grant"},
		"another grant":    {func(q url.Values) { q.Set("grant_type", "password") }, "unsupported_grant_type"},
		"another client":   {func(q url.Values) { q.Set("client_id", "them") }, "invalid_client"},
		"another secret":   {func(q url.Values) { q.Set("client_secret", "x") }, "invalid_client"},
	} {
		t.Run(name, func(t *testing.T) {
			i, _ := started(t)
			code, state, err := Approve(t.Context(), asked(i), "Ann@Gmail.example")
			if err != nil || state != "a state" {
				t.Fatalf("%q, %v", state, err)
			}
			form := right(code)
			c.change(form)
			_, text := send(t, "POST", i.URL+"/token", form.Encode())
			var said struct {
				Error string
				ID    string `json:"id_token"`
			}
			if err := json.Unmarshal([]byte(text), &said); err != nil || said.Error != c.want || (said.ID == "") != (c.want != "") {
				t.Errorf("%s, %v", text, err)
			}
			if _, again := send(t, "POST", i.URL+"/token", right(code).Encode()); c.want == "invalid_grant" && name != "another code" &&
				!strings.Contains(again, "invalid_grant") {
				t.Errorf("a code that was refused works: %s", again)
			}
		})
	}
	t.Run("late", func(t *testing.T) {
		i, now := started(t)
		code, _, err := Approve(t.Context(), asked(i), "ann@gmail.example")
		if err != nil {
			t.Fatal(err)
		}
		*now = now.Add(codeLives)
		if _, text := send(t, "POST", i.URL+"/token", right(code).Encode()); !strings.Contains(text, "invalid_grant") {
			t.Error(text)
		}
	})
}
