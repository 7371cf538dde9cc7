// Code generated from functions/*/group.yaml by infra/groups/generate; DO NOT EDIT.

// Command lambda is the Lambda function of the group metrics.
package main

import (
	"github.com/tenantry/tenantry/functions/metrics"
	"github.com/tenantry/tenantry/shared/app"
)

func main() { app.Main(metrics.New) }
