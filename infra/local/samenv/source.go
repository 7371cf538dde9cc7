package samenv

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/tenantry/tenantry/infra/groups"
	"github.com/tenantry/tenantry/infra/local/awsapi"
	"github.com/tenantry/tenantry/infra/local/bucket"
	"github.com/tenantry/tenantry/infra/local/console"
	"github.com/tenantry/tenantry/infra/local/engine"
	"github.com/tenantry/tenantry/infra/local/invocations"
	"github.com/tenantry/tenantry/infra/local/issuer"
	"github.com/tenantry/tenantry/infra/local/platform"
	"github.com/tenantry/tenantry/infra/local/samtemplate"
	"github.com/tenantry/tenantry/infra/local/world"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/keys/awskms"
)

func load() (root string, t *samtemplate.Template, err error) {
	if root, err = engine.ModuleRoot(); err != nil {
		return "", nil, err
	}
	t, err = samtemplate.Load(filepath.Join(root, "template.yaml"))
	return root, t, err
}

// running is the local platform with its demo company and its worker, as `make run` starts it.
type running struct{ *platform.Platform }

func openPlatform(ctx context.Context, o Options) (source, error) {
	if os.Getenv("S3_ENDPOINT") != "" {
		return nil, errors.New("S3_ENDPOINT names a bucket that doesn't know the key of functions under sam local; unset it")
	}
	p, err := platform.Start(ctx, platform.Options{
		Addr: o.Addr, Data: o.Data, Demo: o.Demo, SAM: true, Out: o.Out,
		Origins: "http://localhost:3000,http://localhost:4200,http://localhost:5173,http://localhost:8080",
	})
	if err != nil {
		return nil, err
	}
	return running{p}, nil
}

func (r running) variables(function string) (map[string]string, error) { return r.Variables(function) }

func (r running) endpoints() (table, files, calls string) {
	return r.Storage.TableEndpoint, r.Storage.FilesEndpoint, r.Calls.URL
}

func (r running) keysFile() string            { return r.Storage.KeysFile() }
func (r running) recorder() *console.Recorder { return r.Outbox }
func (running) reset(context.Context) error   { return nil }
func (r running) close()                      { r.Close() }

// still is a world, in which nothing moves by itself: it has no worker.
type still struct {
	template *samtemplate.Template
	folder   string
	engine   *engine.Engine
	bucket   *bucket.Bucket
	issuer   *issuer.Issuer
	calls    *invocations.Server
	world    *world.World
	outbox   *console.Recorder
}

func openWorld(ctx context.Context, root string, t *samtemplate.Template) (_ source, err error) {
	s := &still{template: t}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	if s.folder, err = os.MkdirTemp("", "tenantry-sam-"); err != nil {
		return nil, err
	}
	if s.outbox, err = console.NewRecorder(""); err != nil {
		return nil, err
	}
	if s.engine, err = engine.Start(ctx, engine.Options{}); err != nil {
		return nil, err
	}
	server := filepath.Join(root, ".local", "bin", "bucket")
	if err = bucket.Build(ctx, server); err != nil {
		return nil, err
	}
	if s.bucket, err = bucket.Start(ctx, bucket.Options{
		Folder: filepath.Join(s.folder, "files"), Name: "files", Server: server, Secret: app.SAMKey,
	}); err != nil {
		return nil, err
	}
	if s.issuer, err = issuer.Open(ctx, world.Client(), time.Now); err != nil {
		return nil, err
	}
	if s.world, err = world.New(ctx, world.Engines{
		Template: t, Table: s.engine.Endpoint(), Files: s.bucket, Identities: s.issuer,
	}, s.folder); err != nil {
		return nil, err
	}
	if s.calls, err = invocations.Start(ctx, awsapi.Options{Keys: map[string]string{app.SAMKey: app.SAMKey}}); err != nil {
		return nil, err
	}
	return s, s.addCalled()
}

// addCalled lets functions call those that serve no operations. They run in this process.
func (s *still) addCalled() error {
	called := groups.Invoked()
	for id, f := range s.template.Functions {
		function := called[f.Group()]
		if function == nil {
			continue
		}
		variables, err := s.world.Variables(id)
		if err != nil {
			return err
		}
		env, err := app.FromEnvironment(func(name string) string { return variables[name] }, app.WithSealKey(awskms.New))
		if err != nil {
			return err
		}
		s.calls.Add(f.Group(), invocations.Function{Handler: function(env), Timeout: f.Timeout})
	}
	return nil
}

// variables are the world's, without those that Lambda sets and without the file of keys, which no container sees.
func (s *still) variables(function string) (map[string]string, error) {
	variables, err := s.world.Variables(function)
	for _, name := range []string{"KEYS_FILE", "AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"} {
		delete(variables, name)
	}
	return variables, err
}

func (s *still) endpoints() (table, files, calls string) {
	return s.engine.Endpoint(), s.bucket.Endpoint, s.calls.URL
}

func (s *still) keysFile() string            { return s.world.KeysFile() }
func (s *still) recorder() *console.Recorder { return s.outbox }

func (s *still) reset(ctx context.Context) error {
	_, err := s.world.Reset(ctx)
	return err
}

func (s *still) close() {
	if s.calls != nil {
		s.calls.Close()
	}
	if s.issuer != nil {
		s.issuer.Close()
	}
	if s.bucket != nil {
		s.bucket.Stop()
	}
	if s.engine != nil {
		s.engine.Stop()
	}
	if s.folder != "" {
		_ = os.RemoveAll(s.folder) // it is in the system's temporary folder
	}
}

// Demo is the sign-in of the demo company; nil in a world.
func (e *Environment) Demo() *console.Demo {
	if r, ok := e.source.(running); ok {
		return r.Platform.Demo()
	}
	return nil
}

// Localise replaces the bucket's address in a recorded event by the address of the bucket of this world.
func (e *Environment) Localise(event []byte) []byte {
	if s, ok := e.source.(*still); ok {
		return s.world.Localise(event)
	}
	return event
}

// WriteEvents writes the recorded events that name a file of the bucket, with the bucket's address on this machine, into a
// folder like events/. It returns how many there are. Other events are answered as they stand.
func (e *Environment) WriteEvents(root, folder string) (n int, err error) {
	s, ok := e.source.(*still)
	if !ok {
		return 0, nil
	}
	if err := os.RemoveAll(folder); err != nil {
		return 0, err
	}
	events := os.DirFS(filepath.Join(root, "events"))
	names, err := fs.Glob(events, "*/*.json")
	if err != nil {
		return 0, err
	}
	for _, name := range names {
		recorded, err := fs.ReadFile(events, name)
		if err != nil {
			return n, err
		}
		local := s.world.Localise(recorded)
		if string(local) == string(recorded) {
			continue
		}
		to := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return n, err
		}
		if err := os.WriteFile(to, local, 0o600); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
