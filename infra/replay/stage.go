package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/tenantry/tenantry/infra/groups"
	"github.com/tenantry/tenantry/infra/local/corpus"
	"github.com/tenantry/tenantry/infra/local/invocations"
	"github.com/tenantry/tenantry/infra/local/judge"
	"github.com/tenantry/tenantry/infra/local/kms"
	"github.com/tenantry/tenantry/infra/local/lambdaruntime"
	"github.com/tenantry/tenantry/infra/local/mail"
	"github.com/tenantry/tenantry/infra/local/samtemplate"
	"github.com/tenantry/tenantry/infra/local/scene"
	"github.com/tenantry/tenantry/infra/local/sns"
	"github.com/tenantry/tenantry/infra/local/sqs"
	"github.com/tenantry/tenantry/shared/app"
)

// stage is a world, and the bootstraps that answer events in it.
type stage struct {
	*scene.Scene

	out      io.Writer
	services map[string]string // the addresses of KMS, SES, SNS and SQS
	queues   *sqs.Server       // what dispatch has sent, and nobody has taken yet
	taken    int               // how much of that was taken
	works    bool              // whether what an event leaves to be done is carried out
	judge    *judge.Judge      // what stands between the functions and all of these

	starting  sync.Mutex
	functions map[string]*lambdaruntime.Runtime // by group
	endpoints map[string]string                 // of a group's function, where the judge knows it by
}

func openStage(ctx context.Context, out io.Writer) (_ *stage, err error) {
	s := &stage{out: out, functions: map[string]*lambdaruntime.Runtime{}, endpoints: map[string]string{}}
	if s.Scene, err = scene.Open(ctx, ""); err != nil {
		return nil, err
	}
	for name := range groups.Invoked() {
		s.Calls.Add(name, invocations.Function{Handler: invoked{s, ctx, name}})
	}
	if err = s.openServices(ctx); err == nil {
		s.judge, err = s.judgeBy(s.Template)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	s.Add(func() { s.judge.Close() })
	s.Add(func() {
		for _, f := range s.functions {
			f.Close()
		}
	})
	return s, nil
}

// openServices starts local servers in place of KMS, SES, SNS and SQS. KMS holds the world's keys.
func (s *stage) openServices(ctx context.Context) error {
	held, err := kms.OfFile(s.KeysFile())
	if err != nil {
		return err
	}
	keys, err := kms.Start(ctx, kms.Options{Options: s.Signers(), Names: held})
	if err != nil {
		return err
	}
	s.Add(keys.Close)
	mails, err := mail.Start(ctx, mail.Options{Options: s.Signers()})
	if err != nil {
		return err
	}
	s.Add(mails.Close)
	sms, err := sns.Start(ctx, sns.Options{Options: s.Signers()})
	if err != nil {
		return err
	}
	s.Add(sms.Close)
	if s.queues, err = sqs.Start(ctx, sqs.Options{Options: s.Signers()}); err != nil {
		return err
	}
	s.Add(s.queues.Close)
	s.services = map[string]string{"kms": keys.URL, "ses": mails.URL, "sns": sms.URL, "sqs": s.queues.URL}
	return nil
}

// judgeBy makes a judge before the stage's engines.
func (s *stage) judgeBy(t *samtemplate.Template) (*judge.Judge, error) {
	names, engines := s.Names(), maps.Clone(s.services)
	names["SmsProvider"] = app.ProviderSNS
	engines["dynamodb"], engines["s3"], engines["lambda"] = s.Table, s.Files.Endpoint, s.Calls.URL
	return judge.Open(judge.Options{Template: t, Region: s.Files.Region, Names: names, Engines: engines})
}

// invoked is a function that others call. Its bootstrap is built and started when it is first called.
type invoked struct {
	stage *stage
	life  context.Context // of the stage: the bootstrap outlives the call that starts it
	name  string
}

func (i invoked) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	if err := i.stage.start(i.life, i.name); err != nil {
		return nil, err
	}
	return i.stage.invoke(ctx, i.name, payload)
}

// start builds and starts a group's bootstrap, unless it is running.
func (s *stage) start(ctx context.Context, group string) error {
	s.starting.Lock()
	defer s.starting.Unlock()
	if s.functions[group] != nil {
		return nil
	}
	id, f, ok := s.Template.Of(group)
	if !ok {
		return fmt.Errorf("template.yaml has no function of %s", group)
	}
	bootstrap := filepath.Join(s.Folder, group, "bootstrap")
	if err := lambdaruntime.Build(ctx, bootstrap, s.Root, f.CodeURI); err != nil {
		return err
	}
	environment, err := s.Environment(id)
	if err != nil {
		return err
	}
	if s.endpoints[group], err = s.judge.Listen(ctx, group); err != nil {
		return err
	}
	for _, name := range app.Endpoints() {
		environment = append(environment, name+"="+s.endpoints[group]) // the last one of a name counts
	}
	environment = append(environment, "KEYS_FILE=")
	if slices.Contains([]string{"urgent", "worker", "bulk"}, group) { // which alone send SMS
		environment = append(environment, "SMS_PROVIDER="+app.ProviderSNS)
	}
	s.functions[group], err = lambdaruntime.Start(ctx, lambdaruntime.Options{
		Bootstrap: bootstrap, Name: group, Env: environment, Timeout: f.Timeout, Output: complaints{s.out},
	})
	return err
}

// invoke sends an event to a group's function.
func (s *stage) invoke(ctx context.Context, group string, payload []byte) ([]byte, error) {
	s.starting.Lock()
	f, endpoint := s.functions[group], s.endpoints[group]
	s.starting.Unlock()
	if f == nil {
		return nil, errors.New("no function " + group)
	}
	// The function knows the bucket under its own endpoint.
	return f.Invoke(ctx, bytes.ReplaceAll(s.Localise(payload), []byte(s.Files.Endpoint), []byte(endpoint)))
}

// send sends an event to its function, and reads the answer. It fails if the function's role does not allow what the function did, or
// what it has signed for others.
func (s *stage) send(ctx context.Context, e corpus.Event) (reply, error) {
	s.judge.Event(e.ID())
	raw, err := s.invoke(ctx, e.Group, e.Payload)
	if denied := s.denied(); denied != nil {
		return nil, denied
	}
	if err != nil {
		return nil, err
	}
	answer, err := read(raw)
	if err != nil {
		return nil, err
	}
	for _, signed := range presigned(map[string]any(answer)) {
		_ = s.judge.Presigned(ctx, e.Group, signed.method, signed.url) // it is among the denials
	}
	return answer, s.denied()
}

// denied returns what was denied since the last call as an error.
func (s *stage) denied() error {
	var all []error
	for _, d := range s.judge.Denials() {
		all = append(all, errors.New(d.String()))
	}
	return errors.Join(all...)
}

// complaints writes only what a function logs as errors.
type complaints struct{ out io.Writer }

func (c complaints) Write(lines []byte) (int, error) {
	for line := range strings.Lines(string(lines)) {
		if strings.Contains(line, `"level":"error"`) {
			if _, err := io.WriteString(c.out, line); err != nil {
				return 0, err
			}
		}
	}
	return len(lines), nil
}
