// Package web turns a gateway event into typed input for a handler, and the handler's result
// into an answer.
//
// A group is a table of operations (Group). A Server serves it: it turns the
// event into a net/http request through the api-proxy adapter, runs the
// middleware that server.go lists, and writes every answer and every error in
// one shape.
//
// A handler returns a value, or a Reply: a value with its status and headers. A handler that
// writes returns an Outcome. An Outcome builds its Reply when all records are in their final
// state, and stores it in the same transaction (shared/web/idempotency), so that a repeated
// request gets the same answer.
//
// What never goes in here: the rules of a group, the keys of the table, and the verification
// of tokens (the authorizer does that; this package relies on its result).
package web
