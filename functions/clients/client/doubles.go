package client

import (
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/record/search/segment"
)

// phoneColumn is the letter under which the search knows the phone, as a number.
const phoneColumn = "p"

// mostOfName is how much of a name decides whether two clients are likely the same. The search need not know more of a long one.
const mostOfName = 40

// Likeness returns what two clients have in common that are likely one and the same: the name and the phone. Of two without a phone
// that is the name, where no IIN or BIN tells them apart; "" is like none.
func (c *Client) Likeness() string {
	switch phone, ok := c.phoneNumber(); {
	case ok:
		return likeness(c.Name, phone)
	case len(uniques(c)) > 0:
		return ""
	}
	return likeness(c.Name, 0)
}

// Likely returns a condition for the clients that may be like one of the given ones: those with one of their phones. It returns
// false if none of them has a phone, because a name alone doesn't make a double of a client that is there.
func Likely(of []*Client) (segment.Condition, bool) {
	var phones []int64
	for _, c := range of {
		if phone, ok := c.phoneNumber(); ok {
			phones = append(phones, phone)
		}
	}
	return segment.In(phoneColumn, phones...), len(phones) > 0
}

// LikenessOf is the Likeness of a client that the search knows.
func LikenessOf(e segment.Entry) string { return likeness(e.Name, e.Numbers[phoneColumn]) }

func likeness(name string, phone int64) string {
	words := []rune(strings.Join(strings.Fields(search.Searchable(name)), " "))
	if len(words) == 0 {
		return ""
	}
	return string(words[:min(len(words), mostOfName)]) + " " + strconv.FormatInt(phone, 10)
}

// phoneNumber is the phone as the search knows it.
func (c *Client) phoneNumber() (int64, bool) {
	if c.Phone == nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimPrefix(*c.Phone, "+"), 10, 64)
	return n, err == nil
}
