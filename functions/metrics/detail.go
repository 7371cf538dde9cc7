package metrics

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tenantry/tenantry/functions/inventory/group"
	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/functions/metrics/row"
	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/functions/services/service"
	"github.com/tenantry/tenantry/functions/services/tariff"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/enum"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// Metric is a row as callers see it.
type Metric struct {
	ID             int64                 `json:"id" doc:"Stays the same when the row is worked out again"`
	Type           row.Type              `json:"type"`
	Date           decode.Date           `json:"date" doc:"A day of the company"`
	Prediction     money.Amount          `json:"prediction" doc:"What was accrued: its net with its part of the order's discount and added tax, and its late fee. 0.00 if the order is cancelled, but for the fees that it owes"`
	Profit         money.Amount          `json:"profit" doc:"Its part of what was collected for the order and not refunded"`
	Inventory      *item.NestedInventory `json:"inventory" doc:"As it is now, or as it was when it was deleted"`
	InventoryGroup *NestedGroup          `json:"inventory_group" doc:"The one that the item was in when the line was priced, as it is now, or as it was when it was deleted"`
	Service        *NestedService        `json:"service" doc:"As it is now, or as it was when it was deleted"`
	RequestStatus  *order.Status         `json:"request_status" nullable:"true" doc:"Of the order: {values}"`
	Category       *int64                `json:"category" nullable:"true" doc:"That of the item or the service"`
	Request        *int64                `json:"request" nullable:"true" doc:"Id of the order"`
	Delivery       *int64                `json:"request_delivery" nullable:"true" doc:"Of a delivery: the id of the service line"`
	Workshop       *int64                `json:"workshop" nullable:"true" doc:"Of a workshop: the id of the service line"`
	Sale           *int64                `json:"sale" nullable:"true" doc:"Of a sale: the id of the item line"`
	ClientID       *int64                `json:"client_id" nullable:"true"`
	ClientName     *string               `json:"client_name" nullable:"true" doc:"The client as it is now, or as it was when it was deleted; null if the order has none"`
	ClientPhone    *string               `json:"client_phone" nullable:"true"`
	ClientAvatar   *string               `json:"client_avatar" nullable:"true" format:"uri"`
}

// NestedGroup is what metrics show of an inventory group.
type NestedGroup struct {
	group.Shown
	Deleted bool `json:"deleted"`
}

// NestedService is what metrics show of a service.
type NestedService struct {
	service.Shown
	Tariffs []NestedTariff `json:"tarifs"`
	Tenant  int64          `json:"tenant"`
}

// NestedTariff is what metrics show of a tariff of a service.
type NestedTariff struct {
	tariff.Shown
	Service int64 `json:"service"`
	Tenant  int64 `json:"tenant"`
}

// The query of the operations.
const (
	ofType  = "type"
	on      = "date"
	from    = "date__gte"
	to      = "date__lte"
	atPoint = "rental_point"
)

type listInput struct {
	Page     string `query:"page"`
	PageSize string `query:"pageSize"`
	Ordering string `query:"ordering"`
}

// detail is the operation that lists rows.
func detail(now func() time.Time) web.Operation {
	return web.Op(web.Operation{
		ID: "metrics-detail", Method: http.MethodGet, Path: path + "general/detail/", Role: role,
		Query: append([]web.Param{
			{Name: ofType, Enum: enum.Texts(row.Type("").Values()), Doc: "The rows of one type"},
			{Name: on, Format: "date", Doc: "The rows of one day"},
		}, append(period(), web.Param{Name: atPoint, Type: web.Integer, Doc: "The rows of orders with this rental point"})...),
		Faults: []fault.Code{fault.Invalid}, Draws: true, Summary: "List what was accrued and collected",
		Doc: "A row for each item line, service line and fee of the orders, and one of the type request for each order, which " +
			"counts in no total. Without these, predictions add up to price and penalty_amount of the orders that are not cancelled, " +
			"with the fees that cancelled ones owe, and profits to paid_amount of all orders. What was paid for an order without lines " +
			"and fees is a row of the type service. With the setting accrual: daily, a line has a row for each day of its time, " +
			"with its part of prediction by seconds, and for each day on which money was collected, with its part of profit: at most " +
			"400, so days of longer times are grouped, each group on its first day. Late fees are on the day of the return then, " +
			"and refunds are taken off the day of their payment. Both settings come to the same. " +
			"A traffic penalty is a row with 0.00 of the type penalty until an order is charged with it; then the fee is. " +
			"Else the date is the day of the company on which a line begins; of services and of orders the first start of the order, " +
			"else its creation; of fees their creation; of traffic penalties the violation. Services of the types delivery, back and " +
			"both ways are deliveries. `ordering` takes date, prediction, profit and id; the default is -date. An order by date alone " +
			"has pages of any number of rows; any other one, and rental_point, need a period of at most 100,000 rows. Rows follow " +
			"their orders within seconds.",
	}, func(ctx context.Context, r *web.Request, _ *listInput) (*web.List[Metric], error) {
		p, err := r.PageOf()
		if err != nil {
			return nil, err
		}
		q, err := queryOf(r)
		if err != nil {
			return nil, err
		}
		s := resource.Scope(r, now)
		rows, count, err := row.Page(ctx, s, q, resource.Window(p))
		if err != nil {
			return nil, err
		}
		views, err := join(ctx, s, r, rows)
		if err != nil {
			return nil, err
		}
		list, err := web.Envelope(r, p, count, views)
		return &list, err
	})
}

// period are the parameters of a period.
func period() []web.Param {
	return []web.Param{
		{Name: from, Format: "date", Doc: "The first day"},
		{Name: to, Format: "date", Doc: "The last day"},
	}
}

// queryOf reads what a list of rows asks for.
func queryOf(r *web.Request) (q row.Query, err error) {
	errs := fault.FieldErrors{}
	if sent := strings.TrimSpace(r.Param(ofType)); sent != "" {
		if q.Type = row.Type(sent); !slices.Contains(row.Types(), q.Type) {
			errs.Add(ofType, say.InvalidChoice(sent))
		}
	}
	q.From, q.To = day(r, from, errs), day(r, to, errs)
	if one := day(r, on, errs); one != "" {
		q.From = max(q.From, one)
		if q.To == "" || one < q.To {
			q.To = one
		}
	}
	if sent := strings.TrimSpace(r.Param(atPoint)); sent != "" {
		n, err := strconv.ParseInt(sent, 10, 64)
		if err != nil {
			errs.Add(atPoint, say.InvalidInteger)
		}
		q.Point = &n
	}
	for _, o := range r.Ordering(string(row.ByDate), string(row.ByPrediction), string(row.ByProfit), string(row.ByID)) {
		q.Order = append(q.Order, row.By{Field: row.Field(o.Field), Descending: o.Desc})
	}
	if q.Order == nil {
		q.Order = []row.By{{Field: row.ByDate, Descending: true}}
	}
	return q, errs.Err()
}

// day reads a day of the query; empty if none was sent.
func day(r *web.Request, name string, errs fault.FieldErrors) decode.Date {
	sent := strings.TrimSpace(r.Param(name))
	if sent == "" {
		return ""
	}
	d, ok := decode.ParseDate(sent)
	if !ok {
		errs.Add(name, say.InvalidDate)
	}
	return d
}
