// Code generated from template.yaml by infra/groups/generate; DO NOT EDIT.

// Command lambda is the Lambda function of the group fallback.
package main

import (
	"github.com/tenantry/tenantry/functions/fallback"
	"github.com/tenantry/tenantry/shared/function"
	"github.com/tenantry/tenantry/shared/keys/awskms"
)

func main() { function.Main(fallback.New, function.WithKeys(awskms.New)) }
