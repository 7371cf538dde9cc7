package table

import (
	"context"
	"errors"

	"github.com/tenantry/tenantry/shared/table/internal/conn"
)

// Ping asks the engine, in the cheapest way, for an item that never exists, to find out whether
// the engine answers.
func Ping(ctx context.Context, c *Conn) error {
	err := conn.Open(c, onlyPing{}).Get(ctx, Key{PK: ping, SK: none}, &Item{})
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

// The key of an item that never exists.
const (
	ping = "ping"
	none = "-"
)

// onlyPing allows the key of Ping only.
type onlyPing struct{}

func (onlyPing) Item(pk, sk string) bool { return pk == ping && sk == none }
func (onlyPing) Partition(string) bool   { return false }
func (onlyPing) Reads(_, _ string) bool  { return false }
func (onlyPing) Enters(_, _ string) bool { return false }
