package app

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
)

// A service that offers HTTP/2 is called by HTTP/1.1, which is all that functions are compiled with.
func TestCallsAreHTTP1(t *testing.T) {
	service := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(r.Proto))
	}))
	service.EnableHTTP2 = true
	service.StartTLS()
	defer service.Close()
	client := cloud{}.config(time.Second).HTTPClient.(*awshttp.BuildableClient).WithTransportOptions(func(to *http.Transport) {
		to.TLSClientConfig = service.Client().Transport.(*http.Transport).TLSClientConfig
	})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, service.URL, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.Proto != "HTTP/1.1" {
		t.Errorf("called by %s", answer.Proto)
	}
}
