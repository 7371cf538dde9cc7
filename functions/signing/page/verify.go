package page

// verifyBody writes the page that verifies files.
func verifyBody(m *markup, t texts) {
	p := t.Page
	m.top(t, "")
	m.add(`<main class="narrow"><h1>%s</h1><p>%s</p>`, p["verify_title"], p["verify_lead"])
	m.add(`<section id="result" class="result" tabindex="-1" aria-labelledby="result-heading" hidden>`+
		`<h2 id="result-heading">%s</h2><p id="result-text"></p><p id="result-detail" class="soft" lang="en"></p>`+
		`<div id="facts"></div></section>`, p["result"])
	m.add(`<p id="says" class="says" role="alert"></p><p id="progress" class="soft" role="status"></p>`)
	m.add(`<noscript><p class="note">%s</p></noscript>`, p["verify_no_script"])
	m.add(`<div class="drop" id="drop" hidden>`+
		`<input type="file" id="pick" accept=".pdf,application/pdf" aria-describedby="privacy">`+
		`<label for="pick">%s</label><p class="soft" aria-hidden="true">%s</p></div>`+
		`<p class="soft" id="privacy">%s</p></main>`, p["verify_choose"], p["verify_drop"], p["verify_privacy"])
}
