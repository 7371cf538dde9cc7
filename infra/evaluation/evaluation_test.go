package evaluation

import (
	"testing"

	"github.com/tenantry/tenantry/infra/source"
)

func TestThePlatform(t *testing.T) {
	r, err := source.New(t.Context(), "functions/...", "shared/...", "infra/...")
	if err != nil {
		t.Fatal(err)
	}
	ours, err := r.Packages()
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range Faults(r.Fset, ours) {
		t.Error(fault)
	}
	if len(ours) < 100 {
		t.Errorf("only %d packages", len(ours))
	}
}

// Each fault that the rule is there for is found, and nothing that is allowed.
func TestPlantedFaults(t *testing.T) {
	r, err := source.New(t.Context(), "shared/moment")
	if err != nil {
		t.Fatal(err)
	}
	for line, fault := range map[string]bool{
		"return n, get(&n)":                                      true,
		"return get(&n), n":                                      true,
		"return s.n, get(&s.n)":                                  true,
		"return s, get(&s.n)":                                    true,
		"return s.n, take(&s)":                                   true,
		"return n, run(func() { n = 2 })":                        true,
		"return n, run(func() { n++ })":                          true,
		"return n, run(func() { _ = get(&n) })":                  true,
		"return s, run(func() { s.n = 2 })":                      true,
		"set := func() int { n = 2; return n }; return n, set()": true,
		"set := func() { n = 2 }; return n, run(set)":            true,
		"return s.n, s.set()":                                    true,
		"return s, s.set()":                                      true,
		"return s.n, s.get()":                                    false,
		"return s.n, s.same()":                                   false, // by address, but it sets nothing
		"return n + get(&n), 0":                                  true,
		"return [2]int{n, get(&n)}, 0":                           true,
		"return add(n, get(&n)), 0":                              true,
		"o, u := n, get(&n); return o, u":                        true,
		"return get(&n), add(n, 0)":                              true,
		"return t{n: n, m: get(&n)}, 0":                          true,
		"return get(&s.n), s.get()":                              true,
		"return any(n), get(&n)":                                 true,
		"return add(n, 0), get(&n)":                              false, // the calls are ordered, and what they are given comes before them
		"o := get(&n); return n, o":                              false,
		"return n, add(n, 0)":                                    false,
		"return s.m, get(&s.n)":                                  true, // another field; two lines are clearer there, too
		"return s.set(), s.set()":                                false,
		"return p.n, p.set()":                                    false, // nobody knows who else has the pointer
		"return n, run(func() { o := 2; _ = o })":                false,
		"return n, run(func() { _ = n })":                        false,
		"return m, get(&n)":                                      false,
		"return 1, get(&n)":                                      false,
		"return n == 0 && get(&n) == 1, 0":                       false,
		"return take(&s), get(&s.n)":                             false,
	} {
		planted := `package planted
type t struct{ n, m int }
func (s *t) set() int { s.n++; return s.n }
func (s *t) same() int { return s.n }
func (s t) get() int { return s.n }
func get(n *int) int { *n++; return *n }
func take(s *t) int { return s.set() }
func add(n, m int) int { return n + m }
func run(do func()) int { do(); return 1 }
func planted(n, m int, s t, p *t) (any, any) { ` + line + " }\n"
		p, err := r.Planted(planted)
		if err != nil {
			t.Fatal(err)
		}
		if got := Faults(r.Fset, []source.Package{p}); (len(got) > 0) != fault {
			t.Errorf("%s: %q", line, got)
		}
	}
}
