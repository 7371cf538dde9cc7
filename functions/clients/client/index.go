package client

import (
	"github.com/tenantry/tenantry/shared/decode/kz"
	"github.com/tenantry/tenantry/shared/record/column"
	"github.com/tenantry/tenantry/shared/record/search/segment"
)

// columns are the values by which lists of clients are filtered and ordered.
func columns() []column.Column[*Client] {
	return []column.Column[*Client]{
		column.Choice("type", "y", func(c *Client) *Type { return &c.Type }),
		column.Flag("signed", "s", func(c *Client) bool { return c.Signed }).
			Doc("Whether the client has signed an agreement."),
		column.Digits("phone", phoneColumn, func(c *Client) *string { return c.Phone }, kz.Phone, segment.Spelling{Width: 1, Trunk: true}).
			Doc("The whole number, however it is written. A value that is not such a number matches no client."),
		column.Digits("iin", "i", (*Client).iin, kz.IIN, segment.Spelling{Width: 12}).
			Doc("The whole IIN. A value that is not such a number matches no client."),
		column.Digits("bin", "b", (*Client).bin, kz.BIN, segment.Spelling{Width: 12}).
			Doc("The whole BIN. A value that is not such a number matches no client."),
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
