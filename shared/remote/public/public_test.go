package public

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/say"
)

// receiver is a server of TLS on this machine, and a client that may reach it and trusts it.
type receiver struct {
	*httptest.Server
	client *Client
	port   string
}

func serve(t *testing.T, handler http.HandlerFunc) receiver {
	t.Helper()
	return secure(t, handler, func(*httptest.Server) {})
}

func secure(t *testing.T, handler http.HandlerFunc, change func(*httptest.Server)) receiver {
	t.Helper()
	s := httptest.NewUnstartedServer(handler)
	s.EnableHTTP2 = true // beside HTTP/1.1, as receivers do
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	change(s)
	s.StartTLS()
	t.Cleanup(s.Close)
	c := client(Options{Loopback: true, UserAgent: "Test/1"})
	c.transport.TLSClientConfig.RootCAs = s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	t.Cleanup(c.transport.CloseIdleConnections)
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	return receiver{s, c, port}
}

func (r receiver) post(t *testing.T) (Answer, error) {
	t.Helper()
	return r.client.Post(t.Context(), r.URL+"/hooks", nil, []byte("{}"))
}

// hang waits until the caller hangs up, which a server sees once it has read the body.
func hang(r *http.Request) {
	io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
}

func TestPost(t *testing.T) {
	var got *http.Request
	var body []byte
	r := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
		w.Header().Set("Set-Cookie", "a=b")
		w.WriteHeader(http.StatusAccepted)
		io.WriteString(w, "thanks")
	})
	ticks := time.Unix(0, 0)
	r.client.options.Now = func() time.Time { ticks = ticks.Add(time.Second); return ticks }
	for range 2 {
		header := http.Header{"Webhook-Id": {"evt_7_1"}, "User-Agent": {"Other/1"}, "Host": {"tenantry.example"}}
		answer, err := r.client.Post(t.Context(), r.URL+"/hooks?a=b%20c", header, []byte(`{"a":1}`))
		if err != nil || answer != (Answer{202, "thanks", time.Second}) {
			t.Fatalf("%+v, %v", answer, err)
		}
		if got.Proto != "HTTP/1.1" || got.Method != "POST" || got.RequestURI != "/hooks?a=b%20c" || got.Host != "127.0.0.1:"+r.port ||
			string(body) != `{"a":1}` || got.ContentLength != 7 {
			t.Errorf("%s %s %s %s %s", got.Proto, got.Method, got.RequestURI, got.Host, body)
		}
		sent := make([]string, 0, len(got.Header))
		for name, values := range got.Header {
			sent = append(sent, name+": "+strings.Join(values, "|"))
		}
		slices.Sort(sent)
		if text := strings.Join(sent, ", "); text != "Content-Length: 7, User-Agent: Test/1, Webhook-Id: evt_7_1" {
			t.Error(text)
		}
		if len(header) != 3 || header.Get("User-Agent") != "Other/1" {
			t.Errorf("the caller's header is changed: %v", header)
		}
	}
}

func TestAnswers(t *testing.T) {
	whole := strings.Repeat("a", kept)
	for name, row := range map[string]struct {
		status int
		body   string
		want   string
	}{
		"nothing":                   {204, "", ""},
		"a redirect":                {302, "", ""},
		"a redirect for good":       {308, "", ""},
		"gone":                      {410, "no", "no"},
		"an error":                  {500, "no", "no"},
		"1 KB":                      {200, whole, whole},
		"more":                      {200, whole + "b", whole},
		"no UTF-8":                  {200, "a\xff\xfeb", "a\uFFFDb"},
		"a letter on the edge":      {200, whole[1:] + "я", whole[1:]},
		"a letter within":           {200, whole[2:] + "я", whole[2:] + "я"},
		"a long letter on the edge": {200, whole[3:] + "😀", whole[3:]},
		"half a letter":             {200, "я"[:1], "\uFFFD"},
		"each second byte is none":  {200, strings.Repeat("a\xff", kept/2), strings.Repeat("a\uFFFD", kept/4)},
		"64 KB":                     {200, strings.Repeat("a", most), whole},
		"1 MB":                      {200, strings.Repeat("a", 1<<20), whole},
	} {
		t.Run(name, func(t *testing.T) {
			var called atomic.Int32
			r := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				called.Add(1)
				w.Header().Set("Location", "/elsewhere")
				w.Header().Set("Content-Encoding", "gzip") // which nobody has asked for
				w.WriteHeader(row.status)
				io.WriteString(w, row.body)
			})
			answer, err := r.post(t)
			if err != nil || answer.Status != row.status || answer.Body != row.want || called.Load() != 1 {
				t.Errorf("%d, %d bytes: %.20q, %v, called %d times", answer.Status, len(answer.Body), answer.Body, err, called.Load())
			}
		})
	}
}

