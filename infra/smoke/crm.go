package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	points  = "/v1/crm/rental_points/"
	clients = "/v1/crm/clients/"
	fields  = "/v1/crm/settings/custom_fields"
)

// crm walks rental points, custom fields and clients, and deletes what it makes.
func (w *walk) crm(ctx context.Context) {
	name := fmt.Sprintf("Smoke test %d", time.Now().UnixMicro())
	w.point(ctx, name)
	w.customField(ctx, name)
	w.oneClient(ctx, name)
	w.imports(ctx, name)
}

// point makes, reads, changes and deletes a rental point.
func (w *walk) point(ctx context.Context, name string) {
	create := post(points, `{"name":"`+name+`","address":"1 Test Street"}`).with("Idempotency-Key", strings.ReplaceAll(name, " ", "-"))
	created := w.step(ctx, "a rental point is created", create, status(201), field("name", name), headerSet("ETag"))
	if created == nil {
		return
	}
	id, etag := created.text("id"), created.Header.Get("ETag")
	path := points + id + "/"
	w.step(ctx, "and its key makes no second", create, status(201), field("id", id), header("Idempotent-Replayed", "true"))
	other := create
	other.body = []byte(`{"name":"` + name + `","address":"2 Test Street"}`)
	w.step(ctx, "and is no other request's", other, status(422), has("detail"))
	w.step(ctx, "and read", get(path), status(200), field("name", name), header("ETag", etag))
	w.step(ctx, "and not again, if unchanged", get(path).with("If-None-Match", etag), status(304), empty)
	w.until(ctx, lag, "and found", get(points+"?search="+url.QueryEscape(name)), status(200), field("count", "1"))
	patch := request{method: http.MethodPatch, path: path, body: []byte(`{"address":"3 Test Street"}`)}
	w.step(ctx, "and changed", patch.with("If-Match", etag), status(200), field("address", "3 Test Street"))
	w.step(ctx, "and not by who saw an older one", patch.with("If-Match", etag), status(412), has("detail"))
	w.step(ctx, "and deleted", remove(path), status(204), empty)
	w.step(ctx, "and gone", get(path), status(404), field("detail", "Not found."))
	w.until(ctx, lag, "and who did that is known", get("/v1/crm/history/?object=rental_point:"+id), status(200), field("count", "3"))
}

// customField defines a custom field of rental points, sends a value that the field doesn't allow, and deletes the
// field.
func (w *walk) customField(ctx context.Context, name string) {
	created := w.step(
		ctx, "a custom field is defined",
		post(fields+"_list/", `{"key":"rental_point","name":"`+name+`","label":"Smoke","type":"integer"}`), status(201),
		field("name", name),
	)
	if created == nil {
		return
	}
	path := fields + "/" + created.text("id") + "/"
	w.step(ctx, "and enforced", post(points, `{"name":"`+name+`","address":"1 Test Street","extra":{"`+name+`":"many"}}`),
		status(400), field("extra."+name+".0", "A valid integer is required."))
	w.step(ctx, "and taken away", remove(path), status(204), empty)
	w.step(ctx, "and gone", get(path), status(404), field("detail", "Not found."))
}

// oneClient makes, reads, changes and deletes a client.
func (w *walk) oneClient(ctx context.Context, name string) {
	w.step(ctx, "a client with a wrong IIN is refused", post(clients, `{"name":"`+name+`","individual":{"iin":"850515300017"}}`),
		status(400), has("individual"))
	created := w.step(ctx, "a client is created", post(clients, `{"name":"`+name+`","phone":"8 (701) 000-00-01","deposit":5}`),
		status(201), field("phone", "+77010000001"), field("deposit", "5.00"))
	if created == nil {
		return
	}
	path := clients + created.text("id") + "/"
	mine := "name=" + url.QueryEscape(name)
	w.until(ctx, lag, "and found", get(clients+"?phone=87010000001&"+mine), status(200), field("count", "1"))
	w.until(ctx, lag, "and exported", get(clients+"export/?format=csv&"+mine), status(200), field("count", "1"), has("url", "expires_at"))
	w.step(ctx, "and deleted", remove(path), status(204), empty)
	w.step(ctx, "and gone", get(path), status(404), field("detail", "Not found."))
}

// imports tries an import without writing, makes a real one, and deletes its clients.
func (w *walk) imports(ctx context.Context, name string) {
	const path = clients + "import/individual/"
	w.step(
		ctx, "a sheet to fill in", get(clients+"import/template/?kind=individual&format=xlsx"), status(200),
		headerSet("Content-Disposition"),
	)
	rows := fmt.Sprintf(`{"data":[{"name":"%s, one","phone":"8 701 000 00 02"},{"name":"%s, two"}]}`, name, name)
	w.step(ctx, "an import is tried", post(path+"?dry_run=true", rows), status(200), field("created", "2"))
	w.step(ctx, "one with a bad row is refused", post(path, `{"data":[{"name":"`+name+`"},{"phone":"12"}]}`),
		status(400), field("data.1.name.0", "This field is required."))
	mine := get(clients + "?search=" + url.QueryEscape(name))
	w.step(ctx, "and nothing is made by both", mine, status(200), field("count", "0"))
	imported := post(path, rows).with("Idempotency-Key", strings.ReplaceAll(name, " ", "-"))
	w.step(ctx, "an import", imported, status(201), field("data.0.phone", "+77010000002"))
	w.step(ctx, "and its key makes no second", imported, status(201), header("Idempotent-Replayed", "true"))
	list := w.until(ctx, lag, "and its clients are there", mine, status(200), field("count", "2"))
	if list == nil {
		return
	}
	for i, which := range []string{"the one", "the other"} {
		w.step(ctx, which+" is deleted", remove(clients+list.text(fmt.Sprintf("results.%d.id", i))+"/"), status(204), empty)
	}
	w.until(ctx, lag, "and none is listed any more", mine, status(200), field("count", "0"))
}

func remove(path string) request { return request{method: http.MethodDelete, path: path} }
