// Package web takes a gateway event to a handler with typed input and its
// result back to an answer.
//
// A group is a table of operations (Group). A Server serves it: it turns the
// event into a net/http request through the api-proxy adapter, runs the
// middleware that server.go lists, and writes every answer and every error in
// one shape.
//
// A handler answers a value, or a Reply: a value with its status and headers. The
// Reply of a unit of work is an Outcome: it is built when everything is as it will
// be written, and kept in the same transaction (shared/web/idempotency) for whoever
// sends the request again.
//
// What never goes in here: a rule of a group, a key of the table, and the
// verification of a token (the authorizer's; here its verdict is only obeyed).
package web
