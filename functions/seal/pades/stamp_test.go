package pades_test

import (
	"bytes"
	"encoding/asn1"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/seal/pades"
	"github.com/tenantry/tenantry/infra/local/tsa"
)

// asked is the service's answer to a request.
func (b *bench) asked(t *testing.T, q pades.StampQuery) []byte {
	t.Helper()
	body, err := q.Encode()
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/timestamp-query")
	w := httptest.NewRecorder()
	b.service.ServeHTTP(w, r)
	answer, err := io.ReadAll(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func TestStamps(t *testing.T) {
	b := newBench(t)
	for mode, taken := range map[tsa.Mode]bool{
		tsa.Right: true, tsa.Verbose: true,
		tsa.Down: false, tsa.Refuses: false, tsa.Garbage: false, tsa.OtherNonce: false, tsa.NoNonce: false, tsa.OtherData: false,
		tsa.OtherTime: false, tsa.OtherKey: false, tsa.OtherUse: false, tsa.OtherRoot: false, tsa.OtherStamp: false, tsa.Expired: false,
		tsa.OtherName: false, tsa.Unnamed: false,
	} {
		t.Run("mode "+string(mode), func(t *testing.T) {
			b.service.Set(mode)
			q := pades.NewStampQuery([]byte("bytes"), []byte("nonce"), tsa.Policy())
			token, s, err := q.Token(b.asked(t, q), now(), b.trust().Stamp)
			if taken != (err == nil) || !taken && (!errors.Is(err, pades.ErrStamp) || token != nil) {
				t.Error(err)
			}
			_, _, err = q.Token(b.asked(t, q), now(), nil)
			if taken := taken || mode == tsa.OtherRoot; taken != (err == nil) {
				t.Error("without trust in anybody:", err)
			}
			if taken && (!s.Time.Equal(now()) || !s.Trusted) {
				t.Errorf("%+v", s)
			}
		})
	}
	b.service.Set(tsa.Right)
	q := pades.NewStampQuery([]byte("bytes"), []byte("nonce"), nil)
	right := b.asked(t, q)
	for name, c := range map[string]struct {
		query   pades.StampQuery
		answer  []byte
		now     time.Time
		trusted []pades.Sum
		taken   bool
	}{
		"right":                        {q, right, now(), b.trust().Stamp, true},
		"nobody is known":              {q, right, now(), nil, true},
		"nothing":                      {q, nil, now(), nil, false},
		"half of it":                   {q, right[:len(right)/2], now(), nil, false},
		"more behind it":               {q, append(bytes.Clone(right), 0), now(), nil, false},
		"of other bytes":               {pades.NewStampQuery([]byte("other"), []byte("nonce"), nil), right, now(), nil, false},
		"of another request":           {pades.NewStampQuery([]byte("bytes"), []byte("other"), nil), right, now(), nil, false},
		"of another policy":            {pades.NewStampQuery([]byte("bytes"), []byte("nonce"), asn1.ObjectIdentifier{1, 2, 3}), right, now(), nil, false},
		"four minutes of another time": {q, right, now().Add(-4 * time.Minute), nil, true},
		"six minutes of another time":  {q, right, now().Add(6 * time.Minute), nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			if _, _, err := c.query.Token(c.answer, c.now, c.trusted); c.taken != (err == nil) || !c.taken && !errors.Is(err, pades.ErrStamp) {
				t.Error(err)
			}
		})
	}
}

func FuzzToken(f *testing.F) {
	b := newBench(f)
	b.service.Set(tsa.Verbose)
	token, err := b.stamp(f.Context(), []byte("bytes"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(token)
	f.Fuzz(func(t *testing.T, token []byte) {
		answer, err := asn1.Marshal(struct {
			Status struct{ Code int }
			Token  asn1.RawValue
		}{Token: asn1.RawValue{FullBytes: token}})
		if err != nil {
			return
		}
		_, _, _ = pades.NewStampQuery([]byte("bytes"), []byte("a nonce"), nil).Token(answer, now(), b.trust().Stamp)
	})
}
