package app

import (
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strconv"

	"github.com/aws/aws-lambda-go/lambda"
)

// Main is the main function of an endpoint group's Lambda function.
func Main(group New, options ...Option) {
	Run(func(e Env) lambda.Handler { return e.Server(group(e)) }, options...)
}

// Called is the main function of a Lambda function that others call.
func Called(function NewFunction, options ...Option) {
	Run(func(e Env) lambda.Handler { return function(e) }, options...)
}

// Run is the main function of a Lambda function that serves no operations. It makes the
// handler from the environment, and polls for work until Lambda ends the process. If the
// configuration is wrong, it says so in one line and exits with 1.
func Run(handler func(Env) lambda.Handler, options ...Option) {
	env, err := FromEnvironment(os.Getenv, options...)
	if err != nil {
		os.Exit(refuse(os.Stderr, err))
	}
	if most := memoryLimit(os.Getenv); most > 0 {
		debug.SetMemoryLimit(most)
	}
	lambda.Start(under(handler(env), os.Getenv))
}

// memoryLimit is how many bytes the runtime may take before it collects more often: nine tenths of what the function has, because
// Lambda ends a function that takes more. It is 0 where the environment does not say how much that is, or has a limit of the runtime's own.
func memoryLimit(getenv func(string) string) int64 {
	megabytes, err := strconv.ParseInt(getenv("AWS_LAMBDA_FUNCTION_MEMORY_SIZE"), 10, 32)
	if err != nil || megabytes < 0 || getenv("GOMEMLIMIT") != "" {
		return 0
	}
	return megabytes << 20 / 10 * 9
}

func refuse(w io.Writer, err error) (status int) {
	_, _ = fmt.Fprintf(w, "tenantry: %v\n", err) // if standard error fails too, nothing can be done
	return 1
}
