// Command lambda is the Lambda function that carries out the outbox.
package main

import (
	"github.com/aws/aws-lambda-go/lambda"

	"github.com/tenantry/tenantry/functions/outbox"
	"github.com/tenantry/tenantry/shared/function"
	"github.com/tenantry/tenantry/shared/keys/awskms"
	"github.com/tenantry/tenantry/shared/notify/ses"
)

func main() {
	function.Run(func(env function.Env) lambda.Handler {
		env.Notify = ses.New(env.AWS(), env.Config.MailFrom)
		return outbox.New(env)
	}, function.WithKeys(awskms.New))
}
