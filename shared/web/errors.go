package web

import (
	"math"
	"net/http"
	"strconv"

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
	fault.Precondition:    http.StatusPreconditionFailed,
	fault.TooLarge:        http.StatusRequestEntityTooLarge,
	fault.MediaType:       http.StatusUnsupportedMediaType,
	fault.Mismatch:        http.StatusUnprocessableEntity,
	fault.Throttled:       http.StatusTooManyRequests,
	fault.Unavailable:     http.StatusServiceUnavailable,
}

// errorReply is the one place where an error becomes an answer. An error that is not a fault
// is our own mistake: the caller learns the id of the request and nothing else.
func errorReply(err error, requestID string) *plainReply {
	f, ok := fault.As(err)
	if !ok && table.Unavailable(err) {
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
	for name, errs := range f.Fields {
		body[name] = errs
	}
	if f.Detail != "" {
		body["detail"] = f.Detail
	}
	for name, value := range f.Members {
		body[name] = value
	}
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
