package signature

import (
	"bytes"
	"encoding/base64"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// The example by which the libraries of the specification test themselves.
func TestHeadersOfTheSpecification(t *testing.T) {
	secret, err := base64.StdEncoding.DecodeString("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		t.Fatal(err)
	}
	at := time.Unix(1614265330, 999_999_999)
	got := Headers([][]byte{secret}, "msg_p5jXN8AQM9LWM0D4loKWxJek", at, []byte(`{"test": 2432232314}`))
	want := map[string]string{
		"webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "webhook-timestamp": "1614265330",
		"webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
	}
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestSecret(t *testing.T) {
	for want, raw := range map[string][]byte{
		"whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=": {
			0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
		},
		"whsec_+///+///+///+///+///+///+///+///+///+///+/8=": append(bytes.Repeat([]byte{0xfb, 0xff, 0xff}, 10), 0xfb, 0xff),
	} {
		if got := Secret(raw); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// The specification's own library accepts what each of our secrets has signed, and nothing else.
func TestTheLibraryVerifies(t *testing.T) {
	current, before, other := secret(1), secret(2), secret(3)
	const id = "evt_7_1024"
	body := []byte(`{"id":"evt_7_1024","data":{"name":"Айгүл 🚗 <&>"}}`)
	now := time.Now()
	for name, tt := range map[string]struct {
		by      [][]byte
		at      time.Time
		body    []byte
		with    []byte
		refused bool
	}{
		"one secret":                 {by: [][]byte{current}, with: current},
		"an empty body":              {by: [][]byte{current}, body: []byte{}, with: current},
		"the new of two secrets":     {by: [][]byte{current, before}, with: current},
		"the old of two secrets":     {by: [][]byte{current, before}, with: before},
		"the secret before rotation": {by: [][]byte{current}, with: before, refused: true},
		"neither of two secrets":     {by: [][]byte{current, before}, with: other, refused: true},
		"an old attempt":             {by: [][]byte{current}, at: now.Add(-6 * time.Minute), with: current, refused: true},
	} {
		t.Run(name, func(t *testing.T) {
			if tt.at.IsZero() {
				tt.at = now
			}
			if tt.body == nil {
				tt.body = body
			}
			hook, err := standardwebhooks.NewWebhook(Secret(tt.with))
			if err != nil {
				t.Fatal(err)
			}
			h := http.Header{}
			for name, value := range Headers(tt.by, id, tt.at, tt.body) {
				h.Set(name, value)
			}
			if n := len(strings.Fields(h.Get(Signature))); n != len(tt.by) {
				t.Errorf("%d signatures by %d secrets", n, len(tt.by))
			}
			if err := hook.Verify(tt.body, h); (err != nil) != tt.refused {
				t.Errorf("%v", err)
			}
			if err := hook.Verify(append([]byte(" "), tt.body...), h); err == nil {
				t.Error("another body is accepted")
			}
			h.Set(ID, "evt_7_1025")
			if err := hook.Verify(tt.body, h); err == nil {
				t.Error("another id is accepted")
			}
		})
	}
}

func secret(n byte) []byte { return bytes.Repeat([]byte{n}, 32) }
