package tenants

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/functions/tenants/staff"
	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/tabletest"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// With transactions that conflict as on AWS and with every tenth answer lost, a
// company is made whole or not at all, and who was told 201 has it.
func TestCompaniesAreWholeUnderFaults(t *testing.T) {
	faults := tabletest.Locks()
	faults.Lost, faults.Throttled = 0.1, 0.05
	world, name := tabletest.NewFaulty(t, faults)
	api := webtest.Setup{Change: func(env *app.Env) {
		env.Table = table.Open(world.Client(7), name)
	}}.New(t, New)
	seed(t, table.Open(enginetest.Client(t), name))

	const users, each = 4, 6
	var mu sync.Mutex
	told := map[tenant.ID]int64{}
	var wait sync.WaitGroup
	for user := range int64(users) {
		for i := range each {
			wait.Go(func() {
				answer := api.As(webtest.SignedIn(user+1)).Post("/v1/tenant/", body(fmt.Sprintf("u%dc%d", user, i)))
				switch answer.Code() {
				case 201:
					mu.Lock()
					defer mu.Unlock()
					told[tenant.ID(answer.Int("id"))] = user + 1
				case 503: // the outcome is unknown
				default:
					t.Errorf("%d %s", answer.Code(), answer.Body())
				}
			})
		}
	}
	wait.Wait()
	if len(told) < users*each/2 {
		t.Fatalf("only %d of %d were made", len(told), users*each)
	}

	s := open(table.Open(enginetest.Client(t), name)) // without faults
	var last struct {
		N tenant.ID `dynamo:"n"`
	}
	if err := s.all.Get(t.Context(), crosstenant.Tenants(), &last); err != nil {
		t.Fatal(err)
	}
	listed := map[tenant.ID]int64{}
	for user := range int64(users) {
		for _, m := range memberships(t, s, user+1) {
			if listed[m.Tenant] != 0 {
				t.Errorf("company %d stands twice", m.Tenant)
			}
			listed[m.Tenant] = user + 1
		}
	}
	for id := tenant.ID(1); id <= last.N; id++ {
		c, err := s.company(t.Context(), id)
		if errors.Is(err, table.ErrNotFound) {
			if listed[id] != 0 || told[id] != 0 {
				t.Errorf("company %d does not exist: listed for %d, told to %d", id, listed[id], told[id])
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if listed[id] != c.CreatedBy || told[id] != 0 && told[id] != c.CreatedBy {
			t.Errorf("company %d of %d: listed for %d, told to %d", id, c.CreatedBy, listed[id], told[id])
		}
		var host crosstenant.DomainItem
		if err := s.all.Get(t.Context(), crosstenant.Domain(c.Host), &host); err != nil || host.Tenant != id {
			t.Errorf("company %d: domain of %d, %v", id, host.Tenant, err)
		}
		if err := s.all.Get(t.Context(), table.Of(s.conn, id).Member(c.CreatedBy), &staff.Member{}); err != nil {
			t.Errorf("company %d: owner: %v", id, err)
		}
	}
}

// deaf is an engine whose answers to transactions never arrive.
type deaf struct {
	dynamodbiface.DynamoDBAPI
	carriesOut bool
}

func (d deaf) TransactWriteItems(
	ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options),
) (*dynamodb.TransactWriteItemsOutput, error) {
	if d.carriesOut {
		if _, err := d.DynamoDBAPI.TransactWriteItems(ctx, in, o...); err != nil {
			return nil, err
		}
	}
	return nil, &net.OpError{Op: "read", Net: "tcp", Err: errors.New("use of closed network connection")}
}

// Where no answer arrives at all, the table tells what happened.
func TestTheAnswerNeverArrives(t *testing.T) {
	for name, c := range map[string]struct {
		carriesOut bool
		status     int
		companies  string
	}{
		"and it happened":       {true, 201, `[{"id":1,"name":"Acme","address":"Abay 1","country":null,"currency":"KZT","timezone":"Asia/Almaty","logo":null,"bin":null,"phone":null,"email":null,"language":null,"extra":{},"role":"owner","state":"active","notice":null,"erased_at":null}]`},
		"and it did not happen": {false, 503, `[]`},
	} {
		t.Run(name, func(t *testing.T) {
			api := webtest.Setup{Change: func(env *app.Env) {
				env.Table = table.Open(deaf{enginetest.Client(t), c.carriesOut}, enginetest.Table(t))
			}}.New(t, New)
			seed(t, api.Env.Table)
			user := api.As(webtest.SignedIn(5))
			if got := user.Post("/v1/tenant/", body("acme")).Code(); got != c.status {
				t.Fatalf("%d, want %d", got, c.status)
			}
			user.Get("/v1/tenant/").Status(200).JSON(c.companies)
		})
	}
}

// What has changed between the look and the write is not written over.
func TestAProofThatCameTooLate(t *testing.T) {
	api, _ := withZone(t)
	api.As(webtest.SignedIn(5)).Post("/v1/tenant/", body("acme.kz")).Status(201)
	api.As(webtest.SignedIn(5)).Post("/v1/tenant/", body("beta")).Status(201)
	s := open(api.Env.Table)
	if err := s.grant(t.Context(), 1, "other.kz"); err == nil {
		t.Error("a host that the company claims no more was granted")
	}
	if taken, err := s.taken(t.Context(), "other.kz"); err != nil || taken {
		t.Errorf("the host is taken: %t, %v", taken, err)
	}
	moved := membershipAt{user: 5, index: 1} // where company 2 stands
	if err := s.all.Write(t.Context(), func(tx *table.Tx, _ int) error {
		s.move(tx, 1, moved, "acme.kz")
		return nil
	}); err == nil {
		t.Error("a host was written to another company's membership")
	}
	if list := memberships(t, s, 5); list[1].Host != "beta.tenantry.test" {
		t.Errorf("%v", list)
	}
}
