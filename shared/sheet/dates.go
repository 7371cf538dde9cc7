package sheet

import (
	"encoding/xml"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// shows is what a number format makes of a number.
type shows uint8

const (
	showsDate shows = 1 << iota
	showsTime
)

// format is what a number format shows.
type format struct {
	shows shows
	text  string // beside the number, such as "₸"
}

// dates tells what the number formats of a workbook show.
type dates struct {
	styles   []format // by the style of a cell
	from1904 bool
}

// dates reads which styles of cells show dates.
func (p parts) dates(w workbook) (dates, error) {
	d := dates{from1904: w.from1904}
	if w.styles == "" {
		return d, nil
	}
	formats := map[string]format{}
	err := p.walk(w.styles, func(within []string, token xml.Token) error {
		e, ok := token.(xml.StartElement)
		if !ok || len(within) != 3 {
			return nil
		}
		switch within[1] + "/" + within[2] {
		case "numFmts/numFmt":
			code := attr(e, "formatCode")
			formats[attr(e, "numFmtId")] = format{shown(code), literal(code)}
		case "cellXfs/xf":
			id := attr(e, "numFmtId")
			kind, own := formats[id]
			if !own {
				kind.shows = builtIn(id)
			}
			d.styles = append(d.styles, kind)
		}
		return nil
	})
	return d, err
}

// builtIn is what a built-in number format shows. A workbook uses it without a definition.
func builtIn(id string) shows {
	n, err := strconv.Atoi(id)
	switch {
	case err != nil:
		return 0
	case n >= 14 && n <= 17, n >= 27 && n <= 31, n == 36, n >= 50 && n <= 54, n == 57, n == 58:
		return showsDate
	case n >= 18 && n <= 21, n >= 32 && n <= 35, n >= 45 && n <= 47, n == 55, n == 56:
		return showsTime
	case n == 22:
		return showsDate | showsTime
	}
	return 0
}

// shown reads a format such as [$-419]dd.mm.yyyy\ hh:mm;@ as far as to tell
// whether it shows a date or a time.
func shown(format string) shows {
	var kind shows
	minutes := false // or months
	for i := 0; i < len(format); i++ {
		switch c := format[i] | 0x20; {
		case format[i] == ';':
			i = len(format) // what follows is for negative numbers and texts
		case format[i] == '"':
			i += 1 + strings.IndexByte(format[i+1:]+`"`, '"')
		case format[i] == '\\' || format[i] == '_' || format[i] == '*':
			i++
		case format[i] == '[':
			end := strings.IndexByte(format[i:]+"]", ']')
			if inner := strings.ToLower(format[i+1 : min(i+end, len(format))]); inner != "" && strings.Trim(inner, "hms") == "" {
				kind |= showsTime // that has passed
			}
			i += end
		case strings.HasPrefix(strings.ToLower(format[i:]), "general"):
			return 0
		case c == 'y' || c == 'd':
			kind |= showsDate
		case c == 'h' || c == 's':
			kind |= showsTime
		case c == 'm':
			minutes = true
		}
	}
	if minutes && kind&showsTime == 0 {
		kind |= showsDate
	}
	return kind
}

// longestLiteral is the number of bytes after which nothing more of the text in a number format is read. A text in quotes that begins
// before is kept whole.
const longestLiteral = 40

// literal returns the text that a format shows beside a positive number: "₸" of # ##0.00\ "₸" and "€" of [$€-407]#,##0.
func literal(format string) string {
	var text strings.Builder
	for i := 0; i < len(format) && text.Len() < longestLiteral; i++ {
		switch {
		case format[i] == ';':
			i = len(format) // what follows is for other numbers
		case format[i] == '"':
			inner, _, _ := strings.Cut(format[i+1:], `"`)
			text.WriteString(inner)
			i += len(inner) + 1
		case format[i] == '[':
			inner, _, _ := strings.Cut(format[i+1:], "]")
			if sign, ok := strings.CutPrefix(inner, "$"); ok {
				sign, _, _ = strings.Cut(sign, "-") // what follows is a language
				text.WriteString(sign)
			}
			i += len(inner) + 1
		case format[i] == '\\' && i+1 < len(format):
			i++
			text.WriteByte(format[i])
		case format[i] == '_' || format[i] == '*':
			_, size := utf8.DecodeRuneInString(format[i+1:])
			i += size
		case strings.IndexByte("0#?.,%/@ -+()", format[i]) < 0:
			text.WriteByte(format[i])
		}
	}
	return strings.TrimSpace(strings.ToValidUTF8(text.String(), ""))
}

const (
	secondsOfDay = 24 * 60 * 60
	leapDay1900  = 60        // 29 February 1900, which only Excel knows
	lastDay      = 2_958_465 // 31 December 9999
	days1904     = 1462      // between both beginnings
)

// day0 is the day from which Excel counts, for dates after its false leap day in 1900.
func day0() time.Time { return time.Date(1899, time.December, 30, 0, 0, 0, 0, time.UTC) }

// of is what a style of a cell shows.
func (d dates) of(style string) format {
	n, err := strconv.Atoi(style)
	if err != nil || n < 0 || n >= len(d.styles) {
		return format{}
	}
	return d.styles[n]
}

// date turns a number of days, with a fraction for the time, into the text that a format
// shows. It returns false if there is no such date.
func (d dates) date(number string, kind shows) (string, bool) {
	days, err := strconv.ParseFloat(number, 64)
	if err != nil || days < 0 || days > lastDay+1 {
		return "", false
	}
	seconds := int64(math.Round(days * secondsOfDay))
	day, clock := seconds/secondsOfDay, seconds%secondsOfDay
	if kind&showsDate == 0 {
		return fmt.Sprintf("%02d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60), true
	}
	if d.from1904 {
		day += days1904
	}
	switch {
	case day > lastDay, day == 0, day == leapDay1900:
		return "", false
	case day < leapDay1900:
		day++
	}
	at := day0().AddDate(0, 0, int(day)).Add(time.Duration(clock) * time.Second)
	if kind&showsTime == 0 || clock == 0 {
		return at.Format(time.DateOnly), true
	}
	return at.Format(time.DateTime), true
}

// plainNumber spells a number as digits, to the 15 that Excel keeps: it writes
// 5.1 as 5.0999999999999996. A whole number keeps all it has.
func plainNumber(s string) (string, bool) {
	const longest = 400
	if whole := strings.TrimPrefix(s, "-"); whole != "" && len(whole) <= 40 && strings.Trim(whole, "0123456789") == "" {
		return s, true
	}
	if len(s) > longest || strings.Trim(s, "0123456789+-.eE") != "" {
		return "", false
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return "", false
	}
	x, err = strconv.ParseFloat(strconv.FormatFloat(x, 'e', 14, 64), 64)
	if err != nil {
		return "", false
	}
	return strconv.FormatFloat(x, 'f', -1, 64), true
}
