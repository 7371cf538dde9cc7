package order

import (
	"github.com/tenantry/tenantry/functions/services/service"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/column"
)

// ServiceLine is a service line as it is stored. Its price is for each of Count; where it is Timed, for a time besides, its own or that of
// its order.
type ServiceLine struct {
	record.Meta
	Terms
	Order     int64          `dynamo:"q"`
	Service   int64          `dynamo:"it"`
	Title     string         `dynamo:"sn"` // of the service when the line was priced
	Type      service.Type   `dynamo:"ty"` // that of the service then
	Client    *int64         `dynamo:"cl,omitempty"`
	Count     int64          `dynamo:"co"`
	Timed     bool           `dynamo:"ti,omitempty"` // it is charged for the time
	Measured  bool           `dynamo:"me,omitempty"` // its price was agreed on, and what its tariffs would cost depends on the time
	Undecided bool           `dynamo:"un,omitempty"` // its tariff was chosen before there was a time, and is chosen anew once there is one
	Start     *moment.Micros `dynamo:"s,omitempty"`  // nil: the order's time
	End       *moment.Micros `dynamo:"f,omitempty"`
	Priced    *Priced        `dynamo:"ps,omitempty"` // the time that the price is for; nil: none, or none that is known yet
	CreatedBy *int64         `dynamo:"cb,omitempty"`
	Extra     decode.JSON    `dynamo:"e"`
}

// Priced is the time that a price is for.
type Priced struct {
	Start moment.Micros `dynamo:"s"`
	End   moment.Micros `dynamo:"e"`
}

// ShownService is what callers and the history see of a service line.
type ShownService struct {
	ID        int64        `json:"id"`
	CreatedAt string       `json:"created_at" format:"date-time"`
	UpdatedAt string       `json:"updated_at" format:"date-time"`
	Request   int64        `json:"request" doc:"Id of the order"`
	Service   int64        `json:"service" doc:"Id of a service"`
	Title     string       `json:"service_name" doc:"The name that the service had when the line was priced"`
	Type      service.Type `json:"service_type" doc:"The type that the service had: {values}"`
	Client    *int64       `json:"client" nullable:"true"`
	Count     int64        `json:"count"`
	ByTime    bool         `json:"by_time" doc:"It is charged for the time, its own or that of its order, besides for each of count."`
	StartAt   *string      `json:"start_at" nullable:"true" format:"date-time" doc:"Of a time of its own; null: the order's"`
	EndAt     *string      `json:"end_at" nullable:"true" format:"date-time"`
	ShownTerms
	CreatedBy *int64      `json:"created_by" nullable:"true" doc:"Number of a user"`
	Extra     decode.JSON `json:"extra"`
}

// ServiceLines is the kind of service lines. A unit of work that makes or changes one calls Arrange;
// one that removes it calls Drop or Remove.
func ServiceLines() *record.Kind[*ServiceLine] { return declaredServiceLines.Get(declareServiceLines) }

var declaredServiceLines record.Declared[*ServiceLine]

func declareServiceLines() record.Kind[*ServiceLine] {
	return record.Kind[*ServiceLine]{
		Kind: kinds.Of(kinds.OrderService), Shown: func(l *ServiceLine) any { return l.Shown() },
		Parent: func(l *ServiceLine) record.Parent {
			return record.Parent{Kind: kinds.Order, ID: l.Order, List: "services"}
		},
		Columns: []column.Column[*ServiceLine]{
			column.Reference("request", "q", func(l *ServiceLine) *int64 { return &l.Order }).Doc("Id of an order"),
			column.Reference("service", "i", func(l *ServiceLine) *int64 { return &l.Service }).Doc("Id of a service"),
			column.Reference("client", ByClient, func(l *ServiceLine) *int64 { return l.Client }).Doc("Id of a client"),
		},
		References: serviceReferences,
		Extras:     record.Free("order_service", func(l *ServiceLine) decode.JSON { return l.Extra }),
		MaxExtra:   maxExtra,
	}
}

// Shown returns what callers see of a service line.
func (l *ServiceLine) Shown() ShownService {
	return ShownService{
		ID: l.ID, CreatedAt: l.CreatedAt(), UpdatedAt: l.UpdatedAt(), Request: l.Order, Service: l.Service, Title: l.Title, Type: l.Type,
		Client: l.Client, Count: l.Count, ByTime: l.Timed, StartAt: encode.Moment(l.Start), EndAt: encode.Moment(l.End),
		ShownTerms: l.Terms.Shown(), CreatedBy: l.CreatedBy, Extra: l.Extra,
	}
}

func serviceReferences(l *ServiceLine) []record.Reference {
	list := []record.Reference{{Field: "service", Kind: kinds.Service, ID: l.Service}}
	if l.Discount != nil {
		list = append(list, record.Reference{Field: "discount", Kind: kinds.Discount, ID: l.Discount.ID})
	}
	return list
}
