package groups_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/bulk"
	"github.com/tenantry/tenantry/functions/deliver"
	"github.com/tenantry/tenantry/functions/urgent"
	normal "github.com/tenantry/tenantry/functions/worker"
	"github.com/tenantry/tenantry/infra/groups"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/table"
)

// Each kind of message names its lane (shared/outbox/lanes.go), is carried out by the functions of that lane and by no other, and belongs
// to one group, whose name it begins with.
func TestEveryKindHasALaneAndAGroup(t *testing.T) {
	env := app.Env{Table: table.Open(nil, "never-asked"), Now: time.Now}
	sets := slices.Concat(normal.Work(env), bulk.Work(env), []outbox.Work{deliver.Work(env)})
	kinds := map[outbox.Kind]bool{}
	for _, work := range sets {
		for kind := range work {
			lane, ok := kind.Lane()
			if !ok {
				t.Errorf("%s names no lane", kind)
			}
			if kinds[kind] {
				t.Errorf("%s is of two groups", kind)
			}
			kinds[kind] = true
			group, _, _ := strings.Cut(string(kind), ".")
			if groups.All()[group] == nil && group != "listing" && kind != search.MergeMessage {
				t.Errorf("%s belongs to nobody", kind)
			}
			for name, knows := range map[string]bool{
				"urgent": urgent.New(env).Knows(kind), "worker": normal.New(env).Knows(kind), "bulk": bulk.New(env).Knows(kind),
				"deliver": deliver.New(env).Knows(kind),
			} {
				want := map[string][]outbox.Lane{
					"urgent": {outbox.Urgent}, "worker": {outbox.Urgent, outbox.Normal}, "bulk": {outbox.Bulk}, "deliver": {outbox.Hooks},
				}[name]
				if knows != slices.Contains(want, lane) {
					t.Errorf("%s, which is %s, is known to %s: %t", kind, lane, name, knows)
				}
			}
		}
	}
	// A kind that has a lane and no handler would fail until it is given up.
	source, err := os.ReadFile("../../shared/outbox/lanes.go")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`"([a-z]+\.[a-z]+)"`).FindAllStringSubmatch(string(source), -1)
	named = append(named, []string{"", string(outbox.Deliver)}) // it has a name in Go
	if len(named) < len(kinds) {
		t.Errorf("lanes.go names %d kinds, of %d", len(named), len(kinds))
	}
	for _, name := range named {
		if !kinds[outbox.Kind(name[1])] {
			t.Errorf("nobody carries out %s", name[1])
		}
	}
}
