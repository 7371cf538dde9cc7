package usage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/table"
)

// Day is what a company had and used on a day. It is written once, and never changes.
type Day struct {
	table.Item
	Date string `dynamo:"d"` // as 2026-11-27, in the company's zone
	// Stored is what the company had when the day was counted; nil if that was too late to tell.
	Stored   *Stored      `dynamo:"st,omitempty"`
	SMS      int64        `dynamo:"s"`
	Cost     money.Amount `dynamo:"c"`
	Seals    int64        `dynamo:"se"`
	Messages int64        `dynamo:"m"`
	Requests int64        `dynamo:"q"`
	Read     float64      `dynamo:"ru"` // units of the table
	Write    float64      `dynamo:"wu"`
}

// Stored is what a company has at one moment.
type Stored struct {
	Records int64 `dynamo:"r"` // live ones of all kinds
	// RecordBytes is what they take: an estimate.
	RecordBytes int64 `dynamo:"b"`
	FileBytes   int64 `dynamo:"f"` // of the objects in the bucket
	Members     int64 `dynamo:"m"`
}

const dayVersion = 1

// DayOf is an empty day of a company.
func DayOf(t *table.Tenant, date decode.Date) Day {
	return Day{Item: table.At(t.UsageDay(string(date)), dayVersion), Date: string(date)}
}

// Keep writes a day, unless it is there already: whoever counts it again changes nothing. Of a company that went meanwhile nothing is
// kept.
func (d Day) Keep(ctx context.Context, t *table.Tenant) error {
	err := t.Write(ctx, func(tx *table.Tx, _ int) error {
		tx.Put(t.Create(d), errKept)
		tx.Check(company.Remains(t), errGone)
		return nil
	})
	if errors.Is(err, errKept) || errors.Is(err, errGone) {
		return nil
	}
	return err
}

var (
	errKept = errors.New("usage: the day is counted")
	errGone = errors.New("usage: the company is gone")
)

// Days reads the days of a period that are counted, in order, in one call for each MB.
func Days(ctx context.Context, t *table.Tenant, from, to decode.Date) (list []Day, err error) {
	if from > to {
		return nil, nil
	}
	q := t.Table().Get("pk", t.UsageDays()).Range("sk", dynamo.Between, string(from), string(to))
	if err := q.Order(dynamo.Ascending).All(ctx, &list); err != nil {
		return nil, fmt.Errorf("usage: days of company %d: %w", t.ID(), err)
	}
	return list, nil
}

// Yesterday is the last day of a zone that is over.
func Yesterday(now time.Time, zone *time.Location) decode.Date {
	return decode.Date(now.In(zone).AddDate(0, 0, -1).Format(time.DateOnly))
}

// Span is when a day begins and ends in a zone.
func Span(date decode.Date, zone *time.Location) (from, to time.Time, err error) {
	day, err := time.ParseInLocation(time.DateOnly, string(date), zone)
	if err != nil {
		return from, to, fmt.Errorf("usage: %w", err)
	}
	return day, time.Date(day.Year(), day.Month(), day.Day()+1, 0, 0, 0, 0, zone), nil
}
