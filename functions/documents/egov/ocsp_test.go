package egov_test

import (
	"context"
	"crypto/x509"
	"errors"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ocsp"

	"github.com/tenantry/tenantry/functions/documents/egov"
	"github.com/tenantry/tenantry/infra/local/nca"
	"github.com/tenantry/tenantry/shared/fault"
)

func TestAnswers(t *testing.T) {
	w := newWorld(t)
	strange, err := nca.New(func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range kinds() {
		another := nca.RSA
		if kind == another {
			another = nca.GOST512
		}
		responder := func(from, till time.Time) *nca.Holder {
			h, err := w.centre.Again(w.person[kind], nca.Person{Name: "OCSP", IIN: other, Kind: kind, Responder: true, From: from, Till: till})
			if err != nil {
				t.Fatal(err)
			}
			return h
		}
		for _, row := range []struct {
			name    string
			answers nca.Answers
			want    error // nil where it is taken
		}{
			{"good", nca.Answers{}, nil},
			{"by the authority itself", nca.Answers{Plain: true}, nil},
			{"with the newest of a day", nca.Answers{Early: 23 * time.Hour}, nil},
			{"four minutes late", nca.Answers{Late: 4 * time.Minute}, nil},
			{"of a certificate that it doesn't know", nca.Answers{Unknown: true}, egov.ErrUnknownStatus},
			{"down", nca.Answers{Status: 503}, egov.ErrUnreachable},
			{"later", nca.Answers{Code: 3}, egov.ErrUnreachable},
			{"six minutes late", nca.Answers{Late: 6 * time.Minute}, egov.ErrUnreachable},
			{"six minutes before it was asked", nca.Answers{Late: -6 * time.Minute}, egov.ErrUnreachable},
			{"six minutes before it was asked, of what was so", nca.Answers{Late: -6 * time.Minute, Early: 7 * time.Minute}, egov.ErrUnreachable},
			{"of what was so two days ago", nca.Answers{Early: 48 * time.Hour}, egov.ErrUnreachable},
			{"of what will be so", nca.Answers{Early: -time.Hour}, egov.ErrUnreachable},
			{"of what is no longer so", nca.Answers{Over: true}, egov.ErrUnreachable},
			{"without the nonce", nca.Answers{NoNonce: true}, egov.ErrUnreachable},
			{"with another nonce", nca.Answers{OtherNonce: true}, egov.ErrUnreachable},
			{"about another certificate", nca.Answers{OtherSerial: true}, egov.ErrUnreachable},
			{"about another authority's certificate", nca.Answers{OtherKey: true}, egov.ErrUnreachable},
			{"changed", nca.Answers{Changed: true}, egov.ErrUnreachable},
			{"without the responder's certificate", nca.Answers{Bare: true}, egov.ErrUnreachable},
			{"by somebody with a key of the centre", nca.Answers{By: w.person[kind]}, egov.ErrUnreachable},
			{"by another responder", nca.Answers{By: responder(now, now)}, nil},
			{"by a responder that has expired", nca.Answers{By: responder(now.AddDate(-1, 0, 0), now.Add(-time.Second))}, egov.ErrUnreachable},
			{"by a responder that is not valid yet", nca.Answers{By: responder(now.Add(time.Second), now.AddDate(1, 0, 0))}, egov.ErrUnreachable},
			{"by the responder of another authority", nca.Answers{By: w.centre.Responder(another)}, egov.ErrUnreachable},
			{"by a responder with the same name", nca.Answers{By: strange.Responder(kind)}, egov.ErrUnreachable},
			{"by an authority with the same name", nca.Answers{By: strange.Responder(kind), Bare: true}, egov.ErrUnreachable},
		} {
			t.Run(string(kind)+", "+row.name, func(t *testing.T) {
				v, _ := verifier(t, w)
				w.centre.Answer(row.answers)
				defer w.centre.Answer(nca.Answers{})
				cms := cmsOf(t, w.person[kind], nca.Message{Content: document})
				_, err := v.Verify(t.Context(), cms, document, egov.Expected{IIN: iin})
				if !errors.Is(err, row.want) {
					t.Errorf("got %v, want %v", err, row.want)
				}
			})
		}
	}
}

// The next address is asked if one gives no answer that holds, and none after one that does, also
// if it says that the certificate was revoked.
func TestAddresses(t *testing.T) {
	w := newWorld(t)
	cms := cmsOf(t, w.person[nca.GOST512], nca.Message{Content: document})
	revoked, err := w.centre.Again(w.person[nca.GOST512], nca.Person{Name: "А Б", IIN: iin, Kind: nca.GOST512, Revoked: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name  string
		down  map[string]bool
		cms   []byte
		want  error
		asked string
	}{
		{"the first answers", nil, cms, nil, "http://a/"},
		{"the first is down", map[string]bool{"http://a/": true}, cms, nil, "http://a/ http://b/"},
		{"both are down", map[string]bool{"http://a/": true, "http://b/": true}, cms, egov.ErrUnreachable, "http://a/ http://b/"},
		{"the first says revoked", nil, cmsOf(t, revoked, nca.Message{Content: document}), egov.ErrRevoked, "http://a/"},
	} {
		t.Run(row.name, func(t *testing.T) {
			v, n := verifier(t, w)
			v.OCSP, n.down = []string{"http://a/", "http://b/"}, row.down
			if _, err := v.Verify(t.Context(), row.cms, document, egov.Expected{IIN: iin}); !errors.Is(err, row.want) {
				t.Errorf("got %v, want %v", err, row.want)
			}
			if got := strings.Join(n.asked, " "); got != row.asked {
				t.Errorf("asked %s", got)
			}
		})
	}
	v, _ := verifier(t, w)
	v.OCSP = nil
	_, err = v.Verify(t.Context(), cms, document, egov.Expected{IIN: iin})
	if f, ok := fault.As(err); !ok || f.Code != fault.Unavailable || f.RetryAfter == 0 || f.Members["code"] != "nca_unreachable" {
		t.Errorf("without an address: %#v", err)
	}
}

// What we ask, and what the local centre answers, is also OCSP for another implementation.
func TestOCSPOfOthers(t *testing.T) {
	w := newWorld(t)
	v, n := verifier(t, w)
	wire := &recording{wire: n}
	v.Network = wire
	h := w.person[nca.RSA]
	got, err := v.Verify(t.Context(), cmsOf(t, h, nca.Message{Content: document}), document, egov.Expected{IIN: iin})
	if err != nil {
		t.Fatal(err)
	}
	q, err := ocsp.ParseRequest(wire.body)
	if err != nil || q.SerialNumber.Text(16) != got.Serial {
		t.Errorf("request: %v", err)
	}
	issuer, err := x509.ParseCertificate(w.centre.Authority(nca.RSA))
	if err != nil {
		t.Fatal(err)
	}
	own, err := x509.ParseCertificate(h.Certificate)
	if err != nil {
		t.Fatal(err)
	}
	if err := own.CheckSignatureFrom(issuer); err != nil {
		t.Error(err)
	}
	a, err := ocsp.ParseResponseForCert(got.OCSP, own, issuer)
	if err != nil || a.Status != ocsp.Good || !a.ProducedAt.Equal(now) {
		t.Errorf("answer: %+v, %v", a, err)
	}
}

type recording struct {
	*wire
	body []byte
}

func (r *recording) Post(ctx context.Context, address, mediaType string, body []byte) ([]byte, error) {
	r.body = body
	return r.wire.Post(ctx, address, mediaType, body)
}
