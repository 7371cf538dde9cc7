package erase

import (
	"context"
	"errors"

	"github.com/tenantry/tenantry/infra/operator/estate"
	"github.com/tenantry/tenantry/infra/operator/stage"
	"github.com/tenantry/tenantry/shared/tenant"
)

// logDays is for how long logs are kept unless the stage's LogRetentionDays says otherwise.
const logDays = 30

// Command erases a company.
func Command(ctx context.Context, e *stage.Env, args []string) error {
	flags := e.Flags("erase")
	id := flags.Int64("tenant", 0, "the `number` of the company")
	atOnce := flags.Bool("now", false, "don't wait until the company has rested for a quarter of an hour: nothing of it runs any more")
	days := flags.Int("log-days", logDays, "for how many `days` the stage keeps logs, for the report")
	if err := stage.Parse(flags, args); err != nil {
		return err
	}
	if *id <= 0 {
		return errors.New("name the company with -tenant")
	}
	if err := e.NeedsBucket(); err != nil {
		return err
	}
	eraser := &Eraser{
		Estates: estate.Open(e.Conn, estate.Bucket{API: e.S3, Name: e.Bucket}), Now: e.Now, AtOnce: *atOnce,
	}
	if err := eraser.Plan(ctx, tenant.ID(*id), e.Out); err != nil {
		return err
	}
	if err := e.Ask(); err != nil {
		return err
	}
	report, err := eraser.Run(ctx, tenant.ID(*id))
	if report != nil {
		err = errors.Join(err, report.Print(e.Out, *days))
	}
	return err
}
