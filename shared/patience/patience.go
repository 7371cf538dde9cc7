// Package patience bounds how long a request waits for services of AWS that don't answer.
//
// What counts is silence, not time: each answer, also one that refuses, ends the silence, so work that
// takes long goes on as long as it is answered. Time without a call counts for nothing. When the
// silence of a request has lasted too long, the calls that wait are given up, and later calls of that
// request fail without being sent: whoever goes on after a failure, to find out what has become of a
// write or to answer something else, doesn't wait again.
//
// One attempt of a call takes at most a part of the silence that is allowed. A connection that broke
// without a word therefore costs an attempt and not the request: the SDK makes the next one at once.
//
// A bucket has its own silence, in which each part of a body counts as an answer: see Client.
//
// The web layer and the authorizer start it. The worker doesn't: nobody waits for it, and it
// has times of its own.
package patience

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/smithy-go/middleware"
	"github.com/aws/smithy-go/transport/http"
)

// patience is the patience of one request.
type patience struct {
	limit time.Duration

	mu      sync.Mutex
	waiting int           // calls that wait for an answer
	since   time.Time     // when the silence, or the latest part of it, began; it counts while a call waits
	silent  time.Duration // the parts of the silence before
	spent   bool
	noFiles bool // a bucket was silent for too long
}

type (
	key   struct{}
	least struct{}
)

// Start returns a context whose calls, taken together, may wait so long without an answer.
func Start(ctx context.Context, limit time.Duration) context.Context {
	return context.WithValue(ctx, key{}, &patience{limit: Limit(ctx, limit)})
}

// AtLeast returns a context in which no limit is shorter than this one. It is for tests and measurements: an engine on a busy machine
// may be silent for longer than a caller is to wait, and is well. Functions never call it.
func AtLeast(ctx context.Context, limit time.Duration) context.Context {
	return context.WithValue(ctx, least{}, limit)
}

// Limit is how long a patience with this limit lasts in a context.
func Limit(ctx context.Context, limit time.Duration) time.Duration {
	longer, _ := ctx.Value(least{}).(time.Duration)
	return max(limit, longer)
}

func from(ctx context.Context) *patience {
	p, _ := ctx.Value(key{}).(*patience)
	return p
}

// Has tells whether a context has a patience.
func Has(ctx context.Context) bool { return from(ctx) != nil }

// Spent tells whether the patience of a context has run out, so that its calls are not sent any more.
func Spent(ctx context.Context) bool {
	p := from(ctx)
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.spent
}

// silence is the error of a call that got no answer. It is a net.Error, and the SDK retries it.
type silence struct{ after time.Duration }

func (s *silence) Error() string      { return fmt.Sprintf("no answer within %s", s.after) }
func (*silence) Timeout() bool        { return true }
func (*silence) Temporary() bool      { return true }
func (*silence) RetryableError() bool { return true }

// begin counts a call that waits. It returns false if the patience has run out.
func (p *patience) begin() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.spent = p.spent || p.silent >= p.limit
	if p.spent {
		return false
	}
	if p.waiting == 0 {
		p.since = time.Now()
	}
	p.waiting++
	return true
}

// end counts a call that waits no more.
func (p *patience) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting--; p.waiting == 0 {
		p.silent += time.Since(p.since)
	}
}

// answered ends the silence. A patience that has run out stays so.
func (p *patience) answered() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.silent, p.since = 0, time.Now()
}

// left returns how long the silence may still last, and remembers if that is no time.
func (p *patience) left() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	left := p.limit - p.silent
	if p.waiting > 0 {
		left -= time.Since(p.since)
	}
	if left <= 0 {
		p.spent = true
	}
	return left
}

// attempt is the longest that one attempt may take: three fifths of the patience, so that a second one has time.
func (p *patience) attempt() time.Duration { return p.limit * 3 / 5 }

