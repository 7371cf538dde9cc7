package table

import (
	"context"
	"errors"

	"github.com/tenantry/tenantry/shared/table/internal/conn"
)

// Ping asks the engine for an item that never exists, in the cheapest way, to
// learn whether it answers at all.
func Ping(ctx context.Context, c *Conn) error {
	nothing := Key{PK: "ping", SK: "-"}
	err := conn.Open(c, func(partition string) bool { return partition == nothing.PK }).Get(ctx, nothing, &Item{})
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}
