package layout

import (
	"cmp"
	"strconv"

	"github.com/tenantry/tenantry/functions/render/job"
	"github.com/tenantry/tenantry/shared/say"
)

const (
	mostColumns = 100
	mostCells   = 50_000
)

// cell is a cell of a table's grid.
type cell struct {
	n          *node
	st         *style
	bx         box
	row, col   int
	rows, cols int
	extent     extent
	pad        [4]float64
	x, y, w, h float64
	strips     []strip
	tall       float64 // of its strips
	cutTop     bool    // what is above is on the page before
}

// grid is a table: its cells, by rows and columns.
type grid struct {
	cells   []*cell
	columns []column
	rows    []gridRow
	head    int // how many rows are its head
	border  border
	padding float64
}

type gridRow struct {
	st     *style
	bx     box
	height float64
	cells  []*cell // that begin in it
}

type column struct {
	extent
	fixed float64 // in points
	part  float64 // of the table
}

// head is the rows that are repeated on each page.
type head struct {
	strips []strip
	h      float64
}

// row is rows of a table that stay together, unless they are higher than what is left of a page.
type row struct {
	cells []*cell
	cuts  []float64 // where a row ends within it
}

// read makes the grid of a table.
func (b *builder) read(n *node, st *style) (*grid, error) {
	g := &grid{padding: 3}
	if v := n.attr("border"); v != "" && v != "0" {
		width, err := strconv.Atoi(v)
		if err == nil && width > 0 {
			g.border = border{width: min(0.75*float64(width), 4), is: true}
		}
	}
	if v, err := strconv.Atoi(n.attr("cellpadding")); err == nil && v >= 0 {
		g.padding = min(float64(v)*px, 100)
	}
	r := reader{b: b, g: g}
	for _, section := range n.kids {
		var err error
		switch section.tag {
		case "thead", "tbody", "tfoot":
			err = r.section(section, st)
		case "tr":
			err = r.row(section, st)
		case "colgroup":
			r.widths(section, st)
		case "col":
			r.width(section, st)
		}
		if err != nil {
			return nil, err
		}
	}
	r.close()
	return g, nil
}

// reader reads a table row by row.
type reader struct {
	b    *builder
	g    *grid
	busy []int // how many more rows a cell above takes, by columns
	cols int   // that col elements have told of
	over []*cell
}

func (r *reader) widths(n *node, st *style) {
	for _, kid := range n.kids {
		if kid.tag == "col" {
			r.width(kid, st)
		}
	}
}

func (r *reader) width(n *node, st *style) {
	_, bx := resolve(n, st)
	for range span(n.attr("span"), mostColumns) {
		if r.cols++; r.cols > mostColumns {
			return
		}
		r.grow(r.cols)
		r.g.columns[r.cols-1].want(bx.width)
	}
}

func (c *column) want(l length) {
	if l.is {
		c.part = max(c.part, l.part)
		c.fixed = max(c.fixed, l.points)
	}
}

func (r *reader) grow(columns int) {
	for len(r.g.columns) < columns {
		r.g.columns = append(r.g.columns, column{})
		r.busy = append(r.busy, 0)
	}
}

// section reads thead, tbody or tfoot. A cell doesn't go on into the next one.
func (r *reader) section(n *node, st *style) error {
	inner, _ := resolve(n, st)
	begin := len(r.g.rows)
	for _, kid := range n.kids {
		if kid.tag == "tr" {
			if err := r.row(kid, inner); err != nil {
				return err
			}
		}
	}
	r.close()
	if n.tag == "thead" && begin == r.g.head {
		r.g.head = len(r.g.rows)
	}
	return nil
}

// close ends the cells that would go on.
func (r *reader) close() {
	for _, c := range r.over {
		c.rows = min(c.rows, len(r.g.rows)-c.row)
	}
	r.over = nil
	clear(r.busy)
}

// span reads rowspan or colspan.
func span(s string, most int) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return 1
	}
	return min(n, most)
}

func (r *reader) row(n *node, in *style) error {
	st, bx := resolve(n, in)
	index, at := len(r.g.rows), 0
	line := gridRow{st: st, bx: bx, height: bx.height.points}
	for _, kid := range n.kids {
		if kid.tag != "td" && kid.tag != "th" {
			continue
		}
		for at < len(r.busy) && r.busy[at] > 0 {
			at++
		}
		c := &cell{n: kid, row: index, col: at, rows: span(kid.attr("rowspan"), 10_000), cols: span(kid.attr("colspan"), mostColumns)}
		c.st, c.bx = resolve(kid, st)
		if c.bx.valign == "" {
			c.bx.valign = cmp.Or(bx.valign, "middle")
		}
		if at+c.cols > mostColumns {
			return job.Refuse(job.BadHTML, say.PrintTableTooManyColumns(mostColumns))
		}
		r.grow(at + c.cols)
		for i := at; i < at+c.cols; i++ {
			r.busy[i] = max(r.busy[i], c.rows)
		}
		if c.rows > 1 {
			r.over = append(r.over, c)
		}
		r.pad(c)
		line.cells = append(line.cells, c)
		r.g.cells = append(r.g.cells, c)
		if len(r.g.cells) > mostCells {
			return job.Refuse(job.BadHTML, say.PrintTableTooManyCells(mostCells))
		}
		at += c.cols
	}
	for i := range r.busy {
		r.busy[i] = max(r.busy[i]-1, 0)
	}
	r.g.rows = append(r.g.rows, line)
	return nil
}

