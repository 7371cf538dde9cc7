package remote_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/remote"
)

const large = 64 << 10

func service(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("POST /echo", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		io.WriteString(w, r.Header.Get("Content-Type")+": "+string(body))
	})
	mux.HandleFunc("GET /echo", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "got") })
	mux.HandleFunc("/large", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, strings.Repeat("a", large)) })
	mux.HandleFunc("/larger", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, strings.Repeat("a", large+1)) })
	mux.HandleFunc("/away", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/echo", http.StatusTemporaryRedirect)
	})
	mux.HandleFunc("/cut", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "10")
		io.WriteString(w, "abc")
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

func TestClient(t *testing.T) {
	address := service(t)
	c := remote.New()
	for _, row := range []struct {
		path, post, get string // what is answered, or nothing where it is an error
	}{
		{"/echo", "text/plain: hello", "got"},
		{"/large", strings.Repeat("a", large), strings.Repeat("a", large)},
		{"/larger", "", ""},
		{"/away", "", ""},
		{"/cut", "", ""},
		{"/nothing", "", ""},
	} {
		t.Run(row.path, func(t *testing.T) {
			got, err := c.Post(t.Context(), address+row.path, "text/plain", []byte("hello"))
			if string(got) != row.post || (err == nil) != (row.post != "") {
				t.Errorf("POST: %d bytes, %v", len(got), err)
			}
			got, err = c.Get(t.Context(), address+row.path)
			if string(got) != row.get || (err == nil) != (row.get != "") {
				t.Errorf("GET: %d bytes, %v", len(got), err)
			}
		})
	}
}

func TestNobody(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := remote.New()
	for name, call := range map[string]func() ([]byte, error){
		"nobody is there": func() ([]byte, error) { return c.Get(t.Context(), s.URL) },
		"no address":      func() ([]byte, error) { return c.Post(t.Context(), "http://a b/", "", nil) },
		"no address, GET": func() ([]byte, error) { return c.Get(t.Context(), "://") },
		"it is too late":  func() ([]byte, error) { return c.Get(ctx, service(t)+"/echo") },
	} {
		if body, err := call(); err == nil || body != nil {
			t.Errorf("%s: %q, %v", name, body, err)
		}
	}
}
