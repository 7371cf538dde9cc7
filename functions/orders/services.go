package orders

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// serviceFields are what callers send for a service line, besides the service.
type serviceFields struct {
	Count   decode.Optional[int64]           `json:"count" minimum:"1" maximum:"100000" default:"1" example:"2" doc:"How many times the price is charged"`
	StartAt decode.Optional[decode.DateTime] `json:"start_at" nullable:"true" doc:"With end_at, a time of its own for a service that is charged for the time. Both left out or null: the order's time, also when that changes"`
	EndAt   decode.Optional[decode.DateTime] `json:"end_at" nullable:"true"`
	priceFields
	Extra decode.Optional[decode.JSON] `json:"extra" nullable:"true" doc:"Any JSON of at most 2 KB; the custom fields of the key order_service are checked."`
}

// newService is a service line that comes with others.
type newService struct {
	Service decode.Optional[int64] `json:"service" required:"true" example:"1" doc:"Id of a service"`
	serviceFields
}

// serviceBody is a service line by itself, or at the address of its order; see lineBody.
type serviceBody struct {
	Request decode.Optional[int64] `json:"request" example:"1" doc:"Id of the order, which never changes; required of a new line, but at the address of its order"`
	newService
}

// ServiceLine is a service line as callers see it.
type ServiceLine struct{ order.ShownService }

func viewService(l *order.ServiceLine, _ resource.Viewer) ServiceLine { return ServiceLine{l.Shown()} }

// servicesOf is the resource of service lines, wherever they are.
func servicesOf() resource.Resource[*order.ServiceLine, serviceBody, ServiceLine] {
	placed := func(ctx context.Context, w *record.Work, l *order.ServiceLine, in *serviceBody) error {
		o, err := orderOf(ctx, w, in.Request, &l.Order, order.ServiceLines().Before(w, l.ID) == nil)
		if o == nil || err != nil {
			return err
		}
		return order.Arrange(ctx, w, o, order.Changes{Services: []*order.ServiceDraft{in.draft(w, l, "")}})
	}
	return resource.Resource[*order.ServiceLine, serviceBody, ServiceLine]{
		Kind: order.ServiceLines(), View: viewService, Made: placed, Changed: placed,
		Apply: func(l *order.ServiceLine, in *serviceBody, _ fault.FieldErrors) { in.newService.apply(l) },
		Gone: func(ctx context.Context, w *record.Work, l *order.ServiceLine) error {
			o, err := order.Kind().Edit(ctx, w, l.Order)
			if err != nil {
				return err
			}
			return order.Drop(ctx, w, o, nil, []*order.ServiceLine{l})
		},
	}
}

// services is the resource of the service lines of all orders.
func services(now func() time.Time) resource.Resource[*order.ServiceLine, serviceBody, ServiceLine] {
	res := servicesOf()
	res.Doc, res.Filters = linesSearch, ofClients(now)
	return res
}

// servicesBelow is the resource of the service lines of one order.
func servicesBelow() resource.Under[*order.Order, *order.ServiceLine, serviceBody, ServiceLine] {
	return resource.Under[*order.Order, *order.ServiceLine, serviceBody, ServiceLine]{
		Resource: servicesOf(), Above: order.Kind(), Path: "services", Param: "request_id",
		Of:  func(l *order.ServiceLine) *int64 { return &l.Order },
		IDs: func(o *order.Order) []int64 { return o.Services },
	}
}

// apply writes what was sent to a line.
func (in *newService) apply(l *order.ServiceLine) {
	in.Service.Into(&l.Service)
	in.serviceFields.apply(l)
}

func (in *serviceFields) apply(l *order.ServiceLine) {
	if l.Count == 0 { // it is new
		l.Count = 1
	}
	in.Count.Into(&l.Count)
	decode.IntoMicros(in.StartAt, &l.Start)
	decode.IntoMicros(in.EndAt, &l.End)
	in.priceFields.apply(&l.Terms)
	record.ExtraInto(l, in.Extra, &l.Extra)
}

// draft is a line, as the caller wants it, whose errors are reported at a path.
func (in *serviceFields) draft(w *record.Work, l *order.ServiceLine, path string) *order.ServiceDraft {
	if l.ID == 0 {
		l.CreatedBy = actor(w)
	}
	return &order.ServiceDraft{
		Line: l, Path: path, Asked: in.priceFields.asked(w.Errors(path)), DiscountSent: in.Discount.Set || in.Discount.Null,
	}
}
