package web

import (
	"errors"
	"maps"
	"math"
	"net/http"
	"strconv"
	"syscall"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
)

// Kinds of errors that only this package tells.
const (
	serverError fault.Code = "server_error"
	notAllowed  fault.Code = "method_not_allowed"
)

var statuses = map[fault.Code]int{
	fault.Invalid:         http.StatusBadRequest,
	fault.Malformed:       http.StatusBadRequest,
	fault.Unauthenticated: http.StatusUnauthorized,
	fault.BadToken:        http.StatusUnauthorized,
	fault.Forbidden:       http.StatusForbidden,
	fault.NotFound:        http.StatusNotFound,
	notAllowed:            http.StatusMethodNotAllowed,
	fault.NotAcceptable:   http.StatusNotAcceptable,
	fault.Conflict:        http.StatusConflict,
	fault.Gone:            http.StatusGone,
	fault.Precondition:    http.StatusPreconditionFailed,
	fault.TooLarge:        http.StatusRequestEntityTooLarge,
	fault.MediaType:       http.StatusUnsupportedMediaType,
	fault.Mismatch:        http.StatusUnprocessableEntity,
	fault.Throttled:       http.StatusTooManyRequests,
	serverError:           http.StatusInternalServerError,
	fault.Unavailable:     http.StatusServiceUnavailable,
}

// besideMembers is the member with the errors of fields whose own names are taken.
const besideMembers = "errors"

// addFields adds the errors of fields to a body that has its members. A member, such as the code by which programs tell
// errors apart, is never replaced by the errors of a field that has its name: if there is such a field, the errors of all
// fields are in the member "errors", and those whose names are free are in their usual place too.
func addFields(body map[string]any, fields fault.FieldErrors) {
	clash := false
	for name := range fields {
		_, taken := body[name]
		clash = clash || taken
	}
	if clash {
		body[besideMembers] = fields
	}
	for name, errs := range fields {
		if _, taken := body[name]; !taken {
			body[name] = errs
		}
	}
}

// told is the fault that a caller is told for an error. An error that is not a fault is our own mistake: the caller learns the id of
// the request and nothing else.
func told(err error, requestID string) *fault.Error {
	f, ok := fault.As(err)
	switch {
	case ok:
		return f
	case table.Unavailable(err) || errors.Is(err, syscall.ENOSPC): // what is away, or has no room, for now
		return fault.ErrUnavailable
	}
	return fault.New(serverError, say.ServerError).With("request_id", requestID)
}

// errorReply is the one place where an error becomes an answer: in the interface's own shape, or as a problem of RFC 9457.
func errorReply(f *fault.Error, base string, problem bool) *plainReply {
	reply := &plainReply{Status: statuses[f.Code], Header: map[string]string{}}
	switch f.Code {
	case fault.BadToken, fault.Unauthenticated:
		reply.Header["WWW-Authenticate"] = `Bearer realm="api"`
	}
	if f.RetryAfter > 0 {
		reply.Header["Retry-After"] = strconv.Itoa(int(math.Ceil(f.RetryAfter.Seconds())))
	}
	if problem {
		reply.Body, reply.ContentType = problemOf(f, base), TypeProblem
	} else {
		reply.Body = usual(f)
	}
	return reply
}

// usual is the body of an error in the interface's own shape.
func usual(f *fault.Error) map[string]any {
	body := make(map[string]any, 2+len(f.Fields)+len(f.Members))
	if f.Detail != "" {
		body["detail"] = f.Detail
	}
	maps.Copy(body, f.Members)
	addFields(body, f.Fields)
	if f.Code == fault.BadToken {
		body["code"] = string(fault.BadToken)
		if f.Detail == fault.ErrBadToken.Detail { // the access token; another token says itself what is wrong
			body["messages"] = []map[string]any{{
				"token_class": "AccessToken", "token_type": "access", "message": say.TokenExpired,
			}}
		}
	}
	return body
}
