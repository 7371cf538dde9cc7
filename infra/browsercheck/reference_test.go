package browsercheck

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// The reference asks nobody but the platform, fills the window, authorizes in one click, finds operations by their summaries, and has the
// guides.
func TestReference(t *testing.T) {
	p := start(t)
	var saw struct {
		Elsewhere, Broken, Guides []string
		Authorized, Curl, Found   string
		Width                     float64
	}
	browse(t, "reference.mjs", plan{Base: p.URL, Chromium: chromium(), Shots: os.Getenv("BROWSERCHECK_SHOTS")}, &saw)
	if len(saw.Elsewhere) > 0 || len(saw.Broken) > 0 {
		t.Errorf("it asks elsewhere: %q; it breaks: %q", saw.Elsewhere, saw.Broken)
	}
	if !strings.HasPrefix(saw.Authorized, "Authorized as "+p.Demo().Username) {
		t.Errorf("a click on the button says %q", saw.Authorized)
	}
	if !strings.Contains(saw.Curl, "/v1/crm/clients/") || !strings.Contains(saw.Curl, "Authorization: Bearer") {
		t.Errorf("the example is %q", saw.Curl)
	}
	if !strings.Contains(saw.Found, "/v1/crm/requests/{id}/action/") || saw.Width < 1280 {
		t.Errorf("%q is found, and %.0f of 1280 pixels are used", saw.Found, saw.Width)
	}
	for _, title := range []string{"First steps", "Orders", "Webhooks", "All rules"} {
		if !slices.ContainsFunc(saw.Guides, func(heading string) bool { return strings.Contains(heading, title) }) {
			t.Errorf("no guide has the title %s: %q", title, saw.Guides)
		}
	}
}
