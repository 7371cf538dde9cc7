package show

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/functions/show/job"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
)

// lower is a list below the path of a record whose elements are records of their own. It is an array of all of them.
type lower struct{ of, path string }

func below(k kinds.Code) []lower {
	switch k {
	case kinds.InventoryGroup:
		return []lower{{"inventory_group_tariff", "tarifs/"}}
	case kinds.Service:
		return []lower{{"service_tariff", "tarifs/"}}
	case kinds.Inventory:
		return []lower{{"block", "blocks/"}}
	case kinds.Order:
		return []lower{{"deposit", "deposits/"}, {"fee", "penalties/"}}
	case kinds.Funnel:
		return []lower{{"stage", "stages/"}}
	default:
		return nil
	}
}

// single is what a company has one of, or one short list of.
type single struct {
	of   string
	face kinds.Code // a kind of the group that answers the path
	path string
}

func singles() []single {
	return []single{
		{"rental_settings", kinds.PriceRule, "/v1/crm/settings/rental/"},
		{"custom_field", kinds.PriceRule, "/v1/crm/settings/custom_fields_list/"},
		{"sms_account", kinds.SMSMessage, "/v1/sms/account/"},
	}
}

// page answers a job.PageRequest. It ends before its records are more than an answer holds.
func (f *function) page(ctx context.Context, r job.PageRequest, host string) (p job.Page, err error) {
	if r.Kind == "" {
		for _, s := range singles() {
			list, err := f.listed(ctx, r, host, s.face, s.path, s.of)
			if err != nil {
				return p, err
			}
			p.Records = append(p.Records, list...)
		}
		p.Last = true
		return p, nil
	}
	if path := paged(r.Kind); path != "" {
		return f.pageOf(ctx, r, host, path)
	}
	kind := kinds.Of(r.Kind)
	if f.servers[r.Kind] == nil || kind.Path == "" {
		return p, fmt.Errorf("show: no pages of %q", r.Kind)
	}
	ids, err := f.ids(ctx, r)
	if err != nil {
		return p, err
	}
	size := 0
	for i, id := range ids {
		list, err := f.withBelow(ctx, r, host, kind, id)
		if err != nil {
			return p, err
		}
		for _, e := range list {
			size += len(e.Record) + len(e.Of) + 64
		}
		if size > job.MaxAnswer && i > 0 {
			return p, nil
		}
		p.Records, p.After = append(p.Records, list...), id
	}
	p.Last = len(ids) < job.Most
	return p, nil
}

// paged is the list of a kind whose records have no paths of their own.
func paged(k kinds.Code) string {
	if k == kinds.SMSOperation {
		return "/v1/sms/account/history/"
	}
	return ""
}

// pageOf is a page of such a list; After counts pages.
func (f *function) pageOf(ctx context.Context, r job.PageRequest, host, path string) (p job.Page, err error) {
	path = fmt.Sprintf("%s?ordering=id&pageSize=500&page=%d", path, r.After+1)
	body, status, err := f.get(ctx, r, host, r.Kind, path)
	if err != nil {
		return p, err
	}
	var list struct {
		Next    *string           `json:"next"`
		Results []json.RawMessage `json:"results"`
	}
	if status != http.StatusOK || json.Unmarshal(body, &list) != nil {
		return p, fmt.Errorf("show: %s of company %d: %d %s", path, r.Company, status, body)
	}
	p.Records, err = elements(list.Results, kinds.Of(r.Kind).Name)
	p.After, p.Last = r.After+1, list.Next == nil
	return p, err
}

// elements returns the records of a list, each with its id.
func elements(of []json.RawMessage, name string) ([]job.Exported, error) {
	list := make([]job.Exported, len(of))
	for i, e := range of {
		var named struct {
			ID int64 `json:"id"`
		}
		if err := json.Unmarshal(e, &named); err != nil {
			return nil, fmt.Errorf("show: a %s: %w", name, err)
		}
		list[i] = job.Exported{Of: name, ID: named.ID, Record: e}
	}
	return list, nil
}

// ids returns the ids of the records of a page.
func (f *function) ids(ctx context.Context, r job.PageRequest) (ids []int64, err error) {
	of := table.Of(f.conn, r.Company)
	var items []struct {
		ID int64 `dynamo:"id"`
	}
	err = of.Table().Get("pk", of.Records(r.Kind)).Range("sk", dynamo.Greater, table.SortID(r.After)).Project("id").
		Order(dynamo.Ascending).Limit(job.Most).Consistent(true).All(ctx, &items)
	if err != nil && !errors.Is(err, dynamo.ErrNotFound) {
		return nil, fmt.Errorf("show: records of %q: %w", r.Kind, err)
	}
	for _, item := range items {
		ids = append(ids, item.ID)
	}
	return ids, nil
}

// withBelow is a record with the lists below it; nothing if it is not there any more.
func (f *function) withBelow(ctx context.Context, r job.PageRequest, host string, kind kinds.Kind, id int64) (
	list []job.Exported, err error,
) {
	one := kind.One(id)
	body, status, err := f.get(ctx, r, host, kind.Code, one)
	switch {
	case err != nil:
		return nil, err
	case status == http.StatusNotFound:
		return nil, nil
	case status != http.StatusOK:
		return []job.Exported{{Of: kind.Name, ID: id, Fails: true}}, nil
	}
	list = append(list, job.Exported{Of: kind.Name, ID: id, Record: body})
	for _, l := range below(kind.Code) {
		more, err := f.listed(ctx, r, host, kind.Code, one+l.path, l.of)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	return list, nil
}

// listed is each element of an array, or the answer itself where it is an object.
func (f *function) listed(ctx context.Context, r job.PageRequest, host string, face kinds.Code, path, of string) ([]job.Exported, error) {
	body, status, err := f.get(ctx, r, host, face, path)
	switch {
	case err != nil:
		return nil, err
	case status == http.StatusNotFound:
		return nil, nil
	case status != http.StatusOK:
		return []job.Exported{{Of: of, Fails: true}}, nil
	case len(body) == 0 || body[0] != '[':
		return []job.Exported{{Of: of, Record: body}}, nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, fmt.Errorf("show: %s: %w", path, err)
	}
	return elements(list, of)
}

// get is what GET of a path answers. It fails where the table is away; other failures the server has logged.
func (f *function) get(ctx context.Context, r job.PageRequest, host string, face kinds.Code, path string) (json.RawMessage, int, error) {
	answer, err := f.servers[face]().Show(ctx, r.Company, host, path)
	if err == nil && answer.StatusCode == http.StatusServiceUnavailable {
		err = fmt.Errorf("show: %s of company %d: %d %s", path, r.Company, answer.StatusCode, answer.Body)
	}
	return json.RawMessage(answer.Body), answer.StatusCode, err
}
