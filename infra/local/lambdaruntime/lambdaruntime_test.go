package lambdaruntime_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"

	"github.com/tenantry/tenantry/infra/local/lambdaruntime"
)

// A runtime stands where a function's handler does.
var _ lambda.Handler = (*lambdaruntime.Runtime)(nil)

// bootstrap is the function that was built once for all tests.
var bootstrap string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "lambdaruntime")
	if err != nil {
		panic(err)
	}
	bootstrap = filepath.Join(dir, "echo", "bootstrap")
	root := filepath.Join("..", "..", "..")
	if err := lambdaruntime.Build(context.Background(), bootstrap, root, "infra/local/lambdaruntime/testdata/function"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// Whoever builds functions by hand, or with SAM, takes the same tags.
func TestTags(t *testing.T) {
	for _, name := range []string{"Makefile", "docs/operations.md"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "..", name))
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), "-tags="); n != 1 || !strings.Contains(string(text), "-tags="+lambdaruntime.Tags+" ") {
			t.Errorf("%s has other tags than %s", name, lambdaruntime.Tags)
		}
	}
}

func start(t *testing.T, o lambdaruntime.Options) *lambdaruntime.Runtime {
	t.Helper()
	o.Bootstrap = bootstrap
	r, err := lambdaruntime.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

type reply struct {
	Pid, Calls, Millis               int
	Text, ID, Arn, Given, Home, Name string
}

func ask(t *testing.T, r *lambdaruntime.Runtime, request string) reply {
	t.Helper()
	out, err := r.Invoke(t.Context(), []byte(request))
	if err != nil {
		t.Fatal(err)
	}
	var a reply
	if err := json.Unmarshal(out, &a); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	return a
}

func TestOneProcessServesOneInvocationAfterAnother(t *testing.T) {
	r := start(t, lambdaruntime.Options{Env: []string{"GIVEN=yes"}, Timeout: 9 * time.Second})
	first := ask(t, r, `{"Text":"a <&> λ"}`)
	if first.Text != "a <&> λ" || first.Calls != 1 || first.Given != "yes" || first.Home != "" || first.Name != "echo" ||
		!strings.HasSuffix(first.Arn, ":echo") || first.Millis < 5000 || first.Millis > 9000 {
		t.Fatalf("%+v", first)
	}
	for calls := 2; calls < 50; calls++ {
		next := ask(t, r, `{}`)
		if next.Pid != first.Pid || next.Calls != calls || next.ID == first.ID {
			t.Fatalf("%+v after %+v", next, first)
		}
	}
}

func TestTheCallersIDAndDeadlineArePassedOn(t *testing.T) {
	r := start(t, lambdaruntime.Options{})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out, err := r.Invoke(lambdacontext.NewContext(ctx, &lambdacontext.LambdaContext{AwsRequestID: "mine"}), []byte(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	var a reply
	if err := json.Unmarshal(out, &a); err != nil || a.ID != "mine" || a.Millis > 60_000 {
		t.Fatalf("%s, %v", out, err)
	}
}

func TestConcurrentInvocationsWaitForOneProcess(t *testing.T) {
	r := start(t, lambdaruntime.Options{})
	var mu sync.Mutex
	pids := map[int]int{}
	var calls sync.WaitGroup
	for range 4 {
		calls.Go(func() {
			a := ask(t, r, `{"Do":"sleep","Millis":30}`)
			mu.Lock()
			defer mu.Unlock()
			pids[a.Pid]++
		})
	}
	calls.Wait()
	if len(pids) != 1 {
		t.Fatalf("processes %v, want one", pids)
	}
}

func TestFailuresAndWhatComesAfter(t *testing.T) {
	for _, c := range []struct {
		name, request, kind, message string
		sameProcess                  bool
	}{
		{"an error", `{"Do":"fail"}`, "errorString", "on purpose", true},
		{"a panic", `{"Do":"panic"}`, "string", "on purpose", false},
		{"the process ends", `{"Do":"exit"}`, "Runtime.ExitError", "echo ended", false},
		{"too slow", `{"Do":"sleep","Millis":60000}`, "Sandbox.Timedout", "timed out", false},
		{"too large", `{"Do":"large"}`, "Function.ResponseSizeTooLarge", "6291556", false},
		{"not the type it takes", `[]`, "UnmarshalTypeError", "cannot unmarshal", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := start(t, lambdaruntime.Options{Timeout: time.Second})
			before := ask(t, r, `{}`)
			_, err := r.Invoke(t.Context(), []byte(c.request))
			var failed *lambdaruntime.FunctionError
			if !errors.As(err, &failed) || failed.Type != c.kind || !strings.Contains(failed.Message, c.message) {
				t.Fatalf("error %v, want %s with %q", err, c.kind, c.message)
			}
			if after := ask(t, r, `{}`); c.sameProcess != (after.Pid == before.Pid) {
				t.Fatalf("process %d after %d", after.Pid, before.Pid)
			}
		})
	}
}

func TestAProcessThatDiedIdleIsReplaced(t *testing.T) {
	r := start(t, lambdaruntime.Options{})
	before := ask(t, r, `{}`)
	if err := syscall.Kill(before.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	// The kernel needs a moment, and an invocation that meets the dying process fails, as on Lambda.
	for deadline := time.Now().Add(time.Minute); ; {
		out, err := r.Invoke(t.Context(), []byte(`{}`))
		if err == nil && !bytes.Contains(out, []byte(`"calls":2`)) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s, %v", out, err)
		}
	}
}

func TestWhatDoesNotStart(t *testing.T) {
	for _, c := range []struct {
		name string
		o    lambdaruntime.Options
		want string
	}{
		{"no binary", lambdaruntime.Options{Bootstrap: filepath.Join(t.TempDir(), "none")}, "no such file"},
		{"ends at once", lambdaruntime.Options{Bootstrap: bootstrap, Env: []string{"BREAK=exit"}}, "no table"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := lambdaruntime.Start(t.Context(), c.o); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

func TestCloseEndsEverything(t *testing.T) {
	r := start(t, lambdaruntime.Options{})
	pid := ask(t, r, `{}`).Pid
	running := make(chan error)
	go func() {
		_, err := r.Invoke(context.Background(), []byte(`{"Do":"sleep","Millis":60000}`))
		running <- err
	}()
	time.Sleep(50 * time.Millisecond)
	r.Close()
	if err := <-running; err == nil {
		t.Fatal("an invocation outlived its process")
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Fatalf("process %d is still there: %v", pid, err)
	}
	if _, err := r.Invoke(t.Context(), []byte(`{}`)); !errors.Is(err, lambdaruntime.ErrClosed) {
		t.Fatalf("error %v after Close", err)
	}
}
