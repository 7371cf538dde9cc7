package tenants

import (
	"sync"
	"time"

	"github.com/tenantry/tenantry/shared/table/throttle"
)

// These limit how many questions about domains a caller may ask in a minute. An office behind one address stays far below; a
// script that tries a dictionary does not.
const (
	asksPerMinute = 600
	asksAtOnce    = 30     // are counted together in the table; whoever asks fewer in a minute costs no write
	maxAddresses  = 10_000 // how many addresses are remembered
)

// brake slows down callers who ask about very many domains. A process counts in its memory, and in the table only every
// thirtieth question of a caller: a write costs twice as much as the answer itself, and hardly anybody asks as often. So all
// processes together answer a caller at most asksPerMinute questions a minute, and asksAtOnce more each.
type brake struct {
	mu     sync.Mutex
	minute time.Time
	asked  map[string]int
}

// ask counts one question of an address. counts tells that asksAtOnce more of them are to be counted in the table, by braked.
func (b *brake) ask(address string, now time.Time) (counts bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if minute := now.Truncate(time.Minute); b.asked == nil || !minute.Equal(b.minute) || len(b.asked) >= maxAddresses {
		b.minute, b.asked = minute, map[string]int{}
	}
	b.asked[address]++
	return b.asked[address]%asksAtOnce == 0
}

// refuse has the next question of an address in the same minute counted too: the limit was reached.
func (b *brake) refuse(address string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked[address]--
}

// braked is the count of an address in the table, of asksAtOnce questions each.
func braked(address string) throttle.Count {
	return throttle.Rule{Name: "domains", Limit: asksPerMinute / asksAtOnce, Window: time.Minute}.Of(address)
}
