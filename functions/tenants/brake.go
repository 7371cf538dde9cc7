package tenants

import (
	"sync"
	"time"
)

// A caller's address may ask for so many domains a minute. An office behind one
// address stays far below; a script that tries a dictionary does not.
const (
	asksPerMinute = 600
	maxAddresses  = 10_000 // remembered at a time
)

// brake slows down who asks for very many domains. It is kept in the memory of
// one process, so it holds for each process alone, and not in the table as
// shared/table/throttle would: that is a write for an answer that takes half as much
// as one, and which hosts exist is public in the DNS anyway. What bounds all
// processes together is the gateway's own limit.
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
