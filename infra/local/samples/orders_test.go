package samples

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/infra/local/steps"
)

// rental is an order of the demo company, and what became of it.
type rental struct {
	Client      string
	Status      int
	Start       string `json:"rent_start"`
	End         string `json:"rent_end"`
	Inventories []struct{ Inventory string }
	Services    []struct{ Service string }
	Hold        int

	swap                         swap
	out, back, cancelled, partly bool
}

// swap is what became of the item of a rental.
type swap struct{ Inventory, Datetime string }

// company answers the steps as a platform does that has every record under its name.
type company struct {
	rentals []*rental
	dates   []string // of what has happened
}

var action = regexp.MustCompile(`^/v1/crm/requests/(\d+)/(\w+)/$`)

func (c *company) send(_ context.Context, r steps.Request) (*steps.Answer, error) {
	switch part := action.FindStringSubmatch(r.Path); {
	case r.Method == "list":
		var records []map[string]any
		if len(r.Body) > 0 {
			if err := json.Unmarshal(r.Body, &records); err != nil {
				return nil, err
			}
		}
		names := map[string]string{}
		for _, record := range records {
			name := fmt.Sprint(record["name"])
			if id := record["unique_id"]; id != nil {
				name = fmt.Sprint(id)
			}
			names[name] = name
		}
		return steps.JSON(map[string]any{"names": names})
	case r.Method == "POST" && r.Path == "/v1/crm/requests/":
		made := new(rental)
		if err := json.Unmarshal(r.Body, made); err != nil {
			return nil, err
		}
		c.rentals = append(c.rentals, made)
		return steps.JSON(map[string]any{"id": len(c.rentals), "order_inventories": []int{10, 11, 12, 13}})
	case strings.HasSuffix(r.Path, "/swap/"):
		of := c.rentals[len(c.rentals)-1]
		if err := json.Unmarshal(r.Body, &of.swap); err != nil {
			return nil, err
		}
		c.dates = append(c.dates, of.swap.Datetime)
	case part != nil:
		var body struct {
			Status         int
			Datetime, Date string
			Lines          []int `json:"order_inventories"`
		}
		var id int
		_, _ = fmt.Sscan(part[1], &id)
		if err := json.Unmarshal(r.Body, &body); err != nil {
			return nil, err
		}
		of := c.rentals[id-1]
		c.dates = append(c.dates, body.Datetime+body.Date, r.At)
		of.out, of.back, of.cancelled = of.out || body.Status == 2, of.back || body.Status == 4, of.cancelled || body.Status == 3
		of.partly = of.partly || body.Status == 4 && body.Lines != nil
	}
	return steps.JSON(map[string]any{
		"id": 1, "uuid": "u", "files": []any{map[string]string{"file": "f"}}, "results": []any{map[string]int{"id": 1}}, "file": map[string]string{"sha256": "s"},
		"confirm_id": "c", "code": "1", "cms": "c",
	})
}

// Whenever the demo company is made, what has happened is past, what is out is due later, but for one
// thing that is overdue, and what is planned is to come.
func TestOrdersFitTheHour(t *testing.T) {
	day := time.Date(2026, time.February, 28, 0, 0, 0, 0, time.UTC)
	for minutes := 0; minutes < 24*60; minutes += 17 {
		at := day.Add(time.Duration(minutes) * time.Minute)
		list, given, err := Company(at)
		if err != nil {
			t.Fatal(err)
		}
		var c company
		runner := steps.Runner{Values: given, Send: c.send}
		if err := runner.Run(t.Context(), list); err != nil {
			t.Fatal(err)
		}
		now, overdue, busy := at.Format(time.RFC3339), 0, map[string][]*rental{}
		held, swapped := 0, 0
		if late := slices.Max(c.dates); late > now || len(c.rentals) != 95 {
			t.Errorf("at %s: %d orders, one has the date %s", now, len(c.rentals), late)
		}
		for _, r := range c.rentals {
			what := fmt.Sprintf("at %s: what %s has from %s to %s", now, r.Client, r.Start, r.End)
			switch over := r.End != "" && r.End <= now; {
			case r.Client == "" || len(r.Inventories)+len(r.Services) == 0:
				t.Errorf("%s is nobody's or nothing: %+v", what, r)
			case r.partly && over:
				t.Errorf("%s is late", what)
			case r.out && !r.back && over:
				overdue++
			case !r.out && !r.cancelled && r.Start <= now:
				t.Errorf("%s is planned", what)
			}
			if r.Hold > 0 && r.Status == 0 {
				held++
			}
			first := *r
			if other := *r; r.swap.Datetime != "" {
				swapped++
				first.End, other.Start = r.swap.Datetime, r.swap.Datetime
				busy[r.swap.Inventory] = append(busy[r.swap.Inventory], &other)
				if !r.out || r.back || len(r.Inventories) != 1 || r.swap.Datetime <= r.Start || r.swap.Datetime >= r.End {
					t.Errorf("%s is swapped at %s", what, r.swap.Datetime)
				}
			}
			for _, line := range r.Inventories {
				busy[line.Inventory] = append(busy[line.Inventory], &first)
			}
		}
		if overdue != 1 || held != 2 || swapped != 1 {
			t.Errorf("at %s: %d are overdue, %d held, %d swapped", now, overdue, held, swapped)
		}
		for id, list := range busy {
			slices.SortStableFunc(list, func(a, b *rental) int { return strings.Compare(a.Start, b.Start) })
			for i, r := range list[1:] {
				if before := list[i]; !before.cancelled && r.Start < before.End || id == "" {
					t.Errorf("at %s: %q is given twice at %s", now, id, r.Start)
				}
			}
		}
	}
}
