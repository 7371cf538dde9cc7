package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/tenantry/tenantry/infra/local/issuer"
	"github.com/tenantry/tenantry/infra/local/steps"
)

const (
	renamed    = "X-Amzn-Remapped-Www-Authenticate"
	pause      = 200 * time.Millisecond
	insistence = 5 // times that a request is sent which the gateway itself refuses
)

// insist does what a step asks, and asks again while the gateway refuses it by itself, because the stage's rate is exceeded, or because a
// caller sends no more: nothing was done then.
func (w *walk) insist(ctx context.Context, r steps.Request) (*steps.Answer, error) {
	for i := 1; ; i++ {
		a, err := w.do(ctx, r)
		if a == nil || a.Status != http.StatusTooManyRequests || i == insistence {
			return a, err
		}
		wait := pause
		switch {
		case gateways(a):
			w.refused++
		case strings.Contains(a.Header.Get("Ratelimit-Policy"), "-requests"):
			seconds, _ := strconv.Atoi(a.Header.Get("Retry-After")) // without one it asks at once
			wait = time.Duration(seconds) * time.Second
		default:
			return a, err
		}
		select {
		case <-ctx.Done():
			return a, err
		case <-time.After(wait):
		}
	}
}

// do sends a request, or does what no single one does.
func (w *walk) do(ctx context.Context, r steps.Request) (*steps.Answer, error) {
	switch r.Method {
	case "message":
		return w.message(ctx, r)
	case "issuer":
		return w.issuer(ctx, r)
	case "approve":
		code, state, err := issuer.Approve(ctx, r.Path, identity)
		if err != nil {
			return nil, err
		}
		return steps.JSON(map[string]string{"code": code, "state": state})
	case "link":
		return w.link(ctx, r)
	case "download":
		return w.download(ctx, r.Path)
	case "form":
		return w.form(ctx, r)
	}
	return w.send(ctx, r)
}

// send sends a request. A path may be a whole address, but only of the stage, because the token must not be sent elsewhere.
func (w *walk) send(ctx context.Context, r steps.Request) (*steps.Answer, error) {
	address := r.Path
	if strings.HasPrefix(address, "/") {
		address = w.base + address
	}
	if !strings.HasPrefix(address, w.base+"/") {
		return nil, fmt.Errorf("expected an address of %s", w.base)
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, address, bytes.NewReader(r.Body))
	if err != nil {
		return nil, err
	}
	headers := map[string]string{"Content-Type": r.Type}
	if r.Type == "" && r.Body != nil {
		headers["Content-Type"] = "application/json"
	}
	if access := w.values["access"]; access != nil {
		headers["Authorization"] = fmt.Sprint("Bearer ", access)
	}
	if tenant := w.values["tenant"]; tenant != nil {
		headers["X-Tenant-Id"] = fmt.Sprint(tenant)
	}
	for name, value := range r.Headers {
		headers[name] = value
	}
	for name, value := range headers {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	resp, err := w.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	a := &steps.Answer{Status: resp.StatusCode, Header: resp.Header}
	if a.Body, err = io.ReadAll(resp.Body); err != nil {
		return nil, err
	}
	if challenge := a.Header.Get(renamed); challenge != "" {
		w.renames = true
		a.Header.Set("Www-Authenticate", challenge)
	}
	if gateways(a) {
		return a, fmt.Errorf("expected an answer of the platform, got the gateway's own: %s%s", a, gatewayHint(a.Status))
	}
	if a.Header.Get("X-Request-Id") == "" && !strings.HasPrefix(r.Path, "/_local/") {
		return a, fmt.Errorf("expected an X-Request-Id, got none: %s", a)
	}
	return a, nil
}

// gateways tells whether the gateway made an answer by itself: it has a message and no id of the platform.
func gateways(a *steps.Answer) bool {
	return a.Header.Get("X-Request-Id") == "" && a.Status >= 400 && a.Value("message") != nil && a.Value("detail") == nil
}

// gatewayHint says what an answer of the gateway's own comes from.
func gatewayHint(status int) string {
	switch status {
	case http.StatusTooManyRequests:
		return " (ApiRateLimit or ApiBurstLimit is exceeded)"
	case http.StatusInternalServerError:
		return " (the authorizer or the function failed, or was throttled: see the alarm FunctionThrottlesAlarm)"
	case http.StatusServiceUnavailable:
		return " (the function took longer than 30 seconds, or was throttled)"
	}
	return ""
}

// message finds the newest message to somebody that has what a pattern means. Only this machine shows its messages.
func (w *walk) message(ctx context.Context, r steps.Request) (*steps.Answer, error) {
	to, expression, _ := strings.Cut(r.Path, " ")
	pattern, err := regexp.Compile(expression)
	if err != nil {
		return nil, err
	}
	a, err := w.send(ctx, steps.Request{Method: http.MethodGet, Path: "/_local/outbox/"})
	if err != nil {
		return nil, err
	}
	var list []struct{ To, Text string }
	if err := json.Unmarshal(a.Body, &list); err != nil {
		return nil, err
	}
	for _, m := range list {
		if found := pattern.FindString(m.Text); m.To == to && found != "" {
			return steps.JSON(map[string]string{"found": found})
		}
	}
	return nil, errors.New("no such message")
}

// identity is whose account at the issuer the walk has.
const identity = "smoke@gmail.example"

// issuer asks where an identity is linked: at the issuer of the stage, and here if that one is on this machine. People have to sign in at
// others.
func (w *walk) issuer(ctx context.Context, r steps.Request) (*steps.Answer, error) {
	r.Method = http.MethodGet
	a, err := w.send(ctx, r)
	if err != nil || a.Status != http.StatusOK {
		return a, err
	}
	to, err := url.Parse(a.Header.Get("Location"))
	if err != nil || len(a.Body) > 0 || to.Query().Get("state") == "" || to.Query().Get("code_challenge_method") != "S256" {
		return nil, fmt.Errorf("sent to %q with the body %q", to, a.Body)
	}
	at := map[string]string{"at": to.String()}
	if address, err := netip.ParseAddr(to.Hostname()); err == nil && address.IsLoopback() {
		at["here"] = to.String()
	}
	return steps.JSON(at)
}

// link links the identity, which a person may have linked already: then the answer has no e-mail address.
func (w *walk) link(ctx context.Context, r steps.Request) (*steps.Answer, error) {
	r.Method = http.MethodPost
	a, err := w.send(ctx, r)
	switch {
	case err != nil:
	case a.Value("code") == "identity_linked":
		return steps.JSON(struct{}{})
	case a.Status == http.StatusOK && a.Value("email") != identity:
		err = fmt.Errorf("it says %s", a)
	}
	return a, err
}

// download reads a file from the bucket, which must not get the token, and answers its hash.
func (w *walk) download(ctx context.Context, address string) (*steps.Answer, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	a, err := w.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer a.Body.Close()
	if w.file, err = io.ReadAll(a.Body); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(w.file)
	return steps.JSON(map[string]string{"sha256": hex.EncodeToString(sum[:])})
}

// form sends the file that was downloaded as a form does, with the step's body after it.
func (w *walk) form(ctx context.Context, r steps.Request) (*steps.Answer, error) {
	var form bytes.Buffer
	parts := multipart.NewWriter(&form) // it writes to memory: it can't fail
	part, _ := parts.CreateFormFile("file", "sealed.pdf")
	_, _ = part.Write(append(w.file, r.Body...))
	_ = parts.Close()
	r.Method, r.Body, r.Type = http.MethodPost, form.Bytes(), parts.FormDataContentType()
	return w.send(ctx, r)
}
