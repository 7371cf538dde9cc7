// Code generated from functions/*/group.yaml by infra/groups/generate; DO NOT EDIT.

// Command lambda is the Lambda function seal, which others call.
package main

import (
	"github.com/tenantry/tenantry/functions/seal"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/keys/awskms"
)

func main() { app.Called(seal.New, app.WithSealKey(awskms.New)) }
