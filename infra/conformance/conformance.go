// Package conformance tests that every operation of every group keeps the contract
// that they share: identity, roles, companies, bodies, slashes, methods and
// media types. It also tests that code, template and API description name the same
// operations. Its tests walk the groups' tables of operations, so a new group or
// operation is tested without any change here.
//
// What never goes in here: what one operation means. The tests of its group check that.
package conformance
