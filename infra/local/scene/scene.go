// Package scene opens a world (package world) with engines of its own: a table, a bucket, an issuer of identities, and Lambda's Invoke.
//
// What the world holds, and who acts in it, never goes in here.
package scene

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/tenantry/tenantry/infra/local/awsapi"
	"github.com/tenantry/tenantry/infra/local/bucket"
	"github.com/tenantry/tenantry/infra/local/engine"
	"github.com/tenantry/tenantry/infra/local/invocations"
	"github.com/tenantry/tenantry/infra/local/issuer"
	"github.com/tenantry/tenantry/infra/local/samtemplate"
	"github.com/tenantry/tenantry/infra/local/serve"
	"github.com/tenantry/tenantry/infra/local/world"
)

// Scene is open until Close.
type Scene struct {
	*world.World
	serve.Ends

	Root     string // of the module
	Folder   string // for what lives as long as the scene
	Template *samtemplate.Template
	Table    string // the address of its engine
	Files    *bucket.Bucket
	Calls    *invocations.Server // by which functions call others
}

// Open makes a scene. Its bucket is signed for with this secret; empty draws a new one.
func Open(ctx context.Context, secret string) (_ *Scene, err error) {
	s := &Scene{}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	if s.Root, err = engine.ModuleRoot(); err != nil {
		return nil, err
	}
	if s.Template, err = samtemplate.Load(filepath.Join(s.Root, "template.yaml")); err != nil {
		return nil, err
	}
	if s.Folder, err = os.MkdirTemp("", "tenantry-scene-"); err != nil {
		return nil, err
	}
	s.Add(func() { _ = os.RemoveAll(s.Folder) }) // it is in the system's temporary folder
	e, err := engine.Start(ctx, engine.Options{})
	if err != nil {
		return nil, err
	}
	s.Add(e.Stop)
	s.Table = e.Endpoint()
	server := filepath.Join(s.Folder, "bucket")
	if err = bucket.Build(ctx, server); err != nil {
		return nil, err
	}
	files := bucket.Options{Folder: filepath.Join(s.Folder, "files"), Name: "files", Server: server, Secret: secret}
	if s.Files, err = bucket.Start(ctx, files); err != nil {
		return nil, err
	}
	s.Add(s.Files.Stop)
	identities, err := issuer.Open(ctx, world.Client(), time.Now)
	if err != nil {
		return nil, err
	}
	s.Add(identities.Close)
	if s.Calls, err = invocations.Start(ctx, s.Signers()); err != nil {
		return nil, err
	}
	s.Add(s.Calls.Close)
	s.World, err = world.New(ctx, world.Engines{Template: s.Template, Table: s.Table, Files: s.Files, Identities: identities}, s.Folder)
	return s, err
}

// Signers are who may call servers that stand in for APIs of AWS: the functions.
func (s *Scene) Signers() awsapi.Options {
	return awsapi.Options{Keys: map[string]string{s.Files.AccessKey: s.Files.SecretKey}}
}
