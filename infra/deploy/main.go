// Command deploy deploys a stage of samconfig.toml as one release: `make deploy STAGE=staging` runs it, once all is built.
//
//	go run ./infra/deploy -stage staging -release 2611271930-0123456789ab [-check] [-- flags of sam deploy]
//
// With -check it only says whether the stage can be deployed, which is asked before all is built: samconfig.toml knows it, none of its
// parameters is a sample any more, and AWS knows who deploys.
//
// It is SAM's own command, with the parameter Release beside those that the stage has. SAM itself would take either those of the file or
// those of its command line; here what is given behind -- counts before what the file says, one by one.
//
// What never goes in here: what a deployment does, which is SAM's and the template's.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/infra/command"
	"github.com/tenantry/tenantry/infra/samconfig"
)

const sam = "infra/tools/.venv/bin/sam"

func main() { command.Main("deploy", run) }

func run(ctx context.Context, args []string, out io.Writer) error {
	d, err := read(samconfig.File, args)
	if err != nil {
		return err
	}
	if d.check {
		_, err := d.stage.Account(ctx)
		return err
	}
	// Whoever interrupts it interrupts SAM, which then ends in its own way.
	cmd := exec.CommandContext(context.WithoutCancel(ctx), sam, d.words...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, out, os.Stderr
	return cmd.Run()
}

// releases are names of releases, as the template takes them.
var releases = regexp.MustCompile(`^[0-9]{10}(-[0-9a-z]+){0,2}$`)

// sample is what parameters have until a host puts its own: no real domain ends like that.
var sample = regexp.MustCompile(`\.example($|[^.\w-])`)

// deployment is what is deployed.
type deployment struct {
	stage samconfig.Stage
	check bool     // it is only asked for whether it can be
	words []string // what SAM is run with
}

// read reads what is deployed, and refuses what can't be.
func read(file string, args []string) (d deployment, err error) {
	flags := flag.NewFlagSet("deploy", flag.ContinueOnError)
	name := flags.String("stage", "", "the `name` of a stage of "+samconfig.File)
	release := flags.String("release", "", "what the release is `called`: the minute in UTC as ten digits, and the commit")
	flags.BoolVar(&d.check, "check", false, "only tell whether it can be deployed")
	if err := flags.Parse(args); err != nil {
		return d, err
	}
	if *name == "" || !releases.MatchString(*release) {
		return d, errors.New("name -stage and -release, such as -stage staging -release 2611271930-0123456789ab")
	}
	if d.stage, err = samconfig.Load(file, *name); err != nil {
		return d, err
	}
	given, others := parameters(flags.Args())
	all := slices.Concat(d.stage.Overrides, given)
	if names := samples(all); len(names) > 0 {
		return d, fmt.Errorf("%s has sample values of %s: put your own (docs/deploying.md)", file, strings.Join(names, ", "))
	}
	if slices.ContainsFunc(all, func(p string) bool { return regexp.MustCompile(`(^|\s)Release=`).MatchString(p) }) {
		return d, fmt.Errorf("the parameter Release is given by -release alone, now as %s", *release)
	}
	d.words = slices.Concat([]string{"deploy", "--config-env", *name}, others, []string{"--parameter-overrides"}, all)
	d.words = append(d.words, "Release="+*release)
	return d, nil
}

// samples returns the names of the parameters whose values are samples. Of values of one parameter the last one counts.
func samples(parameters []string) (names []string) {
	values := map[string]string{}
	for _, word := range strings.Fields(strings.Join(parameters, " ")) {
		if name, value, ok := strings.Cut(word, "="); ok {
			values[name] = value
		}
	}
	for name, value := range values {
		if sample.MatchString(value) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// parameters takes those of the template out of flags of SAM.
func parameters(words []string) (given, others []string) {
	const option = "--parameter-overrides"
	taking := false
	for _, word := range words {
		switch value, joined := strings.CutPrefix(word, option+"="); {
		case word == option:
			taking = true
		case joined:
			given, taking = append(given, value), false
		case taking && !strings.HasPrefix(word, "--"):
			given = append(given, word)
		default:
			others, taking = append(others, word), false
		}
	}
	return given, others
}
