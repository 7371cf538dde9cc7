// Package fault names what can go wrong with a request, in the terms of the platform: a rule
// or a store returns a fault, and the web layer maps its code to a status in one place.
//
// Nothing here knows HTTP, and no message here may carry an internal text: a
// fault is shown to the caller as it stands. What the caller must not see
// (engine errors, panics) stays an ordinary error and is answered as 500.
package fault

import (
	"errors"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/shared/say"
)

// Code says what kind of fault it is. A code maps to one status.
type Code string

// The codes, each with the status the web layer answers.
const (
	Invalid         Code = "invalid"             // 400
	Malformed       Code = "malformed"           // 400, the request could not be read at all
	Unauthenticated Code = "unauthenticated"     // 401, no credentials
	BadToken        Code = "token_not_valid"     // 401, credentials that are not valid
	Forbidden       Code = "forbidden"           // 403
	NotFound        Code = "not_found"           // 404
	NotAcceptable   Code = "not_acceptable"      // 406
	Conflict        Code = "conflict"            // 409
	Gone            Code = "gone"                // 410
	Precondition    Code = "precondition_failed" // 412
	TooLarge        Code = "too_large"           // 413
	MediaType       Code = "unsupported_media"   // 415
	Mismatch        Code = "mismatch"            // 422, an Idempotency-Key that was used for another request
	Throttled       Code = "throttled"           // 429
	Unavailable     Code = "unavailable"         // 503
)

// Error is a fault. Either Detail or Fields says what is wrong; Members are additional
// machine-readable members of the answer.
type Error struct {
	Code       Code
	Detail     say.Message
	Fields     FieldErrors
	Members    map[string]any
	RetryAfter time.Duration // Throttled and Unavailable
	cause      error
}

// Error returns the text for logs.
func (e *Error) Error() string {
	s := string(e.Code)
	if e.Detail != "" {
		s += ": " + e.Detail.Error()
	}
	if len(e.Fields) > 0 {
		s += fmt.Sprintf(": %v", map[string]any(e.Fields))
	}
	if e.cause != nil {
		s += ": " + e.cause.Error()
	}
	return s
}

// Unwrap returns the cause, which is only for logs.
func (e *Error) Unwrap() error { return e.cause }

// Is treats two faults with the same code and detail as the same error.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code && (t.Detail == "" || t.Detail == e.Detail)
}

// Because returns a copy that remembers its cause for the log.
func (e *Error) Because(cause error) *Error {
	c := *e
	c.cause = cause
	return &c
}

// With returns a copy with one more machine-readable member.
func (e *Error) With(name string, value any) *Error {
	c := *e
	c.Members = make(map[string]any, len(e.Members)+1)
	for k, v := range e.Members {
		c.Members[k] = v
	}
	c.Members[name] = value
	return &c
}

// Coded returns a copy whose member "code" is the code of its text, for programs that tell refusals of one status apart.
func (e *Error) Coded() *Error { return e.With("code", e.Detail.Code()) }

// As returns the fault inside an error, if there is one.
func As(err error) (*Error, bool) {
	var e *Error
	ok := errors.As(err, &e)
	return e, ok
}

// New makes a fault with a detail.
func New(code Code, detail say.Message) *Error { return &Error{Code: code, Detail: detail} }

// The faults whose text is always the same.
var (
	ErrNotFound     = New(NotFound, say.NotFound)
	ErrInvalidPage  = New(NotFound, say.InvalidPage)
	ErrForbidden    = New(Forbidden, say.PermissionDenied)
	ErrNoAuth       = New(Unauthenticated, say.NotAuthenticated)
	ErrBadToken     = New(BadToken, say.TokenNotValid)
	ErrUnavailable  = &Error{Code: Unavailable, Detail: say.Unavailable, RetryAfter: time.Second}
	ErrBodyTooLarge = New(TooLarge, say.BodyTooLarge)
	ErrNotAccepted  = New(NotAcceptable, say.NotAcceptable)
)

// TooMany returns the fault of a caller who must wait.
func TooMany(wait time.Duration) *Error { return TooManyOf(wait, say.Throttled[int]) }

// TooManyOf returns the fault of a caller who must wait, with a text that says for how many seconds.
func TooManyOf(wait time.Duration, text func(seconds int) say.Message) *Error {
	seconds := max(1, int((wait+time.Second-1)/time.Second))
	return &Error{Code: Throttled, Detail: text(seconds), RetryAfter: time.Duration(seconds) * time.Second}
}
