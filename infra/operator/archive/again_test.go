package archive_test

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"regexp"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/infra/operator/archive"
	"github.com/tenantry/tenantry/infra/operator/estate"
	"github.com/tenantry/tenantry/infra/operator/estate/estatetest"
	"github.com/tenantry/tenantry/infra/operator/restore"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
)

// An import goes on only with the company that it has begun: not with the one that was exported, not with a stranger who has its number on
// another stage, and not with its own once that is whole.
func TestGoingOn(t *testing.T) {
	w := estatetest.Make(t)
	from, fromName := w.Table(t)
	folder := filepath.Join(t.TempDir(), "archive")
	if _, err := archive.Export(t.Context(), estate.Open(from, estatetest.Bucket(t)), company, folder, time.Now()); err != nil {
		t.Fatal(err)
	}
	of := table.Of(from, company)
	if err := of.Update(of.Company()).Set("st", "suspended").Set("sta", time.Now().Add(-time.Hour).UnixMicro()).Set("n", "Renamed since").
		Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := archive.ImportCommand(t.Context(), env(t, fromName, &out), []string{"-from", folder}); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	before := estatetest.Scan(t, fromName)
	number := regexp.MustCompile(`Its number is ([0-9]+)`).FindStringSubmatch(out.String())
	if number == nil {
		t.Fatal(&out)
	}
	for _, as := range []string{"1", "2", number[1]} { // the exported one, another one, and the imported one
		err := archive.ImportCommand(t.Context(), env(t, fromName, &out), []string{"-from", folder, "-as", as})
		if !errors.Is(err, restore.ErrRefused) {
			t.Errorf("-as %s: %v", as, err)
		}
	}
	if !reflect.DeepEqual(estatetest.Scan(t, fromName), before) {
		t.Error("what was refused has written something")
	}
}

// listless counts the transactions that take something out of a user's list of companies.
type listless struct {
	dynamodbiface.DynamoDBAPI
	removed int
}

func (l *listless) TransactWriteItems(
	ctx context.Context, in *dynamodb.TransactWriteItemsInput, opts ...func(*dynamodb.Options),
) (*dynamodb.TransactWriteItemsOutput, error) {
	removes := regexp.MustCompile(`(?i)\bremove\b`)
	for _, i := range in.TransactItems {
		if i.Update != nil && table.Attributes(i.Update.Key).Text("sk") == crosstenant.Memberships(0).SK &&
			removes.MatchString(aws.ToString(i.Update.UpdateExpression)) {
			l.removed++
		}
	}
	return l.DynamoDBAPI.TransactWriteItems(ctx, in, opts...)
}

// Who has become a member already, under the number of this stage, stays one while an import goes on.
func TestMembersStay(t *testing.T) {
	w := estatetest.Make(t)
	from, _ := w.Table(t)
	folder := filepath.Join(t.TempDir(), "archive")
	if _, err := archive.Export(t.Context(), estate.Open(from, estatetest.Bucket(t)), company, folder, time.Now()); err != nil {
		t.Fatal(err)
	}
	conn, name := other(t, map[string]int64{"ann@example.com": 501})
	if _, err := estate.Open(conn, estatetest.Bucket(t)).DeleteObjects(t.Context(), here); err != nil {
		t.Fatal(err)
	}
	api := &listless{DynamoDBAPI: enginetest.Client(t)}
	run := func(numbered bool, end error) error {
		i, err := archive.Open(t.Context(), folder, restore.Restorer{
			To: estate.Open(table.Open(api, name), estatetest.Bucket(t)), Now: time.Now,
			Segments: func(context.Context, *table.Tenant) error { return end },
		})
		if err == nil && !numbered {
			_, err = i.Number(t.Context(), company)
		}
		if err == nil {
			_, err = i.Run(t.Context(), company, here)
		}
		return err
	}
	if err := run(false, estatetest.ErrKilled); !errors.Is(err, estatetest.ErrKilled) {
		t.Fatal(err)
	}
	if err := run(true, nil); err != nil {
		t.Fatal(err)
	}
	var list crosstenant.MembershipsItem
	if err := crosstenant.Open(conn).Get(t.Context(), crosstenant.Memberships(501), &list); err != nil || len(list.List) != 1 ||
		list.List[0].Tenant != here || api.removed > 0 {
		t.Errorf("%+v, %d times removed, %v", list, api.removed, err)
	}
}
