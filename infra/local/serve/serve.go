// Package serve runs HTTP servers of this machine within a process, and ends what a process has begun.
//
// What a server answers never goes in here.
package serve

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"
)

// Server is a server that runs until Close.
type Server struct {
	URL    string
	server *http.Server
}

// Start listens on a free port of this machine, which others can't reach.
func Start(ctx context.Context, handler http.Handler) (*Server, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("serve: %w", err)
	}
	s := &Server{
		URL:    "http://" + l.Addr().String(),
		server: &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second},
	}
	go func() { _ = s.server.Serve(l) }() // it ends with Close
	return s, nil
}

// Close ends the server. Requests that run are cut off.
func (s *Server) Close() { _ = s.server.Close() }

// Ends are what ends things that were begun.
type Ends []func()

// Add keeps how the thing ends that was begun last.
func (e *Ends) Add(end func()) { *e = append(*e, end) }

// Close ends all, the latest first. It may be called more than once.
func (e *Ends) Close() {
	for len(*e) > 0 {
		last := len(*e) - 1
		end := (*e)[last]
		*e = (*e)[:last]
		end()
	}
}
