package conn

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// The operations below are refused whatever their arguments: no request has a reason to read a
// whole table or to administer it.

func refused[O any](operation string) (*O, error) { //nolint:unparam // the type is that of the operation
	return nil, fmt.Errorf("%w: %s", ErrKey, operation)
}

func (g *guard) Scan(context.Context, *dynamodb.ScanInput, ...options) (*dynamodb.ScanOutput, error) {
	return refused[dynamodb.ScanOutput]("Scan")
}

func (g *guard) CreateTable(context.Context, *dynamodb.CreateTableInput, ...options) (*dynamodb.CreateTableOutput, error) {
	return refused[dynamodb.CreateTableOutput]("CreateTable")
}

func (g *guard) ListTables(context.Context, *dynamodb.ListTablesInput, ...options) (*dynamodb.ListTablesOutput, error) {
	return refused[dynamodb.ListTablesOutput]("ListTables")
}

func (g *guard) ListGlobalTables(context.Context, *dynamodb.ListGlobalTablesInput, ...options) (*dynamodb.ListGlobalTablesOutput, error) {
	return refused[dynamodb.ListGlobalTablesOutput]("ListGlobalTables")
}

func (g *guard) DescribeTable(context.Context, *dynamodb.DescribeTableInput, ...options) (*dynamodb.DescribeTableOutput, error) {
	return refused[dynamodb.DescribeTableOutput]("DescribeTable")
}

func (g *guard) UpdateTable(context.Context, *dynamodb.UpdateTableInput, ...options) (*dynamodb.UpdateTableOutput, error) {
	return refused[dynamodb.UpdateTableOutput]("UpdateTable")
}

func (g *guard) DeleteTable(context.Context, *dynamodb.DeleteTableInput, ...options) (*dynamodb.DeleteTableOutput, error) {
	return refused[dynamodb.DeleteTableOutput]("DeleteTable")
}

func (g *guard) UpdateTimeToLive(context.Context, *dynamodb.UpdateTimeToLiveInput, ...options) (*dynamodb.UpdateTimeToLiveOutput, error) {
	return refused[dynamodb.UpdateTimeToLiveOutput]("UpdateTimeToLive")
}

func (g *guard) DescribeTimeToLive(
	context.Context, *dynamodb.DescribeTimeToLiveInput, ...options,
) (*dynamodb.DescribeTimeToLiveOutput, error) {
	return refused[dynamodb.DescribeTimeToLiveOutput]("DescribeTimeToLive")
}
