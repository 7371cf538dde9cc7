// Package transport sends the requests of the table's client so that large answers arrive whole. It is a package of its own,
// because the local engine's client needs it too. Retries and time limits never go in: the SDK has them.
package transport

import (
	"io"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// Whole gives an HTTP client requests whose bodies can only be read. The SDK closes a request's body as soon as an answer begins.
// Its body (smithy-go's safeReadCloser) then gives io.EOF as the error of WriteTo, which net/http, that still looks whether
// the body has more than it should, takes for a broken request: it closes the connection, and the rest of the answer is lost
// ("use of closed network connection"). Over loopback one answer of 280 KB in 270 broke so.
func Whole(next aws.HTTPClient) aws.HTTPClient { return whole{next} }

type whole struct{ next aws.HTTPClient }

func (w whole) Do(r *http.Request) (*http.Response, error) {
	if r.Body != nil && r.Body != http.NoBody {
		r.Body = readOnly{r.Body}
	}
	return w.next.Do(r)
}

// readOnly hides the method WriteTo of a body.
type readOnly struct{ io.ReadCloser }
