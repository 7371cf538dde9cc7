// Package bulk carries out messages that may take longer than others, whose keys their queue brings: merges, rebuilds, ends of imports,
// seals, SMS to many.
//
// What never goes in here: the meaning of a message, which is its group's.
package bulk

import (
	"github.com/tenantry/tenantry/functions/pack/job"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/outbox/worker"
)

// New makes the function.
func New(env app.Env) *worker.Worker { return worker.New("bulk", env, Work(env)...) }

// Work says what the messages mean that the function carries out.
func Work(env app.Env) []outbox.Work {
	return append(groups(env), job.Work(env.Pack))
}
