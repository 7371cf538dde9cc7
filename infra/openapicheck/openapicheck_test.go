// Package openapicheck lets Schemathesis call a whole platform by docs/openapi.json: every operation, with what its description allows and
// with what it doesn't. `make openapi-check` installs what it needs and runs it; where OPENAPICHECK isn't set it is skipped.
//
// What never goes in here: what the API is to do, which the tests of the groups and infra/conformance say.
package openapicheck

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"

	"github.com/tenantry/tenantry/infra/local/platform"
)

// tested finds how many operations Schemathesis has called, in what it says at the end.
var tested = regexp.MustCompile(`Selected: (\d+)/(\d+)\s+Tested: (\d+)`)

func TestSchemathesis(t *testing.T) {
	python := os.Getenv("OPENAPICHECK")
	if python == "" {
		t.Skip("make openapi-check runs it")
	}
	p, err := platform.Start(t.Context(), platform.Options{Addr: "127.0.0.1:0", Demo: true, Patient: true, Unlimited: true, Out: t.Output()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	token, company := owner(t, p.URL)

	c := exec.CommandContext(t.Context(), python, "-m", "schemathesis.cli", "--config-file", "schemathesis.toml",
		"run", "../../docs/openapi.json", "--url", p.URL, "--no-color")
	c.Env = append(os.Environ(), "TENANTRY_TOKEN="+token, "TENANTRY_COMPANY="+company)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("schemathesis: %v\n%s", err, out)
	}
	found := tested.FindSubmatch(out)
	if found == nil || !bytes.Equal(found[1], found[2]) || !bytes.Equal(found[2], found[3]) {
		t.Errorf("not all operations were called:\n%s", out)
	}
}

// owner signs the demo company's owner in, and returns the access token and the company's id.
func owner(t *testing.T, url string) (token, company string) {
	t.Helper()
	var demo struct {
		Username string `json:"username"`
		Password string `json:"password"`
		Tenant   int    `json:"tenant"`
	}
	ask(t, http.MethodGet, url+"/_local/demo/", nil, &demo)
	body, err := json.Marshal(demo)
	if err != nil {
		t.Fatal(err)
	}
	var tokens struct{ Access string }
	ask(t, http.MethodPost, url+"/v1/auth/login/", bytes.NewReader(body), &tokens)
	return tokens.Access, strconv.Itoa(demo.Tenant)
}

func ask(t *testing.T, method, url string, body io.Reader, answer any) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.Body.Close() }()
	if a.StatusCode != http.StatusOK {
		t.Fatalf("%s %s answers %s", method, url, a.Status)
	}
	if err := json.NewDecoder(a.Body).Decode(answer); err != nil {
		t.Fatal(err)
	}
}
