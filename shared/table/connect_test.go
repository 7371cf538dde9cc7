package table_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
)

const (
	lostAnswer = "lost" // the connection ends without one
	noAnswer   = "none" // nothing comes until the caller goes
	brokenOff  = "half" // the connection ends within one
	broken     = `500 {"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError","message":"by the test"}`
	conflicted = `400 {"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","message":"by the test",` +
		`"CancellationReasons":[{"Code":"TransactionConflict"}]}`
)

// wire is an engine behind the SDK's own client that answers by a script, and
// after it with nothing but success.
type wire struct {
	mu     sync.Mutex
	script []string
	repeat bool // the script's last answer for ever
	calls  []string
}

func (w *wire) ServeHTTP(to http.ResponseWriter, r *http.Request) {
	var in struct{ ClientRequestToken string }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		panic(err)
	}
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	w.mu.Lock()
	w.calls = append(w.calls, operation+" "+in.ClientRequestToken)
	answer := "200 {}"
	if len(w.script) > 0 {
		if answer = w.script[0]; !w.repeat || len(w.script) > 1 {
			w.script = w.script[1:]
		}
	}
	w.mu.Unlock()
	switch answer {
	case lostAnswer:
		panic(http.ErrAbortHandler)
	case noAnswer:
		<-r.Context().Done()
		return
	}
	to.Header().Set("Content-Type", "application/x-amz-json-1.0")
	if answer == brokenOff {
		to.Header().Set("Content-Length", "100")
		_, _ = to.Write([]byte(`{"Item":{"name":{"S":"Ha`))
		_ = http.NewResponseController(to).Flush()
		panic(http.ErrAbortHandler)
	}
	if strings.HasPrefix(answer, "4") {
		to.WriteHeader(http.StatusBadRequest)
	} else if strings.HasPrefix(answer, "5") {
		to.WriteHeader(http.StatusInternalServerError)
	}
	_, _ = to.Write([]byte(answer[4:]))
}

func (w *wire) sent() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.calls)
}

func (w *wire) tenant(t *testing.T) *table.Tenant {
	t.Helper()
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	config := aws.Config{Region: "eu-central-1", Credentials: credentials.NewStaticCredentialsProvider("a", "b", "")}
	return table.Of(table.Connect(config, server.URL, "table"), 1)
}

func write(ctx context.Context, h *table.Tenant) (builds int, err error) {
	err = h.Write(ctx, func(tx *table.Tx, _ int) error {
		builds++
		tx.Put(h.Create(at(h, 1, "x")), fault.ErrNotFound)
		return nil
	})
	return builds, err
}

// TestLostBelowTheSDK: no answer is hidden from who must know that one was lost.
// A conflict after it says nothing, so the token stays.
func TestLostBelowTheSDK(t *testing.T) {
	for name, script := range map[string][]string{
		"lost, then a conflict":   {lostAnswer, conflicted},
		"broken, then a conflict": {broken, conflicted, conflicted},
		"half, then a conflict":   {brokenOff, conflicted},
	} {
		w := &wire{script: script}
		builds, err := write(t.Context(), w.tenant(t))
		calls := w.sent()
		if err != nil || builds != 1 || len(calls) != len(script)+1 || len(slices.Compact(slices.Clone(calls))) != 1 {
			t.Errorf("%s: %v, %d builds, calls %v", name, err, builds, calls)
		}
	}
}

// TestOtherCallsAreRepeatedByTheSDK: what no token guards keeps its attempts.
func TestOtherCallsAreRepeatedByTheSDK(t *testing.T) {
	for _, answer := range []string{broken, lostAnswer, brokenOff} {
		w := &wire{script: []string{answer}}
		h := w.tenant(t)
		if err := h.Get(t.Context(), h.Record(kinds.Document, 1), new(thing)); !errors.Is(err, table.ErrNotFound) || len(w.sent()) != 2 {
			t.Errorf("%.20s: %v, calls %v", answer, err, w.sent())
		}
	}
}

// TestOutage: an engine that is away costs a transaction less time than any
// handler has, and never more than the caller's.
func TestOutage(t *testing.T) {
	for answer, limit := range map[string]time.Duration{
		broken: 3 * time.Second, lostAnswer: 3 * time.Second, brokenOff: 3 * time.Second, noAnswer: time.Second,
	} {
		w := &wire{script: []string{answer}, repeat: true}
		ctx, cancel := t.Context(), context.CancelFunc(func() {})
		if answer == noAnswer {
			ctx, cancel = context.WithTimeout(ctx, 200*time.Millisecond)
		}
		start := time.Now()
		_, err := write(ctx, w.tenant(t))
		cancel()
		if took := time.Since(start); !table.Unavailable(err) || took > limit || len(w.sent()) > 6 {
			t.Errorf("%.20s: %v after %v and %d calls", answer, err, took, len(w.sent()))
		}
	}
}
