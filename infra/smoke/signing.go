package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"regexp"
	"strings"
	"time"
)

const (
	templates = documents + "templates/"
	verify    = documents + "verify/"
)

// signing has a document of an order signed, by staff and by its signer. Elsewhere than on this machine, where nobody can
// read the signer's code, it ends when the signer has rejected. It deletes what it makes, sealed or not.
func (w *walk) signing(ctx context.Context, order string) {
	name := fmt.Sprintf("Smoke test %d", time.Now().UnixMicro())
	phone := fmt.Sprintf("+7701%07d", time.Now().UnixMicro()%10_000_000)
	client := w.step(ctx, "a client who signs", post(clients, body(map[string]string{"name": name, "phone": phone})), status(201))
	template := w.step(ctx, "a template is created", post(templates, body(map[string]string{
		"name": name, "content_type": "orderrequest", "content": "<h1>Order {{order.number}}</h1>", "footer": "{page} / {pages}",
	})), status(201), field("name", name))
	if client == nil || template == nil || order == "" {
		return
	}
	w.step(ctx, "and one of what isn't there is not", post(templates, body(map[string]string{
		"name": name, "content_type": "orderrequest", "content": "{{order.nothing}}",
	})), status(400), has("content"))
	path := templates + template.text("id") + "/"
	w.step(ctx, "and shown", post(path+"preview/", ``), status(302), headerSet("Location"))
	made := w.step(ctx, "a document is made of it", post(documents, fmt.Sprintf(
		`{"name":%q,"template":%s,"content_type":"OrderRequest","object_id":%s}`, name, template.text("id"), order)),
		status(201), field("files.0.extra.content_type", "application/pdf"))
	if made != nil {
		w.signed(ctx, documents+made.text("id")+"/", client)
		w.step(ctx, "the document is deleted", remove(documents+made.text("id")+"/"), status(204), empty)
	}
	w.step(ctx, "and the template", remove(path), status(204), empty)
	w.step(ctx, "and the client", remove(clients+client.text("id")+"/"), status(204), empty)
}

// signed has a client sign a document: rejected first, reopened, and then signed by a code.
func (w *walk) signed(ctx context.Context, document string, client *answer) {
	sign := w.step(ctx, "it gets a signer", post(document+"signs/", `{"client":`+client.text("id")+`,"method_allowed":[1]}`),
		status(201), field("status", "0"), has("uuid"))
	if sign == nil {
		return
	}
	phone := client.text("phone")
	staff, own := document+"signs/"+sign.text("id")+"/", documents+sign.text("uuid")+"/"
	if w.local { // elsewhere the telephone may be anybody's
		w.step(ctx, "who is sent the link", post(staff+"sms/", ``), status(200), field("status", "1"))
		w.until(ctx, lag, "which arrives", get("/_local/outbox/"), status(200), message(phone, regexp.MustCompile(sign.text("uuid")), nil))
	}
	w.step(ctx, "and leads to a page", get("/sign/"+sign.text("uuid")+"/").with("Accept", "text/html"), status(200),
		header("Cache-Control", "no-store"), headerSet("Content-Security-Policy"))
	opened := w.step(ctx, "which is opened", post(own+"open/", ``), status(200), field("sign.status", "2"))
	if opened == nil {
		return
	}
	read := body(map[string]string{"sha256": opened.text("file.sha256"), "language": "en"})
	w.step(ctx, "the signer rejects", post(own+"reject/", `{"reason":"Smoke"}`), status(200), field("sign.status", "4"))
	w.step(ctx, "and can't sign then", post(own+"sign/", read), status(409), field("code", "status"))
	w.step(ctx, "until it is reopened", post(staff+"reopen/", ``), status(200), field("status", "0"))
	if !w.local {
		return
	}
	w.step(ctx, "it is opened again", post(own+"open/", ``), status(200), field("sign.status", "2"))
	unread := body(map[string]string{"sha256": strings.Repeat("0", 64)})
	w.step(ctx, "no code is for another file", post(own+"sign/", unread), status(409), field("code", "changed"))
	asked := w.step(ctx, "a code is asked for", post(own+"sign/", read), status(200), has("confirm_id"))
	if asked == nil {
		return
	}
	var code string
	w.until(ctx, lag, "and arrives", get("/_local/outbox/"), status(200), message(phone, regexp.MustCompile(`\b\d{6}\b`), &code))
	confirm := func(code string) request {
		return post(own+"sign/confirm/", body(map[string]string{"confirm_id": asked.text("confirm_id"), "code": code}))
	}
	if code == "" {
		return
	}
	w.step(ctx, "another one is wrong", confirm(code[:5]), status(400), has("code"))
	if w.step(ctx, "it signs", confirm(code), status(200), field("sign.status", "5"), field("sign.method", "1")) == nil {
		return
	}
	w.sealed(ctx, document, own, client)
}

// sealed verifies the sealed file of a document, as anybody can.
func (w *walk) sealed(ctx context.Context, document, own string, client *answer) {
	sealed := w.until(ctx, lag, "it is sealed", get(own), status(200), has("sealed"), field("level", "B-T"))
	if sealed == nil {
		return
	}
	sum := sealed.text("sealed.sha256")
	w.step(ctx, "the seal is found by its hash", get(verify+"?sha256="+sum), status(200), field("results.0.kind", "sealed"),
		field("results.0.original", sealed.text("file.sha256")))
	w.step(ctx, "and by that of the original", get(verify+"?sha256="+sealed.text("file.sha256")), status(200),
		field("results.0.kind", "original"), field("results.0.sealed", sum))
	link := w.step(ctx, "the sealed file", get(sealed.text("sealed.file")), status(302), headerSet("Location"))
	if link == nil {
		return
	}
	content, err := w.download(ctx, link.Header.Get("Location"))
	if got := sha256.Sum256(content); err != nil || hex.EncodeToString(got[:]) != sum {
		w.fail("the sealed file", fmt.Errorf("it is %x, and not %s: %w", got, sum, err))
		return
	}
	w.step(ctx, "is verified", file(verify, "sealed.pdf", content), status(200), field("results.0.kind", "sealed"))
	w.step(ctx, "and changed, is not", file(verify, "sealed.pdf", append(content, ' ')), status(200), field("found", "false"))
	w.until(ctx, lag, "it is the client's agreement", get(clients+client.text("id")+"/"), status(200), field("signed", "true"))
	w.step(ctx, "the document takes no more", post(document+"company/", ``), status(409), field("code", "signed"))
}

// file sends a file as a form does.
func file(path, name string, content []byte) request {
	var form bytes.Buffer
	w := multipart.NewWriter(&form) // it writes to memory: it can't fail
	part, _ := w.CreateFormFile("file", name)
	_, _ = part.Write(content)
	_ = w.Close()
	return request{method: http.MethodPost, path: path, body: form.Bytes()}.with("Content-Type", w.FormDataContentType())
}

// download reads a file from the bucket, which must not get the token.
func (w *walk) download(ctx context.Context, address string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	a, err := w.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer a.Body.Close()
	return io.ReadAll(a.Body)
}

// message expects a message to somebody with what a pattern means, and gives that to the caller who wants it.
func message(to string, pattern *regexp.Regexp, into *string) check {
	return func(a *answer) error {
		var list []struct{ To, Text string }
		if err := json.Unmarshal(a.body, &list); err != nil {
			return err
		}
		for _, m := range list {
			if found := pattern.FindString(m.Text); m.To == to && found != "" {
				if into != nil {
					*into = found
				}
				return nil
			}
		}
		return fmt.Errorf("expected a message to %s with %s", to, pattern)
	}
}
