package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"github.com/tenantry/tenantry/infra/command"
)

const (
	first, second, third = "2611010800-aaaa", "2611020800-bbbb", "2611030800-cccc"
)

var three = []string{"BulkFunction", "ClientsFunction", "OrdersFunction"}

// do runs the command with flags and an answer; it returns what it said.
func do(t *testing.T, to aws.Config, flags, answer string) (string, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "samconfig.toml")
	if err := os.WriteFile(file, []byte("[test.global.parameters]\nstack_name = \"s\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	o, err := read(append([]string{"-stage", "test"}, strings.Fields(flags)...), file)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	err = run(t.Context(), to, o, strings.NewReader(answer), &out)
	return out.String(), err
}

func everywhere(release string, ids ...string) map[string]string {
	all := map[string]string{}
	for _, id := range ids {
		all[id] = release
	}
	return all
}

// It goes to the release before, stays there when it is run again, and goes where it is told, forward too.
func TestBack(t *testing.T) {
	s, to := start(t)
	for _, release := range []string{first, second, third} {
		s.deploy(release, three...)
	}
	for _, c := range []struct{ flags, want, say string }{
		{"-yes", second, "3 of 3 functions of s go to " + second},
		{"-yes", second, "at " + second + " already"},
		{"-release 2611010800 -yes", first, "go to " + first},
		{"-release " + third + " -yes", third, "go to " + third},
		{"-yes", second, "BulkFunction: version 2"},
	} {
		said, err := do(t, to, c.flags, "")
		if err != nil || !strings.Contains(said, c.say) || !maps.Equal(s.at(), everywhere(c.want, three...)) {
			t.Errorf("%q: %v, %v\n%s", c.flags, s.at(), err, said)
		}
	}
	s.deploy("2611040800-dddd", three...)
	if said, err := do(t, to, "-tell", ""); err != nil || !strings.Contains(said, "all 3 functions are at 2611040800-dddd") {
		t.Errorf("%v\n%s", err, said)
	}
}

func TestItAsks(t *testing.T) {
	s, to := start(t)
	s.deploy(first, three...)
	s.deploy(second, three...)
	for answer, want := range map[string]string{"n\n": second, "": second, "yes\n": second, "y\n": first} {
		said, err := do(t, to, "", answer)
		if !maps.Equal(s.at(), everywhere(want, three...)) || (err == nil) != (want == first) || !strings.Contains(said, "Go on?") {
			t.Errorf("%q: %v, %v\n%s", answer, s.at(), err, said)
		}
		s.deploy(second, three...)
	}
}

// Nothing is moved where not all can be.
func TestWhatIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		change      func(s *standIn)
		flags, want string
	}{
		"a deployment goes on":        {func(s *standIn) { s.status = "UPDATE_IN_PROGRESS" }, "", "is UPDATE_IN_PROGRESS: wait"},
		"one has no such version":     {func(s *standIn) { s.functions["BulkFunction"].versions[0] = published{} }, "-release " + first, "no version of " + first + " of BulkFunction"},
		"none has all":                {func(s *standIn) { s.functions["BulkFunction"].versions[0] = published{} }, "", "of " + first + " there is none of BulkFunction"},
		"a new function":              {func(s *standIn) { s.deploy(second, "NewFunction") }, "", "there is none of NewFunction"},
		"an unknown release":          {nil, "-release 2612", "0 releases begin with"},
		"several releases":            {nil, "-release 2611", "2 releases begin with"},
		"no alias":                    {func(s *standIn) { delete(s.functions["OrdersFunction"].aliases, live) }, "", "no alias live of OrdersFunction"},
		"one is kept that could go":   {nil, "-release " + first + " -keep BulkFunction", "don't keep it"},
		"one is kept that isn't here": {nil, "-release " + first + " -keep NoFunction", "no function NoFunction to keep"},
		"no functions":                {func(s *standIn) { clear(s.functions) }, "", "has no functions"},
	} {
		t.Run(name, func(t *testing.T) {
			s, to := start(t)
			s.deploy(first, three...)
			s.deploy(second, three...)
			if c.change != nil {
				c.change(s)
			}
			said, err := do(t, to, c.flags+" -yes", "")
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q\n%s", err, c.want, said)
			}
			for id, f := range s.functions {
				if a := f.aliases[live]; a != nil && f.versions[len(f.versions)-1].release == second && a.version != fmt.Sprint(len(f.versions)) {
					t.Errorf("%s was moved to %s", id, a.version)
				}
			}
		})
	}
	s, to := start(t)
	s.deploy(first, three...)
	if _, err := do(t, to, "-yes", ""); err == nil || !strings.Contains(err.Error(), "no release before "+first) {
		t.Errorf("the first release: %v", err)
	}
}

