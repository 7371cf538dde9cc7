package order

import (
	"slices"

	"github.com/tenantry/tenantry/functions/inventory/calendar"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/nullable"
	"github.com/tenantry/tenantry/shared/say"
)

// returnPoint is the rental point at which the order's items are returned; 0: none is named.
func (o *Order) returnPoint() int64 {
	if o.PointReturn == nil {
		return 0
	}
	return *o.PointReturn
}

// toReturn are the lines of an order whose items are still to come back.
func (o *Order) toReturn() (list []Held) {
	if !o.IsOpen() {
		return nil
	}
	for _, h := range o.Lines {
		if h.End != 0 && h.State != Returned {
			list = append(list, h)
		}
	}
	return list
}

// checkReturns refuses another rental_point_return of an order where one transaction does not hold what goes with it: the calendars
// of the items that are to come back, and whatever the lines of another client are.
func (o *Order) checkReturns(before *Order) error {
	var says say.Message
	switch n := len(o.toReturn()); {
	case n > AtOnce:
		says = say.OrderKeepsReturnPoint(AtOnce)
	case !nullable.Same(before.Client, o.Client) && n+len(o.Lines)+len(o.Services) > mostAtOnce:
		says = say.OrderClientAndReturnPoint
	default:
		return nil
	}
	return fault.New(fault.Conflict, says).With("code", "too_many_lines")
}

// arrival is a line whose item was returned.
type arrival struct {
	Line     int64 `json:"line"`
	Item     int64 `json:"item"`
	Revision int64 `json:"revision"` // of the order before the return, which tells this one from one after it was undone
}

// mayMove tells whether the return of a line at a rental point moves its item, which is now at a point. It does not if the item is there
// already, unless it came back elsewhere before: the message of that return may still be under way, and has to find that it was overtaken.
func (a arrival) mayMove(point int64, is *int64, c *calendar.Calendar) bool {
	return is == nil || *is != point || slices.ContainsFunc(c.Entries, func(e calendar.Entry) bool {
		return e.Back && e.Line != a.Line && e.Point != 0 && e.Point != point
	})
}

// holds tells whether the item of a line is still back from this return: it was not undone since.
func (a arrival) holds(l *Line) bool {
	return l.Return != nil && l.Return.Revision == a.Revision && l.Item == a.Item
}
