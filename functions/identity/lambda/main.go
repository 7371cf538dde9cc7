// Code generated from template.yaml by infra/groups/generate; DO NOT EDIT.

// Command lambda is the Lambda function of the group identity.
package main

import (
	"github.com/tenantry/tenantry/functions/identity"
	"github.com/tenantry/tenantry/shared/function"
	"github.com/tenantry/tenantry/shared/keys/awskms"
)

func main() { function.Main(identity.New, function.WithKeys(awskms.New)) }
