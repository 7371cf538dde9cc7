package main

import (
	"bytes"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/tenantry/tenantry/functions/sms"
	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/infra/local/judge"
	"github.com/tenantry/tenantry/infra/local/samtemplate"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const region = "eu-central-1"

// judged is the address of an engine that lets through what the role of infra/operator.yaml may do. At the end of the test the command
// was denied nothing, and the role has no right that the command does not use.
func judged(t *testing.T, table string) string {
	t.Helper()
	stage, err := os.ReadFile("../../template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	operator, err := os.ReadFile("../operator.yaml")
	if err != nil {
		t.Fatal(err)
	}
	// The judge knows the roles of functions: here the command is one, beside those of the stage.
	const resources, command = "\nResources:\n", `
  TopUpFunction:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: infra/topup/lambda/
      Role: !GetAtt TopUpRole.Arn
`
	_, role, _ := strings.Cut(string(operator), resources)
	role, _, _ = strings.Cut(role, "\nOutputs:\n")
	whole, err := samtemplate.Parse([]byte(strings.Replace(string(stage), resources, resources+role+command, 1)))
	if err != nil {
		t.Fatal(err)
	}
	j, err := judge.Open(judge.Options{
		Template: whole, Region: region, Names: map[string]string{
			"Table": table, "Operator": "arn:aws:iam::000000000000:user/operator", "MailFrom": "noreply@tenantry.test",
		},
		Engines: map[string]string{"dynamodb": enginetest.Endpoint(t)},
	})
	if err != nil {
		t.Fatal(err)
	}
	address, err := j.Listen(t.Context(), "topup")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, denial := range j.Denials() {
			t.Error(denial)
		}
		for _, right := range j.Unused() {
			if right.Role == "topup" {
				t.Errorf("nothing uses the right %s", right)
			}
		}
		j.Close()
	})
	return address
}

// The operator books what a company has paid, where its owner can't: once for a reference, also if the command runs twice at once.
func TestAPaymentIsBookedOnce(t *testing.T) {
	name := enginetest.Table(t)
	t.Setenv("DYNAMODB_ENDPOINT", judged(t, name))
	t.Setenv("AWS_REGION", region)
	t.Setenv("AWS_ACCESS_KEY_ID", "id")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	api := webtest.Setup{Change: func(e *app.Env) {
		e.Table, e.Config.SMS.TopUp = table.Open(enginetest.Client(t), name), false
	}}.New(t, sms.New)
	owner := api.As(webtest.Owner(7))
	owner.Post("/v1/sms/account/top_up/", `{"amount":"5000"}`).Status(403).
		JSON(`{"detail":"The operator of the platform books what a company has paid.","code":"host_only"}`)
	run := func(more ...string) (string, error) {
		var out bytes.Buffer
		err := run(t.Context(), append([]string{"-table", name, "-tenant", "7"}, more...), &out)
		return out.String(), err
	}
	if _, err := run("-amount", "5000", "-reference", "a"); err == nil || !strings.Contains(err.Error(), "there is no company 7") {
		t.Errorf("without a company: %v", err)
	}
	of := table.Of(api.Env.Table, 7)
	if err := of.Create(table.At(of.Company(), 1)).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := of.Update(of.Company()).Set("n", "Acme").Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			if said, err := run("-amount", "5000", "-reference", "kaspi/1", "-comment", "Invoice 1"); err != nil ||
				!strings.HasPrefix(said, "company 7 is \"Acme\"\ncompany 7: 5000.00 booked") {
				t.Errorf("%q, %v", said, err)
			}
		})
	}
	wait.Wait()
	if said, err := run("-amount", "5000.00", "-reference", "kaspi/1"); err != nil || !strings.Contains(said, "booked before") {
		t.Errorf("again: %q, %v", said, err)
	}
	for want, flags := range map[string][]string{
		"booked with another amount: 5000.00": {"-amount", "6000", "-reference", "kaspi/1"},
		"greater than 0":                      {"-amount", "0", "-reference", "kaspi/2"},
		"-amount much":                        {"-amount", "much", "-reference", "kaspi/2"},
		"-reference has to have":              {"-amount", "1", "-reference", "a b"},
		"name -table":                         {"-reference", "kaspi/2"},
		`"000" belongs to no flag`:            {"-reference", "kaspi/2", "-amount", "5", "000"},
		"-comment has more":                   {"-amount", "1", "-reference", "kaspi/2", "-comment", strings.Repeat("ж", 201)},
	} {
		if _, err := run(flags...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, not %q", flags, err, want)
		}
	}
	if _, err := run("-amount", "0.50", "-reference", "kaspi/2"); err != nil {
		t.Error(err)
	}
	owner.Get("/v1/sms/account/").Field("balance", `"5000.50"`)
	owner.Get("/v1/sms/account/history/").JSON(`{"count":2,"next":null,"previous":null,"results":[
		{"id":"<int>","tenant":7,"invoice":2,"created_at":"<datetime>","updated_at":"<datetime>","amount":"0.50","comment":null},
		{"id":"<int>","tenant":7,"invoice":1,"created_at":"<datetime>","updated_at":"<datetime>","amount":"5000.00","comment":"Invoice 1"}]}`)
}
