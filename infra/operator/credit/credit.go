// Package credit is the operator's command that books what a company has paid for SMS. The reference is the operator's own, such as the
// number of a payment: the same one is booked once, however often the command is run.
//
// What never goes in here: what an account is (functions/sms/account).
package credit

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/sms/account"
	"github.com/tenantry/tenantry/infra/operator/stage"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/tenant"
)

// payment is what the flags say.
type payment struct {
	reference, comment string
	tenant             int64
	amount             money.Amount
}

const maxComment = 200

// read reads the flags.
func read(e *stage.Env, args []string) (p payment, err error) {
	flags := e.Flags("credit")
	flags.Int64Var(&p.tenant, "tenant", 0, "the `number` of the company")
	amount := flags.String("amount", "", "what was paid, in the currency of the company, such as 5000 or 5000.50")
	flags.StringVar(&p.reference, "reference", "", "what the payment is known by; the same is booked once")
	flags.StringVar(&p.comment, "comment", "", "what the company reads beside the amount, at most 200 characters")
	if err := stage.Parse(flags, args); err != nil {
		return p, err
	}
	if p.tenant <= 0 || *amount == "" {
		return p, errors.New("name -tenant, -amount and -reference")
	}
	if !regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._/:-]{0,63}$`).MatchString(p.reference) {
		return p, errors.New("-reference has to have 1 to 64 letters, digits and ._/:-, a letter or a digit first")
	}
	if len([]rune(p.comment)) > maxComment {
		return p, fmt.Errorf("-comment has more than %d characters", maxComment)
	}
	if err := stage.Printable("-comment", p.comment); err != nil {
		return p, err
	}
	if p.amount, err = money.ParseAmount(*amount); err != nil {
		return p, fmt.Errorf("-amount %s: %w", *amount, err)
	}
	if p.amount.IsZero() || p.amount.IsNegative() {
		return p, fmt.Errorf("-amount %s is not more than 0", *amount)
	}
	return p, nil
}

// Run books a payment. A company that isn't there gets no account.
func Run(ctx context.Context, e *stage.Env, args []string) error {
	p, err := read(e, args)
	if err != nil {
		return err
	}
	company, err := e.Company(ctx, tenant.ID(p.tenant))
	if err != nil {
		return err
	}
	if err := e.Ask(fmt.Sprintf("This books %s for SMS to company %d, %q, under the reference %s; a booking can't be undone.",
		p.amount, p.tenant, company.Name, p.reference)); err != nil {
		return err
	}
	var comment *string
	if p.comment != "" {
		comment = &p.comment
	}
	var r account.Receipt
	at := e.Now()
	scope := record.Scope{Table: e.Of(tenant.ID(p.tenant)), Now: e.Now, Actor: audit.Actor{Request: uuid.NewString(), At: at}}
	if err := scope.Do(ctx, nil, func(w *record.Work) (err error) {
		r, err = account.Receive(ctx, w, p.reference, p.amount, comment)
		return err
	}); err != nil {
		return err
	}
	how := "booked before"
	if r.New {
		how = "booked"
	}
	e.Say("company %d: %s %s as operation %d", p.tenant, r.Amount, how, r.Operation)
	return nil
}
