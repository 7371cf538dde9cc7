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

// locks are the items that transactions in flight hold, and the tokens of the
// transactions that have happened.
type locks struct {
	mu   sync.Mutex
	held map[item]bool
	done map[string]bool
}

// take holds the items, or says which of them are held.
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

// happened tells whether a transaction of this token has succeeded: AWS then
// answers success without looking at the items.
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

// cancelled is the answer to a transaction some of whose operations have a
// reason to fail.
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
