// Package credentialtest gives users of tests a password, for tests of what asks for it again (credential.Again).
//
// What never goes in here: signing in, which tests of the group identity do over the API.
package credentialtest

import (
	"fmt"
	"testing"

	"github.com/tenantry/tenantry/functions/identity/credential"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
)

// Give stores users who have a password. Each has an e-mail address of its own: that of the user 7 is user7@example.com.
func Give(t testing.TB, c *table.Conn, password string, users ...int64) {
	t.Helper()
	hash, err := credential.New().Hash(t.Context(), password)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range users {
		err := crosstenant.Open(c).Put(struct {
			table.Item
			Email    string `dynamo:"em"`
			Password string `dynamo:"pw"`
		}{table.At(crosstenant.User(id), 1), fmt.Sprintf("user%d@example.com", id), hash}).Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
	}
}
