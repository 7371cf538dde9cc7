package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// read is the text of a file of the repository.
func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// deploying.md counts what the template makes.
func TestDeployingCounts(t *testing.T) {
	_, said, _ := strings.Cut(read(t, "docs/deploying.md"), "## What is made\n")
	said, _, _ = strings.Cut(said, "\n## ")
	said = strings.Join(strings.Fields(said), " ")
	made := read(t, "template.yaml")
	for kind, want := range map[string]string{
		"Serverless::Function": "%d functions", "IAM::Role": "%d roles", "CloudWatch::Alarm": "%d alarms", "KMS::Key": "%s KMS keys",
		"SQS::Queue": "%s queues", "DynamoDB::Table": "a table", "S3::Bucket": "a bucket", "SNS::Topic": "a topic",
		"CloudWatch::Dashboard": "a dashboard", "Serverless::HttpApi": "an HTTP API",
	} {
		count := strings.Count(made, "\n    Type: AWS::"+kind+"\n")
		words := []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"}
		switch {
		case strings.Contains(want, "%d"):
			want = fmt.Sprintf(want, count)
		case strings.Contains(want, "%s"):
			want = fmt.Sprintf(want, words[count])
		case count != 1:
			t.Errorf("the template has %d of %s", count, kind)
		}
		if !strings.Contains(said, want) {
			t.Errorf("deploying.md doesn't say %q: %s", want, said)
		}
	}
}

// deploying.md tells of each field of samconfig.toml and of each parameter of the template.
func TestDeployingNamesAll(t *testing.T) {
	said := read(t, "docs/deploying.md")
	_, parameters, _ := strings.Cut(read(t, "template.yaml"), "\nParameters:\n")
	parameters, _, _ = strings.Cut(parameters, "\nRules:\n")
	for of, names := range map[string][][]string{
		"samconfig.toml": regexp.MustCompile(`(?m)^(\w+) = `).FindAllStringSubmatch(read(t, "samconfig.toml"), -1),
		"template.yaml":  regexp.MustCompile(`(?m)^  (\w+):$`).FindAllStringSubmatch(parameters, -1),
	} {
		if len(names) < 10 {
			t.Errorf("%s has %d names", of, len(names))
		}
		for _, name := range names {
			if !strings.Contains(said, "`"+name[1]+"`") {
				t.Errorf("deploying.md says nothing of %s of %s", name[1], of)
			}
		}
	}
}
