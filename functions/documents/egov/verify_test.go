package egov_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/documents/egov"
	"github.com/tenantry/tenantry/infra/local/nca"
)

const (
	iin   = "921130401234"
	other = "850515300701"
	bin   = "140340010302"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// world is a certification centre and people with its keys. It is made once: keys of RSA take long.
type world struct {
	centre *nca.Centre
	person map[nca.Kind]*nca.Holder
	head   map[nca.Kind]*nca.Holder
}

var theWorld = sync.OnceValues(func() (*world, error) {
	c, err := nca.New(func() time.Time { return now })
	if err != nil {
		return nil, err
	}
	w := &world{centre: c, person: map[nca.Kind]*nca.Holder{}, head: map[nca.Kind]*nca.Holder{}}
	for _, kind := range kinds() {
		if w.person[kind], err = c.Issue(nca.Person{Name: "СӘРСЕНБАЕВА ӘСЕЛ", IIN: iin, Kind: kind}); err != nil {
			return nil, err
		}
		if w.head[kind], err = c.Again(w.person[kind], nca.Person{
			Name: "СӘРСЕНБАЕВА ӘСЕЛ", IIN: iin, Organisation: "ТОО «Прокат»", BIN: bin, Right: nca.Head, Kind: kind,
		}); err != nil {
			return nil, err
		}
	}
	return w, nil
})

func kinds() []nca.Kind { return []nca.Kind{nca.RSA, nca.GOST512, nca.GOST256} }

func newWorld(t testing.TB) *world {
	t.Helper()
	w, err := theWorld()
	if err != nil {
		t.Fatal(err)
	}
	w.centre.Answer(nca.Answers{})
	return w
}

// wire is a network whose every address is the responder of the centre.
type wire struct {
	handler http.Handler
	down    map[string]bool
	asked   []string
	files   map[string][]byte
	timer   *testing.B // stands still while the responder answers
}

func (n *wire) Post(_ context.Context, address, mediaType string, body []byte) ([]byte, error) {
	if n.timer != nil {
		n.timer.StopTimer()
		defer n.timer.StartTimer()
	}
	n.asked = append(n.asked, address)
	if n.down[address] {
		return nil, errors.New("no route")
	}
	if mediaType != "application/ocsp-request" {
		return nil, errors.New("not a request of OCSP")
	}
	w := httptest.NewRecorder()
	n.handler.ServeHTTP(w, httptest.NewRequest(http.MethodPost, address, bytes.NewReader(body)))
	if w.Code != http.StatusOK {
		return nil, errors.New(w.Body.String())
	}
	return w.Body.Bytes(), nil
}

func (n *wire) Get(_ context.Context, address string) ([]byte, error) {
	n.asked = append(n.asked, address)
	body, ok := n.files[address]
	if !ok {
		return nil, errors.New("no route")
	}
	return body, nil
}

func verifier(t testing.TB, w *world) (*egov.Verifier, *wire) {
	t.Helper()
	n := &wire{handler: w.centre}
	return &egov.Verifier{
		Roots: w.centre.Roots(), OCSP: []string{"http://ocsp.example/"}, Network: n, Now: func() time.Time { return now },
	}, n
}

var document = []byte("%PDF-1.7 the document")

func TestSigned(t *testing.T) {
	w := newWorld(t)
	clock := now.Add(-time.Minute)
	for _, kind := range kinds() {
		name := map[nca.Kind]string{
			nca.RSA: "RSA 2048, SHA-256", nca.GOST512: "GOST 34.10-2015 512, Streebog-512", nca.GOST256: "GOST 34.10-2015 256, Streebog-256",
		}[kind]
		for _, row := range []struct {
			name    string
			by      *nca.Holder
			message nca.Message
			who     egov.Expected
		}{
			{"a person", w.person[kind], nca.Message{At: clock}, egov.Expected{IIN: iin}},
			{"with the authority inside", w.person[kind], nca.Message{At: clock, Chain: true}, egov.Expected{IIN: iin}},
			{"named by the key", w.person[kind], nca.Message{At: clock, ByKey: true}, egov.Expected{IIN: iin}},
			{"the head of an organisation", w.head[kind], nca.Message{At: clock}, egov.Expected{BIN: bin, Company: true}},
			{"the head, whose IIN is known", w.head[kind], nca.Message{At: clock}, egov.Expected{BIN: bin, IIN: iin, Company: true}},
		} {
			t.Run(string(kind)+", "+row.name, func(t *testing.T) {
				v, n := verifier(t, w)
				row.message.Content = document
				cms := cmsOf(t, row.by, row.message)
				got, err := v.Verify(t.Context(), cms, document, row.who)
				if err != nil {
					t.Fatal(err)
				}
				if got.IIN != iin || got.Algorithm != name || got.Name != "СӘРСЕНБАЕВА ӘСЕЛ" || (got.BIN == bin) != row.who.Company ||
					!bytes.Equal(got.Certificate, row.by.Certificate) || !got.NotAfter.Equal(row.by.Till) || len(got.OCSP) == 0 ||
					got.SignedAt == nil || !got.SignedAt.Equal(clock) {
					t.Errorf("got %+v", got)
				}
				if len(n.asked) != 1 {
					t.Errorf("asked %v", n.asked)
				}
			})
		}
	}
}

func cmsOf(t testing.TB, by *nca.Holder, m nca.Message) []byte {
	t.Helper()
	cms, err := by.Make(m)
	if err != nil {
		t.Fatal(err)
	}
	return cms
}
