package page

import (
	"slices"
	"strconv"
	"strings"
)

// signBody writes the page of a signer. All panels are there; the script shows the one of the step, and without it none
// is shown but what the document is and what is missing.
func signBody(m *markup, t texts, v *View) {
	p := t.Page
	m.add(`<nav aria-label="%s"><a class="skip" href="#signing">%s</a></nav>`, p["skip"], p["skip"])
	m.top(t, brand(v))
	asks := fill(p["asks"], "company", v.Company.Name)
	if v.Withdrawn != nil { // nobody is asked any more
		asks = fill(v.Company.Name)
	}
	m.add(`<main><div class="title"><p class="asks">%s</p><h1 id="name">%s</h1><p class="soft">%s</p></div><div class="columns">`,
		asks, v.Name, fill(p["dated"], "date", day(v.CreatedAt, v.Company.TimeZone)))
	documentSection(m, t, v)
	m.add(`<section class="signing" id="signing" tabindex="-1" aria-labelledby="signing-heading">`+
		`<h2 id="signing-heading">%s</h2>`, p["signing"])
	m.add(`<p class="soft">%s</p>`, fill(p["signer"], "name", v.Sign.Name))
	m.add(`<p id="state" class="state" data-step="%s" role="status">%s</p>`,
		v.step(), fill(t.said.Steps[v.step()], "date", stamp(v.when())))
	m.add(`<noscript><p class="note">%s</p></noscript>`, p["no_script"])
	m.add(`<p id="says" class="says" role="alert"></p>`)
	choosePanel(m, t, v)
	codePanel(m, t, v)
	donePanel(m, t, v)
	rejectPanel(m, t)
	signers(m, t, v)
	contact(m, t, v.Company)
	m.add("</section></div></main>")
	m.add(`<nav aria-label="%s"><a class="to-signing" id="to-signing" href="#signing" hidden>%s</a></nav>`, p["signing"], p["skip"])
}

// brand is the company, with its logo where that is one of ours.
func brand(v *View) plain {
	m := new(markup)
	if logo := v.Company.Logo; logo != nil && isOurs(*logo) {
		m.add(`<img class="logo" src="%s" alt="" width="40" height="40">`, *logo)
	}
	m.add("<span>%s</span>", v.Company.Name)
	return plain(m.String())
}

func documentSection(m *markup, t texts, v *View) {
	p := t.Page
	m.add(`<section class="document" aria-labelledby="document-heading"><div class="bar">`+
		`<h2 id="document-heading">%s</h2>`, p["document"])
	if v.File != nil {
		m.add(`<a class="open" id="file" href="%s" target="_blank" rel="noopener">%s</a>`, v.address(v.File), p["open"])
	}
	m.add(`<div class="zoom" id="zoom" role="group" aria-label="%s" hidden>`+
		`<button type="button" id="zoom-out" aria-label="%s">−</button><output id="zoom-is">100 %%</output>`+
		`<button type="button" id="zoom-in" aria-label="%s">+</button></div>`, p["zoom"], p["zoom_out"], p["zoom_in"])
	missing := ""
	if v.File == nil {
		missing = p["no_file"]
	}
	m.add(`</div><p id="document-says" class="soft" role="status">%s</p>`, missing)
	m.add(`<div id="pages" class="pages" role="group" aria-label="%s"></div></section>`, p["pages"])
}

// choosePanel is where the signer chooses how to sign, and agrees.
func choosePanel(m *markup, t texts, v *View) {
	p, ways := t.Page, v.methods()
	if slices.Contains(v.Sign.Allowed, bySMS) && v.Sign.Phone == nil {
		m.add(`<p class="note" id="no-phone">%s</p>`, p["no_phone"])
	}
	if slices.Contains(ways, byEGov) {
		m.add(`<p class="note" id="no-egov" hidden>%s</p>`, p["egov_computer"])
	}
	m.add(`<form id="choose" class="panel" novalidate hidden>`)
	if len(ways) > 1 {
		m.add(`<fieldset class="ways"><legend>%s</legend>`, p["method"])
	} else {
		m.add(`<div class="ways" hidden>`)
	}
	for _, way := range ways {
		value, name, hint := "egov", p["by_egov"], fill(p["by_egov_hint"])
		if way == bySMS {
			value, name, hint = "sms", p["by_sms"], fill(p["by_sms_to"], "phone", *v.Sign.Phone)
		}
		m.add(`<label class="way"><input type="radio" name="way" value="%s"><span><b>%s</b> <small>%s</small></span></label>`,
			value, name, hint)
	}
	if len(ways) > 1 {
		m.add("</fieldset>")
	} else {
		m.add("</div>")
	}
	consent(m, t, "sms", v.Consent.SMS, p["send_code"])
	consent(m, t, "egov", v.Consent.EGov, p["sign_egov"])
	m.add("</form>")
}

