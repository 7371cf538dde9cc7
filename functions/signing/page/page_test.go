package page

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // machines may have no time zone database

	"golang.org/x/net/html"
)

func of[T any](v T) *T { return &v }

const (
	uuid     = "8a4b3f5e-64a8-4b93-9d0c-2f1f5f4c9f11"
	original = "/v2/documents/" + uuid + "/documents/700001/"
	sealed   = "/v2/documents/" + uuid + "/documents/700002/"
)

// view is a document that waits for two signatures.
func view() View {
	return View{
		Name: "Договор № 7",
		Company: Company{
			Name: "Demo", BIN: of("140340010302"), Phone: of("+7 727 355 10 20"), Email: of("hello@demo.example"), Logo: of("/v1/logo/"),
		},
		CreatedAt: time.Date(2026, 11, 22, 9, 30, 0, 0, time.UTC),
		File:      &File{ID: 700001, ContentType: "application/pdf", Size: 3, SHA256: strings.Repeat("ab", 32)},
		Sign: Own{
			UUID: uuid, Name: "Айгүл", Type: "client", Method: 1, Allowed: []int64{2, 1}, Status: 1, Phone: of("+7 ••• ••• 45 67"),
			UpdatedAt: time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC),
		},
		Signs:   []Signer{{Name: "Айгүл", Method: 1, Status: 1}, {Name: "Ivan", Method: 2, Status: 5}, {Name: "Olga", Method: 1, Status: 2}},
		Consent: Consents{SMS: Consent{"sms-en-1", "en", "I agree to the code."}, EGov: Consent{"egov-en-1", "en", "I agree to the key."}},
	}
}

func sealedView() View {
	v := view()
	v.Signed, v.SealedAt, v.Level = true, of(time.Date(2026, 11, 22, 11, 0, 0, 0, time.UTC)), of("B-T")
	v.Sealed = &File{ID: 700002}
	v.Sign.Status, v.Signs[0].Status = 5, 5
	return v
}

// elements returns the elements of a page, and fails where the page isn't what a browser makes of it.
func elements(t *testing.T, page []byte) (list []*html.Node) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(string(page)))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			list = append(list, n)
		}
	}
	return list
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func has(n *html.Node, key string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == key })
}

