package console

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/aws/aws-lambda-go/lambdacontext"

	"github.com/tenantry/tenantry/shared/table/meter"
)

const (
	mostRequests = 200 // that are shown
	mostCalls    = 200 // that are shown of a request
)

// Request is a request that was answered. It has nothing that is secret: no bodies and no headers, and of its path and its query what
// shownPath and shownQuery leave.
type Request struct {
	At        time.Time `json:"at"`
	Method    string    `json:"method"`
	Path      string    `json:"path"`
	Query     string    `json:"query,omitempty"`
	Status    int       `json:"status"`
	Millis    float64   `json:"milliseconds"` // until it was answered
	Bytes     int       `json:"bytes"`        // of the answer
	RequestID string    `json:"request_id"`
	outcome
	calls
}

// outcome is what the function that answered a request logs of it. Calls and units are without those of the authorizer.
type outcome struct {
	Function  string  `json:"function,omitempty"` // empty if the gateway itself has answered
	Operation string  `json:"operation,omitempty"`
	Company   int64   `json:"company,omitempty"`
	User      int64   `json:"user,omitempty"`
	Feed      int64   `json:"feed,omitempty"`
	Key       int64   `json:"key,omitempty"`
	Error     string  `json:"error,omitempty"`
	Calls     int     `json:"calls"`
	Read      float64 `json:"read_units"`
	Write     float64 `json:"write_units"`
	KMS       int     `json:"kms_calls,omitempty"`
}

// calls lists the calls of the table that a request made, in their order. It has the authorizer's calls too.
type calls struct {
	Table []Call `json:"table"`
	Left  int    `json:"table_left,omitempty"` // how many there were beyond
}

// Call is a call of the table.
type Call struct {
	Function string  `json:"function"`
	Name     string  `json:"name"`
	Read     float64 `json:"read_units"`
	Write    float64 `json:"write_units"`
	Millis   float64 `json:"milliseconds"`
	Failed   bool    `json:"failed,omitempty"` // among others, because a condition didn't hold
}

// Requests keeps the last requests. It learns of them from the gateway's answers, the functions' log, and the calls of the table that are
// made for them.
type Requests struct {
	mu   sync.Mutex
	kept []*heard // oldest first: answered ones, and those of which only the log has told yet
}

// heard is what is known of a request until now.
type heard struct {
	Request          // without its calls
	collected *calls // which functions may still make when it is answered
	answered  bool
}

// of returns the request of an id. It is called with mu locked.
func (r *Requests) of(id string) *heard {
	for _, k := range slices.Backward(r.kept) {
		if k.RequestID == id {
			return k
		}
	}
	k := &heard{Request: Request{RequestID: id}}
	r.kept = append(r.kept, k)
	r.kept = r.kept[max(0, len(r.kept)-2*mostRequests):] // twice, because some aren't answered yet
	return k
}

// Write takes a line of the functions' log.
func (r *Requests) Write(line []byte) (int, error) {
	var l struct {
		RequestID  string `json:"request_id"`
		Function   string
		Route      string
		Tenant     int64
		User       int64
		Feed       int64
		Key        int64
		Error      string
		Calls      int
		ReadUnits  float64
		WriteUnits float64
		KmsCalls   int
	}
	isRequest := bytes.Contains(line, []byte(`"Route":`))
	if !isRequest || json.Unmarshal(line, &l) != nil || l.RequestID == "" {
		return len(line), nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.of(l.RequestID).outcome = outcome{
		Function: l.Function, Operation: l.Route, Company: l.Tenant, User: l.User, Feed: l.Feed, Key: l.Key, Error: l.Error,
		Calls: l.Calls, Read: l.ReadUnits, Write: l.WriteUnits, KMS: l.KmsCalls,
	}
	return len(line), nil
}

// Watch keeps what a gateway answers.
func (r *Requests) Watch(gateway http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, in *http.Request) {
		begun, seen := time.Now(), &noted{ResponseWriter: w}
		collected := &calls{Table: []Call{}} // locked by mu, as all that is kept
		gateway.ServeHTTP(seen, in.WithContext(meter.Watch(in.Context(), func(ctx context.Context, c meter.Call) {
			r.mu.Lock()
			defer r.mu.Unlock()
			collected.add(ctx, c)
		})))
		took := time.Since(begun)
		r.mu.Lock()
		defer r.mu.Unlock()
		k := r.of(w.Header().Get("Apigw-Requestid"))
		k.answered = true
		k.At, k.Method = begun.UTC().Truncate(time.Millisecond), begin(in.Method, "")
		k.Path, k.Query = shownPath(in.URL.Path), shownQuery(in.URL.RawQuery)
		k.Status, k.Bytes, k.Millis = seen.status, seen.bytes, millis(took)
		k.collected = collected
	})
}

