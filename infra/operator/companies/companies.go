// Package companies is the operator's command that lists the companies of a stage.
//
// What never goes in here: anything that writes.
package companies

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/guregu/dynamo/v2"
	"golang.org/x/sync/errgroup"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/infra/operator/stage"
	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/keyspace"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Company is what is told of a company.
type Company struct {
	ID    tenant.ID `json:"id"`
	Name  string    `json:"name"`
	State string    `json:"state"`
	// Before is what shows again once the state is taken back: an owner has closed what the host has suspended, or the other way round.
	Before  string `json:"before,omitempty"`
	Members int    `json:"members"`
	Records int    `json:"records"` // that live, of all kinds
	Objects int    `json:"objects"` // of the bucket, as they are now
	Bytes   int64  `json:"bytes"`   // of these
	// Used is when a record of the company was last written, by the index of changes: what is only read leaves no trace that costs less
	// than a query of the logs. Null if none ever was.
	Used *time.Time `json:"used"`
}

// Last is the last number that the stage has given to a company.
func Last(ctx context.Context, e *stage.Env) (tenant.ID, error) {
	var last struct {
		table.Item
		N int64 `dynamo:"n"`
	}
	err := crosstenant.Open(e.Conn).Get(ctx, crosstenant.Tenants(), &last)
	if err != nil && !errors.Is(err, table.ErrNotFound) {
		return 0, err
	}
	return tenant.ID(last.N), nil
}

// Run lists the companies.
func Run(ctx context.Context, e *stage.Env, args []string) error {
	flags := e.Flags("companies")
	asJSON := flags.Bool("json", false, "a line of JSON for each company")
	only := flags.Int64("tenant", 0, "the `number` of one company; without it, all")
	if err := stage.Parse(flags, args); err != nil {
		return err
	}
	if err := e.NeedsBucket(); err != nil {
		return err
	}
	first, last := tenant.ID(1), tenant.ID(*only)
	if *only < 0 {
		return fmt.Errorf("-tenant %d is no company", *only)
	}
	if *only > 0 {
		first = last
	} else if all, err := Last(ctx, e); err != nil {
		return err
	} else {
		last = all
	}
	if !*asJSON {
		e.Say("%8s  %-19s %7s %9s %9s %14s  %-16s  %s",
			"company", "state", "members", "records", "objects", "bytes", "last written", "name")
	}
	n := 0
	for id := first; id <= last; id++ {
		c, there, err := Look(ctx, e, id)
		if err != nil {
			return fmt.Errorf("company %d: %w", id, err)
		}
		if !there { // it was erased, or its registration broke off
			continue
		}
		n++
		if err := tell(e, c, *asJSON); err != nil {
			return err
		}
	}
	if *only > 0 && n == 0 {
		return fmt.Errorf("there is no company %d", *only)
	}
	return nil
}

func tell(e *stage.Env, c Company, asJSON bool) error {
	if asJSON {
		text, err := json.Marshal(c)
		if err == nil {
			e.Say("%s", text)
		}
		return err
	}
	used := "never"
	if c.Used != nil {
		used = c.Used.Format("2006-01-02 15:04")
	}
	state := c.State
	if c.Before != "" {
		state += ", " + c.Before
	}
	e.Say("%8d  %-19s %7d %9d %9d %14d  %-16s  %s", c.ID, state, c.Members, c.Records, c.Objects, c.Bytes, used, stage.Plain(c.Name))
	return nil
}

// Look finds out what is told of a company; there is false if there is none with the number.
func Look(ctx context.Context, e *stage.Env, id tenant.ID) (c Company, there bool, err error) {
	of := e.Of(id)
	var item company.Company
	if err := of.Get(ctx, of.Company(), &item); errors.Is(err, table.ErrNotFound) {
		return c, false, nil
	} else if err != nil {
		return c, false, err
	}
	c = Company{ID: id, Name: item.Name, State: item.State.Shown()}
	if layers := item.Layers(); len(layers) > 1 {
		c.Before = layers[1].Shown()
	}
	if c.Members, err = of.Table().Get("pk", of.Member(0).PK).Count(ctx); err != nil {
		return c, false, err
	}
	if c.Records, c.Used, err = records(ctx, e, of); err != nil {
		return c, false, err
	}
	c.Objects, c.Bytes, err = objects(ctx, e, id)
	return c, err == nil, err
}

// atOnce is how many kinds of a company are asked for at a time.
const atOnce = 8

// records counts the live records of all kinds, and finds out when one of a kind that has any was last written.
func records(ctx context.Context, e *stage.Env, of *table.Tenant) (n int, used *time.Time, err error) {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	var mu sync.Mutex
	for _, k := range e.Conn.Space().Kinds() {
		group.Go(func() error {
			count, err := listing.Of(of, k.Code, nil).Count(ctx)
			if err != nil || count == 0 {
				return err
			}
			at, err := written(ctx, of, of.Records(k.Code))
			mu.Lock()
			defer mu.Unlock()
			if n += count; !at.IsZero() && (used == nil || at.After(*used)) {
				used = &at
			}
			return err
		})
	}
	err = group.Wait()
	return n, used, err
}

// written is when a record of a kind was last written, by the index of changes.
func written(ctx context.Context, of *table.Tenant, records string) (at time.Time, err error) {
	var last struct {
		Changed int64 `dynamo:"xm"`
	}
	err = of.Table().Get("ix", records).Range("xm", dynamo.LessOrEqual, math.MaxInt64).Index("changes").Order(dynamo.Descending).
		Limit(1).One(ctx, &last)
	if errors.Is(err, dynamo.ErrNotFound) {
		return time.Time{}, nil
	}
	return time.UnixMicro(last.Changed).UTC(), err
}

// objects counts what a company has in the bucket, without the versions that were replaced or deleted.
func objects(ctx context.Context, e *stage.Env, id tenant.ID) (n int, bytes int64, err error) {
	for _, folder := range keyspace.Folders() {
		pages := s3.NewListObjectsV2Paginator(e.S3, &s3.ListObjectsV2Input{
			Bucket: &e.Bucket, Prefix: aws.String(folder.Name + "/" + id.String() + "/"),
		})
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx)
			if err != nil {
				return 0, 0, err
			}
			for _, o := range page.Contents {
				n, bytes = n+1, bytes+aws.ToInt64(o.Size)
			}
		}
	}
	return n, bytes, nil
}
