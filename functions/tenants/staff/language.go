package staff

import (
	"context"
	"errors"
	"fmt"

	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
)

// LanguageOf is the language in which a member has chosen to be written to; empty for none. It is for who carries out messages: the
// person is of no company, and a request sees one company.
func LanguageOf(ctx context.Context, c *table.Conn, user int64) (say.Language, error) {
	var who crosstenant.Person
	err := crosstenant.Open(c).Get(ctx, crosstenant.User(user), &who)
	if err != nil && !errors.Is(err, table.ErrNotFound) {
		return "", fmt.Errorf("staff: language of user %d: %w", user, err)
	}
	return who.Language, nil
}
