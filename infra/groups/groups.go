// Package groups lists the endpoint groups for code that has to know all of them:
// the local platform, the API description and the tests that walk every
// operation. The list is generated from the groups' declarations,
// functions/*/group.yaml. The same generator writes the groups' parts of
// template.yaml, the main packages of their functions, and a second list in
// functions/worker, because the worker may not import anything from infra.
//
// Nothing that is true of one group goes in here.
package groups

//go:generate go run ./generate
