package platform

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tenantry/tenantry/infra/local/awsapi"
	"github.com/tenantry/tenantry/infra/local/bucket"
	"github.com/tenantry/tenantry/infra/local/engine"
	"github.com/tenantry/tenantry/infra/local/samtemplate"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/table/keyspace"
)

// The template leaves these names to the deployment.
const (
	tableName  = "tenantry"
	bucketName = "tenantry"
)

// Storage is the platform's table and bucket, with the engines that hold them.
type Storage struct {
	// TableEndpoint and FilesEndpoint are the URLs of the engines.
	TableEndpoint, FilesEndpoint string

	folder string
	keep   bool
	lock   *os.File
	files  *bucket.Announced // nil if S3_ENDPOINT names another bucket

	mu    sync.Mutex
	table *engine.Engine // nil if DYNAMODB_ENDPOINT names another engine
}

// KeysFile is the file with the platform's keys.
func (s *Storage) KeysFile() string { return s.file("keys.json") }

func (s *Storage) file(name string) string { return filepath.Join(s.folder, name) }

// openStorage starts the engines over the data folder, or over forget if there is no data folder. It makes the table
// and the bucket if they don't exist. It doesn't wait for the bucket's engine: that is compiled, if need be, beside the rest of the start,
// and until it runs, what asks for a file waits.
func openStorage(ctx context.Context, t *samtemplate.Template, o Options, forget, root string, told *progress) (_ *Storage, err error) {
	s := &Storage{folder: forget}
	if o.Data != "" {
		s.keep = true
		if s.folder, err = filepath.Abs(o.Data); err != nil {
			return nil, err
		}
	}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	if err = os.MkdirAll(s.folder, 0o700); err != nil {
		return nil, fmt.Errorf("data folder: %w", err)
	}
	if s.lock, err = lockFolder(ctx, s.file("lock")); err != nil {
		return nil, fmt.Errorf("data folder %s is in use by another run, or can't be written: %w", s.folder, err)
	}
	if err = s.checkLayout(); err != nil {
		return nil, err
	}
	if err = s.openFiles(ctx, t, root, o, told); err != nil {
		return nil, fmt.Errorf("files: %w", err)
	}
	if err = told.step("Opening the table", func() error { return s.openTable(ctx, t) }); err != nil {
		return nil, fmt.Errorf("table: %w", err)
	}
	return s, nil
}

// checkLayout refuses a data folder that another version of the platform has written under other keys, because this
// version would never find those items.
func (s *Storage) checkLayout() error {
	if !s.keep {
		return nil
	}
	written, err := os.ReadFile(s.file("layout"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("data folder: %w", err)
	}
	if _, err := os.Stat(s.file("table.db")); err == nil && string(written) != keyspace.Layout {
		return fmt.Errorf(
			"data folder %s was written by another version of the platform, with other keys: remove its table.db, files and layout, "+
				"or name another with -data",
			s.folder,
		)
	}
	return os.WriteFile(s.file("layout"), []byte(keyspace.Layout), 0o600)
}

func (s *Storage) openTable(ctx context.Context, t *samtemplate.Template) error {
	s.TableEndpoint = os.Getenv("DYNAMODB_ENDPOINT")
	if s.TableEndpoint == "" {
		e, err := engine.Start(ctx, s.engineOptions(0))
		if err != nil {
			return err
		}
		s.table, s.TableEndpoint = e, e.Endpoint()
	}
	definition, err := t.Table()
	if err != nil {
		return err
	}
	definition.TableName = aws.String(tableName)
	client := engine.Client(s.TableEndpoint)
	var exists *types.ResourceInUseException
	if _, err = client.CreateTable(ctx, definition); err != nil && !errors.As(err, &exists) {
		return err
	}
	// If the table can't be read, the start fails, instead of the first request.
	_, err = client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(tableName)})
	return err
}

func (s *Storage) engineOptions(port int) engine.Options {
	o := engine.Options{Port: port}
	if s.keep {
		o.Path = s.file("table.db")
	}
	return o
}

