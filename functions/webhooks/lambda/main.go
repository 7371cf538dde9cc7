// Code generated from functions/*/group.yaml by infra/groups/generate; DO NOT EDIT.

// Command lambda is the Lambda function of the group webhooks.
package main

import (
	"github.com/tenantry/tenantry/functions/webhooks"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/keys/awskms"
)

func main() { app.Main(webhooks.New, app.WithKeys(awskms.New)) }
