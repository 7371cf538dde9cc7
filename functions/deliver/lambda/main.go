// Command lambda is the Lambda function that tells the receivers of webhooks what happens.
package main

import (
	"github.com/aws/aws-lambda-go/lambda"

	"github.com/tenantry/tenantry/functions/deliver"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/invoke/awslambda"
	"github.com/tenantry/tenantry/shared/keys/awskms"
)

func main() {
	app.Run(func(env app.Env) lambda.Handler { return deliver.New(env) }, app.WithKeys(awskms.New), app.WithCalls(awslambda.New))
}
