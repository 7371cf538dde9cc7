// Command topup books what a company has paid for SMS. The reference is the operator's own, such as the number of a payment: the same
// one is booked once, however often the command is run.
//
//	go run ./infra/topup -table NAME -tenant 7 -amount 5000 -reference kaspi-2026-0042 [-comment 'Invoice 42']
//
// DYNAMODB_ENDPOINT names an engine other than AWS's own. docs/operations.md says with which role it runs.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/sms/account"
	"github.com/tenantry/tenantry/infra/command"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

func main() { command.Main("topup", run) }

// payment is what the flags say.
type payment struct {
	table, reference, comment string
	tenant                    int64
	amount                    money.Amount
}

const maxComment = 200

// read reads the flags.
func read(args []string) (p payment, err error) {
	flags := flag.NewFlagSet("topup", flag.ContinueOnError)
	flags.StringVar(&p.table, "table", "", "the `name` of the table")
	flags.Int64Var(&p.tenant, "tenant", 0, "the `number` of the company")
	amount := flags.String("amount", "", "what was paid, in the currency of the company, such as 5000 or 5000.50")
	flags.StringVar(&p.reference, "reference", "", "what the payment is known by; the same is booked once")
	flags.StringVar(&p.comment, "comment", "", "what the company reads beside the amount, at most 200 characters")
	if err := flags.Parse(args); err != nil {
		return p, err
	}
	if flags.NArg() > 0 { // such as the 000 of an amount that was written as 5 000
		return p, fmt.Errorf("%q belongs to no flag: quote what has spaces", flags.Arg(0))
	}
	if p.table == "" || p.tenant <= 0 || *amount == "" {
		return p, errors.New("name -table, -tenant, -amount and -reference")
	}
	if !regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._/:-]{0,63}$`).MatchString(p.reference) {
		return p, errors.New("-reference has to have 1 to 64 letters, digits and ._/:-, a letter or a digit first")
	}
	if len([]rune(p.comment)) > maxComment {
		return p, fmt.Errorf("-comment has more than %d characters", maxComment)
	}
	if p.amount, err = money.ParseAmount(*amount); err != nil {
		return p, fmt.Errorf("-amount %s: %w", *amount, err)
	}
	return p, nil
}

func run(ctx context.Context, args []string, out io.Writer) error {
	p, err := read(args)
	if err != nil {
		return err
	}
	settings, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return err
	}
	of := table.Of(table.Connect(settings, os.Getenv("DYNAMODB_ENDPOINT"), p.table), tenant.ID(p.tenant))
	r, err := book(ctx, of, p, time.Now, out)
	if err != nil {
		return err
	}
	how := "booked before"
	if r.New {
		how = "booked"
	}
	_, err = fmt.Fprintf(out, "company %d: %s %s as operation %d\n", p.tenant, r.Amount, how, r.Operation)
	return err
}

// book says what the company is called, and books a payment. A company that isn't there gets no account.
func book(ctx context.Context, of *table.Tenant, p payment, now func() time.Time, out io.Writer) (r account.Receipt, err error) {
	var company struct {
		table.Item
		Name string `dynamo:"n"`
	}
	if err := of.Get(ctx, of.Company(), &company); errors.Is(err, table.ErrNotFound) {
		return r, fmt.Errorf("there is no company %d", p.tenant)
	} else if err != nil {
		return r, err
	}
	if _, err := fmt.Fprintf(out, "company %d is %q\n", p.tenant, company.Name); err != nil {
		return r, err
	}
	var comment *string
	if p.comment != "" {
		comment = &p.comment
	}
	scope := record.Scope{Table: of, Now: now, Actor: audit.Actor{Request: uuid.NewString(), At: now()}}
	err = scope.Do(ctx, nil, func(w *record.Work) (err error) {
		r, err = account.Receive(ctx, w, p.reference, p.amount, comment)
		return err
	})
	return r, err
}
