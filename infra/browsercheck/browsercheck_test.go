// Package browsercheck signs documents in a real browser, as people do: it opens the link, reads, asks for a code, enters it,
// and reads the sealed file, in each language; and it reads the reference and walks through the console of the local platform, as
// developers do. `make browser-check` installs Chromium and what drives it, and runs this; where BROWSERCHECK isn't set it is skipped.
package browsercheck

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/functions/seal/job"
	"github.com/tenantry/tenantry/infra/local/platform"
)

// plan is what the browser is to do.
type plan struct {
	Base     string `json:"base"`
	Token    string `json:"token"` // of staff
	Chromium string `json:"chromium"`
	Shots    string `json:"shots"` // a folder for pictures of the pages; empty: none
	Runs     []run  `json:"runs"`
}

// run is a document that is signed.
type run struct {
	Language string  `json:"language"`
	Locale   string  `json:"locale"` // of the browser
	Phone    bool    `json:"phone"`
	Way      string  `json:"way"`  // sms, or egov: by a key
	Path     string  `json:"path"` // of the page
	To       string  `json:"to"`   // the signer's telephone
	Change   *change `json:"change,omitempty"`
}

// change is what staff does after the signer has read, or while the page loads, and what the page shows then.
type change struct {
	Loading bool           `json:"loading"`
	Path    string         `json:"path"`
	Body    map[string]any `json:"body"`
	Says    string         `json:"says"`
	Shows   string         `json:"shows"`
}

// asked is what the page sends when it asks for a code, or signs by it or by a key.
type asked struct {
	Name      string `json:"name"`
	Consent   string `json:"consent"`
	CMS       string `json:"cms"`
	SHA256    string `json:"sha256"`
	Language  string `json:"language"`
	ConfirmID string `json:"confirm_id"`
	Code      string `json:"code"`
}

// saw is what the browser saw of a document.
type saw struct {
	Language, Consent, Text string
	Day                     []string // of the document, as the server says it and as it is shown
	Computer, Panel, Agreed bool
	Faults                  []string
	Asked, Refused          []asked
	Audit                   job.Record
}

// staff is the demo company's.
type staff struct {
	t           *testing.T
	base, token string
}

func (s *staff) post(path string, body, answer any) {
	s.t.Helper()
	encoded, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	s.call(http.MethodPost, path, encoded, answer)
}

func (s *staff) call(method, path string, body []byte, answer any) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.base+path, bytes.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if s.token != "" {
		r.Header.Set("Authorization", "Bearer "+s.token)
	}
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer got.Body.Close()
	if got.StatusCode == http.StatusTooManyRequests { // pages ask by the same user, and a fast machine shows many of them in a second
		time.Sleep(time.Second)
		s.call(method, path, body, answer)
		return
	}
	if got.StatusCode >= http.StatusBadRequest {
		s.t.Fatalf("%s: %s", path, got.Status)
	}
	if err := json.NewDecoder(got.Body).Decode(answer); err != nil {
		s.t.Fatal(err)
	}
}

// client makes a client, and returns the number.
func (s *staff) client(phone string) int64 {
	s.t.Helper()
	var c struct{ ID int64 }
	s.post("/v1/crm/clients/", map[string]any{"name": "Айгүл Серікқызы", "phone": phone}, &c)
	return c.ID
}

// holder is the client of the demo company with a key that the stand-in for NCALayer signs with.
func (s *staff) holder() int64 {
	s.t.Helper()
	var list struct{ Results []struct{ ID int64 } }
	s.call(http.MethodGet, "/v1/crm/clients/?iin="+aselIIN, nil, &list)
	if len(list.Results) != 1 {
		s.t.Fatalf("%d clients have the number of the key's holder", len(list.Results))
	}
	return list.Results[0].ID
}

// aselIIN is the number of the first person whom the stand-in for the certification centre gives a key.
const aselIIN = "921130401234"

// document makes a document with a signer, and returns its path and that of the signer's page.
func (s *staff) document(name string, client int64) (path, page string) {
	s.t.Helper()
	var d struct{ ID int64 }
	s.post("/v2/documents/", map[string]any{"name": name, "content": "<h1>" + name + "</h1><p>One car, three days, 45 000 ₸.</p>"}, &d)
	var sign struct{ UUID string }
	path = fmt.Sprintf("/v2/documents/%d/", d.ID)
	s.post(path+"signs/", map[string]any{"client": client}, &sign)
	return path, "/sign/" + sign.UUID + "/"
}

func chromium() string {
	if at := os.Getenv("CHROMIUM"); at != "" {
		return at
	}
	return "/usr/bin/chromium"
}

// What the page says of a document that has changed.
const (
	changedRU = "Документ изменился, пока страница была открыта. Прочитайте его ещё раз."
	changedEN = "The document has changed since this page was opened. Please read it again."
)

