package penalties

import (
	"context"
	"net/http"
	"reflect"
	"strconv"
	"time"

	"github.com/tenantry/tenantry/functions/penalties/penalty"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table/throttle"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// row is what a registry sends of a penalty.
type row struct {
	OuterID  decode.Optional[int64]  `json:"outer_id" nullable:"true" example:"730017" doc:"The registry's number of it. The same number again changes that penalty; without one the penalty is always new."`
	Protocol decode.Optional[string] `json:"protocol_number" maxLength:"255" example:"KZ2603010017" doc:"Required for a new penalty"`
	fields
	Car     decode.Optional[carBody]     `json:"car" nullable:"true" doc:"Fields that are left out keep their value; null: the penalty has no car."`
	Driver  decode.Optional[driverBody]  `json:"driver" nullable:"true" doc:"As car"`
	Company decode.Optional[companyBody] `json:"company" nullable:"true" doc:"The company that is liable. As car"`
}

type carBody struct {
	OuterID      decode.Optional[int64]           `json:"outer_id" nullable:"true"`
	Number       decode.Optional[string]          `json:"number" nullable:"true" blank:"true" maxLength:"20" doc:"Answered without spaces, in capitals"`
	TechPassport decode.Optional[string]          `json:"tech_passport" nullable:"true" blank:"true" maxLength:"255"`
	PublishedAt  decode.Optional[decode.DateTime] `json:"published_at" nullable:"true"`
}

// The numbers of people and companies are the registry's: their digits are counted, and their control digit is not
// checked, because a wrong one would keep the whole penalty out.
type driverBody struct {
	OuterID    decode.Optional[int64]       `json:"outer_id" nullable:"true"`
	IIN        decode.Optional[string]      `json:"iin_number" nullable:"true" blank:"true" pattern:"[0-9]{12}" patternMessage:"not_twelve_digits" doc:"12 digits; the control digit is not checked"`
	Document   decode.Optional[string]      `json:"doc_number" nullable:"true" blank:"true" maxLength:"255"`
	FirstName  decode.Optional[string]      `json:"first_name" nullable:"true" blank:"true" maxLength:"255"`
	LastName   decode.Optional[string]      `json:"last_name" nullable:"true" blank:"true" maxLength:"255"`
	MiddleName decode.Optional[string]      `json:"middle_name" nullable:"true" blank:"true" maxLength:"255"`
	IssueDate  decode.Optional[decode.Date] `json:"doc_issue_date" nullable:"true"`
}

type companyBody struct {
	OuterID decode.Optional[int64]  `json:"outer_id" nullable:"true"`
	BIN     decode.Optional[string] `json:"bin_number" nullable:"true" blank:"true" pattern:"[0-9]{12}" patternMessage:"not_twelve_digits" doc:"12 digits; the control digit is not checked"`
	Name    decode.Optional[string] `json:"name" nullable:"true" blank:"true" maxLength:"255"`
}

// FeedResult says what became of a row that was sent with others.
type FeedResult struct {
	ID     *int64            `json:"id" nullable:"true" doc:"Of the penalty; null if the row was refused"`
	Outer  *int64            `json:"outer_id" nullable:"true" doc:"As it was sent"`
	Status penalty.RowStatus `json:"status"`
	Errors map[string]any    `json:"errors" doc:"What is wrong with a row that was refused, by field; else empty"`
}

// Fed is all that a feed sees of a penalty that it has sent. The rest is the staff's: who had the car,
// what was noted, and what other feeds have sent.
type Fed struct {
	ID     int64  `json:"id"`
	Outer  *int64 `json:"outer_id" nullable:"true"`
	Status string `json:"status" enum:"created,updated"`
}

// rowsAnHour is how many rows a feed may send in an hour. The largest fleets get some hundred
// penalties a day, so that a registry can send a year again in one night, while somebody who has
// found a token can neither fill the table nor try out all numbers.
const rowsAnHour = 5000

// perFeed is the limit of a feed, with the numbers of its company and of its token.
func perFeed(id tenant.ID, feed int64) throttle.Count {
	return throttle.Rule{Name: "feed", Limit: rowsAnHour, Window: time.Hour}.Of(id.String(), strconv.FormatInt(feed, 10))
}

type feedInput struct {
	Body row
	Rows []decode.Row[row] `maxItems:"500"` // penalty.MaxRows
}

// feed declares the operation by which a registry writes penalties.
func feed(env app.Env) web.Operation {
	res, now, limits := penalties(), env.Now, throttle.Open(env.Table, env.Now)
	return web.Op(web.Operation{
		ID: "penalties-create", Method: http.MethodPost, Path: res.Path(), Status: http.StatusCreated, Feed: true,
		Idempotent: true, Thorough: true, Summary: "Create or update penalties",
		Doc: "Takes one penalty, or a list of up to 500. A penalty with an `outer_id` that is known is changed, in those fields " +
			"that differ from what the registry sent last: what somebody has changed by hand stays until the registry itself " +
			"changes that field. A list is answered with a result a row, and a row that is refused stops no other; of several " +
			"rows with one `outer_id` all but the first are refused. Who had the car is found out at once for one penalty, and " +
			"within seconds for a list. In a company that has all the records of its plan new penalties are refused: one is 403 with " +
			"the code plan. A feed is answered with the `id`, the `outer_id` and the `status` of what it sent, and with " +
			"nothing else of a penalty; it may send " + strconv.Itoa(rowsAnHour) + " rows an hour, and more are 429, with nothing written.",
		Faults: []fault.Code{fault.Throttled},
		Answers: []web.Answer{
			{
				Status: http.StatusOK, Doc: "The penalty was known, and is updated.", Body: reflect.TypeFor[Penalty](),
				Header: map[string]string{"ETag": "The revision of one penalty; a list has none."},
			},
			{Status: http.StatusOK, Doc: "For a list: what became of each row.", Body: reflect.TypeFor[[]FeedResult]()},
			{Status: http.StatusOK, Doc: "For a feed: what became of a penalty that was known.", Body: reflect.TypeFor[Fed]()},
			{Status: http.StatusCreated, Doc: "(for a feed: what became of the new penalty)", Body: reflect.TypeFor[Fed]()},
		},
	}, func(ctx context.Context, r *web.Request, in *feedInput) (*web.Reply[Penalty], error) {
		if id := r.Principal.Feed; id != 0 {
			if _, err := limits.Take(ctx, perFeed(r.Principal.Tenant, id).Times(max(len(in.Rows), 1))); err != nil {
				return nil, err
			}
		}
		if in.Rows != nil {
			return feedAll(ctx, resource.Scope(r, now), r, in.Rows)
		}
		return feedOne(ctx, resource.Scope(r, now), r, res, &in.Body)
	})
}

func feedOne(
	ctx context.Context, s record.Scope, r *web.Request, res resource.Resource[*penalty.Penalty, body, Penalty], in *row,
) (*web.Reply[Penalty], error) {
	var of resource.Result[*penalty.Penalty]
	var status int
	o := web.OutcomeOf(r, func() (*web.Reply[Penalty], error) {
		if r.Principal.Feed != 0 {
			return fed(of.Record, status), nil
		}
		return res.Reply(ctx, r, of, status)
	})
	return o.After(s.Do(ctx, o, func(w *record.Work) error {
		row := in.read()
		t := w.Scope().Table
		if err := w.Load(ctx, append(penalty.RowKeys(t, row), penalty.CarKeys(t, row)...)...); err != nil {
			return err
		}
		p, err := penalty.Take(ctx, w, row, "")
		if err != nil {
			return err
		}
		of, status = resource.Result[*penalty.Penalty]{Work: w, Record: p}, http.StatusCreated
		if penalty.Kind().Before(w, p.ID) != nil {
			status = http.StatusOK
		} else if err := r.Principal.Standing.Growth(); err != nil {
			return err
		}
		return penalty.Settle(ctx, w, p, "")
	}))
}

// fed answers a feed. The answer has neither an ETag, which counts what the staff changes, nor an
// address, because the feed may not read there.
func fed(p *penalty.Penalty, status int) *web.Reply[Penalty] {
	became := penalty.RowUpdated
	if status == http.StatusCreated {
		became = penalty.RowCreated
	}
	return &web.Reply[Penalty]{Status: status, Other: Fed{ID: p.ID, Outer: p.OuterID, Status: string(became)}}
}

func feedAll(ctx context.Context, s record.Scope, r *web.Request, sent []decode.Row[row]) (*web.Reply[Penalty], error) {
	rows, results := make([]*penalty.Row, len(sent)), make([]penalty.Result, len(sent))
	for i := range sent {
		rows[i], results[i].Errors = sent[i].Value.read(), sent[i].Errors
	}
	o := web.OutcomeOf(r, func() (*web.Reply[Penalty], error) {
		list := make([]FeedResult, len(results))
		for i, result := range results {
			list[i] = FeedResult{Outer: rows[i].OuterID, Status: result.Status, Errors: result.Errors}
			if result.ID != 0 {
				list[i].ID = &result.ID
			}
			if list[i].Errors == nil {
				list[i].Errors = map[string]any{}
			}
		}
		return &web.Reply[Penalty]{Status: http.StatusOK, Other: list}, nil
	})
	return o.After(penalty.TakeAll(ctx, s, o, rows, results, r.Principal.Standing.Growth()))
}

// read is the row as the domain takes it.
func (in *row) read() *penalty.Row {
	of := &penalty.Row{
		Fields: func(f *penalty.Fields) {
			in.Protocol.Into(&f.Protocol)
			in.fields.apply(f)
		},
		Car:     part(in.Car, (*carBody).apply),
		Driver:  part(in.Driver, (*driverBody).apply),
		Company: part(in.Company, (*companyBody).apply),
	}
	in.OuterID.IntoNullable(&of.OuterID)
	return of
}

// part is what was sent of a part of a penalty.
func part[Body, P any](in decode.Optional[Body], apply func(in *Body, to *P)) penalty.Part[P] {
	of := penalty.Part[P]{Sent: in.Set}
	if !in.Null {
		of.Apply = func(to *P) { apply(&in.Value, to) }
	}
	return of
}

func (in *carBody) apply(c *penalty.Car) {
	in.OuterID.IntoNullable(&c.OuterID)
	if in.Number.Set {
		in.Number.IntoNullable(&c.Number)
		c.SetNumber(c.Number)
	}
	in.TechPassport.IntoNullable(&c.TechPassport)
	decode.IntoMicros(in.PublishedAt, &c.PublishedAt)
}

func (in *driverBody) apply(d *penalty.Driver) {
	in.OuterID.IntoNullable(&d.OuterID)
	in.IIN.IntoNullable(&d.IIN)
	in.Document.IntoNullable(&d.Document)
	in.FirstName.IntoNullable(&d.FirstName)
	in.LastName.IntoNullable(&d.LastName)
	in.MiddleName.IntoNullable(&d.MiddleName)
	in.IssueDate.IntoNullable(&d.IssueDate)
}

func (in *companyBody) apply(c *penalty.Company) {
	in.OuterID.IntoNullable(&c.OuterID)
	in.BIN.IntoNullable(&c.BIN)
	in.Name.IntoNullable(&c.Name)
}
