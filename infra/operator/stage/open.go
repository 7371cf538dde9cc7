package stage

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/infra/local/console"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/table"
)

// DefaultLocal is where `make run` listens unless it is told otherwise.
const DefaultLocal = "http://127.0.0.1:8000"

// Where says which stage.
type Where struct {
	Table, Bucket string
	Stack         string // the name of its stack, for commands that need it
	Local         string // the address of a platform on this machine; empty for a stage on AWS
}

// local is a flag that may stand without a value.
type local struct{ address *string }

func (l local) String() string {
	if l.address == nil {
		return ""
	}
	return *l.address
}
func (l local) IsBoolFlag() bool { return true }
func (l local) Set(text string) error {
	switch text {
	case "true":
		*l.address = DefaultLocal
	case "false":
		*l.address = ""
	default:
		*l.address = strings.TrimSuffix(text, "/")
	}
	return nil
}

// Define adds the flags that say which stage.
func (w *Where) Define(f *flag.FlagSet) {
	f.StringVar(&w.Table, "table", "", "the `name` of the table")
	f.StringVar(&w.Bucket, "bucket", "", "the `name` of the bucket, for commands that need it")
	f.StringVar(&w.Stack, "stack", "", "the `name` of the stack, for commands that need its queues, keys or parameters")
	f.Var(local{&w.Local}, "local", "the platform of make run, instead of a stage on AWS; its `address` unless it is "+DefaultLocal)
}

// Joined lets the address of -local stand behind it, as values of other flags do.
func Joined(args []string) (list []string) {
	for i := 0; i < len(args); i++ {
		if i+1 < len(args) && strings.TrimLeft(args[i], "-") == "local" && strings.HasPrefix(args[i+1], "http") {
			list = append(list, args[i]+"="+args[i+1])
			i++
			continue
		}
		list = append(list, args[i])
	}
	return list
}

// Open makes the connections. For a stage on AWS nothing is sent yet; getenv tells addresses other than AWS's own.
func Open(ctx context.Context, w Where, getenv func(string) string) (*Env, error) {
	switch {
	case w.Local != "" && (w.Table != "" || w.Bucket != "" || w.Stack != ""):
		return nil, errors.New("-local names everything itself: leave out -table, -bucket and -stack")
	case w.Local != "":
		return ofPlatform(ctx, w.Local)
	case w.Table == "":
		return nil, errors.New("say which stage: -table and -bucket, or -local for the platform of make run")
	}
	settings, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return nil, err
	}
	e := &Env{Table: w.Table, Bucket: w.Bucket, AWS: settings, Endpoints: map[string]string{}}
	for _, name := range append(app.Endpoints(), "CLOUDFORMATION_ENDPOINT") {
		e.Endpoints[name] = getenv(name)
	}
	if w.Stack != "" {
		e.Stack = cloud{cloudformation.NewFromConfig(e.At("CLOUDFORMATION")), w.Stack}
	}
	e.Connect(table.Client(settings, e.Endpoints["DYNAMODB_ENDPOINT"]))
	return e, nil
}

// Connect makes what works with the table go by an API, and what works with the bucket by the address of S3.
func (e *Env) Connect(api dynamodbiface.DynamoDBAPI) {
	e.DB, e.Conn = api, table.Open(api, e.Table)
	if e.Now == nil {
		e.Now = time.Now
	}
	endpoint := e.Endpoints["S3_ENDPOINT"]
	settings := e.AWS
	e.S3 = s3.NewFromConfig(settings, func(o *s3.Options) {
		if endpoint != "" {
			o.BaseEndpoint, o.UsePathStyle = aws.String(endpoint), true
		}
		o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
	})
	e.Files = files.New(files.Options{
		Bucket: e.Bucket, Endpoint: endpoint, Config: func(context.Context) (aws.Config, error) { return settings, nil },
	})
}

// ofPlatform asks a platform on this machine where its parts are.
func ofPlatform(ctx context.Context, address string) (*Env, error) {
	at, err := url.Parse(address)
	if err != nil || at.Scheme != "http" || at.Host == "" {
		return nil, fmt.Errorf("-local %s is no address such as %s", address, DefaultLocal)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address+console.Prefix+"operator", http.NoBody)
	if err != nil {
		return nil, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, fmt.Errorf("no platform answers at %s; make run starts one: %w", address, err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	if err != nil {
		return nil, err
	}
	var v map[string]string
	if answer.StatusCode != http.StatusOK || json.Unmarshal(body, &v) != nil || v["TABLE"] == "" {
		return nil, fmt.Errorf("what answers at %s is no platform of make run: %s", address, answer.Status)
	}
	key := credentials.NewStaticCredentialsProvider(v["AWS_ACCESS_KEY_ID"], v["AWS_SECRET_ACCESS_KEY"], v["AWS_SESSION_TOKEN"])
	e := &Env{
		Table: v["TABLE"], Bucket: v["BUCKET"], Local: address, KeysFile: v["KEYS_FILE"], Endpoints: map[string]string{},
		AWS: aws.Config{Region: v["AWS_REGION"], Credentials: key},
	}
	for _, name := range app.Endpoints() {
		e.Endpoints[name] = v[name]
	}
	e.Connect(table.Client(e.AWS, e.Endpoints["DYNAMODB_ENDPOINT"]))
	return e, nil
}
