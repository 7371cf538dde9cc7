package search_test

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/shared/record/search"
)

// meddled is a client of the table that lets something happen before one of its calls.
type meddled struct {
	dynamodbiface.DynamoDBAPI
	calls, at int
	do        func()
}

// meddled is an instance before whose call, counted from 1, something happens.
func (w *world) meddled(call int, k search.Kind, do func()) *instance {
	return w.of(&meddled{DynamoDBAPI: w.api.Client(0), at: call, do: do}, k)
}

func (m *meddled) call() {
	if m.calls++; m.calls == m.at {
		m.do()
	}
}

type options = func(*dynamodb.Options)

func (m *meddled) GetItem(ctx context.Context, in *dynamodb.GetItemInput, opts ...options) (*dynamodb.GetItemOutput, error) {
	m.call()
	return m.DynamoDBAPI.GetItem(ctx, in, opts...)
}

func (m *meddled) Query(ctx context.Context, in *dynamodb.QueryInput, opts ...options) (*dynamodb.QueryOutput, error) {
	m.call()
	return m.DynamoDBAPI.Query(ctx, in, opts...)
}

func (m *meddled) TransactWriteItems(
	ctx context.Context, in *dynamodb.TransactWriteItemsInput, opts ...options,
) (*dynamodb.TransactWriteItemsOutput, error) {
	m.call()
	return m.DynamoDBAPI.TransactWriteItems(ctx, in, opts...)
}

// gate is a client of the table that lets something happen before each query of changes, and before each write.
type gate struct {
	dynamodbiface.DynamoDBAPI
	changes, write func()
}

func (g *gate) Query(ctx context.Context, in *dynamodb.QueryInput, opts ...options) (*dynamodb.QueryOutput, error) {
	if g.changes != nil && in.IndexName != nil {
		g.changes()
	}
	return g.DynamoDBAPI.Query(ctx, in, opts...)
}

func (g *gate) TransactWriteItems(
	ctx context.Context, in *dynamodb.TransactWriteItemsInput, opts ...options,
) (*dynamodb.TransactWriteItemsOutput, error) {
	if g.write != nil {
		g.write()
	}
	return g.DynamoDBAPI.TransactWriteItems(ctx, in, opts...)
}
