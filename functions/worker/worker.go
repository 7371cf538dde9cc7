// Package worker carries out messages of the normal lane, whose keys its queue brings: those that take five seconds at most, and urgent
// ones that failed at first.
//
// What never goes in here: the meaning of a message, which is its group's.
package worker

import (
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/outbox/worker"
	"github.com/tenantry/tenantry/shared/record/eventlog"
	"github.com/tenantry/tenantry/shared/record/listing/folding"
)

// New makes the function.
func New(env app.Env) *worker.Worker { return worker.New("worker", env, Work(env)...) }

// Work says what the messages mean that the function carries out.
func Work(env app.Env) []outbox.Work {
	return append(groups(env), folding.Work(env.Table, env.Now), eventlog.Work(env.Table, env.Now))
}
