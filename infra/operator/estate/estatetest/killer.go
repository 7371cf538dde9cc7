package estatetest

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/infra/operator/estate"
)

// ErrKilled is the end of a process that was killed.
var ErrKilled = errors.New("killed")

// Killer is a process that dies at a write: before it is carried out, or right after. The table and the bucket count together. After
// that no call reaches anything.
type Killer struct {
	At    int64 // the number of the write; 0: it lives on, and counts
	After bool

	writes atomic.Int64
}

// Writes is how many writes there were.
func (k *Killer) Writes() int { return int(k.writes.Load()) }

// Dead tells whether the process was killed.
func (k *Killer) Dead() bool { return k.At > 0 && k.writes.Load() >= k.At }

// Table is the engine as the process sees it.
func (k *Killer) Table(api dynamodbiface.DynamoDBAPI) dynamodbiface.DynamoDBAPI {
	return &killedTable{api, k}
}

// Bucket is the bucket as the process sees it.
func (k *Killer) Bucket(b estate.Bucket) estate.Bucket {
	return estate.Bucket{API: &killedBucket{b.API, k}, Name: b.Name}
}

func read[I, O any, F any](
	ctx context.Context, k *Killer, in *I, opts []F, do func(context.Context, *I, ...F) (*O, error),
) (*O, error) {
	if k.Dead() {
		return nil, ErrKilled
	}
	return do(ctx, in, opts...)
}

func write[I, O any, F any](
	ctx context.Context, k *Killer, in *I, opts []F, do func(context.Context, *I, ...F) (*O, error),
) (*O, error) {
	switch n := k.writes.Add(1); {
	case k.At == 0 || n < k.At:
		return do(ctx, in, opts...)
	case n == k.At && k.After:
		_, err := do(ctx, in, opts...)
		return nil, errors.Join(ErrKilled, err)
	}
	return nil, ErrKilled
}

type killedTable struct {
	dynamodbiface.DynamoDBAPI
	k *Killer
}

type options = func(*dynamodb.Options)

func (t *killedTable) GetItem(ctx context.Context, in *dynamodb.GetItemInput, opts ...options) (*dynamodb.GetItemOutput, error) {
	return read(ctx, t.k, in, opts, t.DynamoDBAPI.GetItem)
}

func (t *killedTable) Query(ctx context.Context, in *dynamodb.QueryInput, opts ...options) (*dynamodb.QueryOutput, error) {
	return read(ctx, t.k, in, opts, t.DynamoDBAPI.Query)
}

func (t *killedTable) BatchGetItem(
	ctx context.Context, in *dynamodb.BatchGetItemInput, opts ...options,
) (*dynamodb.BatchGetItemOutput, error) {
	return read(ctx, t.k, in, opts, t.DynamoDBAPI.BatchGetItem)
}

func (t *killedTable) PutItem(ctx context.Context, in *dynamodb.PutItemInput, opts ...options) (*dynamodb.PutItemOutput, error) {
	return write(ctx, t.k, in, opts, t.DynamoDBAPI.PutItem)
}

func (t *killedTable) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, opts ...options) (*dynamodb.UpdateItemOutput, error) {
	return write(ctx, t.k, in, opts, t.DynamoDBAPI.UpdateItem)
}

func (t *killedTable) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, opts ...options) (*dynamodb.DeleteItemOutput, error) {
	return write(ctx, t.k, in, opts, t.DynamoDBAPI.DeleteItem)
}

func (t *killedTable) BatchWriteItem(
	ctx context.Context, in *dynamodb.BatchWriteItemInput, opts ...options,
) (*dynamodb.BatchWriteItemOutput, error) {
	return write(ctx, t.k, in, opts, t.DynamoDBAPI.BatchWriteItem)
}

func (t *killedTable) TransactWriteItems(
	ctx context.Context, in *dynamodb.TransactWriteItemsInput, opts ...options,
) (*dynamodb.TransactWriteItemsOutput, error) {
	return write(ctx, t.k, in, opts, t.DynamoDBAPI.TransactWriteItems)
}

type killedBucket struct {
	estate.BucketAPI
	k *Killer
}

type s3Options = func(*s3.Options)

func (b *killedBucket) ListObjectVersions(
	ctx context.Context, in *s3.ListObjectVersionsInput, opts ...s3Options,
) (*s3.ListObjectVersionsOutput, error) {
	return read(ctx, b.k, in, opts, b.BucketAPI.ListObjectVersions)
}

func (b *killedBucket) DeleteObjects(ctx context.Context, in *s3.DeleteObjectsInput, opts ...s3Options) (*s3.DeleteObjectsOutput, error) {
	return write(ctx, b.k, in, opts, b.BucketAPI.DeleteObjects)
}

func (b *killedBucket) PutObject(ctx context.Context, in *s3.PutObjectInput, opts ...s3Options) (*s3.PutObjectOutput, error) {
	return write(ctx, b.k, in, opts, b.BucketAPI.PutObject)
}

func (b *killedBucket) CopyObject(ctx context.Context, in *s3.CopyObjectInput, opts ...s3Options) (*s3.CopyObjectOutput, error) {
	return write(ctx, b.k, in, opts, b.BucketAPI.CopyObject)
}
