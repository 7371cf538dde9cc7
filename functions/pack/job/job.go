// Package job is what the function pack is asked and answers, and how the function bulk asks it.
//
// What never goes in here: how segments are made (shared/record/search).
package job

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tenantry/tenantry/shared/invoke"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Request asks for the segments of one kind of a company's records to be brought up to date.
type Request struct {
	Company tenant.ID  `json:"company"`
	Kind    kinds.Code `json:"kind"`
	Check   bool       `json:"check,omitempty"` // read all segments, and make them anew if one is broken
}

// Answer says whether it was all.
type Answer struct {
	Again time.Time `json:"again,omitzero"` // when to ask again; zero if there is nothing more to do
}

// Work carries out the messages that ask for merges, by calling the function.
func Work(pack invoke.Function) outbox.Work {
	return outbox.Work{search.MergeMessage: func(ctx context.Context, m outbox.Message) error {
		kind, check := strings.CutSuffix(m.Body, search.CheckSign)
		company, ok := m.Tenant()
		if !ok || kinds.Of(kinds.Code(kind)).Code == "" {
			return fmt.Errorf("%w: %s names no kind: %q", outbox.ErrDrop, m.Kind, m.Body)
		}
		var a Answer
		if err := pack.Ask(ctx, Request{Company: company, Kind: kinds.Code(kind), Check: check}, &a); err != nil {
			return fmt.Errorf("pack: %w", err)
		}
		if !a.Again.IsZero() {
			return outbox.Later{Until: a.Again}
		}
		return nil
	}}
}
