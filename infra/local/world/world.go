// Package world makes a known state of the platform: people, companies, documents with files, an upload that nobody
// took, a code that waits to be used, tokens of every kind. Events are recorded and replayed in it.
//
// The world is the same each time it is made: numbers and uuids are counted, keys are derived from fixed bytes, and
// tokens live for a century. Only times and versions of files differ. The lists beside this file tell it (infra/local/steps):
// its records are made by operations of the functions, called as clients call them. story.go makes what no operation makes, most
// of it in the table. Tokens that are committed with the events are no secret, because they are valid in copies of this world only.
//
// The package starts no engines and no processes: it is given them.
package world

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/uuid"

	"github.com/tenantry/tenantry/infra/local/bucket"
	"github.com/tenantry/tenantry/infra/local/engine"
	"github.com/tenantry/tenantry/infra/local/issuer"
	"github.com/tenantry/tenantry/infra/local/kms"
	"github.com/tenantry/tenantry/infra/local/samtemplate"
	"github.com/tenantry/tenantry/infra/local/steps"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/keys/awskms"
)

const (
	// Host is the host name of the world's gateway, below the platform's domain.
	Host   = "api." + domain
	domain = "tenantry.test"

	// filesHost replaces the bucket's address in recorded events, because that address differs from run to run.
	filesHost = "https://files.s3.us-east-1.amazonaws.com/"

	// fresh is how long a world can be used. It is shorter than the life of a one-time code, two minutes, and of a
	// cross-login token, one minute.
	fresh = 25 * time.Second
)

// Engines are the engines that hold a world.
type Engines struct {
	Template *samtemplate.Template
	// Table is the endpoint of the DynamoDB engine.
	Table string
	Files *bucket.Bucket
	// Identities is the issuer of identities, which knows the platform as Client says. Without one, none is configured, and
	// nobody has an identity.
	Identities *issuer.Issuer
}

// Client is the platform of a world, as its issuer of identities knows it.
func Client() issuer.Client {
	return issuer.Client{ID: "world", Secret: "a secret of the world and of its issuer", RedirectURL: "https://app." + domain + "/google"}
}

// World is one copy of the known state, in a table of its own.
type World struct {
	engines  Engines
	client   *dynamodb.Client
	table    string
	keysFile string
	keys     *stableKeys
	env      app.Env

	made   time.Time
	items  map[string]item
	seen   map[string]item // what NewMessages has read, for the Reset after it
	values steps.Values
}

// New makes a world. folder has to exist; the world's keys are written to it.
func New(ctx context.Context, e Engines, folder string) (*World, error) {
	w := &World{
		engines: e, client: engine.Client(e.Table), table: "world-" + rand.Text(),
		keysFile: filepath.Join(folder, "keys.json"),
	}
	definition, err := e.Template.Table()
	if err != nil {
		return nil, fmt.Errorf("world: %w", err)
	}
	definition.TableName = aws.String(w.table)
	if _, err := w.client.CreateTable(ctx, definition); err != nil {
		return nil, fmt.Errorf("world: table: %w", err)
	}
	content, err := keyFile()
	if err != nil {
		return nil, fmt.Errorf("world: keys: %w", err)
	}
	if err := os.WriteFile(w.keysFile, content, 0o600); err != nil {
		return nil, fmt.Errorf("world: keys: %w", err)
	}
	if w.env, err = w.environment(); err != nil {
		return nil, fmt.Errorf("world: %w", err)
	}
	if w.keys, err = newStableKeys(ctx, w.env.Keys); err != nil {
		return nil, fmt.Errorf("world: keys: %w", err)
	}
	w.env.Keys = w.keys
	return w, w.make(ctx)
}

// make empties the table, tells the story, and keeps a copy of the result.
func (w *World) make(ctx context.Context) error {
	if err := w.clear(ctx); err != nil {
		return fmt.Errorf("world: %w", err)
	}
	w.env.NewUUID, w.env.NewSecret = counted(), countedSecrets()
	w.made = time.Now()
	var err error
	if w.values, err = w.tell(ctx); err != nil {
		return fmt.Errorf("world: %w", err)
	}
	if w.items, err = w.scan(ctx); err != nil {
		return fmt.Errorf("world: %w", err)
	}
	return nil
}

// counted returns a function that counts uuids up. They have the form of random uuids.
func counted() func() uuid.UUID {
	var mu sync.Mutex
	n := 0
	return func() uuid.UUID {
		mu.Lock()
		defer mu.Unlock()
		n++
		return uuid.MustParse(fmt.Sprintf("00000000-0000-4000-8000-%012x", n))
	}
}

