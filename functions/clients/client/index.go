package client

import (
	"fmt"
	"strconv"

	"github.com/tenantry/tenantry/shared/decode/kz"
	"github.com/tenantry/tenantry/shared/record/column"
)

// columns are the values by which lists of clients are filtered and ordered.
func columns() []column.Column[Client] {
	return []column.Column[Client]{
		column.Choice("type", "y", func(c *Client) *int64 { return &c.Type }, TypeIndividual, TypeLegal).
			For(column.Equal | column.Order).Doc("0 individual, 1 legal"),
		column.Flag("signed", "s", func(c *Client) bool { return c.Signed }).
			For(column.Equal).Doc("Whether the client has signed an agreement."),
		column.Digits("phone", "p", func(c *Client) *string { return c.Phone }, kz.Phone, phones).
			For(column.Equal | column.Search).
			Doc("The whole number, however it is written. A value that is not such a number matches no client."),
		column.Digits("iin", "i", (*Client).iin, kz.IIN, twelve).
			For(column.Equal | column.Search).Doc("The whole IIN. A value that is not such a number matches no client."),
		column.Digits("bin", "b", (*Client).bin, kz.BIN, twelve).
			For(column.Equal | column.Search).Doc("The whole BIN. A value that is not such a number matches no client."),
	}
}

func (c *Client) iin() *string {
	if c.Individual == nil {
		return nil
	}
	return c.Individual.IIN
}

func (c *Client) bin() *string {
	if c.Legal == nil {
		return nil
	}
	return c.Legal.BIN
}

// phones returns the spellings of a telephone number. A number of Kazakhstan may also begin
// with 8.
func phones(n int64) []string {
	s := strconv.FormatInt(n, 10)
	if len(s) == 11 && s[0] == '7' {
		return []string{s, "8" + s[1:]}
	}
	return []string{s}
}

func twelve(n int64) []string { return []string{fmt.Sprintf("%012d", n)} }
