// Command destroy takes a stage of samconfig.toml down: it deletes its stack. `make destroy STAGE=staging` runs it.
//
//	go run ./infra/destroy -stage staging
//
// It says first what is deleted and what stays, by the deletion policies of the template that is deployed, and asks for the stack's name.
// At the end it says by which commands the rest goes, because what stays is paid. Where it is interrupted, CloudFormation goes on, and
// the same command waits for that again.
//
// What never goes in here: deleting data. Tables, buckets and keys that a template keeps are deleted by hand.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/tenantry/tenantry/infra/command"
	"github.com/tenantry/tenantry/infra/samconfig"
)

func main() {
	command.Main("destroy", func(ctx context.Context, args []string, out io.Writer) error {
		stage, err := read(args, samconfig.File)
		if err != nil {
			return err
		}
		settings, err := stage.Account(ctx)
		if err != nil {
			return err
		}
		return run(ctx, settings, stage.Stack, os.Stdin, out, 5*time.Second)
	})
}

func read(args []string, file string) (samconfig.Stage, error) {
	flags := flag.NewFlagSet("destroy", flag.ContinueOnError)
	name := flags.String("stage", "", "the `name` of a stage of "+samconfig.File)
	if err := flags.Parse(args); err != nil {
		return samconfig.Stage{}, err
	}
	if *name == "" || flags.NArg() > 0 {
		return samconfig.Stage{}, errors.New("name -stage, such as -stage staging")
	}
	return samconfig.Load(file, *name)
}

// errNo is what an answer ends with that isn't the stack's name.
var errNo = errors.New("that is not its name: nothing was deleted")

// run looks at the stack every so often while it is being deleted.
func run(ctx context.Context, settings aws.Config, stack string, in io.Reader, out io.Writer, every time.Duration) error {
	s, err := find(ctx, settings, stack)
	if err != nil {
		return err
	}
	if !s.deleting {
		question := fmt.Sprintf("The stack %s in %s has %d resources. %d are deleted.\n%sType the stack's name to delete it: ",
			stack, settings.Region, s.count, s.count-len(s.stay), s.stays())
		if _, err := io.WriteString(out, question); err != nil {
			return err
		}
		if answer, _ := bufio.NewReader(in).ReadString('\n'); strings.TrimSpace(answer) != stack {
			return errNo
		}
	}
	if _, err := fmt.Fprintf(out, "Deleting %s; that takes some minutes …\n", stack); err != nil {
		return err
	}
	if err := s.destroy(ctx, every); err != nil {
		return err
	}
	_, err = io.WriteString(out, "The stack is deleted.\n"+s.rest(settings.Region))
	return err
}
