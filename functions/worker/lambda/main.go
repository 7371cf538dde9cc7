// Command lambda is the Lambda function that carries out the outbox.
package main

import (
	"github.com/aws/aws-lambda-go/lambda"

	"github.com/tenantry/tenantry/functions/worker"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/invoke/awslambda"
	"github.com/tenantry/tenantry/shared/keys/awskms"
	"github.com/tenantry/tenantry/shared/outbox/notify"
	"github.com/tenantry/tenantry/shared/outbox/notify/ses"
)

func main() {
	app.Run(func(env app.Env) lambda.Handler {
		mail := ses.New(env.AWS("SES_ENDPOINT"), env.Config.MailFrom)
		env.Notify = notify.ByChannel{notify.Email: mail, notify.SMS: sms(env)}
		return worker.New(env)
	}, app.WithKeys(awskms.New), app.WithCalls(awslambda.New))
}
