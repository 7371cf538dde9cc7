package usage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/functions/tenants/standing"
	"github.com/tenantry/tenantry/functions/tenants/usage"
	"github.com/tenantry/tenantry/infra/operator/stage"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/keyspace"
	"github.com/tenantry/tenantry/shared/tenant"
)

// span is when a day begins and ends. Companies of one zone share it.
type span struct{ from, to int64 }

// collector counts days of companies.
type collector struct {
	e       *stage.Env
	logs    Logs
	traffic map[span]map[tenant.ID]Traffic // the logs are asked once for each span
}

// company is a company whose days are counted.
type counted struct {
	company.Company
	of   *table.Tenant
	zone *time.Location
}

// company reads a company; nil if it is not there.
func (c *collector) company(ctx context.Context, id tenant.ID) (*counted, error) {
	k := counted{of: c.e.Of(id)}
	err := k.of.Get(ctx, k.of.Company(), &k.Company)
	if errors.Is(err, table.ErrNotFound) {
		return nil, nil //nolint:nilnil // it was erased, or never made
	}
	if err != nil {
		return nil, err
	}
	k.zone, err = k.Zone()
	return &k, err
}

// settled is how long a day has to be over before it is counted: what was begun before midnight is written by then.
const settled = 15 * time.Minute

// last is the last day of a company that can be counted.
func (c *collector) last(k *counted) decode.Date {
	return usage.Yesterday(c.e.Now().Add(-settled), k.zone)
}

// missing are the days of a period that are over and not counted, none before the company was made.
func (c *collector) missing(ctx context.Context, k *counted, from, to decode.Date) (list []decode.Date, err error) {
	from = max(from, decode.Date(k.CreatedAt.In(k.zone).Format(time.DateOnly)))
	to = min(to, c.last(k))
	there, err := usage.Days(ctx, k.of, from, to)
	if err != nil || from > to {
		return nil, err
	}
	have := map[string]bool{}
	for _, d := range there {
		have[d.Date] = true
	}
	for day, _ := time.Parse(time.DateOnly, string(from)); ; day = day.AddDate(0, 0, 1) {
		date := day.Format(time.DateOnly)
		if date > string(to) {
			return list, nil
		}
		if !have[date] {
			list = append(list, decode.Date(date))
		}
	}
}

// count counts one day. What the company has is told of yesterday alone: nobody knows any more what it had before.
func (c *collector) count(ctx context.Context, k *counted, date decode.Date) error {
	from, to, err := usage.Span(date, k.zone)
	if err != nil {
		return err
	}
	d := usage.DayOf(k.of, date)
	day, _ := time.ParseInLocation(time.DateOnly, string(date), k.zone) // it is a day
	spent, err := usage.SpentOn(ctx, k.of, day)
	if err != nil {
		return err
	}
	d.SMS, d.Cost, d.Seals = spent.SMS, spent.Cost, spent.Seals
	at := span{from.UnixMilli(), to.UnixMilli()}
	if c.traffic[at] == nil {
		if c.traffic[at], err = c.logs.Between(ctx, from, to); err != nil {
			return err
		}
	}
	t := c.traffic[at][k.of.ID()]
	d.Messages, d.Requests, d.Read, d.Write = t.Messages, t.Requests, t.Read, t.Write
	if date == c.last(k) {
		stored, err := usage.Count(ctx, k.of)
		if err != nil {
			return err
		}
		if stored.FileBytes, err = c.files(ctx, k.of.ID()); err != nil {
			return err
		}
		if err := standing.Open(c.e.Conn).Judge(ctx, k.of.ID(), usage.Full(k.Company, stored), c.e.Now()); err != nil {
			return err
		}
		d.Stored = &stored
	}
	return d.Keep(ctx, k.of)
}

// files are the bytes of a company's objects, those aside that were replaced or deleted.
func (c *collector) files(ctx context.Context, id tenant.ID) (bytes int64, err error) {
	for _, f := range keyspace.Folders() {
		pages := s3.NewListObjectsV2Paginator(c.e.S3, &s3.ListObjectsV2Input{
			Bucket: &c.e.Bucket, Prefix: aws.String(f.Name + "/" + id.String() + "/"),
		})
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx)
			if err != nil {
				return 0, fmt.Errorf("the objects of company %d: %w", id, err)
			}
			for _, o := range page.Contents {
				bytes += aws.ToInt64(o.Size)
			}
		}
	}
	return bytes, nil
}
