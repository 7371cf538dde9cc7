// Package enginetest gives tests a real DynamoDB engine and fresh tables in it.
//
// A test process has one engine, in memory, started by the first test that asks; it ends with the process.
// With DYNAMODB_ENDPOINT set the tests run against that endpoint instead. A missing engine fails the test.
package enginetest

import (
	"context"
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/tenantry/tenantry/infra/local/engine"
	"github.com/tenantry/tenantry/infra/local/samtemplate"
)

// shared starts the engine of this test process once.
var shared = sync.OnceValues(func() (string, error) {
	if endpoint := os.Getenv("DYNAMODB_ENDPOINT"); endpoint != "" {
		return endpoint, nil
	}
	e, err := engine.Start(context.Background(), engine.Options{})
	if err != nil {
		return "", err
	}
	return e.Endpoint(), nil
})

// Endpoint returns the URL of the test process's engine.
func Endpoint(t testing.TB) string {
	t.Helper()
	endpoint, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return endpoint
}

// Client returns a client of the test process's engine.
func Client(t testing.TB) *dynamodb.Client {
	t.Helper()
	return engine.Client(Endpoint(t))
}

// Table makes an empty table as the template defines it, under a name of its own, and returns the name.
// The table is deleted when the test ends.
func Table(t testing.TB) string {
	t.Helper()
	client, input := Client(t), definition(t)
	input.TableName = aws.String(name(t))
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if _, err := client.CreateTable(ctx, input); err != nil {
		t.Fatalf("create table %s: %v", *input.TableName, err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if _, err := client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: input.TableName}); err != nil {
			t.Errorf("delete table %s: %v", *input.TableName, err)
		}
	})
	wait := dynamodb.NewTableExistsWaiter(client, func(o *dynamodb.TableExistsWaiterOptions) { o.MinDelay = 100 * time.Millisecond })
	if err := wait.Wait(ctx, &dynamodb.DescribeTableInput{TableName: input.TableName}, 25*time.Second); err != nil {
		t.Fatalf("table %s: %v", *input.TableName, err)
	}
	return *input.TableName
}

// name makes a table name that names the test, and that no other test process makes.
func name(t testing.TB) string {
	t.Helper()
	clean := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r == '_' {
			return r
		}
		return '-'
	}, t.Name())
	return clean[:min(len(clean), 100)] + "." + rand.Text()
}

// definition returns the table's definition in the project's template. The caller may change it.
func definition(t testing.TB) *dynamodb.CreateTableInput {
	t.Helper()
	input, err := defined()
	if err != nil {
		t.Fatal(err)
	}
	own := *input
	return &own
}

// defined reads the definition once, because a test process makes hundreds of tables.
var defined = sync.OnceValues(func() (*dynamodb.CreateTableInput, error) {
	root, err := engine.ModuleRoot()
	if err != nil {
		return nil, err
	}
	template, err := samtemplate.Load(filepath.Join(root, "template.yaml"))
	if err != nil {
		return nil, err
	}
	return template.Table()
})
