package platform

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"

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
	there, err := f.read(ctx, path)
	if err != nil || len(there) > 0 {
		return err
	}
	for _, r := range s.Records {
		body := maps.Clone(r)
		for name, value := range r {
			if ref, ok := value.(samples.Ref); ok {
				if body[name], err = f.number(ctx, ref); err != nil {
					return err
				}
			}
		}
		if err := f.must(ctx, http.MethodPost, path, body, nil); err != nil {
			return err
		}
	}
	delete(f.known, s.List)
	return nil
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
		return nil, nil //nolint:nilnil // see above
	}
	return &id, nil
}

// read reads the names and numbers of the records of a list; of a long list, those that were made last.
func (f filler) read(ctx context.Context, path string) (map[string]int64, error) {
	type named struct {
		ID   int64
		Name string
	}
	var content json.RawMessage // an array, or a page of one
	if err := f.must(ctx, http.MethodGet, path+"?pageSize=1000", nil, &content); err != nil {
		return nil, err
	}
	var page struct{ Results []named }
	into := any(&page)
	if strings.HasPrefix(string(content), "[") {
		into = &page.Results
	}
	if err := json.Unmarshal(content, into); err != nil {
		return nil, err
	}
	found := map[string]int64{}
	for _, r := range page.Results {
		found[r.Name] = r.ID
	}
	return found, nil
}
