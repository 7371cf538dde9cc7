package patience

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// ofFiles is how long a bucket may be silent: half as long again as other services, because it copies a file without a word.
func (p *patience) ofFiles() time.Duration { return p.limit * 3 / 2 }

// Client gives the HTTP client of a bucket the patience of the requests that it sends. Attend is for calls whose time is that of
// their answer; here each part of a body that is sent or received is one, so a large file takes as long as it moves. When
// a bucket was silent for too long, later requests of the same context are not sent.
func Client(next aws.HTTPClient) aws.HTTPClient { return client{next} }

type client struct{ next aws.HTTPClient }

// Do sends a request. The patience lasts until the body of the response is closed.
func (c client) Do(r *http.Request) (*http.Response, error) {
	p := from(r.Context())
	if p == nil {
		return c.next.Do(r)
	}
	w, err := p.watch(r.Context())
	if err != nil {
		return nil, err
	}
	r = r.WithContext(w.ctx)
	if r.Body != nil && r.Body != http.NoBody {
		r.Body = sent{r.Body, w}
	}
	response, err := c.next.Do(r)
	if err != nil {
		w.stop()
		return nil, w.reason(err)
	}
	w.moved()
	response.Body = received{response.Body, w}
	return response, nil
}

// watch is the silence of one request to a bucket.
type watch struct {
	ctx    context.Context // of the request, which ends with the body of its response
	cancel context.CancelCauseFunc
	over   error
	limit  time.Duration
	timer  *time.Timer
}

// watch begins the silence of a request. It fails if a bucket was silent for too long already.
func (p *patience) watch(ctx context.Context) (*watch, error) {
	w := &watch{limit: p.ofFiles()}
	w.over = &silence{w.limit}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.noFiles {
		return nil, w.over
	}
	w.ctx, w.cancel = context.WithCancelCause(ctx)
	w.timer = time.AfterFunc(w.limit, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if w.ctx.Err() != nil { // it has ended, and a part of a body moved late
			return
		}
		p.noFiles = true
		w.cancel(w.over)
	})
	return w, nil
}

// moved ends a silence, and begins the next one.
func (w *watch) moved() { w.timer.Reset(w.limit) }

func (w *watch) stop() {
	w.timer.Stop()
	w.cancel(nil)
}

// reason is the error of a request or a body: the silence, if that has ended it.
func (w *watch) reason(err error) error {
	if err != nil && !errors.Is(err, io.EOF) && errors.Is(context.Cause(w.ctx), w.over) {
		return w.over
	}
	return err
}

// sent is the body of a request.
type sent struct {
	io.ReadCloser
	watch *watch
}

func (s sent) Read(b []byte) (n int, err error) {
	n, err = s.ReadCloser.Read(b)
	s.watch.moved()
	return n, err
}

// received is the body of a response.
type received struct {
	io.ReadCloser
	watch *watch
}

func (r received) Read(b []byte) (n int, err error) {
	n, err = r.ReadCloser.Read(b)
	if n > 0 {
		r.watch.moved()
	}
	return n, r.watch.reason(err)
}

func (r received) Close() error {
	defer r.watch.stop()
	return r.ReadCloser.Close()
}
