// Code generated from functions/*/group.yaml by infra/groups/generate; DO NOT EDIT.

// Command lambda is the Lambda function of the group signing.
package main

import (
	"github.com/tenantry/tenantry/functions/signing"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/keys/awskms"
)

func main() { app.Main(signing.New, app.WithKeys(awskms.New)) }
