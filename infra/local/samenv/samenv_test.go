package samenv

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tenantry/tenantry/functions/authorizer"
	"github.com/tenantry/tenantry/functions/dispatch"
	"github.com/tenantry/tenantry/functions/documents"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/invoke/awslambda"
	"github.com/tenantry/tenantry/shared/keys"
	"github.com/tenantry/tenantry/shared/keys/awskms"
	"github.com/tenantry/tenantry/shared/outbox/notify"
	"github.com/tenantry/tenantry/shared/outbox/notify/ses"
	"github.com/tenantry/tenantry/shared/outbox/notify/sns"
	"github.com/tenantry/tenantry/shared/outbox/queue/sqs"
)

// Whoever reaches the servers reads and writes everything.
func TestWhereItListens(t *testing.T) {
	for address, want := range map[string]string{
		"127.0.0.1": "", "::1": "", "172.17.0.1": "", "192.168.65.1": "", "fd00::1": "",
		"0.0.0.0": "anybody", "::": "anybody", "8.8.8.8": "anybody", "169.254.1.1": "anybody", "": "no address", "docker0": "no address",
	} {
		err := checkListen(address)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", address, err)
		}
	}
	for _, address := range []string{"0.0.0.0", "192.0.2.1", "10.255.255.1"} { // this machine has none of them
		e, err := Start(t.Context(), Options{Listen: address, World: true, Out: io.Discard})
		if err == nil {
			_, err = e.Variables(t.Context())
			e.Close()
		}
		if err == nil {
			t.Errorf("it listens on %s", address)
		}
	}
}

// start starts a world's, or the platform's, as if 127.0.0.2 were a bridge.
func start(t *testing.T, o Options) *Environment {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("this system has one loopback address only")
	}
	o.Listen = "127.0.0.2"
	if o.Out == nil {
		o.Out = t.Output()
	}
	e, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

