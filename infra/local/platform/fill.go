package platform

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/tenantry/tenantry/infra/local/samples"
)

// filler gives the demo company its records.
type filler struct {
	*client
	known map[samples.List]map[string]int64 // the numbers of records by their names, of lists that were read
}

// fill makes the records of the steps in the lists that have none.
func (c *client) fill(ctx context.Context, steps []samples.Step) error {
	f := filler{c, map[samples.List]map[string]int64{}}
	for _, s := range steps {
		if err := f.step(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

func (f filler) step(ctx context.Context, s samples.Step) error {
	path, err := f.path(ctx, s.List)
	if path == "" || err != nil {
		return err
	}
	there, _, err := f.page(ctx, path+"?pageSize=1")
	if err != nil || len(there) > 0 {
		return err
	}
	if s.At != "" {
		path = s.At
	}
	for i, r := range s.Records {
		var then []samples.Call
		if s.Then != nil {
			then = s.Then[i]
		}
		var when time.Time
		if s.When != nil {
			when = s.When[i]
		}
		if err := f.record(ctx, path, r, then, when); err != nil {
			return err
		}
	}
	delete(f.known, s.List)
	return nil
}

// made is what the filler remembers of a record that it made.
type made struct {
	ID    int64
	Lines []int64 `json:"order_inventories"`
}

// record makes a record, and does with it what is to happen then.
func (f filler) record(ctx context.Context, path string, r samples.Record, then []samples.Call, when time.Time) error {
	var of made
	body, err := f.value(ctx, r, of)
	if err != nil {
		return err
	}
	if err := f.at(when).must(ctx, http.MethodPost, path, body, &of); err != nil {
		return err
	}
	for _, c := range then {
		if body, err = f.value(ctx, c.Body, of); err != nil {
			return err
		}
		if err := f.at(c.When).must(ctx, http.MethodPost, fmt.Sprintf("%s%d/%s", path, of.ID, c.Path), body, nil); err != nil {
			return err
		}
	}
	return nil
}

// value is a value of a body with numbers instead of what stands for them.
func (f filler) value(ctx context.Context, v any, of made) (any, error) {
	switch v := v.(type) {
	case samples.Ref:
		return f.number(ctx, v)
	case samples.Lines:
		ids := make([]int64, len(v))
		for i, place := range v {
			ids[i] = of.Lines[place]
		}
		return ids, nil
	case samples.Record:
		body := samples.Record{}
		for name, value := range v {
			var err error
			if body[name], err = f.value(ctx, value, of); err != nil {
				return nil, err
			}
		}
		return body, nil
	case []samples.Record:
		list := make([]any, len(v))
		for i, r := range v {
			var err error
			if list[i], err = f.value(ctx, r, of); err != nil {
				return nil, err
			}
		}
		return list, nil
	}
	return v, nil
}

// path is the address of a list; empty if the record that it stands below is gone.
func (f filler) path(ctx context.Context, of samples.List) (string, error) {
	above, _, nested := strings.Cut(of.Path, "%d")
	if !nested {
		return of.Path, nil
	}
	id, err := f.number(ctx, samples.Ref{List: samples.List{Path: above}, Name: of.Of})
	if id == nil || err != nil {
		return "", err
	}
	return fmt.Sprintf(of.Path, *id), nil
}

// number is the number of a record; nil if there is no record of that name.
func (f filler) number(ctx context.Context, ref samples.Ref) (*int64, error) {
	if f.known[ref.List] == nil {
		path, err := f.path(ctx, ref.List)
		if path == "" || err != nil {
			return nil, err
		}
		if f.known[ref.List], err = f.read(ctx, path); err != nil {
			return nil, err
		}
	}
	id, ok := f.known[ref.List][ref.Name]
	if !ok {
		return nil, nil
	}
	return &id, nil
}

// listed is a record of a list.
type listed struct {
	ID   int64
	Name string
}

// read reads the names and numbers of all records of a list.
func (f filler) read(ctx context.Context, path string) (map[string]int64, error) {
	found := map[string]int64{}
	for number, more := 1, true; more; number++ {
		var page []listed
		var err error
		if page, more, err = f.page(ctx, fmt.Sprintf("%s?page=%d", path, number)); err != nil {
			return nil, err
		}
		for _, r := range page {
			found[r.Name] = r.ID
		}
	}
	return found, nil
}

// page reads a page of a list, or a list that has no pages, and tells whether there are more.
func (f filler) page(ctx context.Context, path string) (records []listed, more bool, err error) {
	var content json.RawMessage
	if err := f.must(ctx, http.MethodGet, path, nil, &content); err != nil {
		return nil, false, err
	}
	if strings.HasPrefix(string(content), "[") {
		err = json.Unmarshal(content, &records)
		return records, false, err
	}
	var page struct {
		Results []listed
		Next    *string
	}
	err = json.Unmarshal(content, &page)
	return page.Results, page.Next != nil, err
}