// bounded calls do with a context that is cancelled when the patience runs out. The error then is a silence.
func (p *patience) bounded(ctx context.Context, do func(context.Context) error) error {
	if !p.begin() {
		return &silence{p.limit}
	}
	defer p.end()
	bounded, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	over := &silence{p.limit}
	var timer *time.Timer
	ready := make(chan struct{}) // the timer's function needs the timer, and could begin before it is assigned
	timer = time.AfterFunc(p.left(), func() {
		<-ready
		if left := p.left(); left > 0 {
			timer.Reset(left)
			return
		}
		cancel(over)
	})
	close(ready)
	defer timer.Stop()
	err := do(bounded)
	if err != nil && errors.Is(context.Cause(bounded), over) {
		return over
	}
	return err
}

// try calls do, an attempt of a call, and notes whether it was answered.
func (p *patience) try(ctx context.Context, do func(context.Context) error) error {
	over := &silence{p.attempt()}
	bounded, cancel := context.WithTimeoutCause(ctx, p.attempt(), over)
	defer cancel()
	err := do(bounded)
	if err != nil && ctx.Err() == nil && errors.Is(context.Cause(bounded), over) {
		return over
	}
	if isAnswer(err) {
		p.answered()
	}
	return err
}

// isAnswer tells whether an attempt with this error was answered: it succeeded, or the service refused it. The
// SDK gives errors without an answer a response too, one without a status.
func isAnswer(err error) bool {
	var response *http.ResponseError
	return err == nil || errors.As(err, &response) && response.HTTPStatusCode() != 0
}

// Attend adds the patience to the calls of a client, as one of its APIOptions. Calls without one stay as they are.
func Attend(stack *middleware.Stack) error {
	call := middleware.InitializeMiddlewareFunc("Patience", func(ctx context.Context, in middleware.InitializeInput,
		next middleware.InitializeHandler,
	) (out middleware.InitializeOutput, metadata middleware.Metadata, err error) {
		p := from(ctx)
		if p == nil {
			return next.HandleInitialize(ctx, in)
		}
		err = p.bounded(ctx, func(ctx context.Context) (err error) {
			out, metadata, err = next.HandleInitialize(ctx, in)
			return err
		})
		return out, metadata, err
	})
	attempt := middleware.FinalizeMiddlewareFunc("PatienceOfAttempts", func(ctx context.Context, in middleware.FinalizeInput,
		next middleware.FinalizeHandler,
	) (out middleware.FinalizeOutput, metadata middleware.Metadata, err error) {
		p := from(ctx)
		if p == nil {
			return next.HandleFinalize(ctx, in)
		}
		err = p.try(ctx, func(ctx context.Context) (err error) {
			out, metadata, err = next.HandleFinalize(ctx, in)
			return err
		})
		return out, metadata, err
	})
	if err := stack.Initialize.Add(call, middleware.Before); err != nil {
		return err
	}
	return stack.Finalize.Insert(attempt, "Retry", middleware.After)
}

// The longest pauses between attempts: after one that got no answer, because that time has already been waited, and after
// one that was refused for the moment.
const (
	soon  = 50 * time.Millisecond
	later = time.Second
)

// Retryer is a client's retryer with pauses that leave time for another attempt. The SDK pauses up to two seconds
// before the second one, and up to four before the third.
func Retryer(next aws.Retryer) aws.Retryer {
	v2, ok := next.(aws.RetryerV2) // as each of the SDK's is
	if !ok {
		return next
	}
	return retryer{v2}
}

type retryer struct{ aws.RetryerV2 }

// RetryDelay is how long to pause before the next attempt.
func (r retryer) RetryDelay(attempt int, err error) (time.Duration, error) {
	if unanswered := new(silence); errors.As(err, &unanswered) {
		return rand.N(soon), nil //nolint:gosec // jitter, not a secret
	}
	delay, err := r.RetryerV2.RetryDelay(attempt, err)
	return min(delay, later), err
}
