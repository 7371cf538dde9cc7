// Command repack compares what the search of a company knows with the company's records, and makes its segments anew from
// these. It prints a line for each kind, with the ids of up to 20 records that differ, and ends with 1 if any did.
//
//	go run ./infra/repack -table NAME -bucket NAME -tenant 7 [-kind cli] [-compare]
//
// DYNAMODB_ENDPOINT and S3_ENDPOINT name engines other than AWS's own. It reads all records of the kinds; searches go on
// meanwhile.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/pack"
	"github.com/tenantry/tenantry/infra/command"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/search"
)

func main() { command.Main("repack", run) }

// memory is how many bytes of segments are kept meanwhile.
const memory = 1 << 30

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("repack", flag.ContinueOnError)
	of := command.Define(flags)
	only := flags.String("kind", "", "the `code` of one kind, as keys have it; without it, all kinds that are searched")
	compare := flags.Bool("compare", false, "compare only, and make nothing anew")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if !of.Complete() {
		return errors.New("name -table, -bucket and -tenant")
	}
	company, err := of.Open(ctx)
	if err != nil {
		return err
	}
	m := pack.Merger(app.Env{
		Table: company.Conn, Files: company.Files, Now: time.Now, NewUUID: uuid.New, Config: app.Config{SearchMemory: memory},
	})
	list := m.Kinds()
	if *only != "" {
		if list = []kinds.Code{kinds.Code(*only)}; !slices.Contains(m.Kinds(), list[0]) {
			return fmt.Errorf("%s is no kind that is searched: %v", *only, m.Kinds())
		}
	}
	same := true
	for _, kind := range list {
		d, err := m.Compare(ctx, company.Table, kind)
		switch {
		case err != nil:
			same = false
			fmt.Fprintf(out, "%s: %v\n", kind, err)
		case !d.Built:
			fmt.Fprintf(out, "%s: no segments\n", kind)
		default:
			same = same && !d.Any()
			tell(out, kind, d)
		}
		if *compare {
			continue
		}
		if err := m.Anew(ctx, company.Table, kind, pack.Wait(ctx)); err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
	}
	if !same {
		return command.ErrFound
	}
	return nil
}

// tell prints what differs.
func tell(out io.Writer, kind kinds.Code, d search.Difference) {
	fmt.Fprintf(out, "%s: %d records in %d segments: %d lacking%s, %d other%s, %d ghosts%s\n", kind, d.Records, d.Segments,
		len(d.Lacking), some(d.Lacking), len(d.Other), some(d.Other), len(d.Ghosts), some(d.Ghosts))
}

// some are the first ids of a list.
func some(ids []int64) string {
	const most = 20
	if len(ids) == 0 {
		return ""
	}
	return fmt.Sprint(" ", ids[:min(len(ids), most)])
}
