// Package nightly is the operator's command that a schedule runs once a day: it does what is due by now, a step after the other.
//
// What never goes in here: what a step does. Each is a command's own, and the program's table names them.
package nightly

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/infra/operator/companies"
	"github.com/tenantry/tenantry/infra/operator/stage"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Step is something that may be due. It does all of it, finds nothing to do when it is run again, and goes on where a killed run ended.
type Step struct {
	Name string
	Says string // what it does, as a sentence goes on: "erases companies …"
	// Run does what is due, and returns what that was, for one line.
	Run func(ctx context.Context, e *stage.Env) (did string, err error)
}

// Command runs steps. One that fails keeps none of the others from being done; the command fails at the end.
func Command(steps ...Step) func(ctx context.Context, e *stage.Env, args []string) error {
	return func(ctx context.Context, e *stage.Env, args []string) error {
		if err := stage.Parse(e.Flags("nightly"), args); err != nil {
			return err
		}
		if len(steps) == 0 {
			e.Say("Nothing is done nightly.")
			return nil
		}
		what := []string{"This does what is due:"}
		for _, s := range steps {
			what = append(what, "  "+s.Name+" "+s.Says)
		}
		if err := e.Ask(what...); err != nil {
			return err
		}
		var failed error
		for _, s := range steps {
			did, err := s.Run(ctx, e)
			if err != nil {
				failed = errors.Join(failed, fmt.Errorf("%s: %w", s.Name, err))
				did = fmt.Sprintf("failed: %v", err)
			}
			e.Say("%s: %s", s.Name, did)
			if ctx.Err() != nil {
				break
			}
		}
		return failed
	}
}

// Closed tells since when a company is closed; ok is false if it isn't.
type Closed func(ctx context.Context, e *stage.Env, id tenant.ID) (since time.Time, ok bool, err error)

// Erasures is the step that erases each company that has been closed for longer than company.Grace. One that fails keeps none of the
// others.
func Erasures(closed Closed, erase func(ctx context.Context, e *stage.Env, id tenant.ID) error) Step {
	return Step{
		Name: "erase", Says: "erases companies that were closed 14 days ago or earlier",
		Run: func(ctx context.Context, e *stage.Env) (string, error) {
			last, err := companies.Last(ctx, e)
			if err != nil {
				return "", err
			}
			var done []tenant.ID
			var failed error
			for id := tenant.ID(1); id <= last && ctx.Err() == nil; id++ {
				since, ok, err := closed(ctx, e, id)
				if err == nil && (!ok || e.Now().Sub(since) < company.Grace) {
					continue
				}
				if err == nil {
					err = erase(ctx, e, id)
				}
				if err != nil {
					failed = errors.Join(failed, fmt.Errorf("company %d: %w", id, err))
					continue
				}
				done = append(done, id)
			}
			return fmt.Sprintf("%d companies were erased%s", len(done), listed(done)), errors.Join(failed, ctx.Err())
		},
	}
}

func listed(ids []tenant.ID) string {
	if len(ids) == 0 {
		return ""
	}
	return fmt.Sprint(": ", ids)
}
