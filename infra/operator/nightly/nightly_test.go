package nightly_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/infra/operator/nightly"
	"github.com/tenantry/tenantry/infra/operator/stage"
	"github.com/tenantry/tenantry/infra/operator/stagetest"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
)

// step is one that says or fails.
func step(name, did string, err error, ran *[]string) nightly.Step {
	return nightly.Step{Name: name, Says: "does " + name, Run: func(context.Context, *stage.Env) (string, error) {
		*ran = append(*ran, name)
		return did, err
	}}
}

// Each step has a line, and one that fails keeps none of the others.
func TestSteps(t *testing.T) {
	var ran []string
	command := nightly.Command(step("a", "did 1", nil, &ran), step("b", "", errors.New("broken"), &ran), step("c", "did 3", nil, &ran))
	var out strings.Builder
	e := &stage.Env{Out: &out, Yes: true}
	err := command(t.Context(), e, nil)
	if err == nil || err.Error() != "b: broken" || !slices.Equal(ran, []string{"a", "b", "c"}) {
		t.Errorf("%v ran: %v", ran, err)
	}
	if want := "This does what is due:\n  a does a\n  b does b\n  c does c\na: did 1\nb: failed: broken\nc: did 3\n"; out.String() != want {
		t.Errorf("%q", out.String())
	}
	ran = nil
	e.Yes, e.In = false, strings.NewReader("n\n")
	if err := command(t.Context(), e, nil); !errors.Is(err, stage.ErrUnconfirmed) || ran != nil {
		t.Errorf("nobody confirms, and %v ran: %v", ran, err)
	}
	if err := nightly.Command()(t.Context(), e, nil); err != nil {
		t.Error(err)
	}
}

// What was closed two weeks ago is erased, all but what can't be, and nothing else.
func TestErasures(t *testing.T) {
	s := stagetest.New(t)
	all := crosstenant.Open(s.Conn)
	if err := all.Update(crosstenant.Tenants()).Set("n", 5).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	now := s.Now()
	s.Now = func() time.Time { return now }
	closed := map[tenant.ID]time.Time{
		2: now.Add(-company.Grace), 3: now.Add(-company.Grace + time.Second), 4: now.Add(-2 * company.Grace), 5: now.Add(-2 * company.Grace),
	}
	var erased []tenant.ID
	command := nightly.Command(nightly.Erasures(
		func(_ context.Context, _ *stage.Env, id tenant.ID) (time.Time, bool, error) {
			since, ok := closed[id]
			return since, ok, nil
		},
		func(_ context.Context, _ *stage.Env, id tenant.ID) error {
			if id == 4 {
				return errors.New("not yet")
			}
			erased = append(erased, id)
			delete(closed, id)
			return nil
		},
	))
	said, err := s.Run(t.Context(), command)
	if err == nil || !strings.Contains(err.Error(), "company 4: not yet") || !slices.Equal(erased, []tenant.ID{2, 5}) {
		t.Errorf("erased %v, %v\n%s", erased, err, said)
	}
	if said, err := s.Run(t.Context(), command); err == nil || len(erased) != 2 {
		t.Errorf("again: erased %v, %v\n%s", erased, err, said)
	}
}
