// Package estatetest gives tests of the operator's commands the known world, with sealed documents in it, in tables of their own. It
// reads whole tables, which only tests and commands that read a restored copy may do.
//
// What never goes in here: what a command has to do with the world.
package estatetest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/infra/local/bucket/buckettest"
	"github.com/tenantry/tenantry/infra/local/engine"
	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/infra/local/issuer"
	"github.com/tenantry/tenantry/infra/local/samtemplate"
	"github.com/tenantry/tenantry/infra/local/world"
	"github.com/tenantry/tenantry/infra/operator/estate"
	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Item is an item as the engine has it.
type Item = map[string]types.AttributeValue

// Items are those of a whole table, by key.
type Items map[table.Key]Item

// World is the known world as it was made.
type World struct {
	*world.World
	Items Items
	// Sealed are the SHA-256 of the sealed files, and Originals those of what was signed, by company.
	Sealed, Originals map[tenant.ID][]byte
}

// SealedAt is when the documents of the world were sealed.
func SealedAt() time.Time { return time.Date(2026, time.March, 2, 9, 30, 1, 0, time.UTC) }

// Make makes the known world, with a sealed document in each of the first two companies: the one in the second was withdrawn. Both have
// the same original, and an object of each folder.
func Make(t testing.TB) *World {
	t.Helper()
	root, err := engine.ModuleRoot()
	must(t, err)
	template, err := samtemplate.Load(filepath.Join(root, "template.yaml"))
	must(t, err)
	us, err := issuer.Open(context.Background(), world.Client(), time.Now)
	must(t, err)
	t.Cleanup(us.Close)
	made, err := world.New(t.Context(), world.Engines{
		Template: template, Table: enginetest.Endpoint(t), Files: buckettest.Bucket(t), Identities: us,
	}, t.TempDir())
	must(t, err)
	w := &World{World: made, Sealed: map[tenant.ID][]byte{}, Originals: map[tenant.ID][]byte{}}
	name := made.Names()["Table"]
	conn := table.Open(enginetest.Client(t), name)
	for _, company := range []tenant.ID{1, 2} {
		w.seal(t, conn, company)
	}
	w.Items = Scan(t, name)
	return w
}

// seal makes a document of a company as the function seal leaves it.
func (w *World) seal(t testing.TB, conn *table.Conn, company tenant.ID) {
	t.Helper()
	all, of := crosstenant.Open(conn), table.Of(conn, company)
	original := sha256.Sum256([]byte("what both companies have signed"))
	sealed := sha256.Sum256(fmt.Appendf(nil, "the sealed file of company %d", company))
	var item table.Attributes
	must(t, all.Get(t.Context(), of.Record(kinds.Document, 1), &item))
	d := new(document.Document)
	must(t, item.Decode(d))
	store := filestest.New(t)
	put := func(text string) document.Object {
		o, err := store.Put(t.Context(), company, uuid.New(), "application/pdf", []byte(text))
		must(t, err)
		return document.Object{ID: o.ID, Version: o.Version}
	}
	d.Files = []document.File{
		{Object: put("original"), Number: 101, Type: document.Original, ContentType: "application/pdf", Size: 8, SHA256: original[:]},
		{Object: put("sealed"), Number: 102, Type: document.SealedFile, ContentType: "application/pdf", Size: 6, SHA256: sealed[:]},
	}
	d.Seal = &document.Seal{At: SealedAt().UnixMicro(), Level: "B-T", Certificate: sealed[:], Head: original[:]}
	must(t, all.Put(d).Run(t.Context()))
	for _, key := range []table.Key{
		crosstenant.SealedHash(sealed[:], company, 1), crosstenant.OriginalHash(original[:], SealedAt(), company, 1),
	} {
		must(t, all.Put(crosstenant.HashItem{Item: table.At(key, crosstenant.HashVersion), Tenant: company, Document: 1}).Run(t.Context()))
	}
	w.Sealed[company], w.Originals[company] = sealed[:], original[:]
	must(t, store.PutJob(t.Context(), company, uuid.New(), "application/pdf", []byte("a job")))
}

// Table is a copy of the world's items in a new table, which is deleted when the test ends.
func (w *World) Table(t testing.TB) (conn *table.Conn, name string) {
	t.Helper()
	name = enginetest.Table(t)
	Fill(t, name, w.Items)
	return table.Open(enginetest.Client(t), name), name
}

// Fill puts items into a table.
func Fill(t testing.TB, name string, items Items) {
	t.Helper()
	client := enginetest.Client(t)
	const most = 25
	for some := range slices.Chunk(slices.Collect(maps.Values(items)), most) {
		var requests []types.WriteRequest
		for _, item := range some {
			requests = append(requests, types.WriteRequest{PutRequest: &types.PutRequest{Item: item}})
		}
		left := map[string][]types.WriteRequest{name: requests}
		for len(left) > 0 {
			out, err := client.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{RequestItems: left})
			must(t, err)
			left = out.UnprocessedItems
		}
	}
}

// Scan reads a whole table.
func Scan(t testing.TB, name string) Items {
	t.Helper()
	items := Items{}
	pages := dynamodb.NewScanPaginator(enginetest.Client(t), &dynamodb.ScanInput{TableName: &name, ConsistentRead: aws.Bool(true)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		must(t, err)
		for _, item := range page.Items {
			items[estate.KeyOf(item)] = item
		}
	}
	return items
}

// Bucket is the bucket of the test process.
func Bucket(t testing.TB) estate.Bucket {
	t.Helper()
	client, name := buckettest.Client(t)
	return estate.Bucket{API: client, Name: name}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
