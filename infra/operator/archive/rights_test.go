package archive_test

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/clients"
	"github.com/tenantry/tenantry/infra/local/awsapi"
	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/infra/local/kms"
	"github.com/tenantry/tenantry/infra/operator/archive"
	"github.com/tenantry/tenantry/infra/operator/erase"
	"github.com/tenantry/tenantry/infra/operator/estate"
	"github.com/tenantry/tenantry/infra/operator/estate/estatetest"
	"github.com/tenantry/tenantry/infra/operator/restore"
	"github.com/tenantry/tenantry/infra/operator/stagetest"
	"github.com/tenantry/tenantry/infra/operator/tableexport/exporttest"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// stack is one with a key of its own that chains.
type stack struct{}

func (stack) Resource(_ context.Context, id string) (string, error) { return kms.Resources()[id], nil }
func (stack) Parameters(context.Context) (map[string]string, error) { return nil, nil }

// A company is exported, imported beside itself, restored under its own number and under a new one, and erased, each with the rights of
// its command alone; and no command has a right that it does not use.
func TestRights(t *testing.T) {
	w := estatetest.Make(t)
	s := stagetest.New(t)
	estatetest.Fill(t, s.Table, w.Items)
	open, _ := s.Env()
	for range 210 { // more than are searched without segments
		webtest.Setup{Change: func(e *app.Env) { e.Table, e.Files = s.Conn, open.Files }}.New(t, clients.New).As(webtest.Owner(company)).
			Post("/v1/crm/clients/", `{"name":"One of many","type":0}`).Status(201)
	}
	siteOf(t, s.Conn, keysOf(t, keysFile(t))).begins() // by keys that are not the stage's
	if _, err := open.Files.Put(t.Context(), company, uuid.New(), "text/plain", []byte("a file")); err != nil {
		t.Fatal(err)
	}
	copied := s.Table + "-copy"
	if _, err := enginetest.Client(t).CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: &copied, BillingMode: types.BillingModePayPerRequest,
		KeySchema: []types.KeySchemaElement{
			{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash}, {AttributeName: aws.String("sk"), KeyType: types.KeyTypeRange},
		},
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("pk"), AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: aws.String("sk"), AttributeType: types.ScalarAttributeTypeS},
		},
	}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := enginetest.Client(t).DeleteTable(context.Background(), &dynamodb.DeleteTableInput{TableName: &copied}); err != nil {
			t.Error(err)
		}
	})
	estatetest.Fill(t, copied, estatetest.Scan(t, s.Table))
	exports := s.Bucket + "-exports"
	if _, err := open.S3.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: &exports}); err != nil {
		t.Fatal(err)
	}
	export := exporttest.Upload(t, open.S3, exports, exporttest.Write(t, s.Table, estatetest.Scan(t, s.Table)))
	all := crosstenant.Open(s.Conn)
	suspend := func(id tenant.ID) {
		if err := all.Update(table.Of(s.Conn, id).Company()).Set("st", "suspended").Set("sta", time.Now().Add(-time.Hour).UnixMicro()).
			Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	folder := filepath.Join(t.TempDir(), "archive")
	who, err := open.AWS.Credentials.Retrieve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	server, err := kms.Start(t.Context(), kms.Options{
		Options: awsapi.Options{Keys: map[string]string{who.AccessKeyID: who.SecretAccessKey}},
		Names:   map[string]kms.Key{kms.Resources()["ChainKey"]: {Secret: []byte("of the stage")}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	for _, step := range []struct {
		name    string
		run     stagetest.Run
		engines map[string]string
		args    [][]string
	}{
		{"export", archive.ExportCommand, nil, [][]string{{"-tenant", "1", "-to", folder}}},
		{"import", archive.ImportCommand, map[string]string{"kms": server.URL}, [][]string{{"-from", folder}}},
		{"restore", restore.Command, nil, [][]string{
			{"-tenant", "1", "-from", copied},
			{"-tenant", "1", "-from", copied, "-as", "new"},
			{"-tenant", "2", "-from", copied},
			{"-tenant", "1", "-export", export},
		}},
		{"erase", erase.Command, nil, [][]string{{"-tenant", "1"}, {"-tenant", "2"}}},
	} {
		t.Run(step.name, func(t *testing.T) {
			suspend(company)
			suspend(2)
			if err := all.Update(crosstenant.Message("to bob")).Set("v", 2).Set("b", `{"address":"bob@example.com"}`).Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			e := s.Judged(t, step.name, step.engines)
			e.Stack = stack{}
			var out bytes.Buffer
			e.Out = &out
			for _, args := range step.args {
				if args[1] == "2" && step.name == "restore" { // bob went with his company, and his identity
					open, _ := s.Env()
					if err := erase.Command(t.Context(), open, []string{"-tenant", "2"}); err != nil {
						t.Fatal(err)
					}
				} else if step.name == "restore" { // something that came since
					if err := all.Delete(crosstenant.Invitation("nina@example.com", company)).Run(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				if err := step.run(t.Context(), e, args); err != nil {
					t.Fatalf("%v\n%s", err, &out)
				}
			}
		})
	}
	if n, err := estate.Open(s.Conn, estate.Bucket{}).Count(t.Context(), company, estate.Numbers{}); err != nil || len(n.Items) > 0 {
		t.Errorf("%+v, %v", n, err)
	}
}
