package awslambda

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/tenantry/tenantry/shared/invoke"
)

// service answers each attempt by the next of its handlers; the last one answers all further attempts.
func service(t *testing.T, handlers ...http.HandlerFunc) (f caller, calls *atomic.Int32) {
	t.Helper()
	calls = new(atomic.Int32)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := int(calls.Add(1))
		handlers[min(n, len(handlers))-1](w, r)
	}))
	t.Cleanup(server.Close)
	config := func() aws.Config {
		return aws.Config{
			Region: "eu-central-1", Credentials: credentials.NewStaticCredentialsProvider("id", "secret", "session"),
			HTTPClient: server.Client(),
		}
	}
	return caller{config, server.URL, "stack-PressFunction-1", func(context.Context, time.Duration) error { return nil }}, calls
}

func says(status int, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func breaks(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "100")
	_, _ = io.WriteString(w, "half")
	panic(http.ErrAbortHandler)
}

func TestTheRequest(t *testing.T) {
	f, _ := service(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Method != http.MethodPost || r.URL.Path != "/2015-03-31/functions/stack-PressFunction-1/invocations" || string(body) != `{"a":1}` {
			t.Errorf("%s %s %s", r.Method, r.URL, body)
		}
		signature := r.Header.Get("Authorization")
		if !strings.HasPrefix(signature, "AWS4-HMAC-SHA256 Credential=id/") || !strings.Contains(signature, "/eu-central-1/lambda/aws4_request") ||
			!strings.Contains(signature, "x-amz-invocation-type") || r.Header.Get("X-Amz-Security-Token") != "session" {
			t.Errorf("signed as %s", signature)
		}
		if r.Header.Get("X-Amz-Invocation-Type") != "RequestResponse" || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%v", r.Header)
		}
		says(http.StatusOK, `{"b":2}`)(w, r)
	})
	answer, err := New(f.config, f.endpoint, f.name)(t.Context(), []byte(`{"a":1}`))
	if err != nil || string(answer) != `{"b":2}` {
		t.Fatalf("%s, %v", answer, err)
	}
}

// A function's ARN is sent and signed as the SDK's client does it: each colon escaped.
func TestAnAlias(t *testing.T) {
	const arn = "arn:aws:lambda:eu-central-1:123456789012:function:stack-PressFunction-1:live"
	f, _ := service(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/2015-03-31/functions/"+arn+"/invocations" || strings.Contains(r.RequestURI, ":") {
			t.Errorf("%s", r.RequestURI)
		}
		says(http.StatusOK, "good")(w, r)
	})
	if answer, err := New(f.config, f.endpoint, arn)(t.Context(), nil); err != nil || string(answer) != "good" {
		t.Fatalf("%s, %v", answer, err)
	}
}

func TestAttempts(t *testing.T) {
	const failed = "X-Amz-Function-Error"
	busy := says(http.StatusTooManyRequests, `{"Reason":"ConcurrentInvocationLimitExceeded"}`, "X-Amzn-Errortype", "TooManyRequestsException")
	good := says(http.StatusOK, "good")
	for name, row := range map[string]struct {
		handlers []http.HandlerFunc
		calls    int32
		want     string // of the error
	}{
		"the first is good":        {[]http.HandlerFunc{good}, 1, ""},
		"Lambda is busy":           {[]http.HandlerFunc{busy, busy, good}, 3, ""},
		"Lambda stays busy":        {[]http.HandlerFunc{busy}, 3, "invoke: stack-PressFunction-1: lambda answers 429 Too Many Requests, TooManyRequestsException: "},
		"Lambda has a fault":       {[]http.HandlerFunc{says(500, ""), says(502, ""), good}, 3, ""},
		"the connection breaks":    {[]http.HandlerFunc{breaks, good}, 2, ""},
		"no such function":         {[]http.HandlerFunc{says(404, "none", "X-Amzn-Errortype", "ResourceNotFoundException")}, 1, "ResourceNotFoundException: none"},
		"not allowed":              {[]http.HandlerFunc{says(403, "")}, 1, "403 Forbidden"},
		"too large":                {[]http.HandlerFunc{says(413, "")}, 1, "413 Request Entity Too Large"},
		"the function failed":      {[]http.HandlerFunc{says(200, `{"errorType":"Sandbox.Timedout","errorMessage":"10 s"}`, failed, "Unhandled")}, 1, "stack-PressFunction-1 failed: Sandbox.Timedout: 10 s"},
		"it says no more":          {[]http.HandlerFunc{says(200, "oops", failed, "Unhandled")}, 1, "stack-PressFunction-1 failed: : oops"},
		"an answer without an end": {[]http.HandlerFunc{says(200, strings.Repeat("a", maxAnswer+1))}, 1, "larger than Lambda allows"},
	} {
		t.Run(name, func(t *testing.T) {
			f, calls := service(t, row.handlers...)
			answer, err := f.call(t.Context(), nil)
			switch {
			case row.want == "" && (err != nil || string(answer) != "good"):
				t.Errorf("%s, %v", answer, err)
			case row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want) || answer != nil):
				t.Errorf("error %.300v, want %q", err, row.want)
			}
			if n := calls.Load(); n != row.calls {
				t.Errorf("%d calls, want %d", n, row.calls)
			}
			if _, own := errors.AsType[*invoke.Error](err); own != strings.Contains(row.want, "failed: ") {
				t.Errorf("an error of the function: %t", own)
			}
		})
	}
}

// Whoever waits no longer is told so, and starts nothing more.
func TestNobodyWaits(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	f, calls := service(t, func(w http.ResponseWriter, _ *http.Request) {
		cancel()
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	f.wait = wait
	if _, err := f.call(ctx, nil); !errors.Is(err, context.Canceled) || calls.Load() != 1 {
		t.Errorf("%v after %d calls", err, calls.Load())
	}
}

// The configuration, and with it the HTTP client, is made once, when it is needed.
func TestOneClient(t *testing.T) {
	f, _ := service(t, says(http.StatusOK, "good"))
	made := 0
	call := New(func() aws.Config { made++; return f.config() }, f.endpoint, f.name)
	for range 2 {
		if made > 1 {
			t.Fatal("made again")
		}
		if _, err := call(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	if made != 1 {
		t.Errorf("made %d times", made)
	}
}
