package restore

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/pack"
	"github.com/tenantry/tenantry/infra/operator/estate"
	"github.com/tenantry/tenantry/infra/operator/stage"
	"github.com/tenantry/tenantry/infra/operator/tableexport"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

// memory is how many bytes of segments are kept while they are made.
const memory = 1 << 30

// Command restores a company from a copy of the table, or from an export of it.
func Command(ctx context.Context, e *stage.Env, args []string) error {
	flags := e.Flags("restore")
	id := flags.Int64("tenant", 0, "the `number` of the company in the copy")
	from := flags.String("from", "", "the `name` of the copy: a table that was restored to a point in time, or imported from an export")
	export := flags.String("export", "", "instead, the `place` of an export of the table: s3://BUCKET/PREFIX/AWSDynamoDB/ID, or a folder")
	as := flags.String("as", "", "`new`, to have it stand beside the company that there is, or the number that an earlier run gave it")
	atOnce := flags.Bool("now", false, "don't wait until the company has rested for a quarter of an hour: nothing of it runs any more")
	instead := flags.Bool("instead", false, "go on although a restore from another copy has not ended")
	if err := stage.Parse(flags, args); err != nil {
		return err
	}
	if *id <= 0 || (*from == "") == (*export == "") {
		return errors.New("name the company with -tenant, and either the copy of the table with -from or its export with -export")
	}
	if *from == e.Table {
		return errors.New("-from is the stage's own table: name the copy")
	}
	if err := e.NeedsBucket(); err != nil {
		return err
	}
	r, was, is := Of(e), tenant.ID(*id), tenant.ID(*id)
	r.AtOnce, r.Instead = *atOnce, *instead
	if *as != "" && *as != "new" {
		number, err := strconv.ParseInt(*as, 10, 64)
		if err != nil || number <= 0 {
			return fmt.Errorf("-as %s is neither new nor a number", *as)
		}
		is = tenant.ID(number)
	}
	if *export == "" {
		r.From, r.Copy = estate.Open(table.Open(e.DB, *from), estate.Bucket{}), *from
		if _, err := r.From.Company(ctx, was); errors.As(err, new(*types.ResourceNotFoundException)) {
			return fmt.Errorf("there is no table %s", *from)
		}
	} else if err := r.reads(ctx, e, *export, was); err != nil {
		return err
	}
	if *as != "new" {
		if err := r.Ready(ctx, was, is); err != nil {
			return err
		}
	}
	if err := r.Plan(ctx, was, is, *as == "new", e.Out); err != nil {
		return err
	}
	if err := e.Ask(); err != nil {
		return err
	}
	if *as == "new" {
		is = 0
	}
	if err := r.Restore(ctx, e, was, is); err != nil {
		return err
	}
	if *export == "" {
		e.Say("Delete the copy: it is paid by its size.")
	} else {
		e.Say("Delete the export: it is paid by its size, and holds all companies.")
	}
	return nil
}

// Of is a restorer of a stage, which has no copy yet.
func Of(e *stage.Env) Restorer {
	return Restorer{
		To: estate.Open(e.Conn, estate.Bucket{API: e.S3, Name: e.Bucket}), Now: e.Now,
		Segments: Segments(app.Env{
			Table: e.Conn, Files: e.Files, Now: e.Now, NewUUID: uuid.New, Config: app.Config{SearchMemory: memory},
		}),
	}
}

// reads makes what an export has of a company the copy. It is one of the stage's table, or of a copy of that, in the same account and
// region: stages elsewhere may have tables of the same name. The whole export is read and compared with what it says of itself: what is
// damaged is refused before anything is written.
func (r *Restorer) reads(ctx context.Context, e *stage.Env, place string, was tenant.ID) error {
	x, err := tableexport.Open(ctx, e.S3, place)
	if err != nil {
		return err
	}
	told, err := e.DB.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &e.Table})
	if err != nil {
		return fmt.Errorf("restore: the stage's table: %w", err)
	}
	if ours := aws.ToString(told.Table.TableArn); x.Of != ours && !strings.HasPrefix(x.Of, ours+"-") {
		return fmt.Errorf("%w: the export is of the table %s, and this stage has %s", ErrRefused, x.Of, ours)
	}
	e.Say("The export is of the table %s, of %s. It is read whole.", x.Of, x.At.UTC().Format("2006-01-02 15:04:05 MST"))
	items, err := x.Company(ctx, was)
	if err != nil {
		return err
	}
	r.From, r.Copy = estate.Open(table.Open(items, x.Table), estate.Bucket{}), x.ARN
	return nil
}

// Restore restores a company of the copy under a number, or under a new one where that is 0, and prints what it did.
func (r *Restorer) Restore(ctx context.Context, e *stage.Env, was, is tenant.ID) (err error) {
	if is == 0 {
		if err = r.Dry(ctx, was); err != nil {
			return err
		}
		if is, err = r.Number(ctx, was); err != nil {
			return err
		}
		e.Say("Its number is %d. If this is interrupted, go on with -as %d.", is, is)
	}
	report, err := r.Run(ctx, was, is)
	if err != nil {
		return err
	}
	return report.Print(e.Out)
}

// Segments has what is searched of a company made anew from its records, and compares both.
func Segments(env app.Env) func(context.Context, *table.Tenant) error {
	return func(ctx context.Context, of *table.Tenant) error {
		m := pack.Merger(env)
		for _, kind := range m.Kinds() {
			if err := m.Anew(ctx, of, kind, pack.Wait(ctx)); err != nil {
				return fmt.Errorf("restore: segments of %s: %w", kind, err)
			}
			d, err := m.Compare(ctx, of, kind)
			if err != nil {
				return fmt.Errorf("restore: segments of %s: %w", kind, err)
			}
			if d.Any() {
				return fmt.Errorf("the search of %s knows other records than there are: %d lacking, %d other, %d ghosts",
					kind, len(d.Lacking), len(d.Other), len(d.Ghosts))
			}
		}
		return nil
	}
}
