// Package groups lists the endpoint groups for what has to know all of them:
// the local platform, the API description and the tests that walk every
// operation. The list is generated from the groups' declarations,
// functions/*/group.yaml; so are their pieces of template.yaml, the list in
// functions/worker, which may import nothing of infra, and the main packages
// of the groups' functions.
//
// What never goes in here: anything about one group.
package groups

//go:generate go run ./generate
