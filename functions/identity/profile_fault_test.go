package identity

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/functions/identity/credential"
	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// deaf is an engine whose answers to transactions never arrive. Each time it
// does what stands in before.
type deaf struct {
	dynamodbiface.DynamoDBAPI
	carriesOut bool
	after      func()
}

func (d deaf) TransactWriteItems(
	ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options),
) (*dynamodb.TransactWriteItemsOutput, error) {
	if d.carriesOut {
		if _, err := d.DynamoDBAPI.TransactWriteItems(ctx, in, o...); err != nil {
			return nil, err
		}
	}
	d.after()
	return nil, &net.OpError{Op: "read", Net: "tcp", Err: errors.New("use of closed network connection")}
}

// Where no answer to a change of a profile arrives, the revision tells whether
// it happened.
func TestAProfilesAnswerNeverArrives(t *testing.T) {
	for name, c := range map[string]struct {
		carriesOut, another bool
		told                bool
	}{
		"and it happened":                       {true, false, true},
		"and it did not happen":                 {false, false, false},
		"and another change has the revision":   {false, true, false},
		"and another change is written over it": {true, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			name := enginetest.Table(t)
			w.Env.Table = table.Open(enginetest.Client(t), name)
			calm := newService(w.Env)
			was := user{ID: 1, Password: credential.Nobody, Person: crosstenant.Person{Email: anna, FirstName: "Anna", Revision: 1}}
			if err := calm.users.add(t.Context(), was, func(*table.Tx) {}); err != nil {
				t.Fatal(err)
			}
			changed := false
			another := func() {
				if c.another && !changed {
					changed = true
					other := "Other"
					if _, err := calm.users.edit(
						t.Context(), 1, change{LastName: &other}, func(user) error { return nil }, func(*table.Tx) {},
					); err != nil {
						t.Error(err)
					}
				}
			}
			faulty := webtest.Setup{Change: func(e *app.Env) {
				e.Table = table.Open(deaf{enginetest.Client(t), c.carriesOut, another}, name)
			}}.New(t, New)
			answer := faulty.As(webtest.SignedIn(1)).Patch("/v1/auth/profile/", `{"first_name":"Ann"}`)
			if c.told {
				answer.Status(200).Header("ETag", `"2"`).Field("first_name", `"Ann"`)
			} else {
				answer.Status(503)
			}
			now, err := calm.users.byID(t.Context(), 1)
			if err != nil || (now.FirstName == "Ann") != c.carriesOut {
				t.Errorf("%+v, %v", now, err)
			}
			words := 0
			for _, item := range dump(t, name) {
				if strings.Contains(item.Text, crosstenant.ProfileChanged) {
					words++
				}
			}
			if (words == 1) != c.carriesOut {
				t.Errorf("%d messages", words)
			}
		})
	}
}
