// Command rehearsal judges, on paper, whether the roles of infra/deployer.yaml may do what a step of a stage's life takes: going up, being
// updated, going back, coming down. infra/templatecheck asks it, which knows by CloudFormation's registry what each step asks for.
//
//	go run ./infra/rehearsal -stack tenantry < requests.json
//
// It prints each request that is decided otherwise than it should be, and ends with the status 1 then.
//
// What never goes in here: what steps ask for, and what policies mean (infra/local/policy).
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/tenantry/tenantry/infra/command"
)

func main() {
	command.Main("rehearsal", func(_ context.Context, args []string, out io.Writer) error { return run(args, os.Stdin, out) })
}

// request is one action of a step by a role.
type request struct {
	Step     string // what is done, to which resource
	Role     string // its logical id in infra/deployer.yaml
	Action   string
	Resource string
	Context  map[string][]string
	Refused  bool // it has to be
}

func run(args []string, in io.Reader, out io.Writer) error {
	flags := flag.NewFlagSet("rehearsal", flag.ContinueOnError)
	template := flags.String("template", "infra/deployer.yaml", "the `file` of the deployer's template")
	stack := flags.String("stack", "", "the `name` of the stack that is deployed")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *stack == "" {
		return errors.New("name -stack")
	}
	d, err := open(*template, *stack)
	if err != nil {
		return err
	}
	var all []request
	if err := json.NewDecoder(in).Decode(&all); err != nil {
		return fmt.Errorf("the requests: %w", err)
	}
	found := 0
	for _, r := range all {
		allowed, err := d.may(r)
		if err != nil {
			return fmt.Errorf("%s: %s %s: %w", r.Step, r.Role, r.Action, err)
		}
		if allowed != r.Refused {
			continue
		}
		may := map[bool]string{true: "may", false: "may not"}[allowed]
		if _, err := fmt.Fprintf(out, "%s: %s %s %s on %s\n", r.Step, r.Role, may, r.Action, cmp.Or(r.Resource, "*")); err != nil {
			return err
		}
		found++
	}
	if found > 0 {
		return command.ErrFound
	}
	return nil
}
