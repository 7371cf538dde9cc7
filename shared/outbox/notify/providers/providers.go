// Package providers makes the senders of e-mails and SMS that are configured. Only functions that carry out messages link it.
package providers

import (
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/outbox/notify"
	"github.com/tenantry/tenantry/shared/outbox/notify/httpsms"
	"github.com/tenantry/tenantry/shared/outbox/notify/ses"
	"github.com/tenantry/tenantry/shared/outbox/notify/sns"
)

// New makes the senders by their channels.
func New(env app.Env) notify.Sender {
	mail := ses.New(env.AWS("SES_ENDPOINT"), env.Config.MailFrom)
	return notify.ByChannel{notify.Email: mail, notify.SMS: sms(env)}
}

// sms is the sender of SMS that is configured; nil if no provider is.
func sms(env app.Env) notify.Sender {
	c := env.Config.SMS
	switch c.Provider {
	case app.ProviderSNS:
		return sns.New(env.AWS("SNS_ENDPOINT"))
	case app.ProviderHTTP:
		if c.CallbackSecret == "" {
			return httpsms.New(c.URL, c.Token, "") // nobody could tell its reports from others
		}
		return httpsms.New(c.URL, c.Token, c.CallbackURL)
	}
	return nil
}
