package search_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/uuid"

	"github.com/tenantry/tenantry/infra/local/bucket/buckettest"
	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/record/search"
)

func (i *instance) folder() string { return "search/" + i.company.String() + "/" + string(kind) + "/" }

// segments are the ids of the company's segments in the bucket.
func (i *instance) segments() map[string]bool {
	i.Helper()
	client, name := buckettest.Client(i)
	out, err := client.ListObjectsV2(i.Context(), &s3.ListObjectsV2Input{Bucket: &name, Prefix: aws.String(i.folder())})
	i.ok(err)
	ids := map[string]bool{}
	for _, o := range out.Contents {
		ids[strings.TrimPrefix(*o.Key, i.folder())] = true
	}
	return ids
}

// tidies checks that after some time the bucket holds what the manifest names, and nothing else.
func (i *instance) tidies() {
	i.Helper()
	for range 2 {
		i.pass(search.GarbageFor + time.Minute)
		i.merge(false)
	}
	m, named := i.manifest(), map[string]bool{}
	for _, s := range m.Segments {
		named[s.ID.String()] = true
	}
	for _, g := range m.Garbage {
		named[g.ID.String()] = true
	}
	if left := i.segments(); !maps.Equal(left, named) {
		i.Fatalf("the bucket holds %v, the manifest names %v", slices.Collect(maps.Keys(left)), slices.Collect(maps.Keys(named)))
	}
}

// wreck removes all versions of all segments.
func (i *instance) wreck() {
	i.Helper()
	client, name := buckettest.Client(i)
	out, err := client.ListObjectVersions(i.Context(), &s3.ListObjectVersionsInput{Bucket: &name, Prefix: aws.String(i.folder())})
	i.ok(err)
	for _, v := range out.Versions {
		_, err := client.DeleteObject(i.Context(), &s3.DeleteObjectInput{Bucket: &name, Key: v.Key, VersionId: v.VersionId})
		i.ok(err)
	}
}

// overwrite stores other bytes under the id of a segment, and returns their version.
func (i *instance) overwrite(id uuid.UUID, with func(b []byte) []byte) string {
	i.Helper()
	client, name := buckettest.Client(i)
	key := aws.String(i.folder() + id.String())
	got, err := client.GetObject(i.Context(), &s3.GetObjectInput{Bucket: &name, Key: key})
	i.ok(err)
	data, err := io.ReadAll(got.Body)
	i.ok(err)
	put, err := client.PutObject(i.Context(), &s3.PutObjectInput{Bucket: &name, Key: key, Body: bytes.NewReader(with(data))})
	i.ok(err)
	return *put.VersionId
}

// faulty returns a bucket of which one call fails, counted from 1, either before or after it is carried out; with 0 all calls fail.
func faulty(t testing.TB, call int, after bool) (store *files.Store, tripped *bool) {
	f := &failing{at: int64(call), after: after, tripped: new(bool)}
	return through(t, f), f.tripped
}

// through returns a bucket whose calls go through a transport.
func through(t testing.TB, transport http.RoundTripper) *files.Store {
	b := buckettest.Bucket(t)
	return files.New(files.Options{
		Bucket: b.Name, Endpoint: b.Endpoint,
		Config: func(context.Context) (aws.Config, error) {
			return aws.Config{
				Region: b.Region, Credentials: credentials.NewStaticCredentialsProvider(b.AccessKey, b.SecretKey, ""),
				HTTPClient: &http.Client{Transport: transport}, RetryMaxAttempts: 1,
			}, nil
		},
	})
}

// watched returns a bucket before whose calls something happens, of one call at a time.
func watched(t testing.TB, do func()) *files.Store {
	var mu sync.Mutex
	return through(t, before(func() {
		mu.Lock()
		defer mu.Unlock()
		do()
	}))
}

type before func()

func (do before) RoundTrip(r *http.Request) (*http.Response, error) {
	do()
	return http.DefaultTransport.RoundTrip(r)
}

type failing struct {
	calls   atomic.Int64
	at      int64
	after   bool
	tripped *bool
}

var errFailing = errors.New("the bucket fails")

func (f *failing) RoundTrip(r *http.Request) (*http.Response, error) {
	if f.calls.Add(1) != f.at && f.at > 0 {
		return http.DefaultTransport.RoundTrip(r)
	}
	*f.tripped = true
	if f.after {
		if w, err := http.DefaultTransport.RoundTrip(r); err == nil {
			w.Body.Close()
		}
	}
	return nil, errFailing
}

// backup are all items of the table.
func (w *world) backup() []map[string]types.AttributeValue {
	w.Helper()
	pages := dynamodb.NewScanPaginator(enginetest.Client(w), &dynamodb.ScanInput{TableName: &w.table, ConsistentRead: aws.Bool(true)})
	var items []map[string]types.AttributeValue
	for pages.HasMorePages() {
		page, err := pages.NextPage(w.Context())
		w.ok(err)
		items = append(items, page.Items...)
	}
	return items
}

// restore makes the table what it was.
func (w *world) restore(backup []map[string]types.AttributeValue) {
	w.Helper()
	var writes []types.WriteRequest
	kept := map[string]bool{}
	name := func(item map[string]types.AttributeValue) string {
		return item["pk"].(*types.AttributeValueMemberS).Value + " " + item["sk"].(*types.AttributeValueMemberS).Value
	}
	for _, item := range backup {
		kept[name(item)] = true
		writes = append(writes, types.WriteRequest{PutRequest: &types.PutRequest{Item: item}})
	}
	for _, item := range w.backup() {
		if !kept[name(item)] {
			key := map[string]types.AttributeValue{"pk": item["pk"], "sk": item["sk"]}
			writes = append(writes, types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: key}})
		}
	}
	for part := range slices.Chunk(writes, 25) {
		_, err := enginetest.Client(w).BatchWriteItem(w.Context(), &dynamodb.BatchWriteItemInput{
			RequestItems: map[string][]types.WriteRequest{w.table: part},
		})
		w.ok(err)
	}
}
