package lambdaruntime

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/lambdacontext"

	"github.com/tenantry/tenantry/infra/local/child"
	"github.com/tenantry/tenantry/infra/local/serve"
)

const (
	apiPath   = "/2018-06-01/runtime"
	errorType = "Lambda-Runtime-Function-Error-Type"
)

// worker is one process. It has a Runtime API of its own, so that each request to the API can be attributed to its
// process.
type worker struct {
	function string
	process  *child.Process
	server   *serve.Server

	// asks receives a value whenever the process asks for work. The answer is sent to work.
	asks chan struct{}
	work chan *invocation
	// broken receives the reason when the process reports that it can't be initialised.
	broken chan error

	mu      sync.Mutex
	current *invocation
}

type invocation struct {
	id, arn  string
	deadline time.Time
	payload  []byte
	done     chan outcome
}

type outcome struct {
	answer []byte
	err    error
}

// startWorker starts a process and returns when it has asked for its first work.
func startWorker(ctx context.Context, o Options) (*worker, error) {
	w := &worker{function: o.Name, asks: make(chan struct{}, 1), work: make(chan *invocation), broken: make(chan error, 1)}
	var err error
	if w.server, err = serve.Start(ctx, w.routes()); err != nil {
		return nil, fmt.Errorf("lambdaruntime: %w", err)
	}
	w.process, err = child.Start(context.WithoutCancel(ctx), child.Options{
		Path:   o.Bootstrap,
		Dir:    filepath.Dir(o.Bootstrap),
		Env:    append(environment(o, strings.TrimPrefix(w.server.URL, "http://")), o.Env...),
		Output: o.Output,
	})
	if err != nil {
		w.server.Close()
		return nil, fmt.Errorf("lambdaruntime: %w", err)
	}
	limit := time.NewTimer(initLimit)
	defer limit.Stop()
	select {
	case <-w.asks:
		return w, nil
	case err = <-w.broken:
	case <-w.process.Done():
		// Several channels may be ready by now. What the process reported counts more than its end.
		select {
		case err = <-w.broken:
		default:
			err = fmt.Errorf("%s ended before it asked for work: %s", o.Name, w.process.Log())
		}
	case <-limit.C:
		err = fmt.Errorf("%s did not ask for work within %s", o.Name, initLimit)
	case <-ctx.Done():
		err = ctx.Err()
	}
	w.end()
	return nil, fmt.Errorf("lambdaruntime: %w", err)
}

// environment returns the variables that Lambda sets for a process on provided.al2023.
func environment(o Options, address string) []string {
	return []string{
		"AWS_LAMBDA_RUNTIME_API=" + address,
		"AWS_LAMBDA_FUNCTION_NAME=" + o.Name,
		"AWS_LAMBDA_FUNCTION_VERSION=$LATEST",
		"AWS_LAMBDA_FUNCTION_MEMORY_SIZE=512",
		"AWS_LAMBDA_LOG_GROUP_NAME=/aws/lambda/" + o.Name,
		"AWS_LAMBDA_LOG_STREAM_NAME=local",
		"AWS_LAMBDA_INITIALIZATION_TYPE=on-demand",
		"AWS_REGION=us-east-1",
		"AWS_DEFAULT_REGION=us-east-1",
		"LAMBDA_TASK_ROOT=" + filepath.Dir(o.Bootstrap),
		"_HANDLER=bootstrap",
		"TZ=:UTC",
		"LANG=en_US.UTF-8",
		"PATH=/usr/local/bin:/usr/bin:/bin",
	}
}

func (w *worker) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+apiPath+"/invocation/next", w.next)
	mux.HandleFunc("POST "+apiPath+"/invocation/{id}/response", func(rw http.ResponseWriter, r *http.Request) {
		w.result(rw, r, func(body []byte) outcome {
			if kind := r.Trailer.Get(errorType); kind != "" {
				return outcome{err: &FunctionError{Type: kind, Message: "the answer broke off"}}
			}
			return outcome{answer: body}
		})
	})
	mux.HandleFunc("POST "+apiPath+"/invocation/{id}/error", func(rw http.ResponseWriter, r *http.Request) {
		w.result(rw, r, func(body []byte) outcome { return outcome{err: functionError(r, body)} })
	})
	mux.HandleFunc("POST "+apiPath+"/init/error", func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(io.LimitReader(r.Body, answerLimit))
		select {
		case w.broken <- functionError(r, body):
		default: // it said so before
		}
		accepted(rw)
	})
	return mux
}

