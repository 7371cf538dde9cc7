package layout

// widths shares the room among the columns: what they must have, then in proportion to what they
// would like to have. A table whose width isn't given is no wider than its content.
func (g *grid) widths(room, want float64) []float64 {
	widths := make([]float64, len(g.columns))
	whole := room
	if want > 0 {
		whole = want
	}
	var least, most float64
	for i := range g.columns {
		col := &g.columns[i]
		if col.part > 0 {
			col.most = max(col.least, min(col.part, 1)*whole)
		}
		least, most = least+col.least, most+col.most
	}
	switch {
	case most <= whole && want == 0:
		for i := range widths {
			widths[i] = g.columns[i].most
		}
	case most <= whole:
		g.stretch(widths, whole-most, most)
	case least <= whole:
		for i := range widths {
			col := &g.columns[i]
			widths[i] = col.least + (col.most-col.least)*(whole-least)/(most-least)
		}
	default:
		for i := range widths {
			widths[i] = g.columns[i].least * room / least
		}
	}
	return widths
}

// stretch shares what is left over among the columns that aren't told how wide they are, or among
// all if there are no others.
func (g *grid) stretch(widths []float64, over, most float64) {
	free, count := 0.0, 0
	for i := range g.columns {
		if col := &g.columns[i]; col.fixed == 0 && col.part == 0 {
			free += col.most
			count++
		}
	}
	for i := range widths {
		col := &g.columns[i]
		widths[i] = col.most
		switch {
		case count > 0 && (col.fixed > 0 || col.part > 0):
		case count > 0 && free > 0:
			widths[i] += over * col.most / free
		case count > 0:
			widths[i] += over / float64(count)
		case most > 0:
			widths[i] += over * col.most / most
		default:
			widths[i] += over / float64(len(widths))
		}
	}
}

// place lays the cells out and adds the rows.
func (g *grid) place(b *builder, x, total float64, widths []float64, bx *box) error {
	was := b.frame
	if bx.back != nil || bx.border[top].width+bx.border[rightSide].width+bx.border[bottom].width+bx.border[leftSide].width > 0 {
		b.frame = &frame{x: x, w: total, back: bx.back, border: bx.border, in: b.frame}
	}
	defer func() { b.frame = was }()
	at := make([]float64, len(widths)+1)
	at[0] = x
	for i, w := range widths {
		at[i+1] = at[i] + w
	}
	for _, c := range g.cells {
		c.x, c.w = at[c.col], at[c.col+c.cols]-at[c.col]
		inside := builder{l: b.l, x: c.x + c.pad[leftSide], w: max(c.w-c.pad[leftSide]-c.pad[rightSide], 4), block: c.st}
		height := b.l.height
		if err := inside.walk(c.n, c.st); err != nil {
			return err
		}
		if err := inside.flush(); err != nil {
			return err
		}
		b.l.height = height // a row counts, and not all that stands side by side in it
		if n := len(inside.out); n > 0 && inside.out[n-1].kind == gapStrip {
			inside.out = inside.out[:n-1]
		}
		c.strips, c.tall = inside.out, tall(inside.out)
	}
	g.heights()
	return g.emit(b)
}

// tall is how high strips are below each other. A margin at the top counts nothing.
func tall(strips []strip) float64 {
	h, begun := 0.0, false
	for i := range strips {
		if s := &strips[i]; s.kind != gapStrip || begun {
			h += s.h
			begun = true
		}
	}
	return h
}

// needs is how high a cell must be.
func (c *cell) needs() float64 { return max(c.tall+c.pad[top]+c.pad[bottom], c.bx.height.points) }

// heights makes the rows as high as their cells need.
func (g *grid) heights() {
	for i := range g.rows {
		for _, c := range g.rows[i].cells {
			if c.rows == 1 {
				g.rows[i].height = max(g.rows[i].height, c.needs())
			}
		}
	}
	for i := range g.rows {
		for _, c := range g.rows[i].cells {
			if c.rows == 1 {
				continue
			}
			h := 0.0
			for k := i; k < i+c.rows; k++ {
				h += g.rows[k].height
			}
			g.rows[i+c.rows-1].height += max(c.needs()-h, 0)
		}
	}
}