// A function that the release before didn't have stays, if it is named.
func TestANewFunctionStays(t *testing.T) {
	s, to := start(t)
	s.deploy(first, three...)
	s.deploy(second, append(slices.Clone(three), "NewFunction")...)
	want := everywhere(first, three...)
	want["NewFunction"] = second
	if said, err := do(t, to, "-release "+first+" -keep NewFunction -yes", ""); err != nil || !maps.Equal(s.at(), want) {
		t.Errorf("%v, %v\n%s", s.at(), err, said)
	}
}

// What a failed deployment has published of some functions alone is not gone back to.
func TestHalfAReleaseIsPassedOver(t *testing.T) {
	s, to := start(t)
	s.deploy(first, three...)
	s.deploy(second, "ClientsFunction")
	s.deploy(third, three...)
	if said, err := do(t, to, "-yes", ""); err != nil || !maps.Equal(s.at(), everywhere(first, three...)) {
		t.Errorf("%v, %v\n%s", s.at(), err, said)
	}
}

// Of a release that was deployed twice the later versions are meant, and calls that were shared are no more.
func TestTheLastOfARelease(t *testing.T) {
	s, to := start(t)
	s.deploy(first, three...)
	s.deploy(first, three...)
	s.deploy(second, three...)
	s.functions["BulkFunction"].aliases[live].weights = map[string]float64{"1": 0.5}
	if said, err := do(t, to, "-yes", ""); err != nil || s.functions["OrdersFunction"].aliases[live].version != "2" ||
		s.functions["BulkFunction"].aliases[live].weights != nil || !strings.Contains(said, "BulkFunction: its alias gives some of the calls") {
		t.Errorf("%v\n%s", err, said)
	}
}

func TestDrift(t *testing.T) {
	for want, change := range map[string]func(s *standIn){
		"ClientsFunction: has other code than its version of " + second:                    func(s *standIn) { s.functions["ClientsFunction"].latest.code = "other" },
		"ClientsFunction: is set otherwise than its version of " + second + ", in memory:": func(s *standIn) { s.functions["ClientsFunction"].latest.memory = 128 },
		"in role: it was changed": func(s *standIn) { s.functions["ClientsFunction"].latest.role = "another" },
		"in layers: it was":       func(s *standIn) { s.functions["ClientsFunction"].latest.layers = []string{"arn:layer:1"} },
		"in variable STAGE:": func(s *standIn) {
			s.functions["ClientsFunction"].latest.variables = map[string]string{"STAGE": "secret"}
		},
		"in variable DEBUG:": func(s *standIn) {
			s.functions["ClientsFunction"].latest.variables = map[string]string{"DEBUG": "secret"}
		},
		"BulkFunction: is at version 2, and version 3 is the last of " + second + ", which differs in code, memory": func(s *standIn) {
			f := s.functions["BulkFunction"]
			f.latest.code, f.latest.memory = "other", 128
			f.versions = append(f.versions, f.latest)
		},
		"ClientsFunction: has no version of " + second:                            func(s *standIn) { s.functions["ClientsFunction"].versions[1].release = "" },
		"OrdersFunction: was deployed last as a version without a release":        func(s *standIn) { s.functions["OrdersFunction"].latest.release = "" },
		"OrdersFunction: has no alias live":                                       func(s *standIn) { delete(s.functions["OrdersFunction"].aliases, live) },
		"1 of 3 functions are at " + first + ": BulkFunction":                     func(s *standIn) { s.functions["BulkFunction"].aliases[live].version = "1" },
		"2 of 3 functions are at " + second + ": ClientsFunction, OrdersFunction": func(s *standIn) { s.functions["BulkFunction"].aliases[live].version = "1" },
	} {
		s, to := start(t)
		s.deploy(first, three...)
		s.deploy(second, three...)
		change(s)
		said, err := do(t, to, "-tell", "")
		if !errors.Is(err, command.ErrFound) || !strings.Contains(said, want) || strings.Contains(said, "secret") {
			t.Errorf("%v, want %q\n%s", err, want, said)
		}
	}
}

