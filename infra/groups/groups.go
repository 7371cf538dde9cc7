// Package groups lists the endpoint groups for code that has to know all of them:
// the local platform, the API description and the tests that walk every
// operation. The list is generated from the groups' declarations,
// functions/*/group.yaml. The same generator writes the groups' parts of
// template.yaml, the main packages of their functions, and a second list in
// functions/worker, because the worker may not import anything from infra.
//
// Nothing that is true of one group goes in here.
package groups

import (
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/invoke"
)

//go:generate go run ./generate

// Link lets the groups that are made from an environment call the invoked functions in this process. The functions are
// made from the same environment, as it is now.
func Link(env *app.Env) {
	for name, function := range Invoked() {
		*env.Callee(name) = invoke.InProcess(name, function(*env))
	}
}
