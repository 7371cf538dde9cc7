package ledger_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/functions/finance/ledger"
	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// between is an engine that lets something happen once, just before a query: of the index of
// children, or of the table.
type between struct {
	dynamodbiface.DynamoDBAPI
	index   bool
	happens func()
}

func (e *between) Query(ctx context.Context, in *dynamodb.QueryInput, o ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	if happens := e.happens; happens != nil && (in.IndexName != nil) == e.index {
		e.happens = nil
		happens()
	}
	return e.DynamoDBAPI.Query(ctx, in, o...)
}

// What is posted while a statement is read is in all of it or in none of it.
func TestStatementsAreNotTorn(t *testing.T) {
	lastYear := time.Date(2025, time.May, 1, 12, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		index  bool
		at     time.Time // of the posting
		change func(p *ledger.Posting)
		in     ledger.Period
		want   string // opening, closing, and the amounts
	}{
		"an amount is changed before the postings are read": {
			index: true, at: time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC),
			change: func(p *ledger.Posting) { p.Amount = money.Whole(150) }, want: "0.00 150.00 [150.00]",
		},
		"a posting moves into the period after the years before it were read": {
			at: lastYear, change: func(p *ledger.Posting) { p.Date = moment.Of(lastYear.AddDate(1, 0, 0)) },
			in: ledger.Period{From: "2026-01-01"}, want: "0.00 100.00 [100.00]",
		},
		"a posting moves out of it": {
			at: lastYear.AddDate(1, 0, 0), change: func(p *ledger.Posting) { p.Date = moment.Of(lastYear) },
			in: ledger.Period{From: "2026-01-01"}, want: "100.00 100.00 []",
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBooks(t, tabletest.Faults{})
			account := b.open(0)
			p, err := b.post(b.sound, account, money.Whole(100), tt.at)
			if err != nil {
				t.Fatal(err)
			}
			engine := &between{DynamoDBAPI: enginetest.Client(t), index: tt.index, happens: func() {
				if err := b.edit(b.sound, p.ID, tt.change); err != nil {
					t.Error(err)
				}
			}}
			st, err := ledger.StatementOf(t.Context(), b.request(b.process(engine)), account, tt.in, record.Window{Size: 10})
			if err != nil || engine.happens != nil {
				t.Fatal(err, engine.happens == nil)
			}
			amounts := []money.Amount{}
			for _, p := range st.Postings {
				amounts = append(amounts, p.Amount)
			}
			if got := fmt.Sprint(st.Opening, " ", st.Closing, " ", amounts); got != tt.want {
				t.Errorf("the statement is %s, want %s", got, tt.want)
			}
		})
	}
}
