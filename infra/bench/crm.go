package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	tenantcompany "github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/infra/groups"
	"github.com/tenantry/tenantry/infra/local/engine"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
)

const (
	clientsPath = "/v1/crm/clients/"
	pointsPath  = "/v1/crm/rental_points/"
	fieldsPath  = "/v1/crm/settings/custom_fields_list/"
	methodsPath = "/v1/crm/attraction_methods/"
)

// crm holds the functions of clients, rental points and custom fields. They have their own
// table.
type crm struct {
	stage                     *stage
	env                       app.Env
	clients, points, settings *web.Server
}

// crm makes these functions and their table.
func (b *bench) crm(ctx context.Context) (*crm, error) {
	s, err := b.open(ctx)
	if err != nil {
		return nil, err
	}
	c := &crm{stage: s, env: s.env}
	c.env.Table = table.Open(engine.Client(s.engine.Endpoint()), crmTable)
	c.clients, c.points, c.settings = c.server("clients", c.env), c.server("points", c.env), c.server("settings", c.env)
	return c, nil
}

func (c *crm) server(group string, env app.Env) *web.Server {
	return env.Server(groups.All()[group](env))
}

// found makes a company, whose time zone days are counted in.
func found(ctx context.Context, conn *table.Conn, id tenant.ID) error {
	t := table.Of(conn, id)
	item := table.At(t.Company(), tenantcompany.Version)
	return t.Put(tenantcompany.Company{Item: item, ID: int64(id), Name: "Прокат", TimeZone: "Asia/Almaty"}).Run(ctx)
}

// later returns the environment with a clock that is ahead.
func (c *crm) later(ahead time.Duration) app.Env {
	env := c.env
	env.Now = func() time.Time { return c.env.Now().Add(ahead) }
	return env
}

// list is the source of the clients.
func (c *crm) list() source {
	return source{group: "clients", path: clientsPath, kind: kinds.Client, table: crmTable, conn: c.env.Table, server: c.clients}
}

// process is the connection of one process to the engine. It counts transactions, and it can simulate the death of the process.
type process struct {
	dynamodbiface.DynamoDBAPI

	mu           sync.Mutex
	transactions int
	deadAt       int // the transaction with this number, counted from 1, and all later ones fail; 0 means none
}

func newProcess(s *stage) *process { return &process{DynamoDBAPI: engine.Client(s.engine.Endpoint())} }

// reset sets the count to zero.
func (m *process) reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.transactions = 0
}

// transacted is how many transactions were sent since reset.
func (m *process) transacted() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.transactions
}

func (m *process) dead() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.transactions++
	return m.deadAt > 0 && m.transactions >= m.deadAt
}

// TransactWriteItems fails in a process that is dead.
func (m *process) TransactWriteItems(
	ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options),
) (*dynamodb.TransactWriteItemsOutput, error) {
	if m.dead() {
		return nil, fmt.Errorf("this process is dead")
	}
	return m.DynamoDBAPI.TransactWriteItems(ctx, in, o...)
}
