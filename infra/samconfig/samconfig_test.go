package samconfig

import (
	"reflect"
	"strings"
	"testing"
)

const text = `version = 0.1
[default.global.parameters]
region = "eu-central-1"
stack_name = "tenantry-dev"
parameter_overrides = ["Stage=all"]
[default.build.parameters]
cached = false
[default.deploy.parameters]
parameter_overrides = ["Stage=dev", "MailFrom=a@b.example"]
[test.global.parameters]
stack_name = "tenantry-test"
[other.global.parameters]
stack_name = "tenantry-other"
[other.deploy.parameters]
region = "eu-west-1"
parameter_overrides = "Stage=other LogRetentionDays=3"
[odd.global.parameters]
stack_name = "odd"
parameter_overrides = [1]
[nothing.deploy.parameters]
region = "eu-west-1"
`

func TestStages(t *testing.T) {
	for name, want := range map[string]Stage{
		"default": {"tenantry-dev", "eu-central-1", []string{"Stage=dev", "MailFrom=a@b.example"}},
		"test":    {"tenantry-test", "", nil},
		"other":   {"tenantry-other", "eu-west-1", []string{"Stage=other LogRetentionDays=3"}},
	} {
		if got, err := parse([]byte(text), name); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, want)
		}
	}
	for name, want := range map[string]string{
		"staging": `no stage "staging"; it knows default, nothing, odd, other, test`, "version": "no stage",
		"odd": "write a list of texts", "nothing": "no stack_name",
	} {
		if _, err := parse([]byte(text), name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	if _, err := parse([]byte("a = "), "a"); err == nil {
		t.Error("no TOML is read")
	}
}

// Ours can be read, and each of its stages.
func TestTheFile(t *testing.T) {
	for _, name := range []string{"default", "staging", "production"} {
		if s, err := Load("../../"+File, name); err != nil || s.Stack == "" || s.Region == "" || len(s.Overrides) < 4 {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
	if _, err := Load("none.toml", "default"); err == nil {
		t.Error("a file out of nowhere")
	}
}
