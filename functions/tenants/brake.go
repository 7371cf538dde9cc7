package tenants

import (
	"sync"
	"time"
)

// These limit how many questions about domains an IP address may ask in a minute. An office behind one address stays
// far below the limit; a script that tries a dictionary does not.
// behind one address stays far below it; a script that tries a dictionary does not.
const (
	asksPerMinute = 600
	maxAddresses  = 10_000 // how many addresses are remembered
)

// brake slows down callers who ask about very many domains. It is kept in the memory of one
// process, so each process counts for itself. It does not use shared/table/throttle: that
// would need a write, which costs twice as much as the answer itself, and which hosts exist is
// public in the DNS anyway. The gateway's own limit bounds all processes together.
type brake struct {
	mu     sync.Mutex
	minute time.Time
	asked  map[string]int
}

// hold counts one question of an address and returns how long it has to wait;
// 0 lets it through.
func (b *brake) hold(address string, now time.Time) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if minute := now.Truncate(time.Minute); b.asked == nil || !minute.Equal(b.minute) || len(b.asked) >= maxAddresses {
		b.minute, b.asked = minute, map[string]int{}
	}
	b.asked[address]++
	if b.asked[address] > asksPerMinute {
		return b.minute.Add(time.Minute).Sub(now)
	}
	return 0
}
