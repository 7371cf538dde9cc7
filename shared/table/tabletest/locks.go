package tabletest

import (
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// item names one item of one table.
type item struct{ table, pk, sk string }

type attributes = map[string]types.AttributeValue

func itemOf(table *string, key attributes) item {
	return item{table: aws.ToString(table), pk: text(key["pk"]), sk: text(key["sk"])}
}

func text(v types.AttributeValue) string {
	if s, ok := v.(*types.AttributeValueMemberS); ok {
		return s.Value
	}
	return ""
}

// locks holds the items that running transactions lock, and the tokens of transactions that have succeeded.
type locks struct {
	mu   sync.Mutex
	held map[item]bool
	done map[string]bool
}

// take locks items, or returns which of them are locked already.
func (l *locks) take(items []item) (conflicts []int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, it := range items {
		if l.held[it] {
			conflicts = append(conflicts, i)
		}
	}
	if conflicts == nil {
		for _, it := range items {
			l.held[it] = true
		}
	}
	return conflicts
}

func (l *locks) release(items []item) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, it := range items {
		delete(l.held, it)
	}
}

func (l *locks) isHeld(it item) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held[it]
}

// happened tells whether a transaction with the token has succeeded. AWS then answers with success, whatever the items
// are.
func (l *locks) happened(token *string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return token != nil && l.done[*token]
}

func (l *locks) succeeded(token *string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if token != nil {
		l.done[*token] = true
	}
}

// cancelled returns the answer to a transaction of which some operations failed, all for the same reason.
func cancelled(operations int, failed []int, code string) error {
	reasons := make([]types.CancellationReason, operations)
	for i := range reasons {
		reasons[i].Code = aws.String("None")
	}
	for _, i := range failed {
		reasons[i] = types.CancellationReason{Code: aws.String(code), Message: aws.String("injected by the test")}
	}
	return &types.TransactionCanceledException{Message: aws.String("Transaction cancelled [" + code + "]"), CancellationReasons: reasons}
}