func consent(m *markup, t texts, way string, c Consent, button string) {
	lang := c.Language
	if lang == "" {
		lang = t.lang
	}
	m.add(`<div class="consent" data-way="%s" hidden><label class="agree"><input type="checkbox" id="agree-%s" `+
		`aria-describedby="agree-%s-wrong"><span lang="%s">%s</span></label>`, way, way, way, lang, c.Text)
	m.add(`<p class="wrong" id="agree-%s-wrong"></p><button type="submit" class="main">%s</button></div>`, way, button)
}

// codePanel is where the signer enters the code.
func codePanel(m *markup, t texts, v *View) {
	p, phone := t.Page, ""
	if v.Sign.Phone != nil {
		phone = *v.Sign.Phone
	}
	m.add(`<form id="code-panel" class="panel" novalidate hidden><label for="code">%s</label>`+
		`<p class="soft" id="code-hint">%s</p>`, p["code"], fill(p["code_hint"], "phone", phone))
	m.add(`<input id="code" name="code" type="text" inputmode="numeric" autocomplete="one-time-code" maxlength="12" ` +
		`required aria-describedby="code-hint code-wrong code-time"><p class="wrong" id="code-wrong" role="alert"></p>` +
		`<p class="soft" id="code-time"></p>`)
	m.add(`<button type="submit" class="main">%s</button><p class="row"><button type="button" id="resend">%s</button> `+
		`<span class="soft" id="resend-time"></span></p>`, p["confirm"], p["resend"])
	if len(v.methods()) > 1 {
		m.add(`<p><button type="button" class="plain" id="back">%s</button></p>`, p["back"])
	}
	m.add("</form>")
}

// donePanel leads to the sealed file, where there is one already. It needs no script.
func donePanel(m *markup, t texts, v *View) {
	p, href, hidden := t.Page, "", plain(" hidden")
	if step := v.step(); step == "sealed" || step == "withdrawn" && v.Sealed != nil {
		href, hidden = v.address(v.Sealed), ""
	}
	m.add(`<div id="done" class="panel"%s><a class="main" id="sealed" href="%s" target="_blank" rel="noopener">%s</a>`+
		`<p><a href="/verify/?lang=%s">%s</a></p></div>`, hidden, href, p["sealed_file"], t.lang, p["verify_link"])
}

func rejectPanel(m *markup, t texts) {
	p := t.Page
	m.add(`<details id="reject" hidden><summary>%s</summary><form id="reject-form" novalidate>`+
		`<label for="reason">%s</label><p class="soft" id="reason-hint">%s</p>`+
		`<textarea id="reason" name="reason" rows="3" maxlength="1000" required `+
		`aria-describedby="reason-hint reason-wrong"></textarea>`, p["reject"], p["reason"], p["reason_hint"])
	m.add(`<p class="wrong" id="reason-wrong" role="alert"></p>`+
		`<button type="submit" class="danger">%s</button></form></details>`, p["reject_now"])
}

// signers lists who signs.
func signers(m *markup, t texts, v *View) {
	m.add(`<h3>%s</h3><ul id="signers" class="signers">`, t.Page["signers"])
	for i, s := range v.Signs {
		m.add(`<li data-status="%s"><span class="who">%s`, strconv.FormatInt(s.Status, 10), s.Name)
		if i == v.own() {
			m.add(" <small>(%s)</small>", t.said.You)
		}
		m.add(`</span> <span class="how">%s`, t.state(s.Status))
		if s.Status == signed && t.method(s.Method) != "" {
			m.add(" <small>(%s)</small>", t.method(s.Method))
		}
		m.add("</span></li>")
	}
	m.add("</ul>")
}

// contact tells how a company is reached.
func contact(m *markup, t texts, c Company) {
	m.add(`<div class="contact"><h3>%s</h3><p>%s`, t.Page["contact"], c.Name)
	if c.BIN != nil && *c.BIN != "" {
		m.add("<br>%s", fill(t.Page["bin"], "bin", *c.BIN))
	}
	if c.Phone != nil && *c.Phone != "" {
		m.add(`<br><a href="tel:%s">%s</a>`, strings.ReplaceAll(*c.Phone, " ", ""), *c.Phone)
	}
	if c.Email != nil && *c.Email != "" {
		m.add(`<br><a href="mailto:%s">%s</a>`, *c.Email, *c.Email)
	}
	m.add("</p></div>")
}
