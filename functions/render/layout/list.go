package layout

import (
	"math"
	"strconv"
	"strings"
)

// list lays a list out.
func (b *builder) list(n *node, st *style) error {
	const step = 18
	number := 1
	if start, err := strconv.Atoi(n.attr("start")); err == nil {
		number = start
	}
	for _, kid := range n.kids {
		if kid.tag != "li" {
			if err := b.one(kid, st); err != nil {
				return err
			}
			continue
		}
		if err := b.flush(); err != nil {
			return err
		}
		if value, err := strconv.Atoi(kid.attr("value")); err == nil {
			number = value
		}
		inner, bx := resolve(kid, st)
		if !bx.margin[leftSide].is {
			bx.margin[leftSide] = length{points: step, is: true}
		}
		m := &marker{text: b.l.faces.clean(bullet(n, number)), st: inner, x: b.x + bx.margin[leftSide].of(b.whole())}
		number++
		if m.st.shift != 0 || m.st.under || m.st.strike {
			plain := *m.st
			plain.shift, plain.under, plain.strike = 0, false, false
			m.st = &plain
		}
		err := b.apart(&bx, func() error {
			return b.framed(kid, inner, &bx, func() error {
				if b.meter == nil {
					b.marker = m
				}
				b.listed = true
				if err := b.walk(kid, inner); err != nil {
					return err
				}
				if err := b.flush(); err != nil {
					return err
				}
				return b.unmark(false)
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// unmark makes a line of the marker alone, where no line has taken it. One before a table is beside it.
func (b *builder) unmark(beside bool) error {
	if b.marker == nil {
		return nil
	}
	if err := b.paragraph().newline(); err != nil {
		return err
	}
	err := b.flush()
	if n := len(b.out); err == nil && beside {
		b.out[n-1].h, b.out[n-1].keep = 0, true
	}
	return err
}

// bullet is what stands before an item of a list.
func bullet(list *node, number int) string {
	if list.tag == "ul" {
		return "•"
	}
	switch list.attr("type") {
	case "a":
		return strings.ToLower(alphabetic(number)) + "."
	case "A":
		return alphabetic(number) + "."
	case "i":
		return strings.ToLower(roman(number)) + "."
	case "I":
		return roman(number) + "."
	}
	return strconv.Itoa(number) + "."
}

func alphabetic(n int) string {
	s := ""
	for ; n > 0 && n < math.MaxInt32; n = (n - 1) / 26 {
		s = string(rune('A'+(n-1)%26)) + s
	}
	if s == "" {
		return strconv.Itoa(n)
	}
	return s
}

func roman(n int) string {
	if n < 1 || n > 3999 {
		return strconv.Itoa(n)
	}
	var s strings.Builder
	values := []int{1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1}
	signs := []string{"M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"}
	for i, value := range values {
		for ; n >= value; n -= value {
			s.WriteString(signs[i])
		}
	}
	return s.String()
}
