package engine_test

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tenantry/tenantry/infra/local/engine"
)

func start(t *testing.T, o engine.Options) *engine.Engine {
	t.Helper()
	e, err := engine.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Stop)
	return e
}

func tables(t *testing.T, e *engine.Engine) []string {
	t.Helper()
	out, err := engine.Client(e.Endpoint()).ListTables(context.Background(), &dynamodb.ListTablesInput{})
	if err != nil {
		t.Fatal(err)
	}
	return out.TableNames
}

func create(t *testing.T, e *engine.Engine, name string) {
	t.Helper()
	_, err := engine.Client(e.Endpoint()).CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: aws.String(name), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("pk"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash}},
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestFileKeepsTheDataAndMemoryForgets(t *testing.T) {
	for _, c := range []struct {
		name, path string
		want       int
	}{
		{"memory", "", 0},
		{"file", filepath.Join(t.TempDir(), "made", "table.db"), 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			first := start(t, engine.Options{Path: c.path})
			create(t, first, "kept")
			first.Stop()
			first.Stop()
			select {
			case <-first.Done():
			default:
				t.Fatal("Stop returned before the engine had ended")
			}
			if got := tables(t, start(t, engine.Options{Path: c.path})); len(got) != c.want {
				t.Fatalf("after a restart: tables %v, want %d", got, c.want)
			}
		})
	}
}

func TestSamePortAfterARestart(t *testing.T) {
	first := start(t, engine.Options{})
	first.Stop()
	second := start(t, engine.Options{Port: first.Port()})
	if second.Endpoint() != first.Endpoint() {
		t.Fatalf("endpoint %s, want %s", second.Endpoint(), first.Endpoint())
	}
	tables(t, second)
}

func TestFoundFromAFolderBelowTheRoot(t *testing.T) {
	root, err := engine.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	want, err := engine.Find()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Join(root, "infra"))
	if got, err := engine.Find(); err != nil || got != want {
		t.Fatalf("found %q, %v; want %q", got, err, want)
	}
}

func TestEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	e, err := engine.Start(ctx, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	select {
	case <-e.Done():
	case <-time.After(time.Minute):
		t.Fatal("the engine outlived its context")
	}
}

func TestRefusals(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	folder := t.TempDir()
	empty := t.TempDir()
	if err := os.WriteFile(filepath.Join(empty, "go.mod"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, variable, dir string
		options             engine.Options
		want                string
	}{
		{name: "not installed", dir: empty, want: "make engine"},
		{name: "outside a module", dir: folder, want: "no go.mod"},
		{name: "named file missing", variable: filepath.Join(folder, "none"), want: "DYNOXIDE"},
		{name: "taken port", options: engine.Options{Port: taken.Addr().(*net.TCPAddr).Port}, want: "already in use"},
		{name: "a folder for a file", options: engine.Options{Path: folder}, want: "unable to open"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.variable != "" {
				t.Setenv(engine.Variable, c.variable)
			}
			if c.dir != "" {
				t.Chdir(c.dir)
			}
			if _, err := engine.Start(t.Context(), c.options); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("error %v, want one with %q", err, c.want)
			}
		})
	}
	t.Chdir(empty)
	if _, err := engine.Find(); !errors.Is(err, engine.ErrMissing) {
		t.Fatalf("error %v is not ErrMissing", err)
	}
}

// parent makes the test binary start an engine and then wait to be killed.
const parent = "ENGINE_TEST_PARENT"

func TestMain(m *testing.M) {
	if os.Getenv(parent) == "" {
		os.Exit(m.Run())
	}
	e, err := engine.Start(context.Background(), engine.Options{})
	if err != nil {
		panic(err)
	}
	os.Stdout.WriteString(strconv.Itoa(e.Port()) + "\n")
	select {}
}

func TestEndsWithAKilledParent(t *testing.T) {
	process := exec.Command(os.Args[0])
	process.Env = append(os.Environ(), parent+"=1")
	out, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	buffer := make([]byte, 16)
	n, err := out.Read(buffer)
	if err != nil {
		t.Fatal(err)
	}
	address := "127.0.0.1:" + strings.TrimSpace(string(buffer[:n]))
	connection, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatalf("the engine does not answer before the kill: %v", err)
	}
	connection.Close()
	if err := process.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = process.Wait()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		connection, err := net.Dial("tcp", address)
		if err != nil {
			return
		}
		connection.Close()
		if time.Now().After(deadline) {
			t.Fatal("the engine outlived its parent")
		}
	}
}
