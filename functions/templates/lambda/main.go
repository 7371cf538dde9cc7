// Code generated from functions/*/group.yaml by infra/groups/generate; DO NOT EDIT.

// Command lambda is the Lambda function of the group templates.
package main

import (
	"github.com/tenantry/tenantry/functions/templates"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/invoke/awslambda"
)

func main() { app.Main(templates.New, app.WithCalls(awslambda.New)) }
