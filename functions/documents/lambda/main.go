// Code generated from functions/*/group.yaml by infra/groups/generate; DO NOT EDIT.

// Command lambda is the Lambda function of the group documents.
package main

import (
	"github.com/tenantry/tenantry/functions/documents"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/invoke/awslambda"
	"github.com/tenantry/tenantry/shared/keys/awskms"
)

func main() { app.Main(documents.New, app.WithKeys(awskms.New), app.WithCalls(awslambda.New)) }
