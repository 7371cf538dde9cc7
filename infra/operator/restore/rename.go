package restore

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tenantry/tenantry/functions/webhooks/endpoint"
	"github.com/tenantry/tenantry/infra/operator/estate"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/keyspace"
	"github.com/tenantry/tenantry/shared/tenant"
)

// renamed is an item of the copy under the company's number here. The caller may change it, but not what is in it.
func (r *run) renamed(item table.Attributes) (table.Attributes, error) {
	if r.was == r.is && r.Users == nil {
		return clone(item), nil
	}
	to, err := renaming{r.From.Pattern(item.Text("pk")), r.was, r.is, r.versions, r.Users}.item(item)
	if err != nil {
		return nil, fmt.Errorf("restore: %s %s: %w", item.Text("pk"), item.Text("sk"), err)
	}
	return to, nil
}

// renaming takes an item of a partition from one number of a company to another. It renames only what is named here, by partition and kind,
// and looks at no text of a person:
//   - the number, in keys and in what indexes go by, in items of no company, in the company's own item and events, in the ids of what
//     webhooks were told, and where a history tells of a record's company;
//   - versions of files, because their copies have others;
//   - users, because people have other numbers on another stage.
type renaming struct {
	of       keyspace.Partition
	was, is  tenant.ID
	versions map[string]string
	users    users
}

func (n renaming) item(item table.Attributes) (table.Attributes, error) {
	to, key := clone(item), estate.KeyOf(item)
	to.SetText("pk", n.partition(key.PK))
	to.SetText("sk", n.sort(key))
	for _, index := range keyspace.Indexes() {
		if hash, is := strings.CutPrefix(item.Text(index.Hash), table.Prefix(n.was)); is {
			to.SetText(index.Hash, table.Prefix(n.is)+hash)
		}
	}
	for _, f := range filesOf(n.of, item) {
		f.rename(to, n.versions)
	}
	switch n.of.Name {
	case "company":
		to.SetInt("id", int64(n.is))
	case "told":
		n.event(to)
	case "events", "inbox":
		inside(to, "ev", n.event)
	case "hooks":
		inside(to, "d", n.delivery)
	case "log":
		if err := n.history(to); err != nil {
			return nil, err
		}
	default:
		if !strings.HasPrefix(key.PK, "T#") && !isMemberships(key) && item.Int("t") == int64(n.was) {
			to.SetInt("t", int64(n.is))
		}
	}
	n.users.rename(n.of, to)
	return to, nil
}

// inside changes copies of the maps of a list.
func inside(item table.Attributes, name string, change func(table.Attributes)) {
	list := item.List(name)
	if list == nil {
		return
	}
	for i := range list {
		list[i] = clone(list[i])
		change(list[i])
	}
	item.SetList(name, list)
}

// event renames an event of the company itself.
func (n renaming) event(event table.Attributes) {
	if strings.HasPrefix(event.Text("n"), kinds.Of(kinds.Company).Name+".") && event.Int("i") == int64(n.was) {
		event.SetInt("i", int64(n.is))
	}
}

// delivery renames the id of the event that a webhook was told.
func (n renaming) delivery(d table.Attributes) {
	if event := d.Int("e"); d.Text("m") == endpoint.EventMessage(n.was, event) {
		d.SetText("m", endpoint.EventMessage(n.is, event))
	}
}

// partition is where an item goes. What the company's own kind has is numbered by the company.
func (n renaming) partition(pk string) string {
	rest, own := strings.CutPrefix(pk, table.Prefix(n.was))
	if !own {
		return pk
	}
	if strings.HasPrefix(rest, string(kinds.Company)+"#") {
		if begin, of := strings.CutSuffix(rest, "#"+table.SortID(int64(n.was))); of {
			rest = begin + "#" + table.SortID(int64(n.is))
		}
	}
	return table.Prefix(n.is) + rest
}

func (n renaming) sort(key table.Key) string {
	was, is := table.SortID(int64(n.was)), table.SortID(int64(n.is))
	switch n.of.Name {
	case "live", "gone", "sum":
		if estate.KindOf(key.PK) == string(kinds.Company) && key.SK == was {
			return is
		}
	case "email":
		if key.SK == crosstenant.Invitation("", n.was).SK {
			return crosstenant.Invitation("", n.is).SK
		}
	case "fingerprint":
		parts := strings.Split(key.SK, "#") // sealed, the company, the document; original, at, the second, the company, the document
		switch {
		case len(parts) == 3 && parts[0] == "sealed" && parts[1] == n.was.String():
			parts[1] = n.is.String()
		case len(parts) == 5 && parts[0] == "original" && parts[3] == was:
			parts[3] = is
		}
		return strings.Join(parts, "#")
	}
	return key.SK
}

// history renames what a history tells of a record's company and of users.
func (n renaming) history(item table.Attributes) error {
	kind := kinds.Code(estate.KindOf(item.Text("pk")))
	return audit.Rewrite(item, func(c *audit.Change) (changed bool, err error) {
		renamed := *c
		what, part := told(kind, c.Field)
		for _, value := range []*json.RawMessage{&renamed.From, &renamed.To} {
			switch {
			case part != "":
				*value, err = replaced(*value, part, n.users.told)
			case what == aCompany && string(*value) == n.was.String():
				*value = json.RawMessage(n.is.String())
			case what == aUser:
				*value = n.users.told(*value)
			}
			if err != nil {
				return false, err
			}
		}
		changed = string(renamed.From) != string(c.From) || string(renamed.To) != string(c.To)
		*c = renamed
		return changed, nil
	})
}
