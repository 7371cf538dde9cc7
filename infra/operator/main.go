// Command operator is what the operator of a stage does: it looks after companies, keys and messages, with a role of its own that no
// function has (infra/operator.yaml). docs/operations.md tells of each command.
//
//	go run ./infra/operator -table NAME -bucket NAME COMMAND flags
//	go run ./infra/operator -local COMMAND flags              for the platform of `make run`
//
// Each command tells what it will do and asks once; -yes is for scripts. Each can be run again after it was killed, and ends the same.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/tenantry/tenantry/infra/command"
	"github.com/tenantry/tenantry/infra/operator/stage"
)

func main() {
	command.Main("operator", func(ctx context.Context, args []string, out io.Writer) error { return run(ctx, args, os.Stdin, out) })
}

func run(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	var where stage.Where
	var yes bool
	flags := flag.NewFlagSet("operator", flag.ContinueOnError)
	flags.SetOutput(out)
	where.Define(flags)
	flags.BoolVar(&yes, "yes", false, "ask nobody")
	flags.Usage = func() { usage(flags, out) }
	if err := flags.Parse(stage.Joined(args)); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	if flags.NArg() == 0 {
		usage(flags, out)
		return errors.New("name a command")
	}
	for _, c := range commands() {
		if c.Name != flags.Arg(0) {
			continue
		}
		e, err := stage.Open(ctx, where, os.Getenv)
		if err != nil {
			if !asksForFlags(flags.Args()[1:]) {
				return err
			}
			e = &stage.Env{} // flags are told without a stage
		}
		e.In, e.Out, e.Yes = in, out, yes
		if err := c.Run(ctx, e, flags.Args()[1:]); !errors.Is(err, flag.ErrHelp) {
			return err
		}
		return nil
	}
	usage(flags, out)
	return fmt.Errorf("%s is no command", flags.Arg(0))
}

// asksForFlags tells whether a command is asked for its flags and nothing else.
func asksForFlags(args []string) bool {
	return len(args) == 1 && slices.Contains([]string{"-h", "-help", "--h", "--help"}, args[0])
}

func usage(flags *flag.FlagSet, out io.Writer) {
	fmt.Fprint(out, "operator [-table NAME -bucket NAME | -local] [-yes] COMMAND flags\n\n")
	for _, c := range commands() {
		fmt.Fprintf(out, "  %-10s %s\n", c.Name, c.Says)
	}
	fmt.Fprint(out, "\nCOMMAND -h tells its flags. Those before it:\n")
	flags.PrintDefaults()
}
