package orders

import (
	"context"
	"errors"
	"time"

	"github.com/tenantry/tenantry/functions/clients/client"
	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// priceFields are what callers send for the price of a line, whatever it is a line of.
type priceFields struct {
	Tariff     decode.Optional[int64]           `json:"tarif" nullable:"true" doc:"Id of a tariff. Left out of a new line or null: the cheapest sum of the published ones where the company combines tariffs, else the one that costs least"`
	Combined   decode.Optional[bool]            `json:"combined" doc:"Whether the price is the cheapest sum of the published tariffs. Left out, it is as the settings and the group say for a line without a tarif. Who sends a whole line back leaves it combined; false beside tarif makes it that tariff alone."`
	Reprice    decode.Optional[bool]            `json:"reprice" default:"false" doc:"The line takes the tariffs and the price rules of today, and not those that it was agreed by."`
	Cost       decode.Optional[money.Amount]    `json:"tarif_price" minimum:"0" doc:"A price that was agreed on, instead of the tariff's"`
	Duration   decode.Optional[decode.Duration] `json:"tarif_duration" nullable:"true" minimum:"0" doc:"The time that the price is for, instead of the tariff's; null: any time"`
	Discount   decode.Optional[int64]           `json:"discount" nullable:"true" doc:"Id of a discount, which takes effect as it is now. A service line that is new, or gets another service, has the discount of its service if it is left out; null: none"`
	Additional decode.Optional[money.Amount]    `json:"additional_discount" minimum:"0" default:"0.00"`
}

// lineFields are what callers send for an item line, besides the item.
type lineFields struct {
	StartAt decode.Optional[decode.DateTime] `json:"start_at" example:"2027-03-05T09:00:00Z" doc:"The order's rent_start, if it is left out of a new line; of a sale, now"`
	EndAt   decode.Optional[decode.DateTime] `json:"end_at" nullable:"true" example:"2027-03-07T09:00:00Z" doc:"The order's rent_end, if it is left out of a new line; a sale has none"`
	Type    decode.Optional[order.LineType]  `json:"type" default:"0" doc:"{values}"`
	priceFields
	Set      decode.Optional[int64]       `json:"set" nullable:"true" minimum:"0" doc:"A number of the caller's own"`
	SetGroup decode.Optional[string]      `json:"set_group" nullable:"true" maxLength:"64" doc:"Lines of an order with the same one stay together in bulk calls."`
	Extra    decode.Optional[decode.JSON] `json:"extra" nullable:"true" doc:"Any JSON of at most 2 KB; the custom fields of the key order_inventory are checked."`
}

// newLine is an item line that comes with others.
type newLine struct {
	Inventory decode.Optional[int64] `json:"inventory" required:"true" example:"1" doc:"Id of an inventory item"`
	lineFields
}

// lineBody is an item line by itself, or at the address of its order. Both are one type, because each
// type makes the function larger by the whole resource.
type lineBody struct {
	Request decode.Optional[int64] `json:"request" example:"1" doc:"Id of the order, which never changes; required of a new line, but at the address of its order"`
	newLine
}

// Line is an item line as callers see it.
type Line struct {
	order.ShownLine
	Client    *client.NestedClient  `json:"client" doc:"As it is now, or as it was when it was deleted; null if the order has none"`
	Inventory *item.NestedInventory `json:"inventory" doc:"As it is now, or as it was when it was deleted"`

	to resource.Viewer
}

func viewLine(l *order.Line, to resource.Viewer) Line { return Line{ShownLine: l.Shown(), to: to} }

// linesOf is the resource of item lines, wherever they are.
func linesOf() resource.Resource[*order.Line, lineBody, Line] {
	placed := func(ctx context.Context, w *record.Work, l *order.Line, in *lineBody) error {
		o, err := orderOf(ctx, w, in.Request, &l.Order, order.Lines().Before(w, l.ID) == nil)
		if o == nil || err != nil {
			return err
		}
		return order.Arrange(ctx, w, o, order.Changes{Lines: []*order.Draft{in.draft(w, l, "")}})
	}
	return resource.Resource[*order.Line, lineBody, Line]{
		Kind: order.Lines(), View: viewLine, Join: joinLines, Made: placed, Changed: placed,
		Apply: func(l *order.Line, in *lineBody, _ fault.FieldErrors) { in.newLine.apply(l) },
		Gone: func(ctx context.Context, w *record.Work, l *order.Line) error {
			o, err := order.Kind().Edit(ctx, w, l.Order)
			if err != nil {
				return err
			}
			return order.Drop(ctx, w, o, []*order.Line{l}, nil)
		},
	}
}

// lines is the resource of the item lines of all orders.
func lines(now func() time.Time) resource.Resource[*order.Line, lineBody, Line] {
	res := linesOf()
	res.Doc, res.Filters = linesSearch, ofClients(now)
	return res
}

// linesBelow is the resource of the item lines of one order.
func linesBelow() resource.Under[*order.Order, *order.Line, lineBody, Line] {
	return resource.Under[*order.Order, *order.Line, lineBody, Line]{
		Resource: linesOf(), Above: order.Kind(), Path: "inventories", Param: "request_id",
		Of: func(l *order.Line) *int64 { return &l.Order },
		IDs: func(o *order.Order) (ids []int64) {
			for _, l := range o.Lines {
				ids = append(ids, l.ID)
			}
			return ids
		},
	}
}

// orderOf edits the order of a line that a unit of work makes or changes. It is nil if the caller
// named none that is there, or another one than the line has: that is reported with what else the
// check of the unit of work finds.
func orderOf(ctx context.Context, w *record.Work, sent decode.Optional[int64], of *int64, isNew bool) (*order.Order, error) {
	errs := w.Errors("")
	switch {
	case sent.Set && isNew && *of == 0:
		*of = sent.Value
	case sent.Set && sent.Value != *of:
		errs.Add("request", say.LineStaysInOrder)
		return nil, w.Check(ctx)
	}
	if errs.Has("request") {
		return nil, w.Check(ctx)
	}
	if *of == 0 && !sent.Set {
		errs.Add("request", say.Required)
		return nil, w.Check(ctx)
	}
	if *of < 1 || *of > table.MaxID {
		errs.Add("request", say.DoesNotExist(*of))
		return nil, w.Check(ctx)
	}
	o, err := order.Kind().Edit(ctx, w, *of)
	if errors.Is(err, fault.ErrNotFound) && !isNew {
		return nil, table.ErrRevision // the line went with its order after it was read
	}
	if errors.Is(err, fault.ErrNotFound) {
		errs.Add("request", say.DoesNotExist(*of))
		return nil, w.Check(ctx)
	}
	return o, err
}

// apply writes what was sent to a line.
func (in *newLine) apply(l *order.Line) {
	in.Inventory.Into(&l.Item)
	in.lineFields.apply(l)
}

func (in *lineFields) apply(l *order.Line) {
	if in.StartAt.Set && !in.StartAt.Null {
		l.Start = moment.Of(in.StartAt.Value.Time)
	}
	switch {
	case in.EndAt.Null:
		l.End = 0
	case in.EndAt.Set:
		l.End = moment.Of(in.EndAt.Value.Time)
	}
	in.Type.Into(&l.Type)
	in.priceFields.apply(&l.Terms)
	in.Set.IntoNullable(&l.Set)
	in.SetGroup.IntoNullable(&l.SetGroup)
	record.ExtraInto(l, in.Extra, &l.Extra)
}

func (in *priceFields) apply(t *order.Terms) {
	in.Tariff.IntoNullable(&t.Tariff)
	intoReduction(in.Discount, &t.Discount)
	in.Additional.Into(&t.Additional)
}

// draft is a line, as the caller wants it, whose errors are reported at a path.
func (in *lineFields) draft(w *record.Work, l *order.Line, path string) *order.Draft {
	if l.ID == 0 {
		l.CreatedBy = actor(w)
	}
	errs := w.Errors(path)
	for field, sent := range map[string]decode.Optional[decode.DateTime]{"start_at": in.StartAt, "end_at": in.EndAt} {
		if sent.Set && !sent.Null && moment.Of(sent.Value.Time) == 0 {
			errs.Add(field, order.NoMoment)
		}
	}
	return &order.Draft{Line: l, Path: path, Asked: in.priceFields.asked(errs)}
}

// asked is what was sent for the price of a line besides its tariff.
func (in *priceFields) asked(errs fault.FieldErrors) (a order.Asked) {
	if in.Combined.Set && !in.Combined.Null {
		a.Combined = &in.Combined.Value
	}
	in.Reprice.Into(&a.Reprice)
	if in.Cost.Set && !in.Cost.Null {
		a.Cost = &in.Cost.Value
	}
	var anyTime moment.Seconds
	switch {
	case in.Duration.Null:
		a.Duration = &anyTime
	case in.Duration.Set:
		length := time.Duration(in.Duration.Value)
		if length%time.Second != 0 {
			errs.Add("tarif_duration", say.DurationNotWholeSeconds)
		}
		seconds := moment.Seconds(length / time.Second)
		a.Duration = &seconds
	}
	return a
}

// joinLines adds to item lines their clients and items, as they are now.
func joinLines(ctx context.Context, w *record.Work, recs []*order.Line, views []Line) error {
	var named []record.Reference
	for _, l := range recs {
		named = append(named, record.Reference{Kind: kinds.Inventory, ID: l.Item})
		if l.Client != nil {
			named = append(named, record.Reference{Kind: kinds.Client, ID: *l.Client})
		}
	}
	if err := w.LoadEver(ctx, named...); err != nil {
		return err
	}
	for i, l := range recs {
		it, gone, err := item.Kind().ReadEver(ctx, w, l.Item)
		if err != nil && !errors.Is(err, fault.ErrNotFound) {
			return err
		}
		if err == nil {
			shown := it.Nested()
			shown.Image = views[i].to.ImageEver(kinds.Of(kinds.Inventory), it.ID, "image", it.Image, gone)
			views[i].Inventory = &shown
		}
		if l.Client == nil {
			continue
		}
		c, gone, err := client.Kind().ReadEver(ctx, w, *l.Client)
		if err != nil && !errors.Is(err, fault.ErrNotFound) {
			return err
		}
		if err == nil {
			shown := c.Nested()
			shown.Avatar = views[i].to.ImageEver(kinds.Of(kinds.Client), c.ID, "avatar", c.Avatar, gone)
			views[i].Client = &shown
		}
	}
	return nil
}
