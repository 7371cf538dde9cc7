// Command lambda is the Lambda function that brings messages to the queues of their lanes.
package main

import (
	"github.com/aws/aws-lambda-go/lambda"

	"github.com/tenantry/tenantry/functions/dispatch"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/outbox/queue/sqs"
)

func main() {
	app.Run(func(env app.Env) lambda.Handler {
		at := env.AWS("SQS_ENDPOINT")
		of := env.Config.Queues
		return dispatch.New(env, dispatch.Queues{Normal: sqs.New(at, of.Normal), Bulk: sqs.New(at, of.Bulk), Hooks: sqs.New(at, of.Hooks)})
	})
}
