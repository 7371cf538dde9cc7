// Command lambda is the Lambda function that carries out what somebody waits for: codes and invitations.
package main

import (
	"github.com/aws/aws-lambda-go/lambda"

	"github.com/tenantry/tenantry/functions/urgent"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/invoke/awslambda"
	"github.com/tenantry/tenantry/shared/keys/awskms"
	"github.com/tenantry/tenantry/shared/outbox/notify/providers"
)

func main() {
	app.Run(func(env app.Env) lambda.Handler {
		env.Notify = providers.New(env)
		return urgent.New(env)
	}, app.WithKeys(awskms.New), app.WithCalls(awslambda.New))
}
