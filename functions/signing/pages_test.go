package signing_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/functions/signing/page"
)

// TestAssetsOfPages: all that the pages name is served, to be kept for ever.
func TestAssetsOfPages(t *testing.T) {
	w := newWorld(t)
	w.client("Айгүл Серікқызы", "+77011234567")
	w.upload("Lease")
	uuid := w.staff().Post(all+"1/signs/", `{"client":1}`).Status(201).Text("uuid")
	named := regexp.MustCompile(`"(` + page.Assets + `[^"]*)"`)
	found := map[string]bool{}
	for _, path := range []string{"/sign/" + uuid + "/", "/verify/"} {
		for _, m := range named.FindAllStringSubmatch(string(w.public().Get(path).Status(200).Body()), -1) {
			address := m[1]
			if strings.HasSuffix(address, "/") { // of pdf.js
				address += "pdf.worker.min.mjs"
			}
			found[address] = true
			a := w.public().Get(address).Status(200).Writes(0).Header("Cache-Control", "public, max-age=31536000, immutable").
				Header("X-Content-Type-Options", "nosniff")
			if a.Get("Content-Encoding") == "" || len(a.Body()) < 100 {
				t.Errorf("%s: %q, %d bytes", address, a.Get("Content-Encoding"), len(a.Body()))
			}
		}
	}
	if len(found) != 11 {
		t.Errorf("the pages name %v", found)
	}
	w.public().Get(page.Assets + "000000000000/style.css").Status(404)
	w.public().Get(page.Assets + "nothing.js").Status(404)
}
