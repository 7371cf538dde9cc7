// Package world is a known state of the platform: people, companies, documents with files, an upload that nobody took, a
// code that waits for its owner, tokens of every kind. Events are recorded in it and replayed in it.
//
// Everything in it is the same whenever it is made: numbers and uuids are counted, keys come of fixed bytes, tokens live
// for a century. Only times and versions of files differ. It is made by the functions' own operations, as clients would
// call them; what no operation makes yet is written beside them (see story.go). So what is committed of it, tokens
// included, opens nothing but another copy of this world on somebody's machine.
//
// It starts no engines and no processes.
package world

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/uuid"

	"github.com/tenantry/tenantry/infra/local/bucket"
	"github.com/tenantry/tenantry/infra/local/engine"
	"github.com/tenantry/tenantry/infra/local/samtemplate"
	"github.com/tenantry/tenantry/shared/app"
)

const (
	// Host is the name of the world's gateway, under the platform's domain.
	Host   = "api." + domain
	domain = "tenantry.test"

	// filesHost stands in events for the bucket, whose address differs from run to run.
	filesHost = "https://files.s3.us-east-1.amazonaws.com/"

	// fresh is how long a world can be used: a one-time code lives two minutes, a cross-login token one.
	fresh = 25 * time.Second
)

// Engines are what a world lives on.
type Engines struct {
	Template *samtemplate.Template
	// Table is the endpoint of the DynamoDB engine.
	Table string
	Files *bucket.Bucket
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
	values map[string]string
}

// New makes a world. Its keys lie in a folder that is there.
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

// make empties the table, tells the story, and remembers what came of it.
func (w *World) make(ctx context.Context) error {
	if err := w.clear(ctx); err != nil {
		return fmt.Errorf("world: %w", err)
	}
	w.env.NewUUID = counted()
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

// counted makes uuids of a counter; they have the form of random ones.
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

// Values are what events need to know of the world, by name: tokens, codes, addresses.
func (w *World) Values() map[string]string { return w.values }

// Fill puts the world's values into a text, where it names them as ${name}.
func (w *World) Fill(text string) (string, error) {
	var unknown []string
	filled := os.Expand(text, func(name string) string {
		value, ok := w.values[name]
		if !ok {
			unknown = append(unknown, name)
		}
		return value
	})
	if len(unknown) > 0 {
		return "", fmt.Errorf("world: nothing here is called %s", strings.Join(unknown, ", "))
	}
	return filled, nil
}

// Localise puts the address of this world's bucket into an event, in place of the one that events are recorded with.
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

// Environment is the environment of a function of the template in this world, as variables for a process.
func (w *World) Environment(function string) ([]string, error) {
	variables, err := w.variables(function)
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

func (w *World) variables(function string) (map[string]string, error) {
	variables, err := w.engines.Template.Environment(function, map[string]string{
		"Stage": "replay", "PlatformDomain": domain, "MailFrom": "noreply@" + domain,
		"Table": w.table, "Bucket": w.engines.Files.Name, "SigningKey": "world", "CodeKey": "world",
		"CorsOrigins": "https://app." + domain,
	})
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

// environment is what the functions that make the world are made of. Any function's variables will do: they share them.
func (w *World) environment() (app.Env, error) {
	for id := range w.engines.Template.Functions {
		variables, err := w.variables(id)
		if err != nil {
			return app.Env{}, err
		}
		variables["ACCESS_TOKEN_LIFETIME"], variables["REFRESH_TOKEN_LIFETIME"] = century.String(), century.String()
		env, err := app.FromEnvironment(func(name string) string { return variables[name] })
		env.Log = complaints{}
		return env, err
	}
	return app.Env{}, fmt.Errorf("the template has no function")
}

// complaints lets through what the functions log of errors: then the story ends, and that says why.
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
