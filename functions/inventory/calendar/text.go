package calendar

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/shared/moment"
)

// text is an entry as it is stored. Lists of what is free read the calendars of a whole company,
// so an entry is a short text:
//
//	L910/75 1772474400+32400 g3600 x    line 910 of order 75, 9 hours, then an hour kept free; it is out
//	L909/74 1772442000+28800 r          line 909, which was returned
//	L911/76 1772510400+                 a sale, which does not end
//	B12 1772474400+86400 l1772478000    block 12, which waited for a late return
//
// Moments and lengths are in seconds, with a fraction where they have one; what is kept free has none.
type text Entry

// MarshalText writes an entry.
func (e text) MarshalText() ([]byte, error) {
	if e.Start < 0 || e.End < e.Start || e.Gap < 0 || e.Late < 0 {
		return nil, fmt.Errorf("calendar: an entry from %d to %d can't be stored", e.Start, e.End) // Floor is never below 1970
	}
	b := make([]byte, 0, 48)
	if e.Block != 0 {
		b = strconv.AppendInt(append(b, 'B'), e.Block, 10)
	} else {
		b = strconv.AppendInt(append(b, 'L'), e.Line, 10)
		b = strconv.AppendInt(append(b, '/'), e.Order, 10)
	}
	b = append(appendSeconds(append(b, ' '), int64(e.Start)), '+')
	if e.End != Forever {
		b = appendSeconds(b, int64(e.End-e.Start))
	}
	if e.Gap != 0 {
		b = strconv.AppendInt(append(b, " g"...), int64(e.Gap), 10)
	}
	if e.Late != 0 {
		b = appendSeconds(append(b, " l"...), int64(e.Late))
	}
	if e.Out {
		b = append(b, " x"...)
	}
	if e.Back {
		b = append(b, " r"...)
	}
	return b, nil
}

// UnmarshalText reads an entry. What it does not know is an error: a calendar is never decided on in part.
func (e *text) UnmarshalText(b []byte) error {
	var bad bool
	number := func(s string) int64 {
		n, err := strconv.ParseInt(s, 10, 64)
		bad = bad || err != nil
		return n
	}
	micros := func(s string) moment.Micros { // a moment, or how long an entry is: maybe longer than a time.Duration
		n, ok := parseSeconds(s)
		bad = bad || !ok
		return moment.Micros(n)
	}
	*e = text{}
	whose, rest, _ := strings.Cut(string(b), " ")
	when, rest, _ := strings.Cut(rest, " ")
	if id, ok := strings.CutPrefix(whose, "B"); ok {
		e.Block = number(id)
	} else {
		line, order, _ := strings.Cut(strings.TrimPrefix(whose, "L"), "/")
		e.Line, e.Order = number(line), number(order)
	}
	start, length, timed := strings.Cut(when, "+")
	bad = bad || !timed
	e.Start, e.End = micros(start), Forever
	if length != "" {
		e.End = e.Start + micros(length)
	}
	for rest != "" {
		var part string
		part, rest, _ = strings.Cut(rest, " ")
		switch {
		case part == "x":
			e.Out = true
		case part == "r":
			e.Back = true
		case strings.HasPrefix(part, "g"):
			e.Gap = moment.Seconds(number(part[1:]))
		case strings.HasPrefix(part, "l"):
			e.Late = micros(part[1:])
		default:
			bad = true
		}
	}
	if bad {
		return fmt.Errorf("calendar: %q is no entry", b)
	}
	return nil
}

const second = 1_000_000

// appendSeconds appends a number of microseconds, in seconds.
func appendSeconds(b []byte, micros int64) []byte {
	b = strconv.AppendInt(b, micros/second, 10)
	if fraction := micros % second; fraction != 0 {
		b = append(b, '.')
		b = append(b, strings.TrimRight(fmt.Sprintf("%06d", fraction), "0")...)
	}
	return b
}

// parseSeconds reads what appendSeconds writes.
func parseSeconds(s string) (micros int64, ok bool) {
	whole, fraction, _ := strings.Cut(s, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || len(fraction) > 6 {
		return 0, false
	}
	micros = n * second
	if fraction != "" {
		n, err = strconv.ParseInt((fraction + "000000")[:6], 10, 64)
		micros += n
	}
	return micros, err == nil
}