// Each row is a receiver that wants to keep us, or has us read without an end.
func TestBounds(t *testing.T) {
	begin := func(w http.ResponseWriter, status int, text string) {
		w.WriteHeader(status)
		io.WriteString(w, text)
		w.(http.Flusher).Flush()
	}
	hijack := func(w http.ResponseWriter, text string) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		defer conn.Close()
		io.WriteString(conn, text)
		io.Copy(io.Discard, conn) // until we hang up
	}
	for name, row := range map[string]struct {
		handler http.HandlerFunc
		patient bool
		want    Answer
		err     say.Message
	}{
		"it hangs": {func(_ http.ResponseWriter, r *http.Request) { hang(r) }, false, Answer{}, errSlowAnswer},
		"it dribbles its body": {func(w http.ResponseWriter, _ *http.Request) {
			begin(w, 200, "")
			for err := error(nil); err == nil; time.Sleep(time.Millisecond) {
				io.WriteString(w, "a")
				err = http.NewResponseController(w).Flush()
			}
		}, false, Answer{Status: 200, Body: "a"}, errSlowAnswer},
		"it stops in its body": {func(w http.ResponseWriter, r *http.Request) {
			begin(w, 201, "abc")
			hang(r)
		}, false, Answer{Status: 201, Body: "abc"}, errSlowAnswer},
		"it dribbles its headers": {func(w http.ResponseWriter, _ *http.Request) {
			conn, _, _ := w.(http.Hijacker).Hijack()
			defer conn.Close()
			_, err := io.WriteString(conn, "HTTP/1.1 200 OK\r\n")
			for n := 0; err == nil; n++ {
				time.Sleep(time.Millisecond)
				_, err = fmt.Fprintf(conn, "a: b\r\n")
			}
		}, false, Answer{}, errSlowAnswer},
		"its body has no end": {func(w http.ResponseWriter, _ *http.Request) {
			for {
				if _, err := io.WriteString(w, strings.Repeat("a", 4096)); err != nil {
					return
				}
			}
		}, true, Answer{Status: 200, Body: strings.Repeat("a", kept)}, ""},
		"its headers are large": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("A", strings.Repeat("a", 17<<10))
		}, true, Answer{}, errUnread},
		"its headers are many": {func(w http.ResponseWriter, _ *http.Request) {
			for n := range 2000 {
				w.Header().Set(fmt.Sprintf("A-%d", n), "a")
			}
		}, true, Answer{}, errUnread},
		"its headers have no end": {func(w http.ResponseWriter, _ *http.Request) {
			hijack(w, "HTTP/1.1 200 OK\r\n"+strings.Repeat("a: b\r\n", 10_000))
		}, true, Answer{}, errUnread},
		"it promises without an end": {func(w http.ResponseWriter, _ *http.Request) {
			hijack(w, strings.Repeat("HTTP/1.1 103 Early Hints\r\na: b\r\n\r\n", 10_000))
		}, true, Answer{}, errUnread},
		"its trailers have no end": {func(w http.ResponseWriter, _ *http.Request) {
			hijack(w, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n"+strings.Repeat("a: b\r\n", 10_000))
		}, true, Answer{Status: 200, Body: "a"}, ""},
		"it changes the protocol": {func(w http.ResponseWriter, _ *http.Request) {
			hijack(w, "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n")
		}, true, Answer{Status: 101}, ""},
		"it breaks off": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "10")
			io.WriteString(w, "abc")
		}, true, Answer{Status: 200, Body: "abc"}, ""},
		"it hangs up":       {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, true, Answer{}, errClosed},
		"it speaks no HTTP": {func(w http.ResponseWriter, _ *http.Request) { hijack(w, "220 mail.example ESMTP\r\n") }, true, Answer{}, errUnread},
	} {
		t.Run(name, func(t *testing.T) {
			r := serve(t, row.handler)
			if !row.patient {
				r.client.patience = 100 * time.Millisecond
			}
			answer, err := r.post(t)
			answer.Took = 0
			if strings.Contains(name, "dribbles its body") {
				answer.Body = strings.TrimRight(answer.Body, "a") + "a"
			}
			if answer != row.want || said(err) != row.err {
				t.Errorf("%.100v, %v", answer, err)
			}
		})
	}
}

// Who takes a connection and says nothing of TLS, or never reads, is given up too.
func TestSilence(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	c := client(Options{Loopback: true})
	c.transport.TLSHandshakeTimeout = 20 * time.Millisecond
	if _, err := c.Post(t.Context(), "https://"+silent.Addr().String(), nil, nil); said(err) != errSlowDial {
		t.Error(err)
	}
	c.patience = 20 * time.Millisecond
	if _, err := c.Post(t.Context(), "http://"+silent.Addr().String(), nil, make([]byte, 10<<20)); said(err) != errSlowAnswer {
		t.Error(err)
	}
	c.patience, c.dialer.Timeout = time.Minute, time.Nanosecond
	if _, err := c.Post(t.Context(), "http://"+silent.Addr().String(), nil, nil); said(err) != errSlowDial {
		t.Error(err)
	}
	silent.Close()
	if err := reason(&net.OpError{Op: "dial", Err: syscall.ENETUNREACH}); err != errUnreached {
		t.Error(err)
	}
	c.dialer.Timeout = dialTime
	if _, err := c.Post(t.Context(), "http://"+silent.Addr().String(), nil, nil); said(err) != errRefused {
		t.Error(err)
	}
}

