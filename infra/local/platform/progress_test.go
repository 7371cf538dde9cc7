package platform

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/infra/local/bucket"
	"github.com/tenantry/tenantry/infra/local/console"
)

// said is what a platform has said until now.
type said struct {
	mu sync.Mutex
	bytes.Buffer
}

func (s *said) Write(line []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Buffer.Write(line)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Buffer.String()
}

// until waits for a line, and returns what its first group matches.
func (s *said) until(t *testing.T, line string) string {
	t.Helper()
	of := regexp.MustCompile(line)
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if found := of.FindStringSubmatch(s.String()); found != nil {
			return found[len(found)-1]
		}
	}
	t.Fatalf("nobody said %q: %s", line, s)
	return ""
}

func TestAStartTellsItsStepsWithTheirTimes(t *testing.T) {
	o, out := withDemo(t), new(said)
	o.Out = out
	begun := time.Now()
	start(t, o)
	lasted := time.Since(begun).Seconds()
	for _, step := range []string{
		"Opening the table", "Compiling the file store", "Making the demo company, or finding it", "The whole start",
	} {
		if os.Getenv("S3_ENDPOINT") != "" && step == "Compiling the file store" {
			continue
		}
		found := regexp.MustCompile("(?m)^" + step + `: (\d+\.\d) s$`).FindStringSubmatch(out.String())
		if found == nil {
			t.Errorf("%s isn't told: %s", step, out)
			continue
		}
		var seconds float64
		if err := json.Unmarshal([]byte(found[1]), &seconds); err != nil || seconds > lasted+0.1 {
			t.Errorf("%s took %s s of %.1f", step, found[1], lasted)
		}
	}
}

// Until the file store is compiled, lists are answered, the demo company is made as far as it has no files, and a request for a file waits.
func TestAPlatformServesWhileItsFileStoreIsCompiled(t *testing.T) {
	if os.Getenv("S3_ENDPOINT") != "" || os.Getenv("DYNAMODB_ENDPOINT") != "" {
		t.Skip("the engines run already")
	}
	compiles, out, data := make(chan struct{}), new(said), t.TempDir()
	o := Options{
		Addr: "127.0.0.1:0", Data: data, Demo: true, Patient: true, Out: out,
		compileStore: func(ctx context.Context, path string) error {
			<-compiles
			return bucket.Build(ctx, path)
		},
	}
	begun := make(chan struct{})
	var p *Platform
	var failed error
	go func() {
		defer close(begun)
		p, failed = Start(t.Context(), o)
	}()
	c := &client{base: out.until(t, `Requests are answered already, at (\S+);`)}
	release := sync.OnceFunc(func() { close(compiles) })
	t.Cleanup(func() {
		release()
		if <-begun; p != nil {
			p.Close()
		}
	})
	eventually(t, "the demo user signs in", func() bool {
		var who console.Demo
		content, err := os.ReadFile(filepath.Join(data, "demo.json"))
		if err != nil || json.Unmarshal(content, &who) != nil {
			return false
		}
		var tokens struct{ Access string }
		status, err := c.call(t.Context(), http.MethodPost, "/v1/auth/login/",
			map[string]string{"username": who.Username, "password": who.Password}, &tokens)
		c.token = tokens.Access
		return err == nil && status == http.StatusOK
	})
	eventually(t, "the demo company has all that has no files", func() bool {
		n, err := c.count(t.Context(), "/v1/cars/penalties/")
		return err == nil && n > 0
	})
	if strings.Contains(out.String(), "A request for a file") {
		t.Fatal("the demo company asks for files before they can be had")
	}
	var upload struct {
		URL, Method string
		Headers     map[string]string
	}
	if err := c.must(t.Context(), http.MethodPost, "/v2/documents/uploads/",
		map[string]any{"name": "a.pdf", "content_type": "application/pdf", "size": 5}, &upload); err != nil {
		t.Fatal(err)
	}
	sent := make(chan error, 1)
	go func() {
		_, err := transfer(t.Context(), upload.Method, upload.URL, upload.Headers, []byte("%PDF-"))
		sent <- err
	}()
	out.until(t, "A request for a file has come; it waits for the file store")
	select {
	case err := <-sent:
		t.Fatalf("an upload without a store: %v", err)
	case <-begun:
		t.Fatalf("the start ended without a store: %v", failed)
	case <-time.After(100 * time.Millisecond):
	}
	release()
	if err := <-sent; err != nil {
		t.Fatalf("the upload that waited: %v", err)
	}
	if <-begun; failed != nil {
		t.Fatal(failed)
	}
	if n, err := c.count(t.Context(), "/v2/documents/"); err != nil || n == 0 {
		t.Fatalf("%d documents, %v", n, err)
	}
}

func TestAStartFailsWithItsFileStore(t *testing.T) {
	if os.Getenv("S3_ENDPOINT") != "" {
		t.Skip("the bucket's engine runs already")
	}
	o := Options{Addr: "127.0.0.1:0", Out: t.Output(), compileStore: func(context.Context, string) error { return os.ErrPermission }}
	p, err := Start(t.Context(), o)
	if err == nil || !strings.Contains(err.Error(), "files: "+os.ErrPermission.Error()) {
		t.Fatalf("error %v", err)
	}
	if p != nil {
		t.Fatal("a platform without a file store")
	}
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !holds(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not after two minutes: %s", what)
		}
	}
}
