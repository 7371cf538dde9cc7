// Package engine runs the local DynamoDB engine, a child process, for the local platform and for tests.
//
// It finds, starts and stops the engine's binary. What is stored in the engine never goes in here: tables are made by
// packages that have their definition. Functions never import it; they are given an endpoint.
package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/infra/local/child"
)

const (
	// listening is what the engine prints when, and only when, its port is bound.
	listening = "Dynoxide listening on "
	// attempts is how often Start tries another port after another process took the one that it chose.
	attempts = 5
)

// ErrMissing says that the engine's binary is not installed.
var ErrMissing = errors.New("the local DynamoDB engine is not installed: run `make engine`")

// Options of Start. The zero value is an engine in memory on a free port.
type Options struct {
	// Path is the file that keeps the data, made if it does not exist; empty keeps it in memory.
	Path string
	// Port is the loopback port to listen on; 0 picks a free one.
	Port int
}

// Engine is one running engine.
type Engine struct {
	*child.Process
	port int
}

// Start runs the engine and returns when it answers. The engine ends with Stop, with ctx, or with this process.
func Start(ctx context.Context, o Options) (*Engine, error) {
	binary, err := Find()
	if err != nil {
		return nil, err
	}
	var file []string
	if o.Path != "" {
		path, err := filepath.Abs(o.Path)
		if err != nil {
			return nil, fmt.Errorf("engine: %w", err)
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, fmt.Errorf("engine: data folder: %w", err)
		}
		file = []string{"--db-path", path}
	}
	for try := 1; ; try++ {
		port := o.Port
		if port == 0 {
			if port, err = child.FreePort(); err != nil {
				return nil, fmt.Errorf("engine: %w", err)
			}
		}
		process, err := child.Start(ctx, child.Options{
			Path:  binary,
			Args:  append([]string{"--host", "127.0.0.1", "--port", strconv.Itoa(port)}, file...),
			Ready: func(line string) bool { return strings.HasPrefix(line, listening) },
		})
		switch {
		case err == nil:
			return &Engine{Process: process, port: port}, nil
		case o.Port == 0 && try < attempts && errors.Is(err, child.ErrEnded) && strings.Contains(err.Error(), "already in use"):
		default:
			return nil, fmt.Errorf("engine: %w", err)
		}
	}
}

// Endpoint is the URL for DynamoDB clients.
func (e *Engine) Endpoint() string { return "http://127.0.0.1:" + strconv.Itoa(e.port) }

// Port is the loopback port of the engine.
func (e *Engine) Port() int { return e.port }
