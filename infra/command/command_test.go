package command_test

import (
	"flag"
	"io"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/infra/command"
)

func TestComplete(t *testing.T) {
	for args, want := range map[string]bool{
		"-table t -bucket b -tenant 7":  true,
		"":                              false,
		"-bucket b -tenant 7":           false,
		"-table t -tenant 7":            false,
		"-table t -bucket b":            false,
		"-table t -bucket b -tenant 0":  false,
		"-table t -bucket b -tenant -7": false,
	} {
		set := flag.NewFlagSet("test", flag.ContinueOnError)
		of := command.Define(set)
		if err := set.Parse(strings.Fields(args)); err != nil || of.Complete() != want {
			t.Errorf("%q: complete %t, %v; want %t", args, of.Complete(), err, want)
		}
	}
	set := flag.NewFlagSet("test", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	command.Define(set)
	if set.Parse([]string{"-tenant", "seven"}) == nil {
		t.Error("a company without a number")
	}
}

// Open connects to the table and the company that the flags name.
func TestOpen(t *testing.T) {
	for name, value := range map[string]string{
		"AWS_REGION": "eu-central-1", "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_CONFIG_FILE": "/none",
		"AWS_SHARED_CREDENTIALS_FILE": "/none", "DYNAMODB_ENDPOINT": "http://127.0.0.1:1", "S3_ENDPOINT": "http://127.0.0.1:1",
	} {
		t.Setenv(name, value)
	}
	set := flag.NewFlagSet("test", flag.ContinueOnError)
	of := command.Define(set)
	if err := set.Parse(strings.Fields("-table t -bucket b -tenant 7")); err != nil {
		t.Fatal(err)
	}
	c, err := of.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if c.Table.ID() != 7 || c.Conn == nil || c.Files == nil || c.AWS.Region != "eu-central-1" {
		t.Errorf("%+v", c)
	}
}
