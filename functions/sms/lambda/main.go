// Code generated from functions/*/group.yaml by infra/groups/generate; DO NOT EDIT.

// Command lambda is the Lambda function of the group sms.
package main

import (
	"github.com/tenantry/tenantry/functions/sms"
	"github.com/tenantry/tenantry/shared/app"
)

func main() { app.Main(sms.New) }
