package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// signIn is the user whose rights the walk uses.
type signIn struct {
	Username string      `json:"username"`
	Password string      `json:"password"`
	Tenant   json.Number `json:"tenant"`
}

const (
	documents = "/v2/documents/"
	noAuth    = "Authentication credentials were not provided."
	realm     = `Bearer realm="api"`
	tooLarge  = 4<<20 + 1
	// lag is the most time after which a list shows a write.
	lag = 10 * time.Second
)

func (w *walk) walk(ctx context.Context, who signIn) {
	w.gateway(ctx)
	w.public(ctx)
	w.refusals(ctx)
	if !w.signIn(ctx, who) {
		return
	}
	w.signedIn(ctx)
	w.google(ctx)
	w.document(ctx)
	w.crm(ctx)
	w.contract(ctx)
	order := w.rental(ctx)
	w.signing(ctx, order)
	w.sms(ctx)
	w.penalty(ctx)
	w.matched(ctx)
	w.metrics(ctx, order)
	w.signOut(ctx)
}

// gateway tells what the stage's gateway does with what AWS's documents leave open: a slash at the end of a path, and the
// header WWW-Authenticate, which API Gateway may rename. Both names pass.
func (w *walk) gateway(ctx context.Context) {
	if w.step(ctx, "a slash at the end", get("/health/"), status(200)) != nil {
		w.seen("the slash at the end of a path reaches the functions")
	}
	w.step(ctx, "and in a group", get(documents), status(401), field("detail", noAuth))
	w.step(ctx, "and none", get("/v2/documents"), status(301), header("Location", documents))
	a := w.step(ctx, "who has to sign in", get(documents), status(401), challenge)
	switch {
	case a == nil:
	case a.Header.Get(asked) != "":
		w.seen("WWW-Authenticate keeps its name")
	default:
		w.seen("the gateway renames WWW-Authenticate to " + renamed + "; clients read that one, or the status")
	}
}

// public checks the operations that need no sign-in.
func (w *walk) public(ctx context.Context) {
	w.step(ctx, "is it up", get("/health/"), status(200))
	w.step(ctx, "the public keys", get("/.well-known/jwks.json"), status(200), has("keys"))
	w.step(ctx, "the API description", get("/v1/openapi.json"), status(200), has("openapi", "paths"))
}

// refusals checks the answers to unknown callers and to requests that are not valid.
func (w *walk) refusals(ctx context.Context) {
	w.step(ctx, "no slash, GET", get("/v2/documents"), status(301), header("Location", documents))
	w.step(ctx, "no slash, POST", post("/v1/auth/login", `{}`), status(308), header("Location", "/v1/auth/login/"))
	w.step(ctx, "no token", get(documents), status(401), challenge, field("detail", noAuth))
	w.step(ctx, "a token that is none", get(documents).with("Authorization", "Bearer x.y.z"), status(401), field("code", "token_not_valid"))
	w.step(ctx, "an unknown path", get("/v1/nothing/at/all/"), status(404), field("detail", "Not found."))
	w.step(ctx, "an unknown path of a group", get(documents+"nothing/at/all/"), status(404), field("detail", "Not found."))
	w.step(ctx, "another method", request{method: "DELETE", path: documents}, status(405),
		header("Allow", "GET, HEAD, POST, OPTIONS"), field("detail", `Method "DELETE" not allowed.`))
	w.step(ctx, "OPTIONS", request{method: "OPTIONS", path: documents}, status(204), header("Allow", "GET, HEAD, POST, OPTIONS"))
	w.step(ctx, "a body that is no JSON", post("/v1/auth/login/", `{"username"`), status(400), has("detail"))
	w.step(ctx, "a body without its fields", post("/v1/auth/login/", `{}`), status(400), has("username", "password"))
	w.step(ctx, "a media type nobody reads", post("/v1/auth/login/", `x`).with("Content-Type", "text/plain"), status(415),
		field("detail", `Unsupported media type "text/plain" in request.`))
	w.step(ctx, "an answer nobody writes", get("/health/").with("Accept", "image/png"), status(406),
		field("detail", "Could not satisfy the request Accept header."))
	w.step(ctx, "a body over 4 MB", request{method: "POST", path: documents, body: bytes.Repeat([]byte(" "), tooLarge)},
		status(413), field("detail", "Request body exceeds 4 MB."))
}

