package main

import (
	"github.com/tenantry/tenantry/infra/operator/companies"
	"github.com/tenantry/tenantry/infra/operator/credit"
	"github.com/tenantry/tenantry/infra/operator/plan"
	"github.com/tenantry/tenantry/infra/operator/redrive"
	"github.com/tenantry/tenantry/infra/operator/stage"
	used "github.com/tenantry/tenantry/infra/operator/usage"
)

// commands are the operator's commands, in the order in which they are listed.
func commands() []stage.Command {
	return []stage.Command{
		{Name: "companies", Says: "list the companies of the stage", Run: companies.Run},
		{Name: "credit", Says: "book what a company has paid for SMS", Run: credit.Run},
		{Name: "plan", Says: "show and set what a company may have and use", Run: plan.Run},
		{Name: "redrive", Says: "list messages that were given up, and put them back", Run: redrive.Run},
		{Name: "usage", Says: "count what companies had and used by day, and print it", Run: used.Run},
	}
}
