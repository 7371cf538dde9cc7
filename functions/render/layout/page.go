package layout

// take parts strips at the end of a page: what fits into a height, how high that is, and the rest.
// Where strips go on from the page before, a table's head comes first. Nothing is taken if not even
// the first one fits, unless force is set.
func take(strips []strip, h float64, goesOn, force bool) (first, rest []strip, used float64) {
	if len(strips) == 0 {
		return nil, nil, 0
	}
	if top := strips[0].head; goesOn && top != nil && top.h <= h/2 {
		if first, rest, used = fill(strips, h-top.h, false); len(first) > 0 {
			return append(append(make([]strip, 0, len(top.strips)+len(first)), top.strips...), first...), rest, used + top.h
		}
	}
	return fill(strips, h, force)
}

// splitBelow is the share of a page that a row may leave free instead of being parted.
const splitBelow = 0.3

// fill is take without heads.
func fill(strips []strip, h float64, force bool) (first, rest []strip, used float64) {
	begin := 0
	for begin < len(strips) && (strips[begin].kind == gapStrip || strips[begin].kind == breakStrip) {
		begin++
	}
	for i := begin; i < len(strips); i++ {
		s := &strips[i]
		if s.kind == breakStrip {
			return strips[begin:i], strips[i+1:], used
		}
		if used+s.h <= h+0.01 {
			used += s.h
			continue
		}
		if s.kind == rowStrip && (i == begin || !s.whole && s.h > h*splitBelow) {
			if up, down, ok := parted(s, h-used); ok {
				return append(append(make([]strip, 0, i-begin+1), strips[begin:i]...), up), prepend(down, strips[i+1:]), used + up.h
			}
		}
		at := i
		for at > begin && strips[at-1].keep {
			at--
		}
		switch {
		case at > begin:
			return strips[begin:at], strips[at:], tall(strips[begin:at])
		case i > begin: // all of it should stay together, and can't
			return strips[begin:i], strips[i:], used
		case force: // higher than a page
			return strips[begin : i+1], strips[i+1:], s.h
		}
		return nil, strips[begin:], 0
	}
	return strips[begin:], nil, used
}

func parted(s *strip, h float64) (up, down strip, ok bool) {
	before, after, used, rest, ok := s.row.split(h)
	if !ok || len(after.cells) == 0 {
		return strip{}, strip{}, false
	}
	up, down = *s, *s
	up.row, up.h, up.keep = before, used, false
	down.row, down.h = after, rest
	return up, down, true
}

func prepend(s strip, rest []strip) []strip {
	return append(append(make([]strip, 0, len(rest)+1), s), rest...)
}