// pad sets what is between the border of a cell and its content.
func (r *reader) pad(c *cell) {
	for side := range c.pad {
		if !c.bx.border[side].is {
			c.bx.border[side] = r.g.border
		}
		c.pad[side] = c.bx.padding[side].or(r.g.padding, 0) + c.bx.border[side].width/2
	}
}

// table lays a table out.
func (b *builder) table(n *node, st *style, bx *box) error {
	if b.meter != nil {
		e, err := b.tableExtent(n, st)
		if err == nil {
			b.meter.least = max(b.meter.least, e.least+b.x+b.outer)
			b.meter.most = max(b.meter.most, e.most+b.x+b.outer)
		}
		return err
	}
	if err := b.unmark(true); err != nil {
		return err
	}
	for _, kid := range n.kids {
		if kid.tag == "caption" {
			if err := b.element(kid, st); err != nil {
				return err
			}
			if n := len(b.out); n > 0 {
				b.out[n-1].keep = true
			}
		}
	}
	g, err := b.read(n, st)
	if err != nil || len(g.columns) == 0 {
		return err
	}
	if err := g.measure(b); err != nil {
		return err
	}
	room := b.w - bx.margin[leftSide].of(b.w) - bx.margin[rightSide].of(b.w)
	width := 0.0
	if bx.width.is {
		width = min(bx.width.of(room), room)
	}
	widths := g.widths(room, width)
	total := 0.0
	for _, w := range widths {
		total += w
	}
	x := b.x + bx.margin[leftSide].of(b.w)
	switch n.attr("align") {
	case "center":
		x += max((room-total)/2, 0)
	case "right":
		x += max(room-total, 0)
	}
	return g.place(b, x, total, widths, bx)
}

// tableExtent is how wide a table may be. It is found once, because a table may be in a table.
func (b *builder) tableExtent(n *node, st *style) (extent, error) {
	if n.measured != nil {
		return *n.measured, nil
	}
	g, err := b.read(n, st)
	if err != nil {
		return extent{}, err
	}
	if err := g.measure(b); err != nil {
		return extent{}, err
	}
	var e extent
	for i := range g.columns {
		e.least += g.columns[i].least
		e.most += g.columns[i].most
	}
	n.measured = &e
	return e, nil
}

// measure finds how wide the columns may be.
func (g *grid) measure(b *builder) error {
	for _, c := range g.cells {
		if err := b.l.ctx.Err(); err != nil {
			return err
		}
		inside := builder{l: b.l, w: unbounded, block: c.st, meter: &c.extent}
		if err := inside.walk(c.n, c.st); err != nil {
			return err
		}
		if err := inside.flush(); err != nil {
			return err
		}
		sides := c.pad[leftSide] + c.pad[rightSide]
		c.extent.least, c.extent.most = c.extent.least+sides, max(c.extent.most, c.extent.least)+sides
		if c.bx.width.points > 0 {
			c.extent.most = max(c.extent.least, c.bx.width.points)
		}
		if c.cols == 1 {
			col := &g.columns[c.col]
			col.least, col.most = max(col.least, c.extent.least), max(col.most, c.extent.most)
			col.want(c.bx.width)
		}
	}
	for _, c := range g.cells {
		if c.cols > 1 {
			g.spread(c)
		}
	}
	for i := range g.columns {
		if col := &g.columns[i]; col.fixed > 0 {
			col.most = max(col.least, col.fixed)
		}
	}
	return nil
}

// unbounded is a width that is wider than anything.
const unbounded = 1e9

// spread has the columns below a cell of many be as wide as it.
func (g *grid) spread(c *cell) {
	cols := g.columns[c.col : c.col+c.cols]
	var least, most float64
	for i := range cols {
		least, most = least+cols[i].least, most+cols[i].most
	}
	for i := range cols {
		share := 1 / float64(len(cols))
		if most > 0 {
			share = cols[i].most / most
		}
		cols[i].least += max(c.extent.least-least, 0) * share
		cols[i].most = max(cols[i].most+max(c.extent.most-most, 0)*share, cols[i].least)
	}
}