// countedSecrets returns a function that counts texts up which have the form of secrets.
func countedSecrets() func() string {
	var n atomic.Int64
	return func() string { return fmt.Sprintf("%043d", n.Add(1)) }
}

// KeysFile is the file with the world's keys.
func (w *World) KeysFile() string { return w.keysFile }

// Values returns the values that events refer to by name: tokens, codes, addresses.
func (w *World) Values() map[string]string {
	texts := map[string]string{}
	for name, value := range w.values {
		texts[name] = fmt.Sprint(value)
	}
	return texts
}

// Fill replaces each ${name} in a text by the world's value of that name.
func (w *World) Fill(text string) (string, error) { return w.values.Text(text) }

// Localise replaces the bucket's address in a recorded event by the address of this world's bucket.
func (w *World) Localise(event []byte) []byte {
	return []byte(strings.ReplaceAll(string(event), filesHost, w.filesBase()))
}

// Globalise is the reverse of Localise.
func (w *World) Globalise(event []byte) []byte {
	return []byte(strings.ReplaceAll(string(event), w.filesBase(), filesHost))
}

func (w *World) filesBase() string {
	return w.engines.Files.Endpoint + "/" + w.engines.Files.Name + "/"
}

// Environment returns the environment of one of the template's functions in this world, as variables for a process.
func (w *World) Environment(function string) ([]string, error) {
	variables, err := w.Variables(function)
	if err != nil {
		return nil, err
	}
	var list []string
	for name, value := range variables {
		list = append(list, name+"="+value)
	}
	slices.Sort(list)
	return list, nil
}

// Names returns what the world gives the template: names of resources by their logical ids, and values of parameters.
func (w *World) Names() map[string]string {
	values := map[string]string{
		"Stage": "replay", "PlatformDomain": domain, "MailFrom": "noreply@" + domain,
		"CompanyRequestRate": "0", "CallerRequestRate": "0", // programs tell the story, and ask what is recorded
		"Table": w.table, "Bucket": w.engines.Files.Name,
		"CorsOrigins": "https://app." + domain, "Languages": "en,ru,kk", "SmsProvider": app.ProviderLog, "SmsTopUp": "open",
		"SmsCallbackSecret": "a secret of the world and of its provider of SMS",
		"Api":               "api", "AWS::Region": w.engines.Files.Region, "AWS::URLSuffix": "test",
	}
	maps.Copy(values, kms.Resources())
	for id, f := range w.engines.Template.Functions {
		values[id] = f.Group()
	}
	if i, us := w.engines.Identities, Client(); i != nil {
		maps.Copy(values, map[string]string{
			"OidcIssuer": i.URL, "OidcClientId": us.ID, "OidcClientSecret": us.Secret, "OidcRedirectUrl": us.RedirectURL,
		})
	}
	return values
}

// Variables is the environment of one of the template's functions by name.
func (w *World) Variables(function string) (map[string]string, error) {
	variables, err := w.engines.Template.Environment(function, w.Names())
	if err != nil {
		return nil, err
	}
	for name, value := range map[string]string{
		"DYNAMODB_ENDPOINT": w.engines.Table, "S3_ENDPOINT": w.engines.Files.Endpoint, "KEYS_FILE": w.keysFile,
		"AWS_REGION": w.engines.Files.Region, "AWS_ACCESS_KEY_ID": w.engines.Files.AccessKey,
		"AWS_SECRET_ACCESS_KEY": w.engines.Files.SecretKey,
	} {
		variables[name] = value
	}
	return variables, nil
}

// environment returns what the functions are made with that make the world: the variables of all of them, of which
// each uses its own.
func (w *World) environment() (app.Env, error) {
	all := map[string]string{}
	for id := range w.engines.Template.Functions {
		variables, err := w.Variables(id)
		if err != nil {
			return app.Env{}, err
		}
		maps.Copy(all, variables)
	}
	all["ACCESS_TOKEN_LIFETIME"], all["REFRESH_TOKEN_LIFETIME"] = century.String(), century.String()
	env, err := app.FromEnvironment(func(name string) string { return all[name] }, app.WithSealKey(awskms.New))
	env.Log = complaints{}
	env.Config.LoopbackHooks = true // see webhooks.yaml
	return env, err
}

// complaints writes only what the functions log as errors. An error ends the story, and its log line says why.
type complaints struct{}

func (complaints) Write(line []byte) (int, error) {
	var l struct {
		Level string `json:"level"`
	}
	if json.Unmarshal(line, &l) == nil && l.Level == "error" {
		return os.Stderr.Write(line)
	}
	return len(line), nil
}
