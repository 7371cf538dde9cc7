package app

import (
	"fmt"
	"io"
	"os"

	"github.com/aws/aws-lambda-go/lambda"
)

// Main is the main of an endpoint group's function.
func Main(group New, options ...Option) {
	Run(func(e Env) lambda.Handler { return e.Server(group(e)) }, options...)
}

// Run is the main of a function that serves no operations: it makes the
// handler of the environment, and polls for work until Lambda ends the
// process. With a configuration that can't work it says so in one line and
// exits with 1.
func Run(handler func(Env) lambda.Handler, options ...Option) {
	env, err := FromEnvironment(os.Getenv, options...)
	if err != nil {
		os.Exit(refuse(os.Stderr, err))
	}
	lambda.Start(handler(env))
}

func refuse(w io.Writer, err error) (status int) {
	_, _ = fmt.Fprintf(w, "tenantry: %v\n", err) // standard error: there is nobody else to tell
	return 1
}
