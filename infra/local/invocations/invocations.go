// Package invocations is the operation Invoke of Lambda's API on one machine: by it, functions call functions that
// serve no HTTP. Answers, errors and limits are AWS's.
//
// Nothing of the platform goes in here: neither which functions there are nor how one runs.
package invocations

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/tenantry/tenantry/infra/local/lambdaruntime"
)

const (
	payloadLimit = 6 << 20
	answerLimit  = 6<<20 + 100
	workers      = 2 // of a function that says nothing else
)

// Function is a function that can be called.
type Function struct {
	// Handler runs it: a lambda.Handler, or a lambdaruntime.Runtime.
	Handler interface {
		Invoke(ctx context.Context, payload []byte) ([]byte, error)
	}
	// Timeout is the function's timeout; zero means none.
	Timeout time.Duration
	// Workers is how many calls run at once; more wait. Zero means two.
	Workers int
}

// Server serves the operation.
type Server struct {
	// URL is its address, the value of LAMBDA_ENDPOINT.
	URL    string
	server *http.Server

	mu        sync.Mutex
	functions map[string]*function
}

type function struct {
	Function
	turns chan struct{} // holds one value for each call that runs
}

// Start listens on a free port of this machine.
func Start(ctx context.Context) (*Server, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("invocations: %w", err)
	}
	s := &Server{URL: "http://" + listener.Addr().String(), functions: map[string]*function{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /2015-03-31/functions/{name}/invocations", s.serve)
	s.server = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = s.server.Serve(listener) }()
	return s, nil
}

// Add makes a function known by its name.
func (s *Server) Add(name string, f Function) {
	if f.Workers == 0 {
		f.Workers = workers
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.functions[name] = &function{f, make(chan struct{}, f.Workers)}
}

// Close ends the server. Calls that run are cut off.
func (s *Server) Close() { _ = s.server.Close() }

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	s.mu.Lock()
	f := s.functions[name]
	s.mu.Unlock()
	payload, err := io.ReadAll(io.LimitReader(r.Body, payloadLimit+1))
	switch {
	case f == nil:
		refuse(w, http.StatusNotFound, "ResourceNotFoundException", "Function not found: "+name)
	case r.Header.Get("X-Amz-Invocation-Type") != "RequestResponse":
		refuse(w, http.StatusBadRequest, "InvalidParameterValueException", "only calls that wait for their answer are known here")
	case err != nil:
		refuse(w, http.StatusBadRequest, "InvalidRequestContentException", err.Error())
	case len(payload) > payloadLimit:
		message := fmt.Sprintf("Request must be smaller than %d bytes for the InvokeFunction operation", payloadLimit)
		refuse(w, http.StatusRequestEntityTooLarge, "RequestTooLargeException", message)
	default:
		f.answer(w, r, payload)
	}
}

func refuse(w http.ResponseWriter, status int, kind, message string) {
	w.Header().Set("X-Amzn-Errortype", kind)
	send(w, status, map[string]string{"Type": "User", "Message": message})
}

func send(w http.ResponseWriter, status int, body map[string]string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // whoever has gone needs no answer
}

// answer runs the function. As on Lambda, it runs to its end even if the caller no longer waits.
func (f *function) answer(w http.ResponseWriter, r *http.Request, payload []byte) {
	result, err := f.run(context.WithoutCancel(r.Context()), payload)
	if err == nil && len(result) > answerLimit {
		err = &lambdaruntime.FunctionError{
			Type:    "Function.ResponseSizeTooLarge",
			Message: fmt.Sprintf("Response payload size exceeded maximum allowed payload size (%d bytes).", answerLimit),
		}
	}
	w.Header().Set("X-Amz-Executed-Version", "$LATEST")
	if err != nil {
		told, ok := errors.AsType[*lambdaruntime.FunctionError](err)
		if !ok {
			told = &lambdaruntime.FunctionError{Type: fmt.Sprintf("%T", err), Message: err.Error()}
		}
		w.Header().Set("X-Amz-Function-Error", "Unhandled")
		send(w, http.StatusOK, map[string]string{"errorType": told.Type, "errorMessage": told.Message})
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(result)
}

type outcome struct {
	answer []byte
	err    error
}

// run waits for its turn and for the answer. A function that is late keeps its turn until it ends.
func (f *function) run(ctx context.Context, payload []byte) ([]byte, error) {
	f.turns <- struct{}{}
	if f.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, f.Timeout)
		defer cancel()
	}
	done := make(chan outcome, 1)
	go func() {
		defer func() { <-f.turns }()
		defer func() {
			if cause := recover(); cause != nil {
				done <- outcome{err: &lambdaruntime.FunctionError{Type: "Runtime.ExitError", Message: fmt.Sprintf("panic: %v", cause)}}
			}
		}()
		answer, err := f.Handler.Invoke(ctx, payload)
		done <- outcome{answer, err}
	}()
	select {
	case o := <-done:
		return o.answer, o.err
	case <-ctx.Done():
		return nil, &lambdaruntime.FunctionError{Type: "Sandbox.Timedout", Message: fmt.Sprintf("timed out after %s", f.Timeout)}
	}
}
