// Code generated from functions/*/group.yaml by infra/groups/generate; DO NOT EDIT.

// Command lambda is the Lambda function show, which others call.
package main

import (
	"github.com/tenantry/tenantry/functions/show"
	"github.com/tenantry/tenantry/shared/app"
)

func main() { app.Called(show.New) }
