// Package invocations is the operation Invoke of Lambda's API on one machine: by it, functions call functions that
// serve no HTTP. Answers, errors and limits are AWS's.
//
// Nothing of the platform goes in here: neither which functions there are nor how one runs.
package invocations

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/tenantry/tenantry/infra/local/awsapi"
	"github.com/tenantry/tenantry/infra/local/lambdaruntime"
)

const (
	payloadLimit = 6 << 20
	answerLimit  = 6<<20 + 100
	workers      = 2 // calls of one function that run at once; more wait
)

// Function is a function that can be called.
type Function struct {
	Handler lambdaruntime.Handler
	// Timeout is the function's timeout; zero means none.
	Timeout time.Duration
}

// Server serves the operation. Its URL is the value of LAMBDA_ENDPOINT.
type Server struct {
	*awsapi.Server

	mu        sync.Mutex
	functions map[string]*function
}

type function struct {
	Function
	turns chan struct{} // holds one value for each call that runs
}

// Start listens.
func Start(ctx context.Context, o awsapi.Options) (_ *Server, err error) {
	s := &Server{functions: map[string]*function{}}
	s.Server, err = awsapi.Start(ctx, o, awsapi.API{Service: "lambda", Serve: s.serve})
	return s, err
}

// Add makes a function known by its name.
func (s *Server) Add(name string, f Function) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.functions[name] = &function{f, make(chan struct{}, workers)}
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request, payload []byte) *awsapi.Error {
	rest, isOurs := strings.CutPrefix(r.URL.Path, "/2015-03-31/functions/")
	named, isInvoke := strings.CutSuffix(rest, "/invocations")
	name, _, _ := awsapi.Function(named) // its alias and all its versions are what it is now
	s.mu.Lock()
	f := s.functions[name]
	s.mu.Unlock()
	switch {
	case !isOurs || !isInvoke || r.Method != http.MethodPost:
		return awsapi.Unknown(r)
	case f == nil:
		return &awsapi.Error{Status: http.StatusNotFound, Type: "ResourceNotFoundException", Message: "Function not found: " + named}
	case r.Header.Get("X-Amz-Invocation-Type") != "RequestResponse":
		message := "only calls that wait for their answer are known here"
		return &awsapi.Error{Status: http.StatusBadRequest, Type: "InvalidParameterValueException", Message: message}
	case len(payload) > payloadLimit:
		message := fmt.Sprintf("Request must be smaller than %d bytes for the InvokeFunction operation", payloadLimit)
		return &awsapi.Error{Status: http.StatusRequestEntityTooLarge, Type: "RequestTooLargeException", Message: message}
	}
	f.answer(w, r, payload)
	return nil
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
		awsapi.Send(w, "lambda", http.StatusOK, map[string]string{"errorType": told.Type, "errorMessage": told.Message})
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(result)
}

// run waits for its turn and for the answer. A function that is late keeps its turn until it ends.
func (f *function) run(ctx context.Context, payload []byte) ([]byte, error) {
	f.turns <- struct{}{}
	if f.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, f.Timeout)
		defer cancel()
	}
	return lambdaruntime.Call(ctx, inTurn{f}, payload)
}

// inTurn is a function that gives its turn back when it ends.
type inTurn struct{ *function }

func (i inTurn) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	defer func() { <-i.turns }()
	return i.Handler.Invoke(ctx, payload)
}
