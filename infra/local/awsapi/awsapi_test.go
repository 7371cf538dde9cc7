package awsapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

// signed is a request of the service "post", as the SDK signs it.
func signed(t *testing.T, url, key, secret, service, body string, at time.Time) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/a%2Fb/c d?z=1&a=%C3%A4", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	sum := sha256.Sum256([]byte(body))
	c := aws.Credentials{AccessKeyID: key, SecretAccessKey: secret, SessionToken: "a session"}
	if err := v4.NewSigner().SignHTTP(t.Context(), c, r, hex.EncodeToString(sum[:]), service, "eu-central-1", at); err != nil {
		t.Fatal(err)
	}
	return r
}

func start(t *testing.T, serve func(w http.ResponseWriter, r *http.Request, body []byte) *Error) *Server {
	t.Helper()
	s, err := Start(t.Context(), Options{Keys: map[string]string{"id": "secret", "other": "secret too"}}, API{
		Service: "post", Serve: serve,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func send(t *testing.T, r *http.Request) (int, string) {
	t.Helper()
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	body, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return a.StatusCode, a.Header.Get("X-Amzn-Errortype") + string(body)
}

func TestSignatures(t *testing.T) {
	var served int
	s := start(t, func(w http.ResponseWriter, _ *http.Request, body []byte) *Error {
		served++
		_, _ = w.Write(append([]byte("got "), body...))
		return nil
	})
	now := time.Now()
	for name, row := range map[string]struct {
		key, secret, service string
		at                   time.Time
		change               func(r *http.Request)
		want                 string
	}{
		"as it should be":  {"id", "secret", "post", now, nil, "got {}"},
		"another key":      {"other", "secret too", "post", now, nil, "got {}"},
		"a little late":    {"id", "secret", "post", now.Add(-14 * time.Minute), nil, "got {}"},
		"a wrong secret":   {"id", "secret too", "post", now, nil, "InvalidSignatureException"},
		"an unknown key":   {"somebody", "secret", "post", now, nil, "UnrecognizedClientException"},
		"another service":  {"id", "secret", "kms", now, nil, "InvalidSignatureException"},
		"too late":         {"id", "secret", "post", now.Add(-16 * time.Minute), nil, "InvalidSignatureException"},
		"too early":        {"id", "secret", "post", now.Add(16 * time.Minute), nil, "InvalidSignatureException"},
		"not signed":       {"id", "secret", "post", now, func(r *http.Request) { r.Header.Del("Authorization") }, "MissingAuthenticationTokenException"},
		"half a signature": {"id", "secret", "post", now, func(r *http.Request) { r.Header.Set("Authorization", algorithm+" Credential=id") }, "IncompleteSignatureException"},
		"a token":          {"id", "secret", "post", now, func(r *http.Request) { r.Header.Set("Authorization", "Bearer x") }, "IncompleteSignatureException"},
		"no date":          {"id", "secret", "post", now, func(r *http.Request) { r.Header.Del("X-Amz-Date") }, "IncompleteSignatureException"},
		"another path":     {"id", "secret", "post", now, func(r *http.Request) { r.URL.Path += "x" }, "InvalidSignatureException"},
		"another query":    {"id", "secret", "post", now, func(r *http.Request) { r.URL.RawQuery += "1" }, "InvalidSignatureException"},
		"another header":   {"id", "secret", "post", now, func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }, "InvalidSignatureException"},
		"another session":  {"id", "secret", "post", now, func(r *http.Request) { r.Header.Set("X-Amz-Security-Token", "b") }, "InvalidSignatureException"},
		"another host":     {"id", "secret", "post", now, func(r *http.Request) { r.Host = "kms.test" }, "InvalidSignatureException"},
		"another body": {"id", "secret", "post", now, func(r *http.Request) {
			r.Body = io.NopCloser(strings.NewReader("[]"))
		}, "InvalidSignatureException"},
	} {
		t.Run(name, func(t *testing.T) {
			served = 0
			r := signed(t, s.URL, row.key, row.secret, row.service, "{}", row.at)
			if row.change != nil {
				row.change(r)
			}
			status, body := send(t, r)
			passes := strings.HasPrefix(row.want, "got")
			if (status == http.StatusOK) != passes || (served == 1) != passes || !strings.HasPrefix(body, row.want) {
				t.Errorf("%d %s, served %d times", status, body, served)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	s := start(t, func(http.ResponseWriter, *http.Request, []byte) *Error {
		return &Error{http.StatusTeapot, "Short", "and stout"}
	})
	status, body := send(t, signed(t, s.URL, "id", "secret", "post", "", time.Now()))
	if status != http.StatusTeapot || body != `Short{"Type":"User","message":"and stout"}`+"\n" {
		t.Errorf("%d %s", status, body)
	}
	large := string(bytes.Repeat([]byte("a"), bodyLimit+1))
	if status, body := send(t, signed(t, s.URL, "id", "secret", "post", large, time.Now())); status != http.StatusRequestEntityTooLarge {
		t.Errorf("%d %s", status, body)
	}
}

func TestStartRefuses(t *testing.T) {
	if s, err := Start(t.Context(), Options{}, API{Service: "post"}); err == nil || !strings.HasPrefix(err.Error(), "post: ") {
		t.Errorf("no keys: %v, %v", s, err)
	}
}
