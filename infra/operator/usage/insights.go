package usage

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs/types"

	"github.com/tenantry/tenantry/infra/operator/stage"
	"github.com/tenantry/tenantry/shared/tenant"
)

// insightsAPI is what of CloudWatch Logs is called.
type insightsAPI interface {
	cloudwatchlogs.DescribeLogGroupsAPIClient
	StartQuery(context.Context, *cloudwatchlogs.StartQueryInput, ...func(*cloudwatchlogs.Options)) (*cloudwatchlogs.StartQueryOutput, error)
	GetQueryResults(
		context.Context, *cloudwatchlogs.GetQueryResultsInput, ...func(*cloudwatchlogs.Options),
	) (*cloudwatchlogs.GetQueryResultsOutput, error)
}

const (
	mostGroups = 50     // that one query reads
	mostRows   = 10_000 // that one query answers
	shortest   = time.Minute
	pause      = time.Second
)

// insights is a stage's logs on AWS, by CloudWatch Logs Insights.
type insights struct {
	api    insightsAPI
	groups []string
	pause  time.Duration // between two looks at a query
}

// onAWS finds the log groups of the stage's functions.
func onAWS(ctx context.Context, e *stage.Env) (Logs, error) {
	if e.Stack == nil {
		return nil, stage.ErrNoStack
	}
	one, err := e.Stack.Resource(ctx, "SmsLog")
	if err != nil {
		return nil, err
	}
	return openInsights(ctx, cloudwatchlogs.NewFromConfig(e.At("LOGS")), path.Dir(one)+"/", pause)
}

func openInsights(ctx context.Context, api insightsAPI, prefix string, every time.Duration) (*insights, error) {
	i := &insights{api: api, pause: every}
	pages := cloudwatchlogs.NewDescribeLogGroupsPaginator(api, &cloudwatchlogs.DescribeLogGroupsInput{LogGroupNamePrefix: &prefix})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("the log groups below %s: %w", prefix, err)
		}
		for _, g := range page.LogGroups {
			i.groups = append(i.groups, aws.ToString(g.LogGroupName))
		}
	}
	if n := len(i.groups); n == 0 || n > mostGroups {
		return nil, fmt.Errorf("%d log groups are below %s: one query reads 1 to %d", n, prefix, mostGroups)
	}
	return i, nil
}

// Between asks once for a span of time. Where there are more rows than an answer has room for, it asks for each half.
func (i *insights) Between(ctx context.Context, from, to time.Time) (map[tenant.ID]Traffic, error) {
	rows, err := i.ask(ctx, from, to)
	if err != nil {
		return nil, err
	}
	all := map[tenant.ID]Traffic{}
	if len(rows) < mostRows {
		for _, r := range rows {
			add(all, r)
		}
		return all, nil
	}
	if to.Sub(from) < shortest {
		return nil, fmt.Errorf("the logs have more than %d companies and kinds in %s", mostRows, to.Sub(from))
	}
	middle := from.Add(to.Sub(from) / 2).Truncate(time.Second)
	for _, half := range [][2]time.Time{{from, middle}, {middle, to}} {
		some, err := i.Between(ctx, half[0], half[1])
		if err != nil {
			return nil, err
		}
		for id, t := range some {
			was := all[id]
			all[id] = Traffic{was.Requests + t.Requests, was.Messages + t.Messages, was.Read + t.Read, was.Write + t.Write}
		}
	}
	return all, nil
}

// query sums up the lines of requests and of messages. The span of a query has whole seconds and both ends, so the text has the span too.
const query = `filter tenant > 0 and @timestamp >= %d and @timestamp < %d
| stats count(Route) as requests, count(*) as lines, sum(ReadUnits) as rr, sum(WriteUnits) as rw,
  sum(read_units) as mr, sum(write_units) as mw
  by tenant, kind, result
| limit %d`

func (i *insights) ask(ctx context.Context, from, to time.Time) ([]row, error) {
	started, err := i.api.StartQuery(ctx, &cloudwatchlogs.StartQueryInput{
		LogGroupNames: i.groups, StartTime: aws.Int64(from.Unix()), EndTime: aws.Int64(to.Unix()),
		QueryString: aws.String(fmt.Sprintf(query, from.UnixMilli(), to.UnixMilli(), mostRows)),
	})
	if err != nil {
		return nil, fmt.Errorf("the query of the logs: %w", err)
	}
	for {
		out, err := i.api.GetQueryResults(ctx, &cloudwatchlogs.GetQueryResultsInput{QueryId: started.QueryId})
		if err != nil {
			return nil, fmt.Errorf("the answer of the logs: %w", err)
		}
		switch out.Status {
		case types.QueryStatusComplete:
			return rowsOf(out.Results)
		case types.QueryStatusScheduled, types.QueryStatusRunning:
		default:
			return nil, fmt.Errorf("the query of the logs ended as %s", out.Status)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(i.pause):
		}
	}
}

// rowsOf reads the rows of an answer. What has no value in a row is left out of it.
func rowsOf(results [][]types.ResultField) (rows []row, err error) {
	for _, fields := range results {
		var r row
		var failed error
		number := func(text string) float64 {
			n, err := strconv.ParseFloat(text, 64)
			failed = errors.Join(failed, err)
			return n
		}
		for _, f := range fields {
			switch value := aws.ToString(f.Value); aws.ToString(f.Field) {
			case "tenant":
				r.Tenant = int64(number(value))
			case "kind":
				r.Kind = value
			case "result":
				r.Result = value
			case "requests":
				r.Requests = int64(number(value))
			case "lines":
				r.Lines = int64(number(value))
			case "rr", "mr":
				r.Read += number(value)
			case "rw", "mw":
				r.Write += number(value)
			}
		}
		if failed != nil {
			return nil, fmt.Errorf("the answer of the logs: %w", failed)
		}
		rows = append(rows, r)
	}
	return rows, nil
}
