// Command deploy deploys a stage of samconfig.toml as one release: `make deploy STAGE=staging` runs it, once all is built.
//
//	go run ./infra/deploy -stage staging -release 2611271930-0123456789ab [-- flags of sam deploy]
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
	words, err := arguments(samconfig.File, args)
	if err != nil {
		return err
	}
	// Whoever interrupts it interrupts SAM, which then ends in its own way.
	cmd := exec.CommandContext(context.WithoutCancel(ctx), sam, words...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, out, os.Stderr
	return cmd.Run()
}

// releases are names of releases, as the template takes them.
var releases = regexp.MustCompile(`^[0-9]{10}(-[0-9a-z]+){0,2}$`)

// arguments returns what SAM is run with.
func arguments(file string, args []string) ([]string, error) {
	flags := flag.NewFlagSet("deploy", flag.ContinueOnError)
	name := flags.String("stage", "", "the `name` of a stage of "+samconfig.File)
	release := flags.String("release", "", "what the release is `called`: the minute in UTC as ten digits, and the commit")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if *name == "" || !releases.MatchString(*release) {
		return nil, errors.New("name -stage and -release, such as -stage staging -release 2611271930-0123456789ab")
	}
	stage, err := samconfig.Load(file, *name)
	if err != nil {
		return nil, err
	}
	given, others := parameters(flags.Args())
	all := slices.Concat(stage.Overrides, given)
	if slices.ContainsFunc(all, func(p string) bool { return regexp.MustCompile(`(^|\s)Release=`).MatchString(p) }) {
		return nil, fmt.Errorf("the parameter Release is given by -release alone, now as %s", *release)
	}
	words := slices.Concat([]string{"deploy", "--config-env", *name}, others, []string{"--parameter-overrides"}, all)
	return append(words, "Release="+*release), nil
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
