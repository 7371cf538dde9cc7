package metrics

import (
	"context"
	"errors"

	"github.com/tenantry/tenantry/functions/clients/client"
	"github.com/tenantry/tenantry/functions/inventory/group"
	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/functions/metrics/row"
	"github.com/tenantry/tenantry/functions/services/service"
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// join shows rows together with what they are about, as it is now.
func join(ctx context.Context, s record.Scope, r *web.Request, rows []row.Row) ([]Metric, error) {
	j := joining{w: s.Reading(), to: resource.Viewer{Base: r.BaseURL}}
	var named []record.Reference
	var keys []table.Key
	for i := range rows {
		for kind, id := range map[kinds.Code]*int64{
			kinds.Inventory: rows[i].Item, kinds.InventoryGroup: rows[i].Group, kinds.Service: rows[i].Service,
			kinds.Client: rows[i].Client,
		} {
			if id != nil {
				named, keys = append(named, record.Reference{Kind: kind, ID: *id}), append(keys, s.Table.Record(kind, *id))
			}
		}
		if of := rows[i].StatusOf(); of != nil {
			keys = append(keys, row.Kind().Key(s.Table, *of))
		}
	}
	if err := row.Glance(ctx, j.w, keys...); err != nil {
		return nil, err
	}
	if err := row.Glance(ctx, j.w, j.w.Archived(named...)...); err != nil {
		return nil, err
	}
	views := make([]Metric, len(rows))
	for i := range rows {
		var err error
		if views[i], err = j.view(ctx, &rows[i]); err != nil {
			return nil, err
		}
	}
	return views, nil
}

type joining struct {
	w  *record.Work
	to resource.Viewer
}

func (j joining) view(ctx context.Context, r *row.Row) (Metric, error) {
	v := Metric{
		ID: r.ID, Type: r.Type(), Date: r.Date, Prediction: r.Prediction, Profit: r.Profit, RequestStatus: r.Status, Request: r.Order,
		ClientID: r.Client,
	}
	switch v.Type {
	case row.Delivery:
		v.Delivery = &r.Source
	case row.Workshop:
		v.Workshop = &r.Source
	case row.Sale:
		v.Sale = &r.Source
	case row.Inventory, row.Penalty, row.Request, row.Service:
	}
	order, err := find(ctx, j.w, row.Kind(), r.StatusOf())
	if err != nil {
		return v, err
	}
	if order != nil {
		v.RequestStatus = order.Status
	}
	it, gone, err := ever(ctx, j.w, item.Kind(), r.Item)
	if err != nil {
		return v, err
	}
	if it != nil {
		shown := it.Nested()
		shown.Image = j.to.ImageEver(kinds.Of(kinds.Inventory), it.ID, "image", it.Image, gone)
		v.Inventory, v.Category = &shown, it.Category
	}
	if v.InventoryGroup, err = j.group(ctx, r.Group); err != nil {
		return v, err
	}
	if v.Service, err = j.service(ctx, r.Service); err != nil {
		return v, err
	}
	if v.Service != nil {
		v.Category = v.Service.Category
	}
	c, gone, err := ever(ctx, j.w, client.Kind(), r.Client)
	if c != nil {
		v.ClientName, v.ClientPhone = &c.Name, c.Phone
		v.ClientAvatar = j.to.ImageEver(kinds.Of(kinds.Client), c.ID, "avatar", c.Avatar, gone)
	}
	return v, err
}

func (j joining) group(ctx context.Context, id *int64) (*NestedGroup, error) {
	g, gone, err := ever(ctx, j.w, group.Kind(), id)
	if g == nil || err != nil {
		return nil, err
	}
	v := NestedGroup{Shown: g.Shown(), Deleted: gone}
	v.Image = j.to.ImageEver(kinds.Of(kinds.InventoryGroup), g.ID, "image", g.Image, gone)
	return &v, nil
}

func (j joining) service(ctx context.Context, id *int64) (*NestedService, error) {
	s, gone, err := ever(ctx, j.w, service.Kind(), id)
	if s == nil || err != nil {
		return nil, err
	}
	v := NestedService{Shown: s.Shown(), Tariffs: []NestedTariff{}, Tenant: int64(s.Tenant())}
	v.Image = j.to.ImageEver(kinds.Of(kinds.Service), s.ID, "image", s.Image, gone)
	if v.Deleted = gone; gone {
		at := encode.Instant(s.Deleted.Time())
		v.DeletedAt = &at
	}
	for i := range s.Tariffs {
		v.Tariffs = append(v.Tariffs, NestedTariff{s.Tariffs[i].Shown(), s.ID, int64(s.Tenant())})
	}
	return &v, nil
}

// ever is a record that a row names, as it is now or, where gone tells so, as it was when it was deleted; nil if it names none.
func ever[T record.Stored](ctx context.Context, w *record.Work, k *record.Kind[T], id *int64) (rec T, gone bool, err error) {
	if id == nil {
		return rec, false, nil
	}
	rec, gone, err = k.ReadEver(ctx, w, *id)
	if errors.Is(err, fault.ErrNotFound) { // the copies that a page is read from may lag behind
		return rec, false, nil
	}
	return rec, gone, err
}

// find is a record that a row names; nil if it names none, or one that was deleted.
func find[T record.Stored](ctx context.Context, w *record.Work, k *record.Kind[T], id *int64) (rec T, err error) {
	if id == nil {
		return rec, nil
	}
	rec, err = k.Read(ctx, w, *id)
	if errors.Is(err, fault.ErrNotFound) {
		return rec, nil
	}
	return rec, err
}
