// Command replay sends a recorded gateway event to the bootstrap that is deployed for it, in a known state of the
// platform (package world), and compares the answer with the recorded one:
//
//	make replay EVENT=events/documents/list.json
//
// With -record, it sends the requests in events/<group>/requests.yaml and writes the events and answers; `make events`
// does that. Each event is answered in two worlds, and values that differ are replaced by matchers (package
// shared/web/webtest/match). Read the difference before you keep what was recorded.
//
// How a world is made and how a bootstrap runs never goes in here: that is in infra/local.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/tenantry/tenantry/infra/local/engine"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

func run(ctx context.Context, args []string, out, problems io.Writer) (status int) {
	flags := flag.NewFlagSet("replay", flag.ContinueOnError)
	flags.SetOutput(problems)
	recording := flags.Bool("record", false, "make the events of the named groups, or of all")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	root, err := engine.ModuleRoot()
	switch {
	case err != nil:
	case *recording:
		err = record(ctx, root, flags.Args(), out)
	case flags.NArg() != 1:
		err = errors.New("say which event: events/documents/list.json")
	default:
		err = replay(ctx, root, flags.Arg(0), out)
	}
	if err != nil {
		fmt.Fprintf(problems, "replay: %v\n", err)
		return 1
	}
	return 0
}

// errOther means that the answer is not the recorded one.
var errOther = errors.New("not the answer that was recorded")

// replay sends one event in a new world and prints the answer.
func replay(ctx context.Context, root, path string, out io.Writer) error {
	e, err := readEvent(path)
	if err != nil {
		return err
	}
	s, err := openStage(ctx, root, out)
	if err != nil {
		return err
	}
	defer s.close()
	return s.show(ctx, e, out)
}

// show sends one event and prints how the answer compares with the recorded one.
func (s *stage) show(ctx context.Context, e event, out io.Writer) error {
	if err := s.start(ctx, e.group()); err != nil {
		return err
	}
	got, err := s.send(ctx, e)
	if err != nil {
		return err
	}
	got.print(out)
	if e.want == nil {
		fmt.Fprintln(out, "\nNo answer was recorded.")
		return nil
	}
	diffs := got.differences(e.want)
	if len(diffs) > 0 {
		fmt.Fprintf(out, "\nIt differs from %s:\n  %s\n", answerOf(e.path), strings.Join(diffs, "\n  "))
		return errOther
	}
	fmt.Fprintln(out, "\nAs recorded.")
	return nil
}
