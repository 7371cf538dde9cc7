package web

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"syscall"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/table"
)

var statuses = map[fault.Code]int{
	fault.Invalid:         http.StatusBadRequest,
	fault.Malformed:       http.StatusBadRequest,
	fault.Unauthenticated: http.StatusUnauthorized,
	fault.BadToken:        http.StatusUnauthorized,
	fault.Forbidden:       http.StatusForbidden,
	fault.NotFound:        http.StatusNotFound,
	fault.NotAcceptable:   http.StatusNotAcceptable,
	fault.Conflict:        http.StatusConflict,
	fault.Gone:            http.StatusGone,
	fault.Precondition:    http.StatusPreconditionFailed,
	fault.TooLarge:        http.StatusRequestEntityTooLarge,
	fault.MediaType:       http.StatusUnsupportedMediaType,
	fault.Mismatch:        http.StatusUnprocessableEntity,
	fault.Throttled:       http.StatusTooManyRequests,
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

// errorReply is the one place where an error becomes an answer. An error that is not a fault
// is our own mistake: the caller learns the id of the request and nothing else.
func errorReply(err error, requestID string) *plainReply {
	f, ok := fault.As(err)
	if !ok && (table.Unavailable(err) || errors.Is(err, syscall.ENOSPC)) { // what is away, or has no room, for now
		f, ok = fault.ErrUnavailable, true
	}
	if !ok {
		return &plainReply{
			Status: http.StatusInternalServerError,
			Body:   map[string]string{"detail": "A server error occurred.", "request_id": requestID},
		}
	}
	reply := &plainReply{Status: statuses[f.Code], Header: map[string]string{}}
	body := make(map[string]any, 2+len(f.Fields)+len(f.Members))
	if f.Detail != "" {
		body["detail"] = f.Detail
	}
	for name, value := range f.Members {
		body[name] = value
	}
	addFields(body, f.Fields)
	switch f.Code {
	case fault.BadToken:
		body["code"] = string(fault.BadToken)
		if f.Detail == fault.ErrBadToken.Detail { // the access token; another token says itself what is wrong
			body["messages"] = []map[string]string{{
				"token_class": "AccessToken", "token_type": "access", "message": "Token is invalid or expired",
			}}
		}
		reply.Header["WWW-Authenticate"] = `Bearer realm="api"`
	case fault.Unauthenticated:
		reply.Header["WWW-Authenticate"] = `Bearer realm="api"`
	}
	if f.RetryAfter > 0 {
		reply.Header["Retry-After"] = strconv.Itoa(int(math.Ceil(f.RetryAfter.Seconds())))
	}
	reply.Body = body
	return reply
}