func (s *Storage) openFiles(ctx context.Context, t *samtemplate.Template, root string, o Options, told *progress) error {
	s.FilesEndpoint = os.Getenv("S3_ENDPOINT")
	if s.FilesEndpoint != "" {
		return nil
	}
	definition, err := t.Bucket()
	if err != nil {
		return err
	}
	options := bucket.Options{
		Folder: s.file("files"), Name: bucketName, CORS: definition.CORS, Server: filepath.Join(root, ".local", "bin", "bucket"),
	}
	if o.SAM {
		options.Secret = app.SAMKey
	}
	compile := o.compileStore
	if compile == nil {
		compile = bucket.Build
	}
	s.files, err = bucket.Announce(ctx, options, func(ctx context.Context) error {
		return told.step("Compiling the file store", func() error { return compile(ctx, options.Server) })
	}, sync.OnceFunc(func() {
		_, _ = fmt.Fprintln(o.Out, "A request for a file has come; it waits for the file store.")
	}))
	if err != nil {
		return err
	}
	s.FilesEndpoint = s.files.Endpoint
	return nil
}

// awaitFiles returns when the bucket's engine runs, or why it doesn't.
func (s *Storage) awaitFiles(ctx context.Context) error {
	if s.files == nil {
		return nil
	}
	if err := s.files.Wait(ctx); err != nil {
		return fmt.Errorf("files: %w", err)
	}
	return nil
}

// hasFiles tells whether requests for files are answered already.
func (s *Storage) hasFiles() bool { return s.files == nil || s.files.Runs() }

// environment returns the variables that tell a function where the storage is.
func (s *Storage) environment() map[string]string {
	env := map[string]string{
		"DYNAMODB_ENDPOINT":     s.TableEndpoint,
		"S3_ENDPOINT":           s.FilesEndpoint,
		"KEYS_FILE":             s.KeysFile(),
		"AWS_REGION":            engine.Region,
		"AWS_ACCESS_KEY_ID":     engine.Key,
		"AWS_SECRET_ACCESS_KEY": engine.Key,
	}
	if s.files != nil {
		env["AWS_REGION"] = s.files.Region
		env["AWS_ACCESS_KEY_ID"] = s.files.AccessKey
		env["AWS_SECRET_ACCESS_KEY"] = s.files.SecretKey
		return env
	}
	for _, name := range []string{"AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"} {
		if v := os.Getenv(name); v != "" { // credentials for the S3 that S3_ENDPOINT names
			env[name] = v
		}
	}
	return env
}

// Operator is how a program reaches the table and the bucket: their names, and the variables of a function.
func (s *Storage) Operator() map[string]string {
	v := s.environment()
	v["TABLE"], v["BUCKET"] = tableName, bucketName
	return v
}

// signers are who may call the servers that stand in for APIs of AWS: the functions.
func (s *Storage) signers() awsapi.Options {
	env := s.environment()
	return awsapi.Options{Keys: map[string]string{env["AWS_ACCESS_KEY_ID"]: env["AWS_SECRET_ACCESS_KEY"]}}
}

// supervise restarts the table's engine at the same address when it ends by itself. Until then requests are answered
// with 503.
func (s *Storage) supervise(ctx context.Context, out io.Writer, fail func(error)) {
	for s.engine() != nil {
		select {
		case <-ctx.Done():
			return
		case <-s.engine().Done():
		}
		if ctx.Err() != nil {
			return
		}
		if !s.keep {
			fail(errors.New("the table's engine ended, and with it everything that was in memory"))
			return
		}
		_, _ = fmt.Fprintln(out, "The table's engine ended; starting it again.")
		if err := s.restart(ctx); err != nil {
			fail(fmt.Errorf("the table's engine ended and does not start again: %w", err))
			return
		}
	}
}

func (s *Storage) engine() *engine.Engine {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.table
}

func (s *Storage) restart(ctx context.Context) error {
	var err error
	for range 20 { // the port may still be held for a moment
		var e *engine.Engine
		if e, err = engine.Start(ctx, s.engineOptions(s.engine().Port())); err == nil {
			s.replace(e)
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
	return err
}

func (s *Storage) replace(e *engine.Engine) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.table = e
}

// KillTable ends the table's engine as a crash would.
func (s *Storage) KillTable() { s.engine().Kill() }

func (s *Storage) close() {
	if s.files != nil {
		s.files.Stop()
	}
	if e := s.engine(); e != nil {
		e.Stop()
	}
	if s.lock != nil {
		_ = s.lock.Close() // closing unlocks
	}
}
