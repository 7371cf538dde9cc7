// Package command is what the operator's commands have in common: how they run and end, and, for those that work on the data of one
// company, the flags that name the table, the bucket and the company, and the connections to them.
//
// DYNAMODB_ENDPOINT and S3_ENDPOINT name engines other than AWS's own.
//
// What never goes in here: what a command does with the data, and flags that only one command has.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
)

// ErrFound is what a command ends with that has found, and told, what should not be: with the status 1. Other errors are printed, and
// the status is 2.
var ErrFound = errors.New("something should not be")

// Main runs a command until it ends or is interrupted.
func Main(name string, run func(ctx context.Context, args []string, out io.Writer) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	switch {
	case errors.Is(err, ErrFound):
		os.Exit(1)
	case err != nil:
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(2)
	}
}
