package main

import (
	"github.com/tenantry/tenantry/infra/operator/archive"
	"github.com/tenantry/tenantry/infra/operator/companies"
	"github.com/tenantry/tenantry/infra/operator/credit"
	"github.com/tenantry/tenantry/infra/operator/erase"
	"github.com/tenantry/tenantry/infra/operator/nightly"
	"github.com/tenantry/tenantry/infra/operator/plan"
	"github.com/tenantry/tenantry/infra/operator/rebuild"
	"github.com/tenantry/tenantry/infra/operator/redrive"
	"github.com/tenantry/tenantry/infra/operator/restore"
	"github.com/tenantry/tenantry/infra/operator/rotate"
	"github.com/tenantry/tenantry/infra/operator/stage"
	"github.com/tenantry/tenantry/infra/operator/suspend"
	used "github.com/tenantry/tenantry/infra/operator/usage"
)

// commands are the operator's commands, in the order in which they are listed.
func commands() []stage.Command {
	return []stage.Command{
		{Name: "companies", Says: "list the companies of the stage", Run: companies.Run},
		{Name: "suspend", Says: "suspend a company, wholly or for all but reading", Run: suspend.Run},
		{Name: "resume", Says: "resume a company that is suspended or closed", Run: suspend.Resume},
		{Name: "credit", Says: "book what a company has paid for SMS", Run: credit.Run},
		{Name: "plan", Says: "show and set what a company may have and use", Run: plan.Run},
		{Name: "usage", Says: "count what companies had and used by day, and print it", Run: used.Run},
		{Name: "redrive", Says: "list messages that were given up, and put them back", Run: redrive.Run},
		{Name: "rotate", Says: "tell how keys stand, make the next one, and have one deleted that is used no more", Run: rotate.Run},
		{Name: "rebuild", Says: "make anew what differs from the records of a company: counters, entries, segments", Run: rebuild.Run},
		{Name: "nightly", Says: "do what is due, as the schedule does", Run: nightly.Command(steps()...)},
		{Name: "erase", Says: "erase a company that is suspended or closed, and prove it", Run: erase.Command},
		{Name: "export", Says: "write all that a company has into a folder", Run: archive.ExportCommand},
		{Name: "import", Says: "make a company of such a folder, here or on another stage", Run: archive.ImportCommand},
		{Name: "restore", Says: "bring a company back from an export or a copy of the table", Run: restore.Command},
	}
}

// steps are what is done nightly.
func steps() []nightly.Step {
	return []nightly.Step{
		{Name: "usage", Says: "counts what companies had and used on days that are over", Run: used.Nightly},
		nightly.Erasures(erase.Closed, erase.Company),
	}
}
