// Command back takes a release back: it moves the alias of each function of a stage to the version of another release, within seconds and
// without a build. `make back STAGE=staging` goes to the release before the one that was deployed last; with RELEASE=… to another, forward
// too.
//
//	go run ./infra/back -stage staging [-release 2611271930-0123456789ab] [-keep NewFunction] [-yes]
//	go run ./infra/back -stage staging -tell
//	go run ./infra/back -stage staging -prune [-yes]
//
// It reads all first, and moves nothing unless each function has a version of that release. Then it moves one after another. Where it is
// ended half way, the same command goes on. -tell says where everything stands, and ends with the status 1 where not all is of one release.
// -prune deletes versions, of each function all but the five last.
//
// What never goes in here: roles, parameters and other resources, which stay as they were deployed. docs/operations.md, Going back.
package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/tenantry/tenantry/infra/command"
	"github.com/tenantry/tenantry/infra/samconfig"
)

func main() {
	command.Main("back", func(ctx context.Context, args []string, out io.Writer) error {
		o, err := read(args, samconfig.File)
		if err != nil {
			return err
		}
		settings, err := o.stage.Account(ctx)
		if err != nil {
			return err
		}
		return run(ctx, settings, o, os.Stdin, out)
	})
}

// options are what the flags say.
type options struct {
	stage            samconfig.Stage
	release          string
	keep             []string
	tell, prune, yes bool
}

func read(args []string, file string) (o options, err error) {
	flags := flag.NewFlagSet("back", flag.ContinueOnError)
	stage := flags.String("stage", "", "the `name` of a stage of "+samconfig.File)
	flags.StringVar(&o.release, "release", "", "the `release` to go to, or how it begins; else the one before what was deployed last")
	keep := flags.String("keep", "", "`functions` that stay, by their names in the template with commas between: that one had none")
	flags.BoolVar(&o.tell, "tell", false, "say where everything stands, and move nothing")
	flags.BoolVar(&o.prune, "prune", false, "delete versions, of each function all but the five last, and move nothing")
	flags.BoolVar(&o.yes, "yes", false, "don't ask")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if *stage == "" || flags.NArg() > 0 {
		return o, errors.New("name -stage, such as -stage staging; what has spaces has to be quoted")
	}
	if (o.tell || o.prune) && (o.release != "" || *keep != "") || o.tell && o.prune {
		return o, errors.New("-tell and -prune stand alone")
	}
	if *keep != "" {
		o.keep = strings.Split(*keep, ",")
	}
	o.stage, err = samconfig.Load(file, *stage)
	return o, err
}

func run(ctx context.Context, settings aws.Config, o options, in io.Reader, out io.Writer) error {
	to := connect(settings)
	all, err := to.functions(ctx, o.stage.Stack)
	if err != nil {
		return err
	}
	say := printer{out: out}
	switch {
	case o.tell:
		err = tell(&say, all)
	case o.prune:
		err = prune(ctx, to, all, &say, asking(o, in, &say))
	default:
		err = back(ctx, to, all, o, &say, asking(o, in, &say))
	}
	return cmp.Or(err, say.err)
}

// printer prints lines, and remembers that one could not be printed.
type printer struct {
	out io.Writer
	err error
}

func (p *printer) line(format string, values ...any) {
	_, err := fmt.Fprintf(p.out, format+"\n", values...)
	p.err = cmp.Or(p.err, err)
}

var errNo = errors.New("nothing was changed")

// asking returns what asks whether to go on.
func asking(o options, in io.Reader, say *printer) func() error {
	return func() error {
		if o.yes {
			return nil
		}
		say.line("Go on? y is yes.")
		if answer, _ := bufio.NewReader(in).ReadString('\n'); strings.TrimSpace(answer) != "y" {
			return errNo
		}
		return nil
	}
}
