// Command lambda is the Lambda function that carries out messages of the bulk lane.
package main

import (
	"github.com/aws/aws-lambda-go/lambda"

	"github.com/tenantry/tenantry/functions/bulk"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/invoke/awslambda"
	"github.com/tenantry/tenantry/shared/keys/awskms"
	"github.com/tenantry/tenantry/shared/outbox/notify/providers"
)

func main() {
	app.Run(func(env app.Env) lambda.Handler {
		env.Notify = providers.New(env)
		return bulk.New(env)
	}, app.WithKeys(awskms.New), app.WithCalls(awslambda.New))
}
