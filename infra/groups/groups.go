// Package groups lists the endpoint groups for code that has to know all of them:
// the local platform, the API description and the tests that walk every
// operation. The list is generated from the groups' declarations,
// functions/*/group.yaml. The same generator writes the groups' parts of
// template.yaml, the main packages of their functions, and lists in the functions
// that carry out messages, because those may not import anything from infra.
//
// Nothing that is true of one group goes in here.
package groups

import (
	"slices"

	"github.com/tenantry/tenantry/functions/bulk"
	normal "github.com/tenantry/tenantry/functions/worker"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/invoke"
	"github.com/tenantry/tenantry/shared/outbox/worker"
)

//go:generate go run ./generate

// Link lets the groups that are made from an environment call the invoked functions in this process. The functions are
// made from the same environment, as it is now.
func Link(env *app.Env) {
	for name, function := range Invoked() {
		*env.Callee(name) = invoke.InProcess(name, function(*env))
	}
}

// Worker makes a worker that carries out the messages of all lanes, where there are no queues.
func Worker(env app.Env) *worker.Worker {
	return worker.New("worker", env, slices.Concat(normal.Work(env), bulk.Work(env))...)
}
