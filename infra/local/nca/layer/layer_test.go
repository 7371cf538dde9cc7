package layer_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/websocket"

	"github.com/tenantry/tenantry/functions/documents/egov"
	"github.com/tenantry/tenantry/infra/local/nca"
	"github.com/tenantry/tenantry/infra/local/nca/layer"
	"github.com/tenantry/tenantry/shared/remote"
)

const iin = "921130401234"

func centre(t *testing.T, people ...nca.Person) *nca.Centre {
	t.Helper()
	c, err := nca.New(time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Invite(people); err != nil {
		t.Fatal(err)
	}
	return c
}

func start(t *testing.T, file string, c *nca.Centre) *layer.Layer {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s, err := layer.Start(l, file, c, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// page is a signing page with its websocket.
func page(t *testing.T, s *layer.Layer) *websocket.Conn {
	t.Helper()
	config, err := websocket.NewConfig("wss"+strings.TrimPrefix(s.URL, "https"), "https://shop.example")
	if err != nil {
		t.Fatal(err)
	}
	config.TlsConfig = &tls.Config{InsecureSkipVerify: true}
	ws, err := config.DialContext(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	if got := receive(t, ws); got != `{"result":{"version":"1.4"}}` {
		t.Fatalf("the greeting is %s", got)
	}
	return ws
}

func receive(t *testing.T, ws *websocket.Conn) (message string) {
	t.Helper()
	if err := websocket.Message.Receive(ws, &message); err != nil {
		t.Fatal(err)
	}
	return message
}

func ask(t *testing.T, ws *websocket.Conn, message string) string {
	t.Helper()
	if err := websocket.Message.Send(ws, message); err != nil {
		t.Fatal(err)
	}
	return receive(t, ws)
}

// sign asks as the signing page does.
func sign(t *testing.T, ws *websocket.Conn, document []byte) string {
	t.Helper()
	return ask(t, ws, `{"module":"kz.gov.pki.knca.basics","method":"sign","args":{"allowedStorages":null,"format":"cms","data":"`+
		base64.StdEncoding.EncodeToString(document)+`","signingParams":{"decode":"true","encapsulate":"false","digested":"false"},`+
		`"signerParams":{"extKeyUsageOids":["1.3.6.1.5.5.7.3.4"]},"locale":"ru"}}`)
}

func TestSigning(t *testing.T) {
	c := centre(t, nca.Person{Name: "А Б", IIN: iin, Kind: nca.GOST512}, nca.Person{Name: "А Б", IIN: iin, Kind: nca.RSA})
	s := start(t, "", c)
	responder := httptest.NewServer(c)
	t.Cleanup(responder.Close)
	v := egov.Verifier{Roots: c.Roots(), OCSP: []string{responder.URL}, Network: remote.New(), Now: time.Now}
	ws := page(t, s)
	document := bytes.Repeat([]byte("a page of a document\n"), 100_000) // in more than one frame
	for _, h := range c.People() {
		for _, form := range []layer.Form{layer.List, layer.Text, layer.PEM} {
			s.Choose(h, form)
			var got struct {
				Status bool
				Body   struct{ Result json.RawMessage }
			}
			if err := json.Unmarshal([]byte(sign(t, ws, document)), &got); err != nil || !got.Status {
				t.Fatalf("%v, %v", got, err)
			}
			var one string
			var err error
			if form == layer.Text {
				err = json.Unmarshal(got.Body.Result, &one)
			} else {
				var all []string
				if err = json.Unmarshal(got.Body.Result, &all); err == nil && len(all) == 1 {
					one = all[0]
				}
			}
			if err != nil || strings.HasPrefix(one, "-----BEGIN CMS-----") != (form == layer.PEM) {
				t.Fatalf("%s: %s, %v", form, one, err)
			}
			if _, err := v.Verify(t.Context(), []byte(one), document, egov.Expected{IIN: iin}); err != nil {
				t.Errorf("%s, %s: %v", h.Kind, form, err)
			}
		}
	}
	if _, err := v.Verify(t.Context(), nil, document, egov.Expected{IIN: iin}); !errors.Is(err, egov.ErrMalformed) {
		t.Error(err)
	}
}

func TestAnswers(t *testing.T) {
	c := centre(t, nca.Person{Name: "А Б", IIN: iin, Kind: nca.GOST512})
	s := start(t, "", c)
	ws := page(t, s)
	const basics = `"module":"kz.gov.pki.knca.basics"`
	for _, row := range []struct{ name, message, want string }{
		{"a heartbeat", "--heartbeat--", "--heartbeat--"},
		{"no JSON", "sign", `"GENERAL_ERROR"`},
		{"another module", `{"module":"kz.gov.pki.knca.commonUtils","method":"sign"}`, `{"errorCode":"MODULE_NOT_FOUND","success":false}`},
		{"another method", `{` + basics + `,"method":"authenticate"}`, `"INVOCATION_ERROR"`},
		{"XML", `{` + basics + `,"method":"sign","args":{"format":"xml","data":"a"}}`, `"INVALID_SIGNING_PARAMS"`},
		{"nothing to sign", `{` + basics + `,"method":"sign","args":{"format":"cms"}}`, `"INVALID_SIGNING_PARAMS"`},
		{"a hash", `{` + basics + `,"method":"sign","args":{"format":"cms","data":"YQ==","signingParams":{"digested":true}}}`, `"INVALID_SIGNING_PARAMS"`},
		{"no base64", `{` + basics + `,"method":"sign","args":{"format":"cms","data":"?","signingParams":{"decode":true}}}`, `"SIGNING_FAILURE"`},
		{"two", `{` + basics + `,"method":"sign","args":{"format":"cms","data":["YQ==","Yg=="],"signingParams":{"decode":true}}}`, `"status":true`},
	} {
		if got := ask(t, ws, row.message); !strings.Contains(got, row.want) {
			t.Errorf("%s: %s", row.name, got)
		}
	}
	s.Choose(nil, layer.List)
	if got := sign(t, ws, []byte("a")); got != `{"status":true,"body":{}}` {
		t.Errorf("closed: %s", got)
	}
}

func TestPage(t *testing.T) {
	c := centre(t, nca.Person{Name: "А Б", IIN: iin, Kind: nca.GOST512})
	s := start(t, "", c)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	send := func(method, path, origin string, form url.Values) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(form.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if origin != "" {
			r.Header.Set("Origin", origin)
		}
		answer, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		var body bytes.Buffer
		body.ReadFrom(answer.Body)
		return answer.StatusCode, body.String()
	}
	if code, body := send(http.MethodGet, "/", "", nil); code != http.StatusOK || !strings.Contains(body, "А Б, IIN "+iin) {
		t.Errorf("%d %s", code, body)
	}
	other := url.Values{"name": {"Ким <Сергей>"}, "iin": {"850515300701"}, "kind": {"gost512"}}
	for _, row := range []struct {
		name, path, origin string
		form               url.Values
		want               int
	}{
		{"nobody", "/choose", s.URL, url.Values{"holder": {"nobody"}}, http.StatusOK},
		{"nobody, by another page", "/choose", "https://evil.example", url.Values{"holder": {"nobody"}}, http.StatusMisdirectedRequest},
		{"who isn't there", "/choose", "", url.Values{"holder": {"1"}}, http.StatusBadRequest},
		{"who can't be", "/choose", "", url.Values{"holder": {"-1"}}, http.StatusBadRequest},
		{"a key", "/give", s.URL, other, http.StatusOK},
		{"a key without a number", "/give", s.URL, url.Values{"name": {"А"}, "iin": {"85051530070"}, "kind": {"rsa"}}, http.StatusBadRequest},
		{"a key without a name", "/give", s.URL, url.Values{"iin": {"850515300701"}, "kind": {"rsa"}}, http.StatusBadRequest},
		{"a key of no kind", "/give", s.URL, url.Values{"name": {"А"}, "iin": {"850515300701"}}, http.StatusBadRequest},
		{"the last, as PEM", "/choose", s.URL, url.Values{"holder": {"1"}, "form": {"pem"}}, http.StatusOK},
	} {
		if code, body := send(http.MethodPost, row.path, row.origin, row.form); code != row.want {
			t.Errorf("%s: %d %s", row.name, code, body)
		}
	}
	_, body := send(http.MethodGet, "/", "", nil)
	if len(c.People()) != 2 || !strings.Contains(body, "Ким &lt;Сергей&gt;") || !strings.Contains(body, `value="1" checked`) {
		t.Errorf("%d people, %s", len(c.People()), body)
	}
	if got := sign(t, page(t, s), []byte("a")); !strings.Contains(got, "-----BEGIN CMS-----") {
		t.Error(got)
	}
}

// A browser that was told to trust the certificate meets the same one after a restart.
func TestCertificateStays(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ncalayer.pem")
	c := centre(t)
	met := func() []byte {
		s := start(t, file, c)
		defer s.Close()
		d := tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}}
		conn, err := d.DialContext(context.Background(), "tcp", strings.TrimPrefix(s.URL, "https://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		return conn.(*tls.Conn).ConnectionState().PeerCertificates[0].Raw
	}
	if first := met(); !bytes.Equal(first, met()) {
		t.Error("it is another certificate")
	}
}