// text is what an element says, without what is in scripts.
func text(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode && d.Parent.Data != "script" {
			b.WriteString(d.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func byID(t *testing.T, page []byte, id string) *html.Node {
	t.Helper()
	for _, n := range elements(t, page) {
		if attr(n, "id") == id {
			return n
		}
	}
	t.Fatalf("no element %q", id)
	return nil
}

func TestSign(t *testing.T) {
	page, headers := Sign("en", view(), Settings{Bucket: "https://bucket.example"})
	if got := headers["Content-Language"]; got != "en" {
		t.Errorf("Content-Language %q", got)
	}
	body := text(elements(t, page)[0])
	for _, want := range []string{
		"Demo asks you to sign a document", "Договор № 7", "of 22.11.2026", "Open the PDF", "Signer: Айгүл",
		"Read the document and sign it.", "turn on JavaScript", "I agree to the code.", "I agree to the key.",
		"The code goes to +7 ••• ••• 45 67", "Айгүл (you) Waiting", "Ivan Signed (digital signature)", "Olga Reading",
		"BIN 140340010302", "+7 727 355 10 20", "hello@demo.example",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the page doesn't say %q", want)
		}
	}
	if got := attr(byID(t, page, "file"), "href"); got != original {
		t.Errorf("the link to the document is %q", got)
	}
	for _, id := range []string{"choose", "code-panel", "done", "reject", "zoom", "to-signing"} {
		if !has(byID(t, page, id), "hidden") {
			t.Errorf("%s is seen before the script runs", id)
		}
	}
	states := []string{}
	for n := range byID(t, page, "signers").ChildNodes() {
		if n.Data == "li" {
			states = append(states, attr(n, "data-status"))
		}
	}
	if !slices.Equal(states, []string{"1", "5", "2"}) {
		t.Errorf("states %q", states)
	}
	if strings.Contains(string(page), "%!") {
		t.Error("a value has no place")
	}
}

// The day of a document is the company's: at 20:30 UTC it is the next one in Almaty, and the day before in New York.
func TestDay(t *testing.T) {
	for zone, want := range map[string]string{
		"Asia/Almaty": "of 23.11.2026", "America/New_York": "of 22.11.2026", "": "of 22.11.2026", "Nowhere": "of 22.11.2026",
	} {
		v := view()
		v.CreatedAt, v.Company.TimeZone = time.Date(2026, 11, 22, 20, 30, 0, 0, time.UTC), zone
		page, _ := Sign("en", v, Settings{})
		if body := text(elements(t, page)[0]); !strings.Contains(body, want) {
			t.Errorf("in %q the page doesn't say %q", zone, want)
		}
	}
}

// TestData: the script gets the view as it is.
func TestData(t *testing.T) {
	page, _ := Sign("kk", view(), Settings{NCALayer: "ws://127.0.0.1:1"})
	var got struct {
		Language, PDFJS, NCALayer string
		Texts                     map[string]any
		View                      json.RawMessage
	}
	if err := json.Unmarshal([]byte(byID(t, page, "data").FirstChild.Data), &got); err != nil {
		t.Fatal(err)
	}
	want, _ := json.Marshal(view())
	if string(got.View) != string(want) {
		t.Errorf("view %s, want %s", got.View, want)
	}
	if got.Language != "kk" || got.NCALayer != "ws://127.0.0.1:1" || got.PDFJS != Assets+pdfjsFolder || got.Texts["loading"] == nil {
		t.Errorf("%+v", got)
	}
}

func TestSealed(t *testing.T) {
	page, _ := Sign("en", sealedView(), Settings{})
	if done := byID(t, page, "done"); has(done, "hidden") {
		t.Error("the sealed file needs a script")
	}
	if got := attr(byID(t, page, "sealed"), "href"); got != sealed {
		t.Errorf("the link to the sealed file is %q", got)
	}
	if got := text(byID(t, page, "state")); got != "Everybody has signed. The document was sealed on 22.11.2026 11:00 UTC." {
		t.Errorf("state %q", got)
	}
}

// TestSteps: the server and the script mean the same step. modules.test.mjs reads the same table.
func TestSteps(t *testing.T) {
	body, err := os.ReadFile("testdata/steps.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		Name, Step string
		View       View
	}
	if err := json.Unmarshal(body, &rows); err != nil || len(rows) < 10 {
		t.Fatal(len(rows), err)
	}
	for _, r := range rows {
		t.Run(r.Name, func(t *testing.T) {
			if got := r.View.step(); got != r.Step {
				t.Errorf("step %q, want %q", got, r.Step)
			}
			page, _ := Sign("ru", r.View, Settings{})
			if got := attr(byID(t, page, "state"), "data-step"); got != r.Step {
				t.Errorf("the page shows %q, want %q", got, r.Step)
			}
		})
	}
}

// TestWays: only the ways that are open to the signer are on the page.
func TestWays(t *testing.T) {
	for name, c := range map[string]struct {
		allowed []int64
		phone   *string
		want    []string
		noPhone bool
	}{
		"both":                {[]int64{2, 1}, of("+7"), []string{"egov", "sms"}, false},
		"the code first":      {[]int64{1, 2}, of("+7"), []string{"sms", "egov"}, false},
		"the key":             {[]int64{2}, of("+7"), []string{"egov"}, false},
		"no telephone":        {[]int64{2, 1}, nil, []string{"egov"}, true},
		"nothing without one": {[]int64{1}, nil, nil, true},
		"by hand":             {[]int64{0}, of("+7"), nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			v := view()
			v.Sign.Allowed, v.Sign.Phone = c.allowed, c.phone
			page, _ := Sign("ru", v, Settings{})
			var got []string
			noPhone := false
			for _, n := range elements(t, page) {
				if n.Data == "input" && attr(n, "name") == "way" {
					got = append(got, attr(n, "value"))
				}
				noPhone = noPhone || attr(n, "id") == "no-phone"
			}
			if !slices.Equal(got, c.want) || noPhone != c.noPhone {
				t.Errorf("ways %q, %v", got, noPhone)
			}
		})
	}
}

// TestHostile: what companies and clients write is text on the page and in the script's data, and a link only where it may
// be one.
func TestHostile(t *testing.T) {
	const evil = `"><script>alert(1)</script><img src=x onerror=alert(1)>{company}{date}</title>%s%d&#60;`
	v := sealedView()
	v.Name, v.Company.Name, v.Sign.Name = evil, evil, evil
	v.Company.BIN, v.Company.Phone, v.Company.Email, v.Sign.Phone = of(evil), of(evil), of(evil), of(evil)
	v.Company.Logo = of(`https://tracker.example/"onload="alert(1)`)
	v.Signs = []Signer{{Name: evil, Method: 1, Status: 5}, {Name: evil, Method: 99, Status: -7}}
	v.Consent.SMS, v.Consent.EGov = Consent{evil, evil, evil}, Consent{evil, evil, evil}
	v.Sign.UUID = evil
	page, _ := Sign("ru", v, Settings{})
	clean, _ := Sign("ru", sealedView(), Settings{})
	count := map[string]int{}
	for _, n := range elements(t, page) {
		count[n.Data]++
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || strings.HasPrefix(a.Val, "javascript:") || strings.Contains(a.Val, "tracker") {
				t.Errorf("<%s %s=%q>", n.Data, a.Key, a.Val)
			}
		}
	}
	for _, n := range elements(t, clean) {
		count[n.Data]--
	}
	for name, n := range count {
		if n > 0 {
			t.Errorf("%d more <%s>", n, name)
		}
	}
	if body := text(elements(t, page)[0]); !strings.Contains(body, evil) {
		t.Error("the name isn't shown as it is")
	}
	var got struct{ View View }
	if err := json.Unmarshal([]byte(byID(t, page, "data").FirstChild.Data), &got); err != nil || got.View.Name != evil {
		t.Errorf("%q, %v", got.View.Name, err)
	}
}

