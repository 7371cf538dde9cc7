// Package invoke lets one function call another that serves no HTTP. A group declares in its
// group.yaml which functions it calls, and has them in its app.Env.
//
// A call waits for its answer, and is sent again if Lambda is busy or the connection breaks. The
// function may therefore run twice for one call, even at the same time: what it does has to be
// harmless if it happens again. Payload and answer may each have 6 MB; larger things travel in the
// bucket.
//
// What never goes in here: what a function is asked and answers. The function's own package job
// says that.
package invoke

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
)

// Function is a function without HTTP: its own code, or a call of it.
type Function func(ctx context.Context, payload []byte) ([]byte, error)

// Invoke makes a Function a lambda.Handler.
func (f Function) Invoke(ctx context.Context, payload []byte) ([]byte, error) { return f(ctx, payload) }

// Ask calls the function with a request and reads its answer, both in JSON.
func (f Function) Ask(ctx context.Context, request, answer any) error {
	payload, err := json.Marshal(request)
	if err != nil {
		return err
	}
	answered, err := f(ctx, payload)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(answered, answer); err != nil {
		return fmt.Errorf("what it answered: %w", err)
	}
	return nil
}

// Error says that the function was called and failed: it returned an error, ended, or took too long.
// It isn't called again for that, because it would most likely fail again.
type Error struct {
	Function string
	Type     string // as Lambda names it: the type of the function's error, Runtime.ExitError, Sandbox.Timedout
	Message  string
}

func (e *Error) Error() string {
	return "invoke: " + e.Function + " failed: " + e.Type + ": " + e.Message
}

// InProcess returns a Function that calls f in this process and fails as a call over Lambda does: an error or a panic of
// f is an *Error, and neither side sees later changes of the other's bytes.
func InProcess(name string, f Function) Function {
	return func(ctx context.Context, payload []byte) (answer []byte, err error) {
		defer func() {
			if v := recover(); v != nil {
				answer, err = nil, &Error{Function: name, Type: "panic", Message: fmt.Sprintf("%v\n%s", v, debug.Stack())}
			}
		}()
		answer, err = f(ctx, slices.Clone(payload))
		switch {
		case ctx.Err() != nil:
			return nil, fmt.Errorf("invoke: %s: %w", name, ctx.Err())
		case err != nil:
			return nil, failure(name, err)
		}
		return slices.Clone(answer), nil
	}
}

// failure is the error of a function as its caller sees it: by its type and text alone.
func failure(name string, err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return &Error{Function: name, Type: fmt.Sprintf("%T", err), Message: err.Error()}
}
