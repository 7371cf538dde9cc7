package usage

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs/types"

	"github.com/tenantry/tenantry/shared/tenant"
)

// service is CloudWatch Logs as its documentation tells: a query runs for a while.
type service struct {
	results func(from, to int64) [][]types.ResultField
	asked   []*cloudwatchlogs.StartQueryInput
	looks   int
	ends    types.QueryStatus
}

func (s *service) DescribeLogGroups(
	_ context.Context, in *cloudwatchlogs.DescribeLogGroupsInput, _ ...func(*cloudwatchlogs.Options),
) (*cloudwatchlogs.DescribeLogGroupsOutput, error) {
	out := &cloudwatchlogs.DescribeLogGroupsOutput{}
	if in.NextToken == nil {
		out.NextToken = aws.String("more")
	}
	name := fmt.Sprintf("%sgroup%d", *in.LogGroupNamePrefix, len(aws.ToString(in.NextToken)))
	out.LogGroups = []types.LogGroup{{LogGroupName: &name}}
	return out, nil
}

func (s *service) StartQuery(
	_ context.Context, in *cloudwatchlogs.StartQueryInput, _ ...func(*cloudwatchlogs.Options),
) (*cloudwatchlogs.StartQueryOutput, error) {
	s.asked, s.looks = append(s.asked, in), 0
	return &cloudwatchlogs.StartQueryOutput{QueryId: aws.String("q")}, nil
}

func (s *service) GetQueryResults(
	context.Context, *cloudwatchlogs.GetQueryResultsInput, ...func(*cloudwatchlogs.Options),
) (*cloudwatchlogs.GetQueryResultsOutput, error) {
	if s.looks++; s.looks < 3 {
		return &cloudwatchlogs.GetQueryResultsOutput{Status: types.QueryStatusRunning}, nil
	}
	in := s.asked[len(s.asked)-1]
	return &cloudwatchlogs.GetQueryResultsOutput{Status: s.ends, Results: s.results(*in.StartTime, *in.EndTime)}, nil
}

func fields(pairs ...string) (list []types.ResultField) {
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, types.ResultField{Field: &pairs[i], Value: &pairs[i+1]})
	}
	return list
}

func TestInsights(t *testing.T) {
	from := time.Date(2026, time.November, 26, 19, 0, 0, 0, time.UTC)
	small := [][]types.ResultField{
		fields("tenant", "7", "requests", "70", "lines", "70", "rr", "10.5", "rw", "20"),
		fields("tenant", "7", "kind", "sms.deliver", "result", "done", "requests", "0", "lines", "4", "mr", "1", "mw", "2"),
		fields("tenant", "7", "kind", "sms.deliver", "result", "again", "requests", "0", "lines", "9", "mr", "1", "mw", "1"),
		fields("tenant", "8", "kind", "search.merge", "result", "done", "requests", "0", "lines", "3", "mr", "5", "mw", "6"),
	}
	s := &service{ends: types.QueryStatusComplete, results: func(from, to int64) [][]types.ResultField {
		if to-from > 50_000 {
			return make([][]types.ResultField, mostRows)
		}
		return small
	}}
	i, err := openInsights(t.Context(), s, "/tenantry/prod/", 0)
	if err != nil {
		t.Fatal(err)
	}
	got, err := i.Between(t.Context(), from, from.Add(24*time.Hour))
	if want := map[tenant.ID]Traffic{
		7: {Requests: 140, Messages: 8, Read: 25, Write: 46}, 8: {Read: 10, Write: 12},
	}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	if len(s.asked) != 3 || !reflect.DeepEqual(s.asked[2].LogGroupNames, []string{"/tenantry/prod/group0", "/tenantry/prod/group4"}) ||
		!strings.Contains(*s.asked[2].QueryString, fmt.Sprintf("@timestamp >= %d and @timestamp < %d\n", from.Add(12*time.Hour).UnixMilli(),
			from.Add(24*time.Hour).UnixMilli())) {
		t.Errorf("asked %d times, at last %s", len(s.asked), *s.asked[len(s.asked)-1].QueryString)
	}
	s.ends = types.QueryStatusTimeout
	if _, err := i.Between(t.Context(), from, from.Add(time.Hour)); err == nil || !strings.Contains(err.Error(), "Timeout") {
		t.Errorf("%v", err)
	}
	s.ends, s.results = types.QueryStatusComplete, func(int64, int64) [][]types.ResultField { return make([][]types.ResultField, mostRows) }
	if _, err := i.Between(t.Context(), from, from.Add(time.Hour)); err == nil || !strings.Contains(err.Error(), "more than 10000") {
		t.Errorf("%v", err)
	}
}

// A platform on this machine has its lines at the console.
func TestPlatform(t *testing.T) {
	p := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.String() != "/_local/lines?from=1000&to=2000" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		fmt.Fprint(w, `{"function":"clients","Route":"clients-list","tenant":7,"ReadUnits":2.5,"WriteUnits":1}
{"function":"clients","Route":"clients-list","ReadUnits":9}
{"function":"bulk","kind":"sms.deliver","tenant":7,"result":"done","read_units":1,"write_units":4}
{"function":"worker","kind":"tenants.exported","tenant":7,"result":"done","read_units":1}
{"function":"deliver","kind":"webhooks.deliver","tenant":7,"result":"done"}
{"function":"worker","kind":"search.merge","tenant":7,"result":"done","read_units":1,"write_units":0.5}
`)
	}))
	defer p.Close()
	got, err := platform{p.URL}.Between(t.Context(), time.UnixMilli(1000), time.UnixMilli(2000))
	if want := (map[tenant.ID]Traffic{7: {Requests: 1, Messages: 2, Read: 5.5, Write: 5.5}}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := (platform{p.URL}).Between(t.Context(), time.UnixMilli(1), time.UnixMilli(2)); err == nil {
		t.Error("no error without lines")
	}
}