// An alias that is at a version that is gone is at no release, and at none without a name either.
func TestVersionGone(t *testing.T) {
	s, to := start(t)
	s.deploy(first, three...)
	s.deploy(second, three...)
	f := s.functions["BulkFunction"]
	f.aliases[live].version = "7"
	f.versions[0].release = "" // one that was published by other means
	said, err := do(t, to, "-tell", "")
	if !errors.Is(err, command.ErrFound) || !strings.Contains(said, "BulkFunction: is at version 7, which is gone\n") ||
		strings.Contains(said, "without a release") || strings.Contains(said, "is the last of") {
		t.Errorf("%v\n%s", err, said)
	}
}

// TestSettings holds that the comparison covers more than variables, that it ignores whether Lambda has made a snapshot yet, and that
// variables which can't be read are an error instead of none.
func TestSettings(t *testing.T) {
	of := func(change func(c *types.FunctionConfiguration)) version {
		t.Helper()
		var c types.FunctionConfiguration
		change(&c)
		all, err := settings(c)
		if err != nil {
			t.Fatal(err)
		}
		return version{settings: all}
	}
	none := of(func(*types.FunctionConfiguration) {})
	for want, change := range map[string]func(c *types.FunctionConfiguration){
		"key of the variables": func(c *types.FunctionConfiguration) { c.KMSKeyArn = aws.String("arn") },
		"image": func(c *types.FunctionConfiguration) {
			c.ImageConfigResponse = &types.ImageConfigResponse{ImageConfig: &types.ImageConfig{Command: []string{"run"}}}
		},
		"snapshots": func(c *types.FunctionConfiguration) {
			c.SnapStart = &types.SnapStartResponse{ApplyOn: types.SnapStartApplyOnPublishedVersions}
		},
	} {
		if got := differing(none, of(change)); !slices.Equal(got, []string{want}) {
			t.Errorf("%q differ, and not %s", got, want)
		}
	}
	snapshot := func(status types.SnapStartOptimizationStatus) version {
		return of(func(c *types.FunctionConfiguration) {
			c.SnapStart = &types.SnapStartResponse{ApplyOn: types.SnapStartApplyOnNone, OptimizationStatus: status}
		})
	}
	if got := differing(snapshot(types.SnapStartOptimizationStatusOn), snapshot(types.SnapStartOptimizationStatusOff)); got != nil {
		t.Errorf("%q differ", got)
	}
	if got := differing(none, snapshot(types.SnapStartOptimizationStatusOff)); got != nil {
		t.Errorf("%q differ", got)
	}
	if _, err := settings(types.FunctionConfiguration{Environment: &types.EnvironmentResponse{
		Error: &types.EnvironmentError{ErrorCode: aws.String("AccessDeniedException"), Message: aws.String("no key")},
	}}); err == nil || !strings.Contains(err.Error(), "AccessDeniedException: no key") {
		t.Errorf("%v", err)
	}
}

// Whoever moves an alias meanwhile is not overruled.
func TestSomebodyElseMoves(t *testing.T) {
	s, to := start(t)
	s.deploy(first, three...)
	s.deploy(second, three...)
	s.changed = func(s *standIn) {
		if s.functions["BulkFunction"].aliases[live].version == "1" {
			s.functions["OrdersFunction"].aliases[live].revision++
		}
	}
	_, err := do(t, to, "-yes", "")
	if err == nil || !strings.Contains(err.Error(), "and not OrdersFunction; run it again") || s.at()["OrdersFunction"] != second {
		t.Errorf("%v, %v", s.at(), err)
	}
}

