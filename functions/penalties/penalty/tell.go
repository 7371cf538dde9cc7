package penalty

import (
	"strconv"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record"
)

// Changed is the message that asks metrics to work out the rows of PerMessage penalties again. Its key
// is the first one's id, divided by PerMessage: a registry sends many penalties at once, and a message for each would be a
// write for each.
const Changed outbox.Kind = "metrics.penalties"

// PerMessage is how many penalties one message is about: those from PerMessage times its key, whose ids follow
// each other.
const PerMessage = 25

// tells returns the messages that a write of a penalty leaves.
func tells(before, after *Penalty) []record.Message {
	p := after
	if p == nil {
		p = before
	}
	if before != nil && after != nil && before.counted() == after.counted() {
		return nil
	}
	return []record.Message{{Kind: Changed, Key: strconv.FormatInt(p.ID/PerMessage, 10)}}
}

// counted is what metrics show of a penalty.
type counted struct {
	date                decode.Date
	item, order, client int64
	charged             bool
}

func (p *Penalty) counted() counted {
	id := func(of *int64) int64 {
		if of == nil {
			return 0
		}
		return *of
	}
	c := counted{item: id(p.Item), order: id(p.Order), client: id(p.Client), charged: p.Charged != nil}
	if p.Date != nil {
		c.date = *p.Date
	}
	return c
}