// A caller that gives up is told so; it is not the receiver's fault.
func TestGivenUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := serve(t, func(_ http.ResponseWriter, r *http.Request) { cancel(); hang(r) })
	_, err := r.client.Post(ctx, r.URL, nil, nil)
	if _, ours := errors.AsType[say.Message](err); ours || !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestCertificates(t *testing.T) {
	fine := func(http.ResponseWriter, *http.Request) {}
	r := serve(t, fine)
	if _, err := r.client.Post(t.Context(), "https://localhost:"+r.port, nil, nil); said(err) != errOtherHost {
		t.Errorf("another host: %v", err)
	}
	if _, err := client(Options{Loopback: true}).Post(t.Context(), r.URL, nil, nil); said(err) != errAuthority {
		t.Errorf("an unknown authority: %v", err)
	}
	r.client.transport.TLSClientConfig.Time = func() time.Time { return time.Date(2100, time.January, 1, 0, 0, 0, 0, time.UTC) }
	if _, err := r.post(t); said(err) != errExpired {
		t.Errorf("in 2100: %v", err)
	}
	old := secure(t, fine, func(s *httptest.Server) {
		s.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}
	})
	if _, err := old.post(t); said(err).Error() != "TLS: protocol version not supported." {
		t.Errorf("TLS 1.1: %v", err)
	}
	plain := httptest.NewServer(http.HandlerFunc(fine))
	defer plain.Close()
	if _, err := r.client.Post(t.Context(), "https://"+plain.Listener.Addr().String(), nil, nil); said(err) != errNoTLS {
		t.Errorf("no TLS: %v", err)
	}
}

// A proxy of the environment would connect for us, unchecked.
func TestProxy(t *testing.T) {
	var asked atomic.Int32
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer proxy.Close()
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"} {
		t.Setenv(name, proxy.URL)
	}
	zone := names{asked: map[string]int{}, answers: map[string][][]string{"receiver.example": {{"10.0.0.1"}}}}
	c := client(Options{Loopback: true})
	c.dialer.Resolver = zone.resolver(t)
	if _, err := c.Post(t.Context(), "https://receiver.example/", nil, nil); said(err) != errNotPublic || asked.Load() != 0 {
		t.Errorf("%v, the proxy was asked %d times", err, asked.Load())
	}
	if c.transport.Proxy != nil { // package http reads the environment once, maybe before this test
		t.Error("the transport looks for a proxy")
	}
}

// A kept connection that the receiver has closed in the meantime is no failure.
func TestKeptConnections(t *testing.T) {
	var connections, requests atomic.Int32
	r := secure(t, func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1) == 3 {
			panic(http.ErrAbortHandler)
		}
		io.WriteString(w, strings.Repeat("a", 10*kept)) // read to its end, more than is shown
		if values, sent := r.Header["X-Idempotency-Key"]; sent {
			t.Errorf("a key is sent: %q", values)
		}
	}, func(s *httptest.Server) {
		s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				connections.Add(1)
			}
		}
	})
	for call, want := range []int32{1, 1, 2} { // the third is on a connection that is closed
		if answer, err := r.post(t); err != nil || answer.Status != 200 || connections.Load() != want {
			t.Errorf("call %d: %d, %v, over %d connections", call+1, answer.Status, err, connections.Load())
		}
	}
}

// Thousands of receivers are not thousands of connections.
func TestIdleConnections(t *testing.T) {
	changed := make(chan int, 1000)
	var open atomic.Int32
	c := client(Options{Loopback: true})
	defer c.transport.CloseIdleConnections()
	for range idle + 10 {
		s := httptest.NewUnstartedServer(http.NotFoundHandler())
		s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
			switch state {
			case http.StateNew:
				changed <- int(open.Add(1))
			case http.StateClosed:
				changed <- int(open.Add(-1))
			case http.StateActive, http.StateIdle, http.StateHijacked:
			}
		}
		s.Start()
		defer s.Close()
		if answer, err := c.Post(t.Context(), s.URL, nil, nil); err != nil || answer.Status != http.StatusNotFound {
			t.Fatal(answer, err)
		}
	}
	for events := 0; events < idle+20; events++ { // each opened one, and ten were closed
		select {
		case <-changed:
		case <-time.After(10 * time.Second):
			t.Fatalf("%d connections are open", open.Load())
		}
	}
	if open.Load() != idle {
		t.Errorf("%d connections are open", open.Load())
	}
}
