package webhookcheck

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/webhooks/signature"
)

// document has the receivers.
const document = "../../docs/webhooks.md"

// shown returns the one block of the document that is in a language.
func shown(t *testing.T, language string) []byte {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllSubmatch(text, -1)
	if len(found) != 1 {
		t.Fatalf("%s has %d blocks of %s", document, len(found), language)
	}
	return found[0][1]
}

// write puts a receiver into a folder of its own.
func write(t *testing.T, name string, text []byte) (folder string) {
	t.Helper()
	folder = t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}

// typescript returns the command of the receiver in TypeScript, whose types it has judged, and its folder. A Node.js that knows no
// types runs what TypeScript has made of it: erasableSyntaxOnly says that this is the same without its types.
func typescript(t *testing.T) (folder string, command []string) {
	t.Helper()
	folder = write(t, "receiver.mts", shown(t, "ts"))
	modules, err := filepath.Abs("node_modules")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(modules, filepath.Join(folder, "node_modules")); err != nil {
		t.Fatal(err)
	}
	judge := exec.CommandContext(t.Context(), filepath.Join(modules, ".bin", "tsc"), "--strict", "--noUnusedLocals", "--erasableSyntaxOnly",
		"--verbatimModuleSyntax", "--target", "es2022", "--module", "nodenext", "--types", "node", "receiver.mts")
	judge.Dir = folder
	if out, err := judge.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	strips, err := exec.CommandContext(t.Context(), "node", "-p", "Boolean(process.features.typescript)").Output()
	if err != nil {
		t.Fatal(err)
	}
	if string(bytes.TrimSpace(strips)) == "true" {
		return folder, []string{"node", "receiver.mts"}
	}
	t.Log("this Node.js knows no types")
	return folder, []string{"node", "receiver.mjs"}
}

// receiver is a receiver that runs.
type receiver struct {
	t      *testing.T
	url    string
	secret []byte
	lines  chan string // what it prints; closed when it has ended
}

// run runs a receiver, and returns when it takes connections.
func run(t *testing.T, folder string, command []string) *receiver {
	t.Helper()
	// The port is free until somebody else takes it; then the receiver ends, and the test fails.
	free, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := free.Addr().String()
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	r := &receiver{t: t, url: "http://" + addr + "/", secret: raw(1), lines: make(chan string, 100)}
	c := exec.CommandContext(t.Context(), command[0], command[1:]...)
	c.Dir, c.Stderr = folder, t.Output()
	c.Env = append(os.Environ(), "WEBHOOK_SECRET="+signature.Secret(r.secret), "PORT="+port)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer close(r.lines)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			r.lines <- lines.Text()
		}
	}()
	t.Cleanup(func() {
		_ = c.Process.Kill()
		<-ended
		_ = c.Wait() // it was killed
	})
	for dialer := (net.Dialer{}); ; {
		if conn, err := dialer.DialContext(t.Context(), "tcp", addr); err == nil {
			conn.Close()
			return r
		}
		select {
		case <-ended:
			t.Fatal("the receiver has ended")
		case <-time.After(20 * time.Millisecond): // it has not begun to listen
		}
	}
}

// send sends an attempt and returns the status of the answer.
func (r *receiver) send(body string, headers map[string]string) int {
	r.t.Helper()
	request, err := http.NewRequestWithContext(r.t.Context(), http.MethodPost, r.url, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	client := http.Client{Timeout: 15 * time.Second} // as the platform's
	answer, err := client.Do(request)
	if err != nil {
		r.t.Fatal(err)
	}
	answer.Body.Close()
	return answer.StatusCode
}

// told returns what the receiver has printed when it has printed a line, or when it seems to print nothing more.
func (r *receiver) told(last string) (lines []string) {
	r.t.Helper()
	late := time.After(10 * time.Second)
	for {
		select {
		case line, ok := <-r.lines:
			if !ok {
				return lines
			}
			if lines = append(lines, line); line == last {
				return lines
			}
		case <-late:
			return lines
		}
	}
}

// completed is the body of a delivery that tells of an order.
func completed(number, order int) string {
	return fmt.Sprintf(`{"id":"evt_7_%d","type":"order.completed","timestamp":"2026-03-02T09:30:00Z","data":{"company":7,"event":{"id":%d,`+
		`"type":"order.completed","created_at":"2026-03-02T09:30:00Z","object":"order:%d","revision":3,"concerns":["client:15"],`+
		`"user":14,"feed":null,"key":null,"request_id":"6f3c1a52-7a0e-4a53-9d55-0d9a1f1f3b4e","data":{"debt":"0.00"}}}}`, number, number, order)
}

// The receivers that the document shows take what we sign, once, and refuse all else.
func TestReceivers(t *testing.T) {
	wanted(t)
	for language, of := range map[string]func(t *testing.T) (folder string, command []string){
		"TypeScript": typescript,
		"Python": func(t *testing.T) (string, []string) {
			t.Helper()
			return write(t, "receiver.py", shown(t, "python")), []string{python(t), "-u", "receiver.py"}
		},
	} {
		t.Run(language, func(t *testing.T) {
			folder, command := of(t)
			t.Run("without a secret", func(t *testing.T) {
				c := exec.CommandContext(t.Context(), command[0], command[1:]...)
				c.Dir, c.Env = folder, append(os.Environ(), "WEBHOOK_SECRET=", "PORT=0")
				if out, err := c.CombinedOutput(); err == nil || !strings.Contains(strings.ToLower(string(out)), "secret") {
					t.Errorf("%v\n%s", err, out)
				}
			})
			r := run(t, folder, command)
			now := time.Now()
			sign := func(number, order int, at time.Time, secrets ...[]byte) map[string]string {
				return signature.Headers(secrets, fmt.Sprintf("evt_7_%d", number), at, []byte(completed(number, order)))
			}
			updated := strings.ReplaceAll(completed(4, 4), "completed", "updated")
			for _, tt := range []struct {
				name    string
				body    string
				headers map[string]string
				status  int
			}{
				{"good", completed(1, 71), sign(1, 71, now, r.secret), http.StatusNoContent},
				{"repeated", completed(1, 71), sign(1, 71, now.Add(time.Second), r.secret), http.StatusNoContent},
				{"changed", completed(2, 666), sign(2, 72, now, r.secret), http.StatusUnauthorized},
				{"by another secret", completed(2, 666), sign(2, 666, now, raw(9)), http.StatusUnauthorized},
				{"old", completed(2, 666), sign(2, 666, now.Add(-time.Hour), r.secret), http.StatusUnauthorized},
				{"unsigned", completed(2, 666), nil, http.StatusUnauthorized},
				{"nonsense", "\xff{", map[string]string{signature.ID: "x", signature.Timestamp: "y", signature.Signature: "v1"}, http.StatusUnauthorized},
				{"after a forged one of the same id", completed(2, 72), sign(2, 72, now, r.secret), http.StatusNoContent},
				{"of another type", updated, signature.Headers([][]byte{r.secret}, "evt_7_4", now, []byte(updated)), http.StatusNoContent},
				{"by two secrets", completed(3, 73), sign(3, 73, now, raw(9), r.secret), http.StatusNoContent},
			} {
				if got := r.send(tt.body, tt.headers); got != tt.status {
					t.Errorf("%s: %d, want %d", tt.name, got, tt.status)
				}
			}
			want := []string{"order:71 is completed", "order:72 is completed", "order:73 is completed"}
			if told := r.told(want[len(want)-1]); !slices.Equal(told, want) {
				t.Errorf("it told %q, want %q", told, want)
			}
		})
	}
}