func TestLogo(t *testing.T) {
	for address, shown := range map[string]bool{
		"/v1/tenant/1/logo/": true, "//evil.example/x": false, "https://evil.example/x": false, "/\\evil.example": false,
		"data:image/png;base64,AA": false, "": false,
	} {
		v := view()
		v.Company.Logo = &address
		page, _ := Sign("ru", v, Settings{})
		got := slices.ContainsFunc(elements(t, page), func(n *html.Node) bool { return n.Data == "img" && attr(n, "src") == address })
		if got != shown {
			t.Errorf("%q: shown %v", address, got)
		}
	}
}

func TestHeaders(t *testing.T) {
	s := Settings{Bucket: "https://bucket.example"}
	const ours = "default-src 'none'; script-src 'self'; style-src 'self'; "
	const both = "connect-src 'self' https://bucket.example wss://127.0.0.1:13579; worker-src 'self'; "
	const none = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	_, sign := Sign("ru", view(), s)
	_, verify := Verify("ru", s)
	_, gone := Gone("ru")
	for name, c := range map[string]struct {
		headers map[string]string
		policy  string
	}{
		"sign":   {sign, ours + "img-src 'self' https://bucket.example; " + both + none},
		"verify": {verify, ours + "img-src 'self'; connect-src 'self'; " + none},
		"gone":   {gone, ours + "img-src 'self'; connect-src 'self'; " + none},
	} {
		for key, want := range map[string]string{
			"Content-Security-Policy": c.policy, "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store",
			"Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex, nofollow", "X-Content-Type-Options": "nosniff",
			"X-Frame-Options": "DENY", "Content-Language": "ru", "Cross-Origin-Opener-Policy": "same-origin",
			"Cross-Origin-Resource-Policy": "same-origin",
		} {
			if got := c.headers[key]; got != want {
				t.Errorf("%s: %s: %q, want %q", name, key, got, want)
			}
		}
	}
	_, local := Sign("ru", view(), Settings{NCALayer: "ws://127.0.0.1:1"})
	if !strings.Contains(local["Content-Security-Policy"], "connect-src 'self' ws://127.0.0.1:1;") {
		t.Error(local["Content-Security-Policy"])
	}
}

// TestNothingInline: all that a page runs or shows is a file of ours, which is served.
func TestNothingInline(t *testing.T) {
	sign, _ := Sign("kk", view(), Settings{})
	verify, _ := Verify("kk", Settings{})
	gone, _ := Gone("kk")
	expired, _ := Expired("kk", view().Company)
	for name, page := range map[string][]byte{"sign": sign, "verify": verify, "gone": gone, "expired": expired} {
		ids := map[string]bool{}
		for _, n := range elements(t, page) {
			isCode := n.Data == "script" && attr(n, "src") == "" && attr(n, "type") != "application/json"
			if isCode || n.Data == "style" || has(n, "style") {
				t.Errorf("%s: <%s> is inline", name, n.Data)
			}
			for _, address := range []string{attr(n, "src"), attr(n, "href")} {
				if file, ok := strings.CutPrefix(address, Assets); ok {
					if _, _, _, served := Asset(file); !served {
						t.Errorf("%s: %s isn't served", name, address)
					}
				}
			}
			if id := attr(n, "id"); id != "" {
				if ids[id] {
					t.Errorf("%s: two elements are called %s", name, id)
				}
				ids[id] = true
			}
		}
		for _, n := range elements(t, page) {
			refs := strings.Fields(attr(n, "aria-labelledby") + " " + attr(n, "aria-describedby") + " " + attr(n, "for"))
			for _, id := range refs {
				if !ids[id] {
					t.Errorf("%s: nothing is called %s", name, id)
				}
			}
		}
	}
}

// TestGone: a page of a link that leads to nothing says nothing about what it led to.
func TestGone(t *testing.T) {
	page, _ := Gone("en")
	body := text(elements(t, page)[0])
	if !strings.Contains(body, "No such document") || strings.Contains(string(page), "<script") {
		t.Error(body)
	}
}

// TestExpired: a page of a link that has expired says whom to ask, and nothing else about what it led to.
func TestExpired(t *testing.T) {
	phone, email := "+7 701 123 45 67", "office@acme.example"
	for lang, want := range map[string]string{
		"ru": "Срок действия ссылки истёк", "kk": "Сілтеменің мерзімі өтті", "en": "The link has expired",
	} {
		page, headers := Expired(lang, Company{Name: "Acme <&>", Phone: &phone, Email: &email})
		body := text(elements(t, page)[0])
		for _, part := range []string{want, "Acme <&>", phone, email} {
			if !strings.Contains(body, part) {
				t.Errorf("%s: no %s in %s", lang, part, body)
			}
		}
		if !strings.Contains(string(page), `href="tel:+77011234567"`) || strings.Contains(string(page), "<script") ||
			headers["Cache-Control"] != "no-store" {
			t.Errorf("%s: %s %v", lang, page, headers)
		}
	}
}
