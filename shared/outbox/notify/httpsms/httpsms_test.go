package httpsms_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/outbox/notify"
	"github.com/tenantry/tenantry/shared/outbox/notify/httpsms"
)

var message = notify.Message{ID: "7.1.0", Channel: notify.SMS, To: "+77011234567", Text: "Сәлем <you>"}

func serve(t *testing.T, answer http.HandlerFunc) (address string) {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	return server.URL + "/send"
}

func TestSend(t *testing.T) {
	var got, headers string
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = r.Method + " " + r.URL.Path + " " + string(body)
		headers = r.Header.Get("Authorization") + " " + r.Header.Get("Content-Type") + " " + r.Header.Get("Idempotency-Key")
		w.WriteHeader(http.StatusAccepted)
	})
	for _, c := range []struct{ name, callback, want string }{
		{"with reports", "https://api.test/cb/", `,"callback":"https://api.test/cb/"}`},
		{"without", "", `}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			sender := httpsms.New(address, "token", c.callback)
			if err := sender.Send(t.Context(), message); err != nil {
				t.Fatal(err)
			}
			want := `POST /send {"id":"7.1.0","to":"+77011234567","text":"Сәлем \u003cyou\u003e"` + c.want
			if got != want || headers != "Bearer token application/json 7.1.0" {
				t.Errorf("%s\n%s", got, headers)
			}
			if notify.TraitsOf(sender, notify.SMS) != (notify.Traits{Once: true, Reports: c.callback != ""}) {
				t.Errorf("%+v", notify.TraitsOf(sender, notify.SMS))
			}
		})
	}
	if err := httpsms.New(address, "", "").Send(t.Context(), notify.Message{Channel: notify.Email}); !errors.Is(err, notify.ErrNotSent) {
		t.Errorf("an e-mail: %v", err)
	}
}

func TestOutcomes(t *testing.T) {
	for _, c := range []struct {
		name                   string
		status                 int
		taken, refused, unsent bool
	}{
		{"taken", 200, true, false, false},
		{"accepted", 202, true, false, false},
		{"taken, without a word", 204, true, false, false},
		{"a redirect is not followed", 307, false, false, true},
		{"what is no message", 400, false, true, false},
		{"a token that is over", 401, false, false, true},
		{"a number that is blocked", 403, false, true, false},
		{"a timeout of the provider", 408, false, false, false},
		{"another attempt is under way", 409, false, false, false},
		{"what the provider won't send", 422, false, true, false},
		{"too many", 429, false, false, true},
		{"a failure of the provider", 500, false, false, true},
		{"a proxy that doesn't know", 502, false, false, false},
		{"busy", 503, false, false, true},
		{"a proxy that gave up", 504, false, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			calls := 0
			sender := httpsms.New(serve(t, func(w http.ResponseWriter, r *http.Request) {
				calls++
				w.Header().Set("Location", r.URL.Path)
				w.WriteHeader(c.status)
			}), "token", "")
			err := sender.Send(t.Context(), message)
			if (err == nil) != c.taken || errors.Is(err, notify.ErrRefused) != c.refused || errors.Is(err, notify.ErrNotSent) != c.unsent ||
				calls != 1 {
				t.Errorf("%v after %d calls", err, calls)
			}
		})
	}
}

func TestNoAnswer(t *testing.T) {
	unknown := func(name string, err error) {
		if err == nil || errors.Is(err, notify.ErrNotSent) || errors.Is(err, notify.ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
	}
	cut := httpsms.New(serve(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }), "", "")
	unknown("an answer that was cut off", cut.Send(t.Context(), message))

	over := make(chan struct{})
	defer close(over)
	began := make(chan struct{})
	slow := httpsms.New(serve(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		close(began)
		select {
		case <-over:
		case <-r.Context().Done():
		}
	}), "", "")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	go func() {
		<-began
		cancel()
	}()
	unknown("an answer that doesn't come", slow.Send(ctx, message))

	strange := httptest.NewTLSServer(nil)
	defer strange.Close()
	if err := httpsms.New(strange.URL, "", "").Send(t.Context(), message); !errors.Is(err, notify.ErrNotSent) {
		t.Errorf("a certificate of nobody: %v", err)
	}
	server := httptest.NewServer(nil)
	server.Close()
	if err := httpsms.New(server.URL, "", "").Send(t.Context(), message); !errors.Is(err, notify.ErrNotSent) {
		t.Errorf("nobody there: %v", err)
	}
	if err := httpsms.New("http://bad host/", "", "").Send(t.Context(), message); !errors.Is(err, notify.ErrNotSent) {
		t.Errorf("an address that is none: %v", err)
	}
}
