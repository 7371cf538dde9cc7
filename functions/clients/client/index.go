package client

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/shared/record/search"
)

// The numbers of a client in the search index.
const (
	ByPhone = "p"
	ByIIN   = "i"
	ByBIN   = "b"
	ByFlags = "y" // 2 × type, and 1 where it has signed
)

// digits are those of them that are searched, as people write them: a phone of
// Kazakhstan with 8 for its 7 too.
func digits(e search.Entry) []string {
	list := make([]string, 0, 4)
	if phone := e.Number(ByPhone); phone != 0 {
		s := strconv.FormatInt(phone, 10)
		if list = append(list, s); len(s) == 11 && s[0] == '7' {
			list = append(list, "8"+s[1:])
		}
	}
	for _, name := range []string{ByIIN, ByBIN} {
		if n := e.Number(name); n != 0 {
			list = append(list, fmt.Sprintf("%012d", n))
		}
	}
	return list
}

func numbers(c *Client) map[string]int64 {
	list := map[string]int64{ByFlags: 2 * c.Type}
	if c.Signed {
		list[ByFlags]++
	}
	add := func(name string, text *string) {
		if text == nil {
			return
		}
		if n, err := strconv.ParseInt(strings.TrimPrefix(*text, "+"), 10, 64); err == nil {
			list[name] = n
		}
	}
	add(ByPhone, c.Phone)
	if c.Individual != nil {
		add(ByIIN, c.Individual.IIN)
	}
	if c.Legal != nil {
		add(ByBIN, c.Legal.BIN)
	}
	return list
}
