package samenv

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tenantry/tenantry/infra/groups"
	"github.com/tenantry/tenantry/infra/local/console"
	"github.com/tenantry/tenantry/infra/local/invocations"
	"github.com/tenantry/tenantry/infra/local/platform"
	"github.com/tenantry/tenantry/infra/local/scene"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/keys/awskms"
)

// source is where data come from: the local platform or a world.
type source struct {
	platform *platform.Platform // as `make run` starts it, with its worker
	scene    *scene.Scene       // in which nothing moves by itself: it has no worker

	variables           func(function string) (map[string]string, error) // what the template gives a function
	table, files, calls string                                           // addresses
	keysFile            string
	close               func()
}

func (e *Environment) openPlatform(ctx context.Context, o Options) error {
	if os.Getenv("S3_ENDPOINT") != "" {
		return errors.New("S3_ENDPOINT names a bucket that doesn't know the key of functions under sam local; unset it")
	}
	p, err := platform.Start(ctx, platform.Options{
		Addr: o.Addr, Data: o.Data, Demo: o.Demo, SAM: true, Out: o.Out,
		Origins: "http://localhost:3000,http://localhost:4200,http://localhost:5173,http://localhost:8080",
	})
	if err != nil {
		return err
	}
	e.Outbox, e.source = p.Outbox, source{
		platform: p, variables: p.Variables, table: p.Storage.TableEndpoint, files: p.Storage.FilesEndpoint, calls: p.Calls.URL,
		keysFile: p.Storage.KeysFile(), close: p.Close,
	}
	return nil
}

func (e *Environment) openWorld(ctx context.Context) (err error) {
	if e.Outbox, err = console.NewRecorder(""); err != nil {
		return err
	}
	s, err := scene.Open(ctx, app.SAMKey)
	if err != nil {
		return err
	}
	e.source = source{
		scene: s, table: s.Table, files: s.Files.Endpoint, calls: s.Calls.URL, keysFile: s.KeysFile(), close: s.Close,
		// They are the world's, without those that Lambda sets and without the file of keys, which no container sees.
		variables: func(function string) (map[string]string, error) {
			variables, err := s.Variables(function)
			for _, name := range []string{"KEYS_FILE", "AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"} {
				delete(variables, name)
			}
			return variables, err
		},
	}
	// Functions that serve no operations run in this process.
	for group, function := range groups.Invoked() {
		id, f, _ := s.Template.Of(group)
		variables, err := s.Variables(id)
		if err != nil {
			return err
		}
		env, err := app.FromEnvironment(func(name string) string { return variables[name] }, app.WithSealKey(awskms.New))
		if err != nil {
			return err
		}
		s.Calls.Add(group, invocations.Function{Handler: function(env), Timeout: f.Timeout})
	}
	return nil
}

// Demo is the sign-in of the demo company; nil in a world.
func (e *Environment) Demo() *console.Demo {
	if e.source.platform == nil {
		return nil
	}
	return e.source.platform.Demo()
}

// Reset brings a world back to the state in which it was made. What the platform keeps stays as it is.
func (e *Environment) Reset(ctx context.Context) (err error) {
	if e.source.scene != nil {
		_, err = e.source.scene.Reset(ctx)
	}
	return err
}

// Localise replaces the bucket's address in a recorded event by the address of the bucket of this world.
func (e *Environment) Localise(event []byte) []byte {
	if e.source.scene != nil {
		return e.source.scene.Localise(event)
	}
	return event
}

// WriteEvents writes the recorded events that name a file of the bucket, with the bucket's address on this machine, into a
// folder like events/. It returns how many there are. Other events are answered as they stand.
func (e *Environment) WriteEvents(root, folder string) (n int, err error) {
	if e.source.scene == nil {
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
		local := e.Localise(recorded)
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
