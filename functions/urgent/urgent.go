// Package urgent carries out messages that somebody sits and waits for, as soon as the table's stream tells of them. Each waits behind no
// message of another lane. What fails here waits in the table, and comes back by the normal queue.
//
// What never goes in here: the meaning of a message, which is its group's.
package urgent

import (
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/outbox/worker"
)

// New makes the function. It links the handlers of urgent messages and nothing else, so that it starts soon.
func New(env app.Env) *worker.Worker { return worker.New("urgent", env, groups(env)...) }
