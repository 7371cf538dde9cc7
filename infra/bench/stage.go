package main

import (
	"context"
	"maps"
	"path/filepath"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/tenantry/tenantry/functions/documents"
	"github.com/tenantry/tenantry/functions/pack"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/functions/tenants/staff"
	"github.com/tenantry/tenantry/infra/groups"
	"github.com/tenantry/tenantry/infra/local/bucket"
	"github.com/tenantry/tenantry/infra/local/engine"
	"github.com/tenantry/tenantry/infra/local/issuer"
	"github.com/tenantry/tenantry/infra/local/samples"
	"github.com/tenantry/tenantry/infra/local/world"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
)

const (
	user      = 14
	tableName = "bench"
	domain    = "tenantry.test"
	pageSize  = 20

	hundred = "100 documents" // the company with so many
)

// stage is a real engine and a real bucket. The world says what functions have there; the companies that are measured are in a table
// of their own, beside the world's.
type stage struct {
	world     *world.World
	api       *dynamodb.Client
	conn      *table.Conn
	companies map[string]tenant.ID
	seeded    map[string]bool
	stops     []func()
}

// open makes the stage, which all parts share.
func (b *bench) open(ctx context.Context) (err error) {
	if b.stage != nil {
		return nil
	}
	s := &stage{companies: map[string]tenant.ID{}, seeded: map[string]bool{}}
	b.stage = s
	e, err := engine.Start(ctx, engine.Options{Path: filepath.Join(b.folder, "table.db")})
	if err != nil {
		return err
	}
	s.stops = append(s.stops, func() { e.Stop() })
	b.say("  building the local file store")
	server := filepath.Join(b.folder, "bucket")
	if err := bucket.Build(ctx, server); err != nil {
		return err
	}
	files, err := bucket.Start(ctx, bucket.Options{Folder: filepath.Join(b.folder, "files"), Name: "files", Server: server})
	if err != nil {
		return err
	}
	s.stops = append(s.stops, func() { files.Stop() })
	identities, err := issuer.Open(ctx, world.Client(), time.Now)
	if err != nil {
		return err
	}
	s.stops = append(s.stops, func() { identities.Close() })
	engines := world.Engines{Template: b.template, Table: e.Endpoint(), Files: files, Identities: identities}
	if s.world, err = world.New(ctx, engines, b.folder); err != nil {
		return err
	}
	s.api = engine.Client(e.Endpoint())
	s.conn = table.Open(s.api, tableName)
	return b.makeTable(ctx, s.api)
}

// makeTable makes the table of the companies that are measured.
func (b *bench) makeTable(ctx context.Context, api *dynamodb.Client) error {
	definition, err := b.template.Table()
	if err != nil {
		return err
	}
	definition.TableName = aws.String(tableName)
	_, err = api.CreateTable(ctx, definition)
	return err
}

func (s *stage) close() {
	for _, stop := range s.stops {
		stop()
	}
}

// env returns the environment of a group's function, and what that uses. more replaces variables of the world.
func (b *bench) env(group string, more map[string]string) (env app.Env, used *counts, err error) {
	variables, err := b.stage.world.Variables(b.functions[group])
	if err != nil {
		return env, nil, err
	}
	maps.Copy(variables, more)
	return countingEnv(variables)
}

// measured are the variables of functions that serve the companies. One user who searches thousands of times in a minute is not what is
// measured.
func measured() map[string]string {
	return map[string]string{"TABLE_NAME": tableName, "USER_READ_ALLOWANCE": "0", "COMPANY_READ_ALLOWANCE": "0"}
}

// server returns a new instance of a group's function.
func (b *bench) server(group string, changes ...func(*app.Env)) (*web.Server, error) {
	env, _, err := b.env(group, measured())
	if err != nil {
		return nil, err
	}
	for _, change := range changes {
		change(&env)
	}
	return env.Server(groups.All()[group](env)), nil
}

// later sets the clock of a function ahead.
func later(ahead time.Duration) func(*app.Env) {
	return func(env *app.Env) {
		now := env.Now
		env.Now = func() time.Time { return now().Add(ahead) }
	}
}

// company returns the number of a company, which is founded when it is asked for first.
func (b *bench) company(ctx context.Context, name string) (tenant.ID, error) {
	s := b.stage
	if id, known := s.companies[name]; known {
		return id, nil
	}
	s.companies[name] = tenant.ID(len(s.companies) + 1)
	return s.companies[name], found(ctx, s.conn, s.companies[name])
}

// tenant returns the items of a company.
func (b *bench) tenant(ctx context.Context, name string) (*table.Tenant, error) {
	id, err := b.company(ctx, name)
	return table.Of(b.stage.conn, id), err
}

// found makes a company: its time zone, in which days are counted, and the caller, who is its owner.
func found(ctx context.Context, conn *table.Conn, id tenant.ID) error {
	t := table.Of(conn, id)
	of := company.Company{Item: table.At(t.Company(), company.Version), ID: int64(id), Name: "Прокат", TimeZone: "Asia/Almaty"}
	if err := t.Put(of).Run(ctx); err != nil {
		return err
	}
	return t.Put(staff.Member{Item: table.At(t.Member(user), staff.MemberVersion), User: user, Role: tenant.Owner}).Run(ctx)
}

// seed gives a company documents, if it has none: one for each of n ids that keep accepts.
func (b *bench) seed(ctx context.Context, name string, n int, keep func(id int64) bool) (time.Duration, error) {
	if b.stage.seeded[name] {
		return 0, nil
	}
	id, err := b.company(ctx, name)
	if err != nil {
		return 0, err
	}
	env, _, err := b.env("documents", measured())
	if err != nil {
		return 0, err
	}
	b.say("  documents for the company with %s", name)
	start := time.Now()
	err = documents.Seed(ctx, env, documents.Seeding{Company: id, User: user, N: n, Samples: samples.Documents(), Keep: keep})
	b.stage.seeded[name] = err == nil
	return time.Since(start), err
}

// makeSegments makes the segments of a company anew, as the function does that the worker calls.
func (b *bench) makeSegments(ctx context.Context, name string, kind kinds.Code) error {
	t, err := b.tenant(ctx, name)
	if err != nil {
		return err
	}
	env, _, err := b.env("pack", measured())
	if err != nil {
		return err
	}
	return pack.Merger(env).Anew(ctx, t, kind, pack.Wait(ctx))
}
