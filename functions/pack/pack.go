// Package pack is the function that makes segments of what is searched: the function bulk calls it for the messages that ask for
// merges. No other function writes segments, and knows what of each kind of records is searched.
//
// What never goes in here: how segments are made and read (shared/record/search).
package pack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/functions/pack/job"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/invoke"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Merger returns what makes the segments of all kinds that are searched.
func Merger(env app.Env) *search.Merger {
	return search.NewMerger(env.Table, env.Files, env.Now, env.NewUUID, env.Config.SearchMemory, searched()...)
}

// lost is what is logged about segments that are made anew because some are missing or broken.
type lost struct {
	Level    string     `json:"level"`
	Function string     `json:"function"`
	Tenant   tenant.ID  `json:"tenant"`
	Kind     kinds.Code `json:"kind"`
	Result   string     `json:"result"`
	Error    string     `json:"error"`
}

// Wait returns what Merger.Anew of a command waits with, by the clock of the machine.
func Wait(ctx context.Context) func(until time.Time) error {
	return func(until time.Time) error {
		select {
		case <-time.After(time.Until(until)): //nolint:forbidigo // a command has the real clock
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// New returns the function. It takes a job.Request and answers with a job.Answer.
func New(env app.Env) invoke.Function {
	merger := Merger(env)
	merger.Lost = func(company tenant.ID, kind kinds.Code, why error) {
		encoded, _ := json.Marshal(lost{ // numbers and texts: it can't fail
			Level: "error", Function: "pack", Tenant: company, Kind: kind, Result: "anew", Error: why.Error(),
		})
		_, _ = env.Log.Write(append(encoded, '\n')) // a failure of the log can't be logged
	}
	return func(ctx context.Context, payload []byte) ([]byte, error) {
		var r job.Request
		if err := json.Unmarshal(payload, &r); err != nil || r.Company <= 0 {
			return nil, fmt.Errorf("pack: no request: %q", payload)
		}
		var answer job.Answer
		err := merger.Merge(ctx, table.Of(env.Table, r.Company), r.Kind, r.Check)
		if later := (outbox.Later{}); errors.As(err, &later) {
			answer.Again, err = later.Until, nil
		}
		if err != nil {
			return nil, err
		}
		return json.Marshal(answer)
	}
}
