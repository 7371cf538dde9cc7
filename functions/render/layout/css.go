package layout

import (
	"strconv"
	"strings"
)

// parseLength reads a length. Nothing is longer than any page.
func parseLength(s string, size float64) (length, bool) {
	end := strings.IndexFunc(s, func(r rune) bool { return (r < '0' || r > '9') && r != '.' && r != '-' })
	unit := ""
	if end >= 0 {
		s, unit = s[:end], strings.TrimSpace(s[end:])
	}
	number, err := strconv.ParseFloat(s, 64)
	if err != nil || number < 0 {
		return length{}, false
	}
	l := length{is: true}
	switch unit {
	case "px":
		l.points = number * px
	case "pt":
		l.points = number
	case "mm":
		l.points = number * mm
	case "cm":
		l.points = number * 10 * mm
	case "in":
		l.points = number * 72
	case "em", "rem":
		l.points = number * size
	case "%":
		l.part = min(number, 1000) / 100
	case "":
		if number != 0 {
			return length{}, false
		}
	default:
		return length{}, false
	}
	l.points = min(l.points, 4000)
	return l, true
}

// parseBorder reads a border such as "1px solid #999".
func parseBorder(s string) border {
	b := border{is: true, width: 0.75}
	shown := false
	for word := range strings.FieldsSeq(s) {
		switch word {
		case "none", "hidden":
			return border{is: true}
		case "solid", "double", "groove", "ridge", "inset", "outset":
			shown = true
		case "dashed", "dotted":
			shown, b.dash = true, true
		case "thin":
			b.width = 0.5
		case "medium", "thick":
			b.width = 2
		default:
			if l, ok := parseLength(word, baseSize); ok {
				b.width = min(l.points, 20)
			} else if c, ok := parseColor(word); ok {
				b.color = c
			}
		}
	}
	if !shown || b.width == 0 {
		return border{is: true}
	}
	return b
}

// parseColor reads a colour: #rgb, #rrggbb, or one of the common names.
func parseColor(s string) (rgb, bool) {
	if hex, ok := strings.CutPrefix(s, "#"); ok {
		if len(hex) == 3 {
			hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
		}
		number, err := strconv.ParseUint(hex, 16, 32)
		return rgb{uint8(number >> 16), uint8(number >> 8), uint8(number)}, err == nil && len(hex) == 6
	}
	number := map[string]uint32{
		"black": 0, "silver": 0xc0c0c0, "gray": 0x808080, "grey": 0x808080, "white": 0xffffff, "maroon": 0x800000, "red": 0xff0000,
		"purple": 0x800080, "fuchsia": 0xff00ff, "magenta": 0xff00ff, "green": 0x008000, "lime": 0x00ff00, "olive": 0x808000,
		"yellow": 0xffff00, "navy": 0x000080, "blue": 0x0000ff, "teal": 0x008080, "aqua": 0x00ffff, "cyan": 0x00ffff, "orange": 0xffa500,
		"brown": 0xa52a2a, "pink": 0xffc0cb, "gold": 0xffd700, "lightgray": 0xd3d3d3, "lightgrey": 0xd3d3d3, "darkgray": 0xa9a9a9,
		"darkgrey": 0xa9a9a9, "whitesmoke": 0xf5f5f5, "gainsboro": 0xdcdcdc, "dimgray": 0x696969, "dimgrey": 0x696969,
		"darkred": 0x8b0000, "darkgreen": 0x006400, "darkblue": 0x00008b, "lightyellow": 0xffffe0, "lightblue": 0xadd8e6, "beige": 0xf5f5dc,
	}
	c, ok := number[s]
	return rgb{uint8(c >> 16), uint8(c >> 8), uint8(c)}, ok
}
