package main

import (
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/outbox/notify"
	"github.com/tenantry/tenantry/shared/outbox/notify/httpsms"
	"github.com/tenantry/tenantry/shared/outbox/notify/sns"
)

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
