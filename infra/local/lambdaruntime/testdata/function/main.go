// Command function does what the tests of package lambdaruntime ask it to.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"
)

type request struct {
	Do     string
	Millis int
	Text   string
}

func main() {
	if os.Getenv("BREAK") == "exit" {
		os.Stderr.WriteString("no table\n")
		os.Exit(3)
	}
	calls := 0
	lambda.Start(func(ctx context.Context, r request) (any, error) {
		calls++
		switch r.Do {
		case "sleep":
			time.Sleep(time.Duration(r.Millis) * time.Millisecond)
		case "fail":
			return nil, errors.New("on purpose")
		case "panic":
			panic("on purpose")
		case "exit":
			os.Exit(3)
		case "large":
			return strings.Repeat("x", 7<<20), nil
		}
		lc, _ := lambdacontext.FromContext(ctx)
		deadline, _ := ctx.Deadline()
		answer, err := json.Marshal(map[string]any{
			"pid": os.Getpid(), "calls": calls, "text": r.Text, "id": lc.AwsRequestID, "arn": lc.InvokedFunctionArn,
			"millis": time.Until(deadline).Milliseconds(), "given": os.Getenv("GIVEN"), "home": os.Getenv("HOME"),
			"name": os.Getenv("AWS_LAMBDA_FUNCTION_NAME"),
		})
		return json.RawMessage(answer), err
	})
}
