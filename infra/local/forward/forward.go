// Package forward passes connections on from one address to another, byte for byte, so that a server sees each request as it was signed.
//
// A connection may come before the other address is known; it waits. What is sent over connections never goes in here.
package forward

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
)

// Forwarder is an address whose connections are passed on.
type Forwarder struct {
	listener net.Listener
	waits    func()
	known    chan struct{} // is closed when to is known
	to       string
	knows    sync.Once
	ctx      context.Context
	stop     context.CancelFunc
}

// Listen listens on an address until Close, or until ctx is over. If waits is not nil, it is called for each connection that comes before
// To has said where connections lead.
func Listen(ctx context.Context, address string, waits func()) (*Forwarder, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("forward: %w", err)
	}
	f := &Forwarder{listener: l, waits: waits, known: make(chan struct{})}
	f.ctx, f.stop = context.WithCancel(ctx)
	context.AfterFunc(f.ctx, func() { _ = l.Close() })
	go f.accept()
	return f, nil
}

// Address is the host and the port that the forwarder listens on.
func (f *Forwarder) Address() string { return f.listener.Addr().String() }

// To says where connections lead, those that wait and all later ones. Only the first call counts.
func (f *Forwarder) To(address string) {
	f.knows.Do(func() {
		f.to = address
		close(f.known)
	})
}

// Close ends the listening. Connections that wait are closed, and those that are passed on end with one of their sides.
func (f *Forwarder) Close() {
	f.stop()
	_ = f.listener.Close()
}

func (f *Forwarder) accept() {
	for {
		from, err := f.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err == nil {
			go f.lead(from)
		}
	}
}

// lead passes a connection on as soon as it is known where to.
func (f *Forwarder) lead(from net.Conn) {
	defer from.Close()
	select {
	case <-f.known:
	default:
		if f.waits != nil {
			f.waits()
		}
		select {
		case <-f.known:
		case <-f.ctx.Done():
			return
		}
	}
	to, err := new(net.Dialer).DialContext(f.ctx, "tcp", f.to)
	if err != nil {
		return
	}
	defer to.Close()
	var both sync.WaitGroup
	for _, way := range [][2]net.Conn{{to, from}, {from, to}} {
		both.Go(func() {
			_, _ = io.Copy(way[0], way[1])
			if t, ok := way[0].(*net.TCPConn); ok {
				_ = t.CloseWrite()
			}
		})
	}
	both.Wait()
}
