package patience_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/middleware"

	"github.com/tenantry/tenantry/shared/patience"
)

const (
	limit   = 2400 * time.Millisecond
	attempt = 1440 * time.Millisecond
)

// service answers the attempts of calls, each after a time; the last answer is given again and again.
type service struct {
	answers []answer

	mu   sync.Mutex
	sent int
}

type answer struct {
	after  time.Duration // 0 at once; below 0 never
	status int           // 0 is a success
	body   string
}

var (
	never    = answer{after: -1}
	throttle = answer{status: http.StatusBadRequest, body: `{"__type":"x#ProvisionedThroughputExceededException"}`}
)

// Do answers one attempt.
func (s *service) Do(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	a := s.answers[min(s.sent, len(s.answers)-1)]
	s.sent++
	s.mu.Unlock()
	after := time.After(a.after)
	if a.after < 0 {
		after = nil
	}
	select {
	case <-r.Context().Done():
		return nil, r.Context().Err()
	case <-after:
	}
	if a.status == 0 {
		a.status, a.body = http.StatusOK, "{}"
	}
	return &http.Response{StatusCode: a.status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(a.body)), Request: r}, nil
}

func (s *service) client() *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region: "x", Credentials: credentials.NewStaticCredentialsProvider("x", "x", ""), HTTPClient: s,
		APIOptions: []func(*middleware.Stack) error{patience.Attend}, Retryer: patience.Retryer(retry.NewStandard()),
	})
}

func call(ctx context.Context, c *dynamodb.Client) error {
	_, err := c.Query(ctx, &dynamodb.QueryInput{TableName: aws.String("x")})
	return err
}

// silent checks that a call failed because nobody answered.
func silent(t *testing.T, err error) {
	t.Helper()
	var network net.Error
	if !errors.As(err, &network) || !network.Timeout() || !strings.Contains(err.Error(), "no answer within 2.4s") {
		t.Errorf("%v, want that there was no answer", err)
	}
}

func TestSilence(t *testing.T) {
	for name, c := range map[string]struct {
		answers []answer
		calls   int
		fails   bool
		least   time.Duration // of all calls
		most    time.Duration
		sent    int // attempts; 0 does not matter
	}{
		"no answer at all":              {answers: []answer{never}, calls: 1, fails: true, least: limit, most: limit, sent: 2},
		"a connection that is broken":   {answers: []answer{never, {}}, calls: 1, least: attempt, most: attempt + 50*time.Millisecond, sent: 2},
		"slow answers, and many":        {answers: []answer{{after: time.Second}}, calls: 60, least: time.Minute, most: time.Minute, sent: 60},
		"silence after slow answers":    {answers: []answer{{after: time.Second}, never}, calls: 2, fails: true, least: time.Second + limit, most: time.Second + limit, sent: 3},
		"too slow for an attempt":       {answers: []answer{{after: 2 * time.Second}}, calls: 1, fails: true, least: limit, most: limit, sent: 2},
		"refusals are answers":          {answers: []answer{throttle}, calls: 1, fails: true, most: 2 * time.Second, sent: 3},
		"silence after a refusal":       {answers: []answer{throttle, never}, calls: 1, fails: true, least: limit, most: limit + time.Second},
		"what is refused and then done": {answers: []answer{throttle, throttle, {}}, calls: 1, most: 2 * time.Second, sent: 3},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &service{answers: c.answers}
				client, ctx, start := s.client(), patience.Start(t.Context(), limit), time.Now()
				var err error
				for range c.calls {
					err = call(ctx, client)
				}
				if took := time.Since(start); (err != nil) != c.fails || took < c.least || took > c.most {
					t.Errorf("%v after %s, want %s to %s", err, took, c.least, c.most)
				}
				if c.sent != 0 && s.sent != c.sent {
					t.Errorf("%d attempts, want %d", s.sent, c.sent)
				}
			})
		})
	}
}

// Once a request has waited so long, it waits no more: later calls are not sent.
func TestSpent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &service{answers: []answer{never}}
		client, ctx := s.client(), patience.Start(t.Context(), limit)
		silent(t, call(ctx, client))
		s.answers = []answer{{}}
		start, sent := time.Now(), s.sent
		silent(t, call(ctx, client))
		if !patience.Spent(ctx) || time.Since(start) != 0 || s.sent != sent {
			t.Errorf("spent: %v; the next call took %s and %d attempts", patience.Spent(ctx), time.Since(start), s.sent-sent)
		}
		if err := call(patience.Start(t.Context(), limit), client); err != nil {
			t.Errorf("another request: %v", err)
		}
		s.answers = []answer{{after: time.Hour}}
		if err := call(t.Context(), client); err != nil || patience.Spent(t.Context()) || patience.Has(t.Context()) {
			t.Errorf("without a patience: %v", err)
		}
	})
}

// An answer to one call ends the silence for all, and what is done between calls is no silence.
func TestOneSilenceOfManyCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := patience.Start(t.Context(), limit)
		var calls sync.WaitGroup
		for i := range 20 { // one after the other, while others wait
			s := &service{answers: []answer{{after: time.Duration(i) * time.Second / 16}}}
			calls.Go(func() {
				if err := call(ctx, s.client()); err != nil {
					t.Error(err)
				}
			})
		}
		calls.Wait()
		time.Sleep(time.Hour)
		hung := &service{answers: []answer{never}}
		for range 3 {
			calls.Go(func() { silent(t, call(ctx, hung.client())) })
		}
		start := time.Now()
		calls.Wait()
		if took := time.Since(start); took != limit {
			t.Errorf("three calls waited %s together, want %s", took, limit)
		}
	})
}

// Calls that their own caller gives up, or that fail at once without an answer, use the patience up by the time that they took.
func TestSilenceInParts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &service{answers: []answer{never}}
		client, ctx := s.client(), patience.Start(t.Context(), limit)
		for i := range 2 {
			short, cancel := context.WithTimeout(ctx, time.Second)
			if err := call(short, client); !errors.Is(err, context.DeadlineExceeded) || patience.Spent(ctx) {
				t.Errorf("try %d: %v, spent: %v", i, err, patience.Spent(ctx))
			}
			cancel()
			time.Sleep(time.Minute)
		}
		start := time.Now()
		silent(t, call(ctx, client))
		if took := time.Since(start); took != limit-2*time.Second {
			t.Errorf("the rest of the patience lasted %s", took)
		}
	})
}