// function makes a function's environment as SAM would give it to the function.
func function(t *testing.T, e *Environment, id string, options ...app.Option) app.Env {
	t.Helper()
	all, err := e.Variables(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	variables := map[string]string{"AWS_SAM_LOCAL": "true"}
	for _, name := range e.template.Declared(id) {
		variables[name] = all[id][name]
	}
	env, err := app.FromEnvironment(func(name string) string { return variables[name] }, options...)
	if err != nil {
		t.Fatal(err)
	}
	return env
}

func TestOverThePlatform(t *testing.T) {
	e := start(t, Options{Addr: "127.0.0.1:0", Demo: true})
	env := function(t, e, "WorkerFunction", app.WithKeys(awskms.New))
	for name, sender := range map[notify.Channel]notify.Sender{
		notify.Email: ses.New(env.AWS("SES_ENDPOINT"), env.Config.MailFrom), notify.SMS: sns.New(env.AWS("SNS_ENDPOINT")),
	} {
		to := map[notify.Channel]string{notify.Email: "ann@tenantry.localhost", notify.SMS: "+77010000000"}[name]
		if err := sender.Send(t.Context(), notify.Message{ID: "m", Channel: name, To: to, Subject: "s", Text: "t"}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if list := e.Outbox.List(); len(list) == 0 || list[0].To != to || list[0].Text != "t" {
			t.Errorf("%s: the outbox has %v", name, list)
		}
	}
	of := func(k keys.Keys, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		set, err := k.Set(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return string(set)
	}
	if got, want := of(env.Keys, nil), of(keys.FromFile(e.source.keysFile)); got != want {
		t.Errorf("KMS has %s, the platform %s", got, want)
	}
	recordedEvents(t, e)
	if n, err := e.WriteEvents(t.TempDir(), t.TempDir()); n != 0 || err != nil {
		t.Errorf("%d events, %v", n, err)
	}
}

// A recorded event says who asks, as the gateway would, and functions believe it: over the platform's data it is answered for
// company 1, the demo company. The event's token is another matter: the authorizer knows no key that has signed it.
func recordedEvents(t *testing.T, e *Environment) {
	t.Helper()
	event := func(name string) []byte {
		content, err := os.ReadFile(filepath.Join("..", "..", "..", "events", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	if demo := e.Demo(); demo == nil || demo.Tenant != 1 {
		t.Fatalf("the demo company is %+v", demo)
	}
	env := function(t, e, "DocumentsFunction", app.WithKeys(awskms.New), app.WithCalls(awslambda.New))
	list, err := env.Server(documents.New(env)).Invoke(t.Context(), event("documents/list"))
	if err != nil || !strings.Contains(string(list), `"statusCode":200`) || !strings.Contains(string(list), "http://api.tenantry.test/v2/documents/") {
		t.Errorf("%v: %.300s", err, list)
	}
	for _, signer := range []string{
		"Дана Қасымова", "Сергей Ким", "Алия Нұрпейісова", "Тимур Ахметов", "Ольга Петрова", "Ержан Төлегенов", "Әсел Сәрсенбаева",
		"Иванов Пётр Андреевич",
	} {
		if !strings.Contains(string(list), "Договор аренды: "+signer) {
			t.Errorf("the list lacks what %s signs: %.300s", signer, list)
		}
	}
	own := function(t, e, "AuthorizerFunction", app.WithKeys(awskms.New))
	verdict, err := authorizer.New(authorizer.Config{Table: own.Table, Keys: own.Keys, Now: own.Now, Log: io.Discard}).
		Invoke(t.Context(), event("authorizer/ok"))
	if err != nil || !strings.Contains(string(verdict), `"verdict":"invalid"`) {
		t.Errorf("%s, %v", verdict, err)
	}
}

// said is what is written; several may write.
type said struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

// swept has dispatch sweep the world, which says what it sent to which queue.
func swept(t *testing.T, e *Environment, out *said) {
	t.Helper()
	env := function(t, e, "DispatchFunction")
	at := env.AWS("SQS_ENDPOINT")
	of := env.Config.Queues
	d := dispatch.New(env, dispatch.Queues{Normal: sqs.New(at, of.Normal), Bulk: sqs.New(at, of.Bulk), Hooks: sqs.New(at, of.Hooks)})
	answer, err := d.Invoke(t.Context(), []byte(`{"source":"aws.events"}`))
	if want := fmt.Sprintf(`{"sent":%d}`, len(e.Queues.Sent())); err != nil || string(answer) != want {
		t.Errorf("%s, %v, want %s", answer, err, want)
	}
	out.mu.Lock()
	defer out.mu.Unlock()
	for _, line := range []string{
		`dispatch has sent {"pk":"T#1#outbox","sk":"outbox#00000000000000000000000001"} to NormalQueue`,
		`dispatch has sent {"pk":"G#outbox","sk":"outbox#u#00000000000000000000000002"} to NormalQueue`,
		`dispatch has sent {"pk":"T#1#outbox","sk":"outbox#b#00000000000000000000000004"} to BulkQueue`,
	} {
		if !strings.Contains(out.text.String(), line+"\n") {
			t.Errorf("it doesn't say %s: %s", line, &out.text)
		}
	}
}

func TestOverTheWorld(t *testing.T) {
	out := &said{}
	e := start(t, Options{World: true, Out: out})
	swept(t, e, out)
	all, err := e.Variables(t.Context())
	if err != nil || len(all) != len(e.template.Functions) {
		t.Fatalf("%d functions, %v", len(all), err)
	}
	if got := all["IdentityFunction"]["OIDC_CLIENT_ID"]; got != "" {
		t.Errorf("an issuer that no container finds is configured: %s", got)
	}
	for id, variables := range all {
		for name, value := range variables {
			if !slices.Contains(e.template.Declared(id), name) {
				t.Errorf("%s: SAM would drop %s", id, name)
			}
			if strings.HasSuffix(name, "_ENDPOINT") && name != "S3_PUBLIC_ENDPOINT" && !strings.HasPrefix(value, "http://127.0.0.2:") {
				t.Errorf("%s: %s is %s", id, name, value)
			}
		}
	}
	if got := all["DocumentsFunction"]["S3_PUBLIC_ENDPOINT"]; !strings.HasPrefix(got, "http://127.0.0.1:") {
		t.Errorf("clients are sent to %s", got)
	}
	env := function(t, e, "DocumentsFunction")
	if company, err := app.Domains(env.Table).CompanyOf(t.Context(), "docs.acme.example.com"); err != nil {
		t.Errorf("company %d, %v", company, err)
	}
	folder := t.TempDir()
	n, err := e.WriteEvents(filepath.Join("..", "..", ".."), folder)
	localised, readErr := os.ReadFile(filepath.Join(folder, "documents", "manual.json"))
	if err != nil || readErr != nil || n == 0 || !strings.Contains(string(localised), all["DocumentsFunction"]["S3_PUBLIC_ENDPOINT"]) {
		t.Errorf("%d events, %v, %v: %s", n, err, readErr, localised)
	}
	path := filepath.Join(t.TempDir(), "a", "env.json")
	if err := e.Write(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	again, err := e.Variables(t.Context())
	if err != nil || !maps.EqualFunc(all, again, maps.Equal[map[string]string]) {
		t.Errorf("the addresses change: %v", err)
	}
	if err := e.Reset(t.Context()); err != nil {
		t.Error(err)
	}
	e.Close()
	if answer, err := get(t.Context(), all["DocumentsFunction"]["S3_ENDPOINT"]); err == nil {
		t.Errorf("after the end: %s", answer)
	}
}

func get(ctx context.Context, url string) (string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return "", err
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer a.Body.Close()
	return a.Status, nil
}
