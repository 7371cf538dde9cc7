package usage

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/tenantry/tenantry/infra/local/console"
	"github.com/tenantry/tenantry/infra/operator/stage"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Traffic is what the functions' logs say of a company and a span of time.
type Traffic struct {
	Requests, Messages int64
	Read, Write        float64 // units of the table, of requests and of messages
}

// Logs are the functions' logs.
type Logs interface {
	// Between sums up what was logged from one moment until before another, by company.
	Between(ctx context.Context, from, to time.Time) (map[tenant.ID]Traffic, error)
}

// sending are the kinds of messages of the outbox with which something is handed over for sending.
//
// Calls of webhooks' receivers are none of them. One message of the outbox stands for all calls of a run, so no line says how many there
// were. The ledger of deliveries does, but with the answers in it: reading a day of it costs by delivery. And the number that a webhook
// gives its next delivery (endpoint.State) is no day's: two readings at two midnights would tell a day, where neither was late and no
// webhook was deleted between them, and days are counted late. What calls cost in units is in Read and Write.
func sending() []string {
	return []string{"documents.code", "documents.link", "sms.deliver", "tenants.exported", "tenants.invitation", "webhooks.notice"}
}

// row is what lines of the log of one company come to that are of one kind of message, or of requests.
type row struct {
	Tenant       int64
	Kind, Result string // empty: of requests
	Requests     int64
	Lines        int64
	Read, Write  float64
}

// add counts a row.
func add(to map[tenant.ID]Traffic, r row) {
	if r.Tenant <= 0 {
		return
	}
	t := to[tenant.ID(r.Tenant)]
	t.Requests += r.Requests
	t.Read += r.Read
	t.Write += r.Write
	if r.Result == "done" && slices.Contains(sending(), r.Kind) {
		t.Messages += r.Lines
	}
	to[tenant.ID(r.Tenant)] = t
}

// platform is the log of a platform on this machine, which keeps the latest lines since its start.
type platform struct{ address string }

func (p platform) Between(ctx context.Context, from, to time.Time) (map[tenant.ID]Traffic, error) {
	query := url.Values{"from": {strconv.FormatInt(from.UnixMilli(), 10)}, "to": {strconv.FormatInt(to.UnixMilli(), 10)}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.address+console.Prefix+"lines?"+query.Encode(), http.NoBody)
	if err != nil {
		return nil, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, fmt.Errorf("the platform's log: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the platform's log: %s", answer.Status)
	}
	all := map[tenant.ID]Traffic{}
	for lines := json.NewDecoder(answer.Body); lines.More(); {
		var l struct {
			Tenant        int64
			Route         string
			Kind, Result  string
			ReadUnits     float64
			WriteUnits    float64
			MessagesRead  float64 `json:"read_units"`
			MessagesWrite float64 `json:"write_units"`
		}
		if err := lines.Decode(&l); err != nil {
			return nil, fmt.Errorf("the platform's log: %w", err)
		}
		r := row{Tenant: l.Tenant, Kind: l.Kind, Result: l.Result, Lines: 1}
		r.Read, r.Write = l.ReadUnits+l.MessagesRead, l.WriteUnits+l.MessagesWrite
		if l.Route != "" {
			r.Requests = 1
		}
		add(all, r)
	}
	return all, nil
}

// of gives the logs of a stage.
func of(ctx context.Context, e *stage.Env) (Logs, error) {
	if e.Local != "" {
		return platform{e.Local}, nil
	}
	return onAWS(ctx, e)
}