// start starts a platform with a demo company, where a browser is to look at its pages.
func start(t *testing.T) *platform.Platform {
	t.Helper()
	if os.Getenv("BROWSERCHECK") == "" {
		t.Skip("make browser-check runs it")
	}
	p, err := platform.Start(t.Context(), platform.Options{Addr: "127.0.0.1:0", Demo: true, Patient: true, Out: t.Output()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func TestSigning(t *testing.T) {
	p := start(t)
	s := &staff{t: t, base: p.URL}
	var tokens struct{ Access string }
	s.post("/v1/auth/login/", map[string]string{"username": p.Demo().Username, "password": p.Demo().Password}, &tokens)
	s.token = tokens.Access

	do := plan{Base: p.URL, Token: s.token, Chromium: chromium(), Shots: os.Getenv("BROWSERCHECK_SHOTS")}
	for i, locale := range []string{"ru-RU", "kk-KZ", "en-GB"} {
		r := run{Language: locale[:2], Locale: locale, Phone: locale != "kk-KZ", Way: "sms", To: fmt.Sprintf("+7701000450%d", i)}
		var at string
		at, r.Path = s.document("Contract "+locale, s.client(r.To))
		switch ninety := map[string]any{"content": "<p>Ninety cars.</p>"}; r.Language {
		case "ru":
			r.Change = &change{Loading: true, Path: at, Body: ninety, Says: changedRU, Shows: "Ninety"}
		case "en":
			r.Change = &change{Path: at, Body: ninety, Says: changedEN, Shows: "Ninety"}
		}
		do.Runs = append(do.Runs, r)
	}
	if p.Layer() == "" {
		t.Error("nobody signs by a key, because another program has the port of NCALayer")
	} else {
		r := run{Language: "en", Locale: "en-GB", Way: "egov"}
		var at string
		at, r.Path = s.document("Contract by a key", s.holder())
		r.Change = &change{Path: at, Body: map[string]any{"name": "Contract of ninety cars"}, Says: changedEN, Shows: "One car"}
		do.Runs = append(do.Runs, r)
	}
	var got struct {
		Runs   []saw
		Verify struct {
			Says   string
			Asked  int
			Faults []string
		}
	}
	browse(t, "check.mjs", do, &got)
	if len(got.Runs) != len(do.Runs) {
		t.Fatalf("%d documents were signed", len(got.Runs))
	}
	for i, r := range do.Runs {
		t.Run(r.Language+" "+r.Way, func(t *testing.T) { got.Runs[i].check(t, r) })
	}
	if v := got.Verify; v.Asked != 0 || !strings.Contains(v.Says, "photo.png") || !strings.Contains(v.Says, "PDF") || len(v.Faults) > 0 {
		t.Errorf("/verify/ says of a picture %+v", v)
	}
}

// browse has the browser do what is planned.
func browse(t *testing.T, script string, do plan, got any) {
	t.Helper()
	body, err := json.Marshal(do)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "plan.json")
	if err := os.WriteFile(file, body, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", script, file)
	cmd.Stderr = t.Output()
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, got); err != nil {
		t.Fatalf("%v: %.300s", err, out)
	}
}

// check compares what the browser saw with what was to be seen.
func (s saw) check(t *testing.T, r run) {
	method := document.SMS
	if r.Way == "egov" {
		method = document.EGov
	}
	want := document.ConsentIn(r.Language, method)
	sum := hex.EncodeToString(want.SHA256)
	if s.Language != r.Language || s.Consent != want.Text {
		t.Errorf("the page is in %s, and asks to agree to %q", s.Language, s.Consent)
	}
	if s.Computer != r.Phone {
		t.Errorf("that a digital signature needs a computer is said: %t", s.Computer)
	}
	if d := s.Day; len(d) != 2 || !strings.Contains(d[1], strings.TrimLeft(d[0][max(0, len(d[0])-2):], "0")) {
		t.Errorf("the document's day is shown as %q", d)
	}
	if len(s.Faults) > 0 {
		t.Errorf("faults of the page:\n%s", strings.Join(s.Faults, "\n"))
	}
	s.checkAsked(t, method, want)
	if c := r.Change; c != nil {
		unread := slices.ContainsFunc(s.Refused, func(a asked) bool { return a.SHA256 == s.Audit.Original })
		unread = unread || slices.ContainsFunc(s.Refused, func(a asked) bool { return a.Name == s.Audit.Name && c.Body["name"] != nil })
		for _, a := range s.Refused {
			if a.Consent != want.ID {
				t.Errorf("the first time, it was agreed to %s", a.Consent)
			}
		}
		if unread || s.Panel || s.Agreed || c.Loading != (len(s.Refused) == 0) {
			t.Errorf("what has changed was asked for by %+v; a code could be entered: %t; it was agreed to unread: %t", s.Refused, s.Panel, s.Agreed)
		}
	}
	consent := job.Consent{ID: want.ID, SHA256: sum, Language: r.Language, Text: want.Text}
	if !slices.Equal(s.Audit.Consent, []job.Consent{consent}) || len(s.Audit.Signs) != 1 {
		t.Fatalf("audit.json has the consents %+v", s.Audit.Consent)
	}
	if is := s.Audit.Signs[0]; is.Language != r.Language || is.Consent != sum || is.Method != int64(method) {
		t.Errorf("audit.json says of the signer %s, %s", is.Language, is.Consent)
	}
	for _, text := range []string{r.Language + ", " + want.ID, sum, want.Text[:60]} {
		if !strings.Contains(letters(s.Text), letters(text)) {
			t.Errorf("the protocol doesn't say %q", text)
		}
	}
}

// checkAsked compares what the page sent with what the signer read, and agreed to.
func (s saw) checkAsked(t *testing.T, method document.Method, consent document.Consent) {
	agreed := func(a asked) bool {
		return a.Language == consent.Language && a.Consent == consent.ID && a.Name == s.Audit.Name
	}
	a, isRight := s.Asked, false
	switch {
	case method == document.EGov:
		isRight = len(a) == 1 && agreed(a[0]) && a[0].CMS != ""
	case len(a) == 2:
		isRight = agreed(a[0]) && a[0].SHA256 == s.Audit.Original && a[1].Language == "" && len(a[1].Code) == 6
	}
	if !isRight {
		t.Errorf("the page asked %+v", a)
	}
}

// letters is a text without spaces: where lines break, a PDF has none, or more.
func letters(text string) string { return strings.Join(strings.Fields(text), "") }
