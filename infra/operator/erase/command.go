package erase

import (
	"context"
	"errors"
	"time"

	"github.com/tenantry/tenantry/infra/operator/estate"
	"github.com/tenantry/tenantry/infra/operator/stage"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Command erases a company.
func Command(ctx context.Context, e *stage.Env, args []string) error {
	flags := e.Flags("erase")
	id := flags.Int64("tenant", 0, "the `number` of the company")
	atOnce := flags.Bool("now", false, "don't wait until the company has rested for a quarter of an hour: nothing of it runs any more")
	unfinished := flags.Bool("unfinished", false, "erase a company also if a restore or an import of it has not ended, and end that")
	if err := stage.Parse(flags, args); err != nil {
		return err
	}
	if *id <= 0 {
		return errors.New("name the company with -tenant")
	}
	if err := e.NeedsBucket(); err != nil {
		return err
	}
	eraser := of(e)
	eraser.AtOnce, eraser.Unfinished = *atOnce, *unfinished
	if err := eraser.Plan(ctx, tenant.ID(*id), e.Out); err != nil {
		return err
	}
	if err := e.Ask(); err != nil {
		return err
	}
	report, err := eraser.Run(ctx, tenant.ID(*id))
	if report != nil {
		err = errors.Join(err, report.Print(e.Out))
	}
	if err == nil && *unfinished {
		e.Say("A restore or an import that was just storing a file may have stored it after that. Run this again once nothing of it runs.")
	}
	return err
}

func of(e *stage.Env) *Eraser {
	return &Eraser{Estates: estate.Open(e.Conn, estate.Bucket{API: e.S3, Name: e.Bucket}), Now: e.Now}
}

// Company erases a company, as a step of what is done nightly.
func Company(ctx context.Context, e *stage.Env, id tenant.ID) error {
	if err := e.NeedsBucket(); err != nil {
		return err
	}
	report, err := of(e).Run(ctx, id)
	if report != nil {
		err = errors.Join(err, report.Print(e.Out))
	}
	return err
}

// Closed tells since when a company is closed. One that is being erased is closed for ever: an earlier night did not end it.
func Closed(ctx context.Context, e *stage.Env, id tenant.ID) (since time.Time, ok bool, err error) {
	company, err := of(e).Estates.Company(ctx, id)
	if err != nil || company == nil {
		return since, false, err
	}
	switch state, at := Standing(company); state {
	case Erasing:
		return since, true, nil
	case "closed":
		return at, true, nil
	}
	return since, false, nil
}
