package tenants

import (
	"context"
	"testing"
	"time"
)

// A turn ends well before the message's time does, whatever that is: 3 seconds on one machine, 40 on AWS.
func TestTurn(t *testing.T) {
	for has, most := range map[time.Duration]time.Duration{
		3 * time.Second: 1500 * time.Millisecond, 40 * time.Second: exportTurn, time.Minute: exportTurn,
	} {
		ctx, cancel := context.WithTimeout(t.Context(), has)
		if got := turn(ctx, time.Now()); got > most || got < most-time.Second {
			t.Errorf("of %s it takes %s, and at most %s", has, got, most)
		}
		cancel()
	}
	if got := turn(context.Background(), time.Now()); got != exportTurn {
		t.Errorf("without an end it takes %s", got)
	}
}
