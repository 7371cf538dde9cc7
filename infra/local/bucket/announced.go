package bucket

import (
	"context"
	"fmt"
	"strings"

	"github.com/tenantry/tenantry/infra/local/forward"
)

// Announced is a bucket whose address is known before its server runs, and even before the server is compiled. Connections to it wait
// until the server runs; if it never does, they are closed.
type Announced struct {
	Address

	door    *forward.Forwarder
	stop    context.CancelFunc
	started chan struct{} // is closed when bucket or err is known
	bucket  *Bucket
	err     error
}

// Announce returns at once, while compile puts the server's binary where the options say, and the server starts. If waits is not nil, it
// is called for each connection that has to wait.
func Announce(ctx context.Context, o Options, compile func(context.Context) error, waits func()) (*Announced, error) {
	door, err := forward.Listen(ctx, "127.0.0.1:0", waits)
	if err != nil {
		return nil, fmt.Errorf("bucket: %w", err)
	}
	a := &Announced{Address: o.address(), door: door, started: make(chan struct{})}
	a.Endpoint, o.Secret = "http://"+door.Address(), a.SecretKey
	ctx, a.stop = context.WithCancel(ctx)
	go a.start(ctx, o, compile)
	return a, nil
}

func (a *Announced) start(ctx context.Context, o Options, compile func(context.Context) error) {
	defer close(a.started)
	if a.err = compile(ctx); a.err == nil {
		a.bucket, a.err = Start(ctx, o)
	}
	if a.err != nil {
		a.door.Close()
		return
	}
	a.door.To(strings.TrimPrefix(a.bucket.Endpoint, "http://"))
}

// Wait returns when the server runs, or with the reason for which it doesn't.
func (a *Announced) Wait(ctx context.Context) error {
	select {
	case <-a.started:
		return a.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Runs tells whether the server runs already.
func (a *Announced) Runs() bool {
	select {
	case <-a.started:
		return a.err == nil
	default:
		return false
	}
}

// Stop ends the server, or its compiling, and returns when it has ended.
func (a *Announced) Stop() {
	a.stop()
	<-a.started
	if a.bucket != nil {
		a.bucket.Stop()
	}
	a.door.Close()
}
