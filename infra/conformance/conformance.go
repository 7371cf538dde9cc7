// Package conformance holds every operation of every group to the contract
// that they share: identity, roles, companies, bodies, slashes, methods and
// media types, and that code, template and API description name the same
// operations. Its tests walk the groups' tables of operations: a new group or
// operation is held to all of it without a line here.
//
// What never goes in here: what one operation means. That is its group's test.
package conformance
