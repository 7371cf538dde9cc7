package webhooks

import (
	"slices"
	"testing"
)

func TestOnce(t *testing.T) {
	for _, row := range []struct{ wanted, want []string }{
		{[]string{"order.paid", "order.paid", "client.created"}, []string{"order.paid", "client.created"}},
		{[]string{"order.paid", "order.*", "order.line.*", "client.created"}, []string{"order.*", "client.created"}},
		{[]string{"order.*", "*", "*"}, []string{"*"}},
		{[]string{"order.line.added"}, []string{"order.line.added"}},
	} {
		if got := once(row.wanted); !slices.Equal(got, row.want) {
			t.Errorf("%v: %v, want %v", row.wanted, got, row.want)
		}
	}
}
