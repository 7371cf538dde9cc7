// Package webhookcheck lets the verifiers that receivers of webhooks use judge what we sign: the libraries of Standard Webhooks for
// Node.js, Python and Go. It also runs the receivers that docs/webhooks.md shows, as they stand there. `make webhook-check` installs
// what it needs and runs it; where WEBHOOKCHECK isn't set it is skipped.
package webhookcheck

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/tenantry/tenantry/functions/webhooks/signature"
)

// attempt is a delivery as it comes to a receiver with a secret.
type attempt struct {
	Secret  string            `json:"secret"`
	Headers map[string]string `json:"headers"`
	Body    []byte            `json:"body"` // base64
}

// verdict is what a library says of an attempt: what the body holds, or by which error it refuses.
type verdict struct {
	Error string `json:"error"`
	Says  any    `json:"says"`
}

// sample is an attempt, and whether it is to be accepted.
type sample struct {
	name     string
	attempt  attempt
	accepted bool
}

// raw is a secret of 32 bytes.
func raw(n byte) []byte { return bytes.Repeat([]byte{n, 0xfb}, 16) }

// samples are what each library has to accept or to refuse.
func samples(now time.Time) (list []sample) {
	current, before, other := raw(1), raw(2), raw(3)
	bodies := map[string]string{
		"plain":    `{"id":"evt_7_1024","type":"order.completed","timestamp":"2026-03-02T09:30:00Z","data":{"company":7}}`,
		"Cyrillic": `{"id":"evt_7_1024","type":"client.updated","data":{"name":"Айгүл Серікқызы, ул. Қабанбай 7"}}`,
		"emoji":    `{"id":"evt_7_1024","type":"client.updated","data":{"name":"🚗👩‍👩‍👧 \ud83d\ude97"}}`,
		"escapes":  `{"id":"evt_7_1024","type":"client.updated","data":{"name":"<a href=\"x\">&amp;\u2028 \\ \t"}}`,
		"no data":  `{"id":"evt_7_1024","type":"order.deleted","data":{}}`,
	}
	for _, name := range slices.Sorted(maps.Keys(bodies)) {
		body := []byte(bodies[name])
		add := func(what string, accepted bool, with []byte, body []byte, headers map[string]string) {
			list = append(list, sample{name + ", " + what, attempt{signature.Secret(with), headers, body}, accepted})
		}
		once := signature.Headers([][]byte{current}, "evt_7_1024", now, body)
		twice := signature.Headers([][]byte{current, before}, "evt_7_1024", now, body)
		add("one secret", true, current, body, once)
		add("the new secret of two", true, current, body, twice)
		add("the old secret of two", true, before, body, twice)
		add("a secret of somebody else", false, other, body, twice)
		add("the old secret when it has ended", false, before, body, once)

		changed := bytes.Replace(body, []byte(`"evt_7_1024"`), []byte(`"evt_7_1025"`), 1)
		add("one byte is another", false, current, changed, once)
		add("a space more", false, current, append([]byte(" "), body...), once)
		for header, value := range map[string]string{
			signature.ID: "evt_7_1025", signature.Timestamp: signature.Headers(nil, "", now.Add(-time.Second), nil)[signature.Timestamp],
		} {
			other := maps.Clone(once)
			other[header] = value
			add("another "+header, false, current, body, other)
		}
		for header := range once {
			less := maps.Clone(once)
			delete(less, header)
			add("no "+header, false, current, body, less)
		}
		for what, at := range map[string]time.Time{"old": now.Add(-6 * time.Minute), "of the future": now.Add(6 * time.Minute)} {
			add(what, false, current, body, signature.Headers([][]byte{current}, "evt_7_1024", at, body))
		}
	}
	return list
}

func wanted(t *testing.T) {
	t.Helper()
	if os.Getenv("WEBHOOKCHECK") == "" {
		t.Skip("make webhook-check runs it")
	}
}

// python is the interpreter that has the library.
func python(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../tools/.venv/bin/python")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestVerifiers(t *testing.T) {
	wanted(t)
	for name, verify := range map[string]func(t *testing.T, attempts []attempt) []verdict{
		"npm": func(t *testing.T, attempts []attempt) []verdict {
			t.Helper()
			return ask(t, attempts, "node", "verify.mjs")
		},
		"PyPI": func(t *testing.T, attempts []attempt) []verdict {
			t.Helper()
			return ask(t, attempts, python(t), "verify.py")
		},
		"Go": inGo,
	} {
		t.Run(name, func(t *testing.T) {
			list := samples(time.Now())
			var attempts []attempt
			for _, s := range list {
				attempts = append(attempts, s.attempt)
			}
			verdicts := verify(t, attempts)
			if len(verdicts) != len(list) {
				t.Fatalf("%d verdicts on %d attempts", len(verdicts), len(list))
			}
			for i, s := range list {
				s.judge(t, verdicts[i])
			}
		})
	}
}

// judge compares a verdict with what it is to be.
func (s sample) judge(t *testing.T, v verdict) {
	t.Helper()
	if !s.accepted {
		if v.Error != "WebhookVerificationError" {
			t.Errorf("%s: %+v, and is to be refused", s.name, v)
		}
		return
	}
	var want any
	if err := json.Unmarshal(s.attempt.Body, &want); err != nil {
		t.Fatal(err)
	}
	if v.Error != "" || !reflect.DeepEqual(v.Says, want) {
		t.Errorf("%s: %+v, want %+v", s.name, v, want)
	}
}

// ask lets a program verify attempts.
func ask(t *testing.T, attempts []attempt, command ...string) (verdicts []verdict) {
	t.Helper()
	in, err := json.Marshal(attempts)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), command[0], command[1:]...)
	c.Stdin, c.Stderr = bytes.NewReader(in), t.Output()
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &verdicts); err != nil {
		t.Fatalf("%v: %.300s", err, out)
	}
	return verdicts
}

// inGo verifies attempts by the library for Go.
func inGo(t *testing.T, attempts []attempt) (verdicts []verdict) {
	t.Helper()
	for _, a := range attempts {
		hook, err := standardwebhooks.NewWebhook(a.Secret)
		if err != nil {
			t.Fatal(err)
		}
		h := http.Header{}
		for name, value := range a.Headers {
			h.Set(name, value)
		}
		var v verdict
		if err := hook.Verify(a.Body, h); err != nil {
			v.Error = "WebhookVerificationError" // as those of the other libraries are called
		} else if err := json.Unmarshal(a.Body, &v.Says); err != nil {
			t.Fatal(err)
		}
		verdicts = append(verdicts, v)
	}
	return verdicts
}
