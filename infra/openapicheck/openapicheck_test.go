// Package openapicheck lets Schemathesis call a whole platform by docs/openapi.json: every operation, with what its description allows and
// with what it doesn't. `make openapi-check` installs what it needs and runs it; where OPENAPICHECK isn't set it is skipped.
//
// What never goes in here: what the API is to do, which the tests of the groups and infra/conformance say.
package openapicheck

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/tenantry/tenantry/infra/local/platform"
)

// tested finds how many operations Schemathesis has called, in what it says at the end, and taken what the platform took of that, in what
// judged.py says then.
var (
	tested = regexp.MustCompile(`Selected: (\d+)/(\d+)\s+Tested: (\d+)`)
	taken  = regexp.MustCompile(`Taken: (\d+) requests of (\d+) operations`)
)

// What the platform takes at least. Schemathesis lets 401, 403, 404, 409 and 429 pass as answers to what agrees with the description. A run
// that nothing had ended had 4445 requests of 279 operations taken; workers take turns differently each time, so that fewer are enough.
const (
	fewestRequests   = 4000
	fewestOperations = 265
)

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

	c := exec.CommandContext(soon(t), python, "-m", "schemathesis.cli", "--config-file", "schemathesis.toml",
		"run", "../../docs/openapi.json", "--url", p.URL, "--no-color")
	c.Env = append(os.Environ(), "TENANTRY_TOKEN="+token, "TENANTRY_COMPANY="+company)
	c.WaitDelay = 5 * time.Second
	var out bytes.Buffer
	c.Stdout = io.MultiWriter(&out, t.Output())
	c.Stderr = c.Stdout
	if err := c.Run(); err != nil {
		t.Fatalf("schemathesis: %v", err)
	}
	found := tested.FindSubmatch(out.Bytes())
	if found == nil || !bytes.Equal(found[1], found[2]) || !bytes.Equal(found[2], found[3]) {
		t.Error("not all operations were called")
	}
	found = taken.FindSubmatch(out.Bytes())
	if found == nil || number(t, found[1]) < fewestRequests || number(t, found[2]) < fewestOperations {
		t.Errorf("want at least %d requests of %d operations taken", fewestRequests, fewestOperations)
	}

	// Nothing that was sent has ended the session, the user or the company: else all that came later was refused.
	for _, path := range []string{"/v1/tenant/", "/v1/crm/clients/"} {
		ask(t, http.MethodGet, p.URL+path, nil, new(json.RawMessage), "Authorization", "Bearer "+token, "X-Tenant-Id", company)
	}
}

// soon returns a context that ends before the test is out of time: what was said until then is printed, and by a panic it isn't.
func soon(t *testing.T) context.Context {
	deadline, ok := t.Deadline()
	if !ok {
		return t.Context()
	}
	ctx, cancel := context.WithDeadline(t.Context(), deadline.Add(-30*time.Second))
	t.Cleanup(cancel)
	return ctx
}

func number(t *testing.T, digits []byte) int {
	t.Helper()
	n, err := strconv.Atoi(string(digits))
	if err != nil {
		t.Fatal(err)
	}
	return n
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

// ask sends a request with headers, each a name and its value, and reads its answer, which has to be 200.
func ask(t *testing.T, method, url string, body io.Reader, answer any, headers ...string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for pair := range slices.Chunk(headers, 2) {
		r.Header.Set(pair[0], pair[1])
	}
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
