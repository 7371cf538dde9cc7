package forward_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/infra/local/forward"
)

func post(ctx context.Context, address string) (string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+"/a%20b?c=d", strings.NewReader("body"))
	if err != nil {
		return "", err
	}
	r.Host = "signed.example"
	answer, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	return string(body), err
}

// A request that comes before its server waits, and reaches the server as it was sent.
func TestARequestWaitsForItsServer(t *testing.T) {
	waiting := make(chan struct{}, 1)
	f, err := forward.Listen(t.Context(), "127.0.0.1:0", func() { waiting <- struct{}{} })
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	answered := make(chan error, 1)
	var answer string
	go func() {
		var err error
		answer, err = post(t.Context(), f.Address())
		answered <- err
	}()
	<-waiting
	select {
	case err := <-answered:
		t.Fatalf("answered by nobody: %q, %v", answer, err)
	case <-time.After(50 * time.Millisecond):
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, _ = io.WriteString(w, r.Host+" "+r.RequestURI+" "+string(body))
	}))
	defer server.Close()
	f.To(server.Listener.Addr().String())
	const want = "signed.example /a%20b?c=d body"
	if err := <-answered; err != nil || answer != want {
		t.Fatalf("the request that waited: %q, %v", answer, err)
	}
	f.To("127.0.0.1:1") // counts no more
	if later, err := post(t.Context(), f.Address()); err != nil || later != want {
		t.Fatalf("a later request: %q, %v", later, err)
	}
	if len(waiting) > 0 {
		t.Fatal("a later request was told to wait")
	}
}

func TestCloseEndsWhatWaits(t *testing.T) {
	waits := make(chan struct{}, 10)
	f, err := forward.Listen(t.Context(), "127.0.0.1:0", func() { waits <- struct{}{} })
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		<-waits
		f.Close()
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if answer, err := post(ctx, f.Address()); err == nil || errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("after Close: %q, %v", answer, err)
	}
	if _, err := post(ctx, f.Address()); err == nil {
		t.Fatal("a closed address answers")
	}
}
