package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/functions/documents"
	"github.com/tenantry/tenantry/functions/worker"
	"github.com/tenantry/tenantry/infra/groups"
	"github.com/tenantry/tenantry/infra/local/bucket"
	"github.com/tenantry/tenantry/infra/local/engine"
	"github.com/tenantry/tenantry/infra/local/issuer"
	"github.com/tenantry/tenantry/infra/local/samples"
	"github.com/tenantry/tenantry/infra/local/world"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/keys/awskms"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
)

// These are the companies of the measurements. All of them are in one table.
const (
	dense  tenant.ID = iota + 1
	third            // 30 % of its ids are holes
	sparse           // 97 % of its ids are holes
	hundred
	tenThousand
	creating
	deleting
	growing
)

// These are the companies in the table of clients and rental points.
const (
	importing tenant.ID = iota + 1
	crashing
	furnished // it has custom fields and records that its clients refer to
	simple
	clientsFound
	clientsListed
	trading // it has services, inventory, accounts and leads
	stating // it has an account with very many postings
	measuring
)

const (
	user      = 14
	tableName = "bench"
	crmTable  = "bench-crm" // a separate table, because the worker runs over a whole table
	domain    = "tenantry.test"
	pageSize  = 20
)

// stage is a real engine and a real bucket, with an environment for the documents
// function that uses them.
type stage struct {
	engine *engine.Engine
	bucket *bucket.Bucket
	issuer *issuer.Issuer
	local  map[string]string // variables of this machine
	env    app.Env
	server *web.Server // serves documents
	seeded map[tenant.ID]bool
}

// open returns the stage. All parts share it, so only the first call makes it.
func (b *bench) open(ctx context.Context) (*stage, error) {
	if b.stage != nil {
		return b.stage, nil
	}
	s := &stage{seeded: map[tenant.ID]bool{}}
	b.stage = s
	var err error
	if s.engine, err = engine.Start(ctx, engine.Options{Path: filepath.Join(b.folder, "table.db")}); err != nil {
		return nil, err
	}
	b.say("  building the local file store")
	server := filepath.Join(b.folder, "bucket")
	if err := bucket.Build(ctx, server); err != nil {
		return nil, err
	}
	options := bucket.Options{Folder: filepath.Join(b.folder, "files"), Name: "files", Server: server}
	if s.bucket, err = bucket.Start(ctx, options); err != nil {
		return nil, err
	}
	if s.issuer, err = issuer.Open(ctx, world.Client(), time.Now); err != nil {
		return nil, err
	}
	definition, err := b.template.Table()
	if err != nil {
		return nil, err
	}
	for _, name := range []string{tableName, crmTable} {
		definition.TableName = aws.String(name)
		if _, err := engine.Client(s.engine.Endpoint()).CreateTable(ctx, definition); err != nil {
			return nil, err
		}
	}
	s.local = map[string]string{
		"DYNAMODB_ENDPOINT": s.engine.Endpoint(), "S3_ENDPOINT": s.bucket.Endpoint, "KEYS_FILE": filepath.Join(b.folder, "keys.json"),
		"BUCKET_NAME": s.bucket.Name,
		// One user who searches thousands of times in a minute is not what is measured.
		"USER_READ_ALLOWANCE": "0", "COMPANY_READ_ALLOWANCE": "0",
		"AWS_REGION": s.bucket.Region, "AWS_ACCESS_KEY_ID": s.bucket.AccessKey, "AWS_SECRET_ACCESS_KEY": s.bucket.SecretKey,
	}
	if s.env, err = b.environment("documents", s.local); err != nil {
		return nil, err
	}
	s.server = s.env.Server(documents.New(s.env))
	return s, nil
}

// environment returns the environment that the template gives a group's function. Variables in local replace the
// template's.
func (b *bench) environment(group string, local map[string]string) (app.Env, error) {
	variables, err := b.variables(group, local)
	if err != nil {
		return app.Env{}, err
	}
	env, err := app.FromEnvironment(func(name string) string { return variables[name] }, app.WithSealKey(awskms.New))
	env.Log, env.Config.ServerTiming = io.Discard, true
	groups.Link(&env)
	return env, err
}

func (b *bench) variables(group string, local map[string]string) (map[string]string, error) {
	for id, f := range b.template.Functions {
		if f.Group() != group {
			continue
		}
		values := map[string]string{
			"Stage": "bench", "PlatformDomain": domain, "MailFrom": "noreply@" + domain,
			"Table": tableName, "Bucket": "files",
			"SigningKey": "bench", "CodeKey": "bench", "RefreshKey": "bench", "ChainKey": "bench", "SealKey": "bench",
			"AWS::Region": "local", "AWS::URLSuffix": "localhost",
		}
		for id, f := range b.template.Functions {
			values[id] = f.Group()
		}
		variables, err := b.template.Environment(id, values)
		for name, value := range local {
			variables[name] = value
		}
		return variables, err
	}
	return nil, fmt.Errorf("template.yaml has no function of %s", group)
}

// with returns the documents function with another client and another table.
func (s *stage) with(api dynamodbiface.DynamoDBAPI, name string) *web.Server {
	env := s.env
	env.Table = table.Open(api, name)
	return env.Server(documents.New(env))
}

// seed gives a company documents, if it has none: one for each of n ids that keep accepts.
func (b *bench) seed(ctx context.Context, company tenant.ID, n int, keep func(id int64) bool) (time.Duration, error) {
	if b.stage.seeded[company] {
		return 0, nil
	}
	start, last := time.Now(), time.Now()
	progress := func(done int) {
		if time.Since(last) > 15*time.Second {
			last = time.Now()
			b.say("  %s documents written", thousands(done))
		}
	}
	err := documents.Seed(ctx, b.stage.env, documents.Seeding{
		Company: company, User: user, N: n, Samples: samples.Documents(), Keep: keep, Progress: progress,
	})
	b.stage.seeded[company] = err == nil
	return time.Since(start), err
}

// withHundred makes the company of a hundred documents, once.
func (b *bench) withHundred(ctx context.Context) (*stage, error) {
	s, err := b.open(ctx)
	if err != nil {
		return nil, err
	}
	_, err = b.seed(ctx, hundred, 100, nil)
	return s, err
}

// fold runs the outbox worker, with its clock set ahead, until no message is due. The messages are then in the state
// that they would reach after that time.
func (s *stage) fold(ctx context.Context, ahead time.Duration) (done int, err error) {
	env := s.env
	env.Now = func() time.Time { return s.env.Now().Add(ahead) }
	worker := worker.New(env)
	for {
		n, err := worker.Sweep(ctx)
		if done += n; err != nil || n == 0 {
			return done, err
		}
	}
}

func (s *stage) close() {
	if s.bucket != nil {
		s.bucket.Stop()
	}
	if s.engine != nil {
		s.engine.Stop()
	}
	if s.issuer != nil {
		s.issuer.Close()
	}
}

// size returns the size of the table on disk, including the engine's log.
func (b *bench) size() (bytes int64) {
	files, _ := filepath.Glob(filepath.Join(b.folder, "table.db*"))
	for _, name := range files {
		if info, err := os.Stat(name); err == nil {
			bytes += info.Size()
		}
	}
	return bytes
}
