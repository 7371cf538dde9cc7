// Command replay sends a gateway event to the bootstrap that is deployed for it, in a known state of the platform (package
// world), and compares the answer with the expected one:
//
//	make replay EVENT=documents/list
//
// The event is one of a list, events/<group>/<noun>.yaml, or a path of an event file. With -write, the event is written into a
// file instead, for `sam local invoke -e`.
//
// With -record, it sends all requests of the lists and writes the answers and event files; `make events` does that. Each event
// is answered in two worlds, and values that differ are replaced by matchers (package shared/web/webtest/match). Read the
// difference before you keep what was recorded.
//
// How a world is made and how a bootstrap runs never goes in here: that is in infra/local. What a list is, is in
// infra/local/corpus.
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

	"github.com/tenantry/tenantry/infra/local/corpus"
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
	recording := flags.Bool("record", false, "record the answers of the named groups, or of all")
	file := flags.String("write", "", "write the event into this `file`, and replay nothing")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	root, err := engine.ModuleRoot()
	switch {
	case err != nil:
	case *recording:
		err = record(ctx, root, flags.Args(), out)
	case flags.NArg() != 1:
		err = errors.New("say which event: documents/list")
	default:
		err = replay(ctx, root, flags.Arg(0), *file, out)
	}
	if err != nil {
		fmt.Fprintf(problems, "replay: %v\n", err)
		return 1
	}
	return 0
}

// errOther means that the answer is not the expected one.
var errOther = errors.New("not the answer that was recorded")

// replay sends one event in a new world and prints the answer, or writes the event into a file. The event is named as in a list, or by
// the path of its file.
func replay(ctx context.Context, root, which, file string, out io.Writer) error {
	var e corpus.Event
	var entry corpus.Entry
	var err error
	isPath := strings.HasSuffix(which, corpus.Suffix)
	if isPath {
		e, err = corpus.ReadFile(which)
	} else {
		entry, err = corpus.Find(root, which)
	}
	if err != nil {
		return err
	}
	s, err := openStage(ctx, out)
	if err != nil {
		return err
	}
	defer s.Close()
	if !isPath {
		if e, err = s.event(ctx, entry); err != nil {
			return err
		}
	}
	if file != "" {
		return writeEvent(file, e, out)
	}
	return s.show(ctx, e, out)
}

// writeEvent writes an event as event files have it.
func writeEvent(file string, e corpus.Event, out io.Writer) error {
	text, err := corpus.Indented(e.Payload)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s is written to %s; %s tells its answer\n", e.ID(), file, e.Told)
	return os.WriteFile(file, text, 0o600)
}

// show sends one event and prints how the answer compares with the expected one.
func (s *stage) show(ctx context.Context, e corpus.Event, out io.Writer) error {
	if err := s.start(ctx, e.Group); err != nil {
		return err
	}
	got, err := s.send(ctx, e)
	if err != nil {
		return err
	}
	got.print(out)
	if e.Want == nil {
		fmt.Fprintln(out, "\nNo answer was recorded.")
		return nil
	}
	diffs := got.differences(e.Want)
	if len(diffs) > 0 {
		fmt.Fprintf(out, "\nIt differs from %s:\n  %s\n", e.Told, strings.Join(diffs, "\n  "))
		return errOther
	}
	fmt.Fprintln(out, "\nAs recorded.")
	return nil
}
