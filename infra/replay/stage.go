package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/tenantry/tenantry/infra/groups"
	"github.com/tenantry/tenantry/infra/local/awsapi"
	"github.com/tenantry/tenantry/infra/local/bucket"
	"github.com/tenantry/tenantry/infra/local/corpus"
	"github.com/tenantry/tenantry/infra/local/engine"
	"github.com/tenantry/tenantry/infra/local/invocations"
	"github.com/tenantry/tenantry/infra/local/issuer"
	"github.com/tenantry/tenantry/infra/local/judge"
	"github.com/tenantry/tenantry/infra/local/kms"
	"github.com/tenantry/tenantry/infra/local/lambdaruntime"
	"github.com/tenantry/tenantry/infra/local/mail"
	"github.com/tenantry/tenantry/infra/local/samtemplate"
	"github.com/tenantry/tenantry/infra/local/sns"
	"github.com/tenantry/tenantry/infra/local/world"
	"github.com/tenantry/tenantry/shared/app"
)

// stage is a world, and the bootstraps that answer events in it.
type stage struct {
	root     string
	out      io.Writer
	template *samtemplate.Template
	folder   string
	engine   *engine.Engine
	bucket   *bucket.Bucket
	issuer   *issuer.Issuer
	world    *world.World
	calls    *invocations.Server // by which functions call others
	kms      *kms.Server
	mail     *mail.Server
	sms      *sns.Server
	services []func()     // end these three
	works    bool         // whether the worker carries out what an event leaves for it
	judge    *judge.Judge // what stands between the functions and all of these

	starting  sync.Mutex
	functions map[string]*lambdaruntime.Runtime // by group
	endpoints map[string]string                 // of a group's function, where the judge knows it by
}

func openStage(ctx context.Context, root string, out io.Writer) (_ *stage, err error) {
	s := &stage{root: root, out: out, functions: map[string]*lambdaruntime.Runtime{}, endpoints: map[string]string{}}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	if s.template, err = samtemplate.Load(filepath.Join(root, "template.yaml")); err != nil {
		return nil, err
	}
	if s.folder, err = os.MkdirTemp("", "tenantry-replay-"); err != nil {
		return nil, err
	}
	if s.engine, err = engine.Start(ctx, engine.Options{}); err != nil {
		return nil, err
	}
	server := filepath.Join(s.folder, "bucket")
	if err = bucket.Build(ctx, server); err != nil {
		return nil, err
	}
	if s.bucket, err = bucket.Start(ctx, bucket.Options{
		Folder: filepath.Join(s.folder, "files"), Name: "files", Server: server,
	}); err != nil {
		return nil, err
	}
	if s.issuer, err = issuer.Open(ctx, world.Client(), time.Now); err != nil {
		return nil, err
	}
	signers := awsapi.Options{Keys: map[string]string{s.bucket.AccessKey: s.bucket.SecretKey}}
	if s.calls, err = invocations.Start(ctx, signers); err != nil {
		return nil, err
	}
	for name := range groups.Invoked() {
		s.calls.Add(name, invocations.Function{Handler: invoked{s, ctx, name}})
	}
	if s.world, err = world.New(ctx, world.Engines{
		Template: s.template, Table: s.engine.Endpoint(), Files: s.bucket, Identities: s.issuer,
	}, s.folder); err != nil {
		return nil, err
	}
	if err = s.openServices(ctx, signers); err != nil {
		return nil, err
	}
	s.judge, err = s.judgeBy(s.template)
	return s, err
}

// openServices starts local servers in place of KMS, SES and SNS. KMS holds the world's keys.
func (s *stage) openServices(ctx context.Context, signers awsapi.Options) error {
	held, err := kms.OfFile(s.world.KeysFile())
	if err != nil {
		return err
	}
	if s.kms, err = kms.Start(ctx, kms.Options{Options: signers, Names: held}); err != nil {
		return err
	}
	s.services = append(s.services, s.kms.Close)
	if s.mail, err = mail.Start(ctx, mail.Options{Options: signers}); err != nil {
		return err
	}
	s.services = append(s.services, s.mail.Close)
	if s.sms, err = sns.Start(ctx, sns.Options{Options: signers}); err != nil {
		return err
	}
	s.services = append(s.services, s.sms.Close)
	return nil
}

// judgeBy makes a judge before the stage's engines.
func (s *stage) judgeBy(t *samtemplate.Template) (*judge.Judge, error) {
	names := s.world.Names()
	names["SmsProvider"] = app.ProviderSNS
	return judge.Open(judge.Options{Template: t, Region: s.bucket.Region, Names: names, Engines: map[string]string{
		"dynamodb": s.engine.Endpoint(), "s3": s.bucket.Endpoint, "lambda": s.calls.URL,
		"kms": s.kms.URL, "ses": s.mail.URL, "sns": s.sms.URL,
	}})
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
	id, f, ok := s.function(group)
	if !ok {
		return fmt.Errorf("template.yaml has no function of %s", group)
	}
	bootstrap := filepath.Join(s.folder, group, "bootstrap")
	if err := build(ctx, s.root, f.CodeURI, bootstrap); err != nil {
		return err
	}
	environment, err := s.world.Environment(id)
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
	if group == "worker" { // which alone sends SMS
		environment = append(environment, "SMS_PROVIDER="+app.ProviderSNS)
	}
	s.functions[group], err = lambdaruntime.Start(ctx, lambdaruntime.Options{
		Bootstrap: bootstrap, Name: group, Env: environment, Timeout: f.Timeout, Output: complaints{s.out},
	})
	return err
}

// function returns the template's function of a group, and its logical id.
func (s *stage) function(group string) (string, samtemplate.Function, bool) {
	for id, f := range s.template.Functions {
		if f.Group() == group {
			return id, f, true
		}
	}
	return "", samtemplate.Function{}, false
}

// build compiles a function with Lambda's tags for this machine.
func build(ctx context.Context, root, codeURI, out string) error {
	return lambdaruntime.Build(ctx, out, root, filepath.ToSlash(codeURI))
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
	return f.Invoke(ctx, bytes.ReplaceAll(s.world.Localise(payload), []byte(s.bucket.Endpoint), []byte(endpoint)))
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

func (s *stage) close() {
	if s.calls != nil {
		s.calls.Close()
	}
	for _, f := range s.functions {
		f.Close()
	}
	if s.judge != nil {
		s.judge.Close()
	}
	for _, end := range s.services {
		end()
	}
	if s.bucket != nil {
		s.bucket.Stop()
	}
	if s.engine != nil {
		s.engine.Stop()
	}
	if s.issuer != nil {
		s.issuer.Close()
	}
	if s.folder != "" {
		_ = os.RemoveAll(s.folder) // it is in the system's temporary folder
	}
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