// emit adds the rows. Those that a cell goes through are one strip.
func (g *grid) emit(b *builder) error {
	var top head
	for i := 0; i < len(g.rows); {
		end := i + 1
		for k := i; k < end; k++ {
			for _, c := range g.rows[k].cells {
				end = max(end, k+c.rows)
			}
		}
		r := &row{}
		h := 0.0
		for k := i; k < end; k++ {
			for _, c := range g.rows[k].cells {
				c.y = h
				if c.bx.back == nil {
					c.bx.back = g.rows[k].bx.back
				}
				r.cells = append(r.cells, c)
			}
			h += g.rows[k].height
			r.cuts = append(r.cuts, h)
		}
		for k := i; k < end; k++ {
			for _, c := range g.rows[k].cells {
				c.h = r.cuts[k+c.rows-1-i] - c.y
			}
		}
		s := strip{kind: rowStrip, h: h, row: r, whole: g.rows[i].bx.whole}
		if i < g.head && len(g.rows) > g.head {
			s.keep = true
		} else if len(top.strips) > 0 {
			s.head = &top
		}
		if g.rows[i].bx.before {
			b.page()
		}
		if err := b.add(s); err != nil {
			return err
		}
		if i < g.head {
			top.strips, top.h = append(top.strips, b.out[len(b.out)-1]), top.h+h
		}
		i = end
	}
	return nil
}

// split parts rows at a height: what comes before it, and what comes after. It can't where nothing
// of the first row fits.
func (r *row) split(h float64) (before, after *row, used, rest float64, ok bool) {
	cut, whole := 0.0, false
	for _, at := range r.cuts {
		if at <= h+0.01 {
			cut, whole = at, true
		}
	}
	total := r.cuts[len(r.cuts)-1]
	if !whole {
		cut = h
	}
	before, after = &row{}, &row{}
	reach := 0.0 // how far down the cells really go
	placed := whole
	type crossing struct {
		c    *cell
		need float64
	}
	var crossed []crossing
	for _, c := range r.cells {
		switch {
		case c.y+c.h <= cut+0.01:
			before.cells = append(before.cells, c)
		case c.y >= cut-0.01:
			down := *c
			down.y -= cut
			after.cells = append(after.cells, &down)
		default:
			first, later, tall1 := take(c.strips, cut-c.y-c.pad[top]-c.pad[bottom], c.cutTop, false)
			up, down := *c, *c
			up.strips, up.tall, up.h = first, tall1, cut-c.y
			up.bx.valign, down.bx.valign = "top", "top"
			reach = max(reach, c.y+tall1+c.pad[top]+c.pad[bottom])
			placed = placed || len(first) > 0
			down.strips, down.tall, down.y, down.h, down.cutTop = later, tall(later), 0, c.y+c.h-cut, true
			down.bx.height = length{}
			before.cells, after.cells = append(before.cells, &up), append(after.cells, &down)
			crossed = append(crossed, crossing{&down, down.tall + c.pad[top] + c.pad[bottom]})
		}
	}
	if !placed {
		return nil, nil, 0, 0, false
	}
	used, rest = cut, total-cut
	if !whole && reach > 0 && reach < cut {
		for _, c := range before.cells {
			c.h = reach - c.y
		}
		used = reach
	}
	for _, at := range r.cuts {
		if at <= cut+0.01 {
			before.cuts = append(before.cuts, at)
		} else {
			after.cuts = append(after.cuts, at-cut)
		}
	}
	if !whole {
		before.cuts = []float64{used}
	}
	for _, x := range crossed {
		rest += after.grow(x.c.y+x.c.h, x.need-x.c.h)
	}
	if len(after.cuts) == 1 && !whole { // one row: it is as high as what is left of it
		need := 0.0
		for _, x := range crossed {
			need = max(need, x.need)
		}
		for _, c := range after.cells {
			c.h = need
		}
		after.cuts[0], rest = need, need
	}
	return before, after, used, rest, true
}

// grow makes the row that ends at a height higher.
func (r *row) grow(end, by float64) float64 {
	if by <= 0 {
		return 0
	}
	for _, c := range r.cells {
		switch {
		case c.y >= end-0.01:
			c.y += by
		case c.y+c.h >= end-0.01:
			c.h += by
		}
	}
	for i := range r.cuts {
		if r.cuts[i] >= end-0.01 {
			r.cuts[i] += by
		}
	}
	return by
}
