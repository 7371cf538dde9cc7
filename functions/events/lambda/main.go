// Code generated from functions/*/group.yaml by infra/groups/generate; DO NOT EDIT.

// Command lambda is the Lambda function of the group events.
package main

import (
	"github.com/tenantry/tenantry/functions/events"
	"github.com/tenantry/tenantry/shared/app"
)

func main() { app.Main(events.New) }