// signIn gets the tokens, and chooses the company for the following steps.
func (w *walk) signIn(ctx context.Context, who signIn) bool {
	if who.Username == "" {
		a := w.step(ctx, "the demo company's sign-in", get("/_local/demo/"), status(200), has("username", "password"))
		if a == nil {
			fmt.Fprintln(w.out, "     no sign-in: set SMOKE_USERNAME and SMOKE_PASSWORD")
			return false
		}
		if err := json.Unmarshal(a.body, &who); err != nil {
			return w.fail("the demo company's sign-in", err)
		}
		w.local = true
	}
	body := func(password string) string {
		encoded, _ := json.Marshal(map[string]string{"username": who.Username, "password": password}) // texts: it can't fail
		return string(encoded)
	}
	w.step(ctx, "a wrong password", post("/v1/auth/login/", body(who.Password+"x")), status(401), has("detail"))
	a := w.step(ctx, "sign-in", post("/v1/auth/login/", body(who.Password)), status(200), has("access", "refresh"))
	if a == nil {
		return false
	}
	w.access, w.refresh = a.text("access"), a.text("refresh")
	companies := w.step(ctx, "my companies", get("/v1/tenant/"), status(200))
	if companies == nil {
		return false
	}
	var list []struct {
		ID json.Number `json:"id"`
	}
	if err := json.Unmarshal(companies.body, &list); err != nil || len(list) == 0 {
		return w.fail("my companies", fmt.Errorf("expected a list with a company, got %s", companies.body))
	}
	if w.tenant = who.Tenant.String(); w.tenant == "" {
		w.tenant = list[0].ID.String()
	}
	return true
}

func (w *walk) signedIn(ctx context.Context) {
	w.step(ctx, "my profile", get("/v1/auth/profile/"), status(200), has("email"))
	w.step(ctx, "another company", get(documents).with("X-Tenant-Id", "999999999999"), status(403),
		field("detail", "You do not have permission to perform this action."))
	w.step(ctx, "a company that is no number", get(documents).with("X-Tenant-Id", "x"), status(400), has("X-Tenant-Id"))
	w.step(ctx, "the documents", get(documents+"?pageSize=1"), status(200), has("count", "next", "previous", "results"))
	w.step(ctx, "the documents, HEAD", request{method: "HEAD", path: documents}, status(200),
		header("Content-Type", "application/json"), empty)
	w.step(ctx, "a page past the end", get(documents+"?page=999999999"), status(404), field("detail", "Invalid page."))
}

// document makes, reads, changes and deletes a document.
func (w *walk) document(ctx context.Context) {
	name := "Smoke test " + time.Now().UTC().Format("20060102T150405.000000")
	created := w.step(ctx, "a document is created", post(documents, `{"name":"`+name+`","content":"<p>Smoke</p>"}`),
		status(201), field("name", name), has("id", "uuid", "files"))
	if created == nil {
		return
	}
	id := created.text("id")
	path := documents + id + "/"
	w.step(ctx, "and read", get(path), status(200), field("name", name))
	w.until(ctx, lag, "and listed first", get(documents+"?pageSize=1"), status(200), field("results.0.name", name))
	w.until(ctx, lag, "and found", get(documents+"?search="+strings.ReplaceAll(name, " ", "%20")), status(200), field("count", "1"))
	w.step(ctx, "and changed", request{method: "PATCH", path: path, body: []byte(`{"name":"` + name + ` again"}`)},
		status(200), field("name", name+" again"))
	if file := created.text("files.0.file"); file != "" {
		w.step(ctx, "and its file is somewhere", get(file), status(302), header("Cache-Control", "private, no-store"),
			headerSet("Location"))
	}
	w.step(ctx, "and deleted", request{method: "DELETE", path: path}, status(204), empty)
	w.step(ctx, "and gone", get(path), status(404), field("detail", "Not found."))
	w.until(
		ctx, lag, "and listed no more", get(documents+"?search="+strings.ReplaceAll(name, " ", "%20")), status(200), field("count", "0"),
	)
}

func (w *walk) signOut(ctx context.Context) {
	renewed := w.step(ctx, "the tokens are renewed", post("/v1/auth/refresh/", `{"refresh":"`+w.refresh+`"}`),
		status(200), has("access", "refresh"))
	if renewed == nil {
		return
	}
	w.access, w.refresh = renewed.text("access"), renewed.text("refresh")
	w.step(ctx, "sign-out", post("/v1/auth/logout/", `{"refresh":"`+w.refresh+`"}`), status(http.StatusOK))
	w.step(ctx, "and the token holds no more", get("/v1/auth/profile/"), status(401), field("code", "token_not_valid"))
}
