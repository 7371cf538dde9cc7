package filestest

import (
	"net/http"
	"testing"

	"github.com/tenantry/tenantry/shared/web/webtest"
)

// Announce announces an upload. Its bytes are not stored yet.
func Announce(c *webtest.Client, name, contentType string, size int) *webtest.Answer {
	return c.Post("/v2/documents/uploads/", map[string]any{"name": name, "content_type": contentType, "size": size}).
		Status(http.StatusCreated)
}

// Store sends the bytes of an upload as the announcement's answer says.
func Store(t testing.TB, announced *webtest.Answer, bytes string) {
	t.Helper()
	header := map[string]string{"Content-Type": announced.Text("headers.Content-Type")}
	if status, answer, _ := Send(t, announced.Text("method"), announced.Text("url"), bytes, header); status != http.StatusOK {
		t.Fatalf("upload: %d %s", status, answer)
	}
}

// Upload uploads a file through the API, as a client would, and returns its uri.
func Upload(t testing.TB, c *webtest.Client, name, contentType, bytes string) string {
	t.Helper()
	announced := Announce(c, name, contentType, len(bytes))
	Store(t, announced, bytes)
	return announced.Text("file")
}