// next answers with the next invocation. The request waits until there is one.
func (w *worker) next(rw http.ResponseWriter, r *http.Request) {
	select {
	case w.asks <- struct{}{}:
	default:
		// The process asked before, broke that request off and asks again; nobody has taken the value that its first
		// request left.
	}
	select {
	case i := <-w.work:
		h := rw.Header()
		h.Set("Content-Type", "application/json")
		h.Set("Lambda-Runtime-Aws-Request-Id", i.id)
		h.Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(i.deadline.UnixMilli(), 10))
		h.Set("Lambda-Runtime-Invoked-Function-Arn", i.arn)
		_, _ = rw.Write(i.payload)
	case <-r.Context().Done():
	}
}

// result ends the current invocation with the result that the process sent.
func (w *worker) result(rw http.ResponseWriter, r *http.Request, read func(body []byte) outcome) {
	body, err := io.ReadAll(io.LimitReader(r.Body, answerLimit+1))
	if err != nil {
		http.Error(rw, err.Error(), http.StatusBadRequest)
		return
	}
	w.mu.Lock()
	i := w.current
	if i == nil || i.id != r.PathValue("id") {
		w.mu.Unlock()
		http.Error(rw, `{"errorType":"InvalidRequestID"}`, http.StatusBadRequest)
		return
	}
	w.current = nil
	w.mu.Unlock()
	if len(body) > answerLimit {
		i.done <- outcome{err: &FunctionError{
			Type:    "Function.ResponseSizeTooLarge",
			Message: fmt.Sprintf("Response payload size exceeded maximum allowed payload size (%d bytes).", answerLimit),
		}}
		http.Error(rw, `{"errorType":"RequestEntityTooLarge"}`, http.StatusRequestEntityTooLarge)
		return
	}
	i.done <- read(body)
	accepted(rw)
}

func accepted(rw http.ResponseWriter) {
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(http.StatusAccepted)
	_, _ = io.WriteString(rw, `{"status":"OK"}`)
}

func functionError(r *http.Request, body []byte) error {
	e := &FunctionError{}
	if json.Unmarshal(body, e) != nil || e.Type == "" && e.Message == "" {
		e.Type, e.Message = r.Header.Get(errorType), string(body)
	}
	return e
}

// invoke gives the process an event and waits for the result. As on Lambda, a process that takes too long is killed.
func (w *worker) invoke(ctx context.Context, payload []byte) ([]byte, error) {
	deadline, _ := ctx.Deadline()
	i := &invocation{
		id:       requestID(ctx),
		arn:      "arn:aws:lambda:us-east-1:000000000000:function:" + w.function,
		deadline: deadline,
		payload:  payload,
		done:     make(chan outcome, 1),
	}
	w.mu.Lock()
	w.current = i
	w.mu.Unlock()
	work := w.work
	for {
		select {
		case work <- i:
			work = nil // the process has it
		case o := <-i.done:
			return o.answer, o.err
		case <-w.process.Done():
			select { // the process may have answered before it ended
			case o := <-i.done:
				return o.answer, o.err
			default:
				return nil, &FunctionError{Type: "Runtime.ExitError", Message: w.function + " ended: " + w.process.Log()}
			}
		case <-ctx.Done():
			w.end()
			return nil, w.late(ctx)
		}
	}
}

func (w *worker) late(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &FunctionError{Type: "Sandbox.Timedout", Message: w.function + " timed out"}
	}
	return fmt.Errorf("lambdaruntime: %w", ctx.Err())
}

// requestID returns the caller's id of the invocation, if it has one.
func requestID(ctx context.Context) string {
	if lc, ok := lambdacontext.FromContext(ctx); ok && lc.AwsRequestID != "" {
		return lc.AwsRequestID
	}
	return rand.Text()
}

func (w *worker) alive() bool {
	select {
	case <-w.process.Done():
		return false
	default:
		return true
	}
}

// end kills the process at once, as Lambda does. It may be called more than once.
func (w *worker) end() {
	w.process.Kill()
	w.server.Close()
}
