package signing_test

import (
	"fmt"
	"testing"

	"github.com/tenantry/tenantry/shared/web/webtest"
)

// What a signer has a link to can be signed, whatever staff makes of the document meanwhile.
func TestSignersKeepAFile(t *testing.T) {
	w := newWorld(t)
	w.client("A", "+77011234567")
	w.upload("Lease")
	w.staff().Post(all+"1/signs/", `{"client":1}`).Status(201)
	was := w.staff().Get(all + "1/").Text("files.0.extra.sha256")
	send := func(contentType, data string) *webtest.Answer {
		return w.staff().Patch(all+"1/", webtest.Multipart(map[string]any{
			"file": webtest.File{Name: "other.pdf", ContentType: contentType, Data: data},
		}))
	}
	send("application/pdf", "this is none").Status(400).Field("code", `"not_pdf"`).Writes(0)
	send("text/plain", "text").Status(400).Field("code", `"not_pdf"`).Writes(0)
	w.staff().Get(all+"1/").Status(200).Field("files.0.extra.sha256", `"`+was+`"`)

	const other = "%PDF-1.7 another one"
	send("application/pdf", other).Status(200).
		Field("files.0.extra.size", fmt.Sprint(len(other)+len("\n% normal"))) // it is written anew, as the first one was
	w.staff().Delete(all + "1/signs/1/").Status(204)
	send("text/plain", "text").Status(200)
}
