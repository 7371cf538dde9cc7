// Package stagetest gives tests of the operator's commands a stage on real engines: a table and a bucket of its own, programs that are
// killed at one of their writes, and programs that may do only what a command's policies in infra/operator.yaml allow.
//
// It is for tests only. Assertions about what a command does never go in here.
package stagetest

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/uuid"

	"github.com/tenantry/tenantry/infra/local/bucket/buckettest"
	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/infra/operator/stage"
	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/table"
)

// Run is how a command runs.
type Run func(ctx context.Context, e *stage.Env, args []string) error

// Stage is a stage without any company.
type Stage struct {
	Table, Bucket string
	Endpoints     map[string]string
	Conn          *table.Conn // as functions have it
	Now           func() time.Time

	aws aws.Config
}

// New makes a stage. Its bucket keeps versions, as the template's does.
func New(t testing.TB) *Stage {
	t.Helper()
	b := buckettest.Bucket(t)
	s := &Stage{
		Table: enginetest.Table(t), Bucket: "stage-" + uuid.NewString(), Now: time.Now,
		Endpoints: map[string]string{"DYNAMODB_ENDPOINT": enginetest.Endpoint(t), "S3_ENDPOINT": b.Endpoint},
		aws: aws.Config{
			Region: b.Region, Credentials: credentials.NewStaticCredentialsProvider(b.AccessKey, b.SecretKey, ""),
		},
	}
	if _, err := b.Client().CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: &s.Bucket}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Client().PutBucketVersioning(t.Context(), &s3.PutBucketVersioningInput{
		Bucket: &s.Bucket, VersioningConfiguration: &types.VersioningConfiguration{Status: types.BucketVersioningStatusEnabled},
	}); err != nil {
		t.Fatal(err)
	}
	s.Conn = table.Open(enginetest.Client(t), s.Table)
	return s
}

// Env is what a program has whom nobody answers, and who is not to ask. What it prints is in the buffer.
func (s *Stage) Env() (*stage.Env, *bytes.Buffer) { return s.through(nil, s.Endpoints) }

func (s *Stage) through(transport http.RoundTripper, endpoints map[string]string) (*stage.Env, *bytes.Buffer) {
	out := new(bytes.Buffer)
	e := &stage.Env{
		Table: s.Table, Bucket: s.Bucket, AWS: s.aws.Copy(), Endpoints: endpoints, Now: s.Now,
		In: strings.NewReader(""), Out: out, Yes: true,
	}
	if transport != nil {
		e.AWS.HTTPClient = &http.Client{Transport: transport}
	}
	e.Connect(table.Client(e.AWS, endpoints["DYNAMODB_ENDPOINT"]))
	return e, out
}

// Over is a program over a table of the test process, with the test process's bucket. in is what somebody answers it.
func Over(t testing.TB, name, in string) (*stage.Env, *bytes.Buffer) {
	t.Helper()
	client, bucket := buckettest.Client(t)
	api, out := enginetest.Client(t), new(bytes.Buffer)
	return &stage.Env{
		Table: name, DB: api, Conn: table.Open(api, name), Bucket: bucket, S3: client, Files: filestest.New(t), Now: time.Now,
		In: strings.NewReader(in), Out: out,
	}, out
}

// Run runs a command to its end, and returns what it printed.
func (s *Stage) Run(ctx context.Context, run Run, args ...string) (string, error) {
	e, out := s.Env()
	err := run(ctx, e, args)
	return out.String(), err
}
