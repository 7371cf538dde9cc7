package client_test

import (
	"fmt"
	"testing"

	"github.com/tenantry/tenantry/functions/clients/client"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/decode/kz"
	"github.com/tenantry/tenantry/shared/record/recordtest"
)

func TestClients(t *testing.T) {
	recordtest.Run(t, recordtest.Subject[*client.Client]{
		Kind: client.Kind(),
		New: func(n int) *client.Client {
			number, phone := iin(n), fmt.Sprintf("+7701%07d", n)
			return &client.Client{
				Name:  fmt.Sprintf("Клиент %d, а имя его такое длинное, что в поиске ему отведено не больше места, чем всякому", n),
				Phone: &phone, Extra: decode.JSON(`{}`), Individual: &client.Individual{IIN: &number},
			}
		},
		Change: func(c *client.Client, n int) {
			c.Name = fmt.Sprintf("Another %d", n)
			if n%2 == 0 { // every other change gives the number back
				c.Individual = nil
			}
		},
	})
}

// iin is a number that only the nth person has.
func iin(n int) string {
	for i := n * 100; ; i++ {
		if number, ok := kz.IIN(fmt.Sprintf("8505153%05d", i)); ok {
			return number
		}
	}
}
