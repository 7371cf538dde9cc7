package finance

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/tenantry/tenantry/functions/finance/ledger"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// Statement is a page of an account's statement.
type Statement struct {
	Opening  money.Amount  `json:"opening" doc:"The initial amount and all transactions before the period"`
	Closing  money.Amount  `json:"closing" doc:"The opening balance and all transactions of the period, on whichever page"`
	Count    int           `json:"count" doc:"Of the transactions of the period"`
	Next     *string       `json:"next" format:"uri"`
	Previous *string       `json:"previous" format:"uri"`
	Results  []Transaction `json:"results" doc:"By their day, then by their date, then by their id"`
}

type statementInput struct {
	ID       int64  `path:"id"`
	Page     string `query:"page"`
	PageSize string `query:"pageSize"`
}

const (
	from = "date__gte"
	to   = "date__lte"
)

// statement is the operation that shows an account's statement.
func statement(now func() time.Time) web.Operation {
	return web.Op(web.Operation{
		ID: "accounts-statement", Method: http.MethodGet, Path: "/v1/finances/accounts/{id}/statement/", Role: role,
		Query: []web.Param{
			{Name: from, Format: "date", Doc: "The first day of the period; without it, there is none."},
			{Name: to, Format: "date", Doc: "The last day of the period; without it, what is dated ahead belongs to the period."},
		},
		Faults: []fault.Code{fault.Unavailable}, Summary: "Read the statement of an account",
		Doc: "Days are the company's. A transaction stays on the day that its date had when it was set, also where the company " +
			"changes its time zone later, so that a statement of past days stays as it was. Opening, closing and count are exact. " +
			"Where the transactions themselves are not all to be seen yet, the answer is 503 with Retry-After.",
	}, func(ctx context.Context, r *web.Request, in *statementInput) (*Statement, error) {
		p, err := r.PageOf()
		if err != nil {
			return nil, err
		}
		period, err := periodOf(r)
		if err != nil {
			return nil, err
		}
		st, err := ledger.StatementOf(ctx, resource.Scope(r, now), in.ID, period, resource.Window(p))
		if err != nil {
			return nil, err
		}
		views := make([]Transaction, len(st.Postings))
		for i := range st.Postings {
			views[i] = viewTransaction(&st.Postings[i], resource.Viewer{})
		}
		list, err := web.Envelope(r, p, st.Count, views)
		return &Statement{st.Opening, st.Closing, list.Count, list.Next, list.Previous, list.Results}, err
	})
}

// periodOf reads the period of a statement.
func periodOf(r *web.Request) (p ledger.Period, err error) {
	errs := fault.FieldErrors{}
	for name, day := range map[string]*decode.Date{from: &p.From, to: &p.To} {
		sent := strings.TrimSpace(r.Param(name))
		if sent == "" {
			continue
		}
		d, ok := decode.ParseDate(sent)
		if !ok {
			errs.Add(name, say.InvalidDate)
		}
		*day = d
	}
	if p.From != "" && p.To != "" && p.To < p.From {
		errs.Add(to, say.StatementBackwards)
	}
	return p, errs.Err()
}