// add adds a call of the table. Functions are told apart by the context that the gateway gives them.
func (q *calls) add(ctx context.Context, c meter.Call) {
	if len(q.Table) == mostCalls {
		q.Left++
		return
	}
	call := Call{Name: c.Name, Read: c.ReadUnits, Write: c.WriteUnits, Millis: millis(c.Time), Failed: c.Failed}
	if of, ok := lambdacontext.FromContext(ctx); ok {
		call.Function = of.InvokedFunctionArn[strings.LastIndex(of.InvokedFunctionArn, ":")+1:]
	}
	q.Table = append(q.Table, call)
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// noted notes what is answered.
type noted struct {
	http.ResponseWriter
	status, bytes int
}

func (n *noted) WriteHeader(status int) {
	n.status = status
	n.ResponseWriter.WriteHeader(status)
}

func (n *noted) Write(body []byte) (int, error) {
	n.bytes += len(body)
	return n.ResponseWriter.Write(body)
}

// Unwrap lets an http.ResponseController find the writer.
func (n *noted) Unwrap() http.ResponseWriter { return n.ResponseWriter }

// List returns the last requests, newest first.
func (r *Requests) List() []Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := []Request{}
	for _, k := range slices.Backward(r.kept) {
		if k.answered {
			one := k.Request
			one.calls = *k.collected
			list = append(list, one)
		}
	}
	slices.SortStableFunc(list, func(a, b Request) int { return cmp.Compare(b.At.UnixMilli(), a.At.UnixMilli()) })
	return list[:min(mostRequests, len(list))]
}

var (
	// word is a segment of a path that is no secret: a name of the API, or the number of a record.
	word = regexp.MustCompile(`^(v[0-9]|[a-z.][a-z_.-]{0,39}|[0-9]{1,18})?$`)
	uuid = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
	// token is what may be a token, or an uuid, in a value.
	token = regexp.MustCompile(`[0-9A-Za-z_-]{20,}`)
	// name is a name of the query, and secretName one whose value is nobody's to see.
	name       = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,39}$`)
	secretName = regexp.MustCompile(`(?i)token|secret|passw|code|otp|signature|key|auth|credential`)
)

const hidden = "*"

// mostBytes is how much is kept of a method, a path or a query, because a caller may send as much as a megabyte of each.
const mostBytes = 1000

// begin is the beginning of a text, up to the last separator within mostBytes where it is longer: half a secret would not be told as one.
func begin(text, separator string) string {
	if len(text) <= mostBytes {
		return text
	}
	text = text[:mostBytes]
	return strings.Clone(text[:max(0, strings.LastIndex(text, separator))]) + separator + "…"
}

// shownPath is a path without what is all that its holder has to show: the uuid of a page to sign, and whatever else is neither a name of
// the API nor a number.
func shownPath(path string) string {
	segments := strings.Split(begin(path, "/"), "/")
	for i, s := range segments {
		switch {
		case uuid.MatchString(s):
			segments[i] = "{uuid}"
		case s == "…":
		case !word.MatchString(s):
			segments[i] = hidden
		}
	}
	return strings.Join(segments, "/")
}

// shownQuery is a query without the values that may be secrets.
func shownQuery(raw string) string {
	var list []string
	for pair := range strings.SplitSeq(begin(raw, "&"), "&") {
		key, value, _ := strings.Cut(pair, "=")
		said, err := url.QueryUnescape(value)
		switch {
		case pair == "":
			continue
		case pair == "…":
		case err != nil || !utf8.ValidString(said) || !name.MatchString(key):
			pair = hidden
		case secretName.MatchString(key) || token.MatchString(said):
			pair = key + "=" + hidden
		}
		list = append(list, pair)
	}
	return strings.Join(list, "&")
}