// Ended at each of its calls, before the call had its effect or after, it leaves functions at one of both releases, and goes on when it is
// run again.
func TestKilled(t *testing.T) {
	for _, late := range []bool{false, true} {
		ended := 0
		for n := 1; ; n++ {
			s, to := start(t)
			s.deploy(first, three...)
			s.deploy(second, three...)
			s.deploy(third, three...)
			s.mortal(n, late)
			_, failed := do(t, to, "-yes", "")
			for id, at := range s.at() {
				if at != second && at != third {
					t.Fatalf("ended after %d calls: %s is at %s", n, id, at)
				}
			}
			s.mortal(0, false)
			if said, err := do(t, to, "-yes", ""); err != nil || !maps.Equal(s.at(), everywhere(second, three...)) {
				t.Fatalf("ended after %d calls: %v, %v\n%s", n, s.at(), err, said)
			}
			if failed == nil {
				break
			}
			ended++
		}
		if ended < 10 {
			t.Errorf("ended %d times only", ended)
		}
	}
}

func TestPrune(t *testing.T) {
	s, to := start(t)
	for n := range 9 {
		s.deploy(fmt.Sprintf("26110%d0800-aaaa", n+1), three...)
	}
	s.functions["ClientsFunction"].aliases[live].version = "2"
	s.functions["OrdersFunction"].aliases["canary"] = &alias{version: "9", weights: map[string]float64{"1": 0.1}}
	if said, err := do(t, to, "-prune", "n\n"); err == nil || len(s.functions["BulkFunction"].left()) != 9 {
		t.Errorf("%v\n%s", err, said)
	}
	for n := 1; ; n++ {
		s.mortal(n, false)
		if said, err := do(t, to, "-prune -yes", ""); err == nil {
			if !strings.Contains(said, "versions of") {
				t.Error(said)
			}
			break
		}
	}
	for id, want := range map[string][]int{"BulkFunction": {5, 6, 7, 8, 9}, "ClientsFunction": {2, 5, 6, 7, 8, 9}, "OrdersFunction": {1, 5, 6, 7, 8, 9}} {
		if got := s.functions[id].left(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s has %v, want %v", id, got, want)
		}
	}
}

func TestFlags(t *testing.T) {
	for args, want := range map[string]string{
		"": "name -stage", "-stage none": `no stage "none"`, "-stage staging more": "name -stage", "-stage staging -tell -prune": "stand alone",
		"-stage staging -prune -release x": "stand alone", "-stage staging -tell -keep x": "stand alone", "-stage staging -all": "-all",
	} {
		if _, err := read(strings.Fields(args), "../../samconfig.toml"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", args, err, want)
		}
	}
	o, err := read(strings.Fields("-stage staging -keep A,B"), "../../samconfig.toml")
	if err != nil || o.stage.Stack != "tenantry-staging" || o.stage.Region != "eu-central-1" || !slices.Equal(o.keep, []string{"A", "B"}) {
		t.Errorf("%+v, %v", o, err)
	}
}

// The runbook names the rights of whoever goes back, and it names no others.
func TestRights(t *testing.T) {
	runbook, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, found := strings.Cut(string(runbook), "Whoever does this needs `cloudformation:")
	text, _, ends := strings.Cut(text, "(`function:")
	if !found || !ends {
		t.Fatal("docs/operations.md doesn't name them")
	}
	named, service := map[string]bool{}, "cloudformation:"
	for i, word := range strings.Split("`"+text, "`") {
		if i%2 == 0 {
			continue
		}
		if of, action, ok := strings.Cut(word, ":"); ok {
			service, word = of+":", action
		}
		named[service+word] = true
	}
	s, to := start(t)
	for n := range 7 {
		s.deploy(fmt.Sprintf("26110%d0800-aaaa", n+1), three...)
	}
	for _, flags := range []string{"-yes", "-prune -yes"} {
		if said, err := do(t, to, flags, ""); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
	}
	if !maps.Equal(named, s.asked) {
		t.Errorf("docs/operations.md has %v, and it needs %v", named, s.asked)
	}
}
