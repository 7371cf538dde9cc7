package invocations_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/tenantry/tenantry/infra/local/awsapi"
	"github.com/tenantry/tenantry/infra/local/invocations"
	"github.com/tenantry/tenantry/shared/invoke"
	"github.com/tenantry/tenantry/shared/invoke/awslambda"
)

// start serves one function, "press", and returns how other functions call a name.
func start(t *testing.T, f invocations.Function) func(name string) invoke.Function {
	t.Helper()
	s, err := invocations.Start(t.Context(), awsapi.Options{Keys: map[string]string{"id": "secret"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	s.Add("press", f)
	return func(name string) invoke.Function {
		return awslambda.New(func() aws.Config {
			return aws.Config{
				Region: "local", Credentials: credentials.NewStaticCredentialsProvider("id", "secret", ""), HTTPClient: http.DefaultClient,
			}
		}, s.URL, name)
	}
}

func TestAnswers(t *testing.T) {
	for name, row := range map[string]struct {
		handler invoke.Function
		payload string
		want    string // the answer, or with "!" before it a part of the error
	}{
		"an answer": {
			func(_ context.Context, payload []byte) ([]byte, error) { return append(payload, '!'), nil }, `{"a":1}`, `{"a":1}!`,
		},
		"an error":   {func(context.Context, []byte) ([]byte, error) { return nil, errors.New("no ink") }, "", "!invoke: press failed: *errors.errorString: no ink"},
		"a panic":    {func(context.Context, []byte) ([]byte, error) { panic("no paper") }, "", "!press failed: Runtime.ExitError: panic: no paper"},
		"no end":     {func(ctx context.Context, _ []byte) ([]byte, error) { <-ctx.Done(); select {} }, "", "!press failed: Sandbox.Timedout"},
		"too much":   {func(context.Context, []byte) ([]byte, error) { return make([]byte, 6<<20+101), nil }, "", "!Function.ResponseSizeTooLarge"},
		"as much":    {func(context.Context, []byte) ([]byte, error) { return []byte(strings.Repeat("a", 6<<20+100)), nil }, "", strings.Repeat("a", 6<<20+100)},
		"asked much": {nil, strings.Repeat("a", 6<<20+1), "!RequestTooLargeException"},
	} {
		t.Run(name, func(t *testing.T) {
			timeout := time.Duration(0)
			if name == "no end" {
				timeout = time.Millisecond
			}
			call := start(t, invocations.Function{Handler: row.handler, Timeout: timeout})
			answer, err := call("press")(t.Context(), []byte(row.payload))
			if part, fails := strings.CutPrefix(row.want, "!"); fails {
				if err == nil || !strings.Contains(err.Error(), part) {
					t.Errorf("%.100s, %v; want %s", answer, err, part)
				}
			} else if err != nil || string(answer) != row.want {
				t.Errorf("%.100s, %v", answer, err)
			}
		})
	}
}

// A function is called by its name, or as the template names it: by the ARN of its alias.
func TestAliases(t *testing.T) {
	call := start(t, invocations.Function{Handler: invoke.Function(func(context.Context, []byte) ([]byte, error) { return []byte("good"), nil })})
	for _, name := range []string{"press", "press:live", "arn:aws:lambda:local:123456789012:function:press:live"} {
		if answer, err := call(name)(t.Context(), nil); err != nil || string(answer) != "good" {
			t.Errorf("%s: %s, %v", name, answer, err)
		}
	}
}

func TestWhatIsRefused(t *testing.T) {
	s, err := invocations.Start(t.Context(), awsapi.Options{Keys: map[string]string{"id": "secret"}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.Add("press", invocations.Function{})
	for path, want := range map[string]int{"/2015-03-31/functions/bell/invocations": 404, "/2015-03-31/functions/press/invocations": 400, "/": 404} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Amz-Invocation-Type", "Event")
		nothing := sha256.Sum256(nil)
		if err := v4.NewSigner().SignHTTP(t.Context(), aws.Credentials{AccessKeyID: "id", SecretAccessKey: "secret"}, r,
			hex.EncodeToString(nothing[:]), "lambda", "local", time.Now()); err != nil {
			t.Fatal(err)
		}
		a, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(a.Body)
		_ = a.Body.Close()
		if a.StatusCode != want {
			t.Errorf("%s: %s %s", path, a.Status, body)
		}
	}
}

// More calls than a function has workers wait for their turn.
func TestWorkers(t *testing.T) {
	var running, most atomic.Int32
	full, release := make(chan struct{}, 10), make(chan struct{})
	call := start(t, invocations.Function{Handler: invoke.Function(func(context.Context, []byte) ([]byte, error) {
		n := running.Add(1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		full <- struct{}{}
		<-release
		running.Add(-1)
		return nil, nil
	})})
	var wait sync.WaitGroup
	for range 10 {
		wait.Go(func() {
			if _, err := call("press")(t.Context(), nil); err != nil {
				t.Error(err)
			}
		})
	}
	for range 2 {
		<-full
	}
	close(release)
	wait.Wait()
	if n := most.Load(); n != 2 {
		t.Errorf("%d ran at once, want 2", n)
	}
}
