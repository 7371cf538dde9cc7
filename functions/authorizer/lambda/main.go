// Command lambda is the Lambda function of the gateway's authorizer.
package main

import (
	"github.com/aws/aws-lambda-go/lambda"

	"github.com/tenantry/tenantry/functions/authorizer"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/keys/awskms"
)

func main() {
	app.Run(func(env app.Env) lambda.Handler {
		return authorizer.New(authorizer.Config{
			Table: env.Table, Keys: env.Keys, Now: env.Now, Log: env.Log, Stage: env.Config.Stage,
			Company: env.Config.CompanyRate, Caller: env.Config.CallerRate, Address: env.Config.Viewers.Address,
		})
	}, app.WithKeys(awskms.New))
}
