// Package page makes the two pages that people open: /sign/{uuid}/, where a signer reads a document and signs it, and
// /verify/, where anybody learns whether a file is what was sealed.
//
// A page is HTML that is made here in one of three languages, with a script and a style sheet of our own. Without
// JavaScript it shows who asks, what is signed, a link to the document and what is missing; everything that changes
// something is done by the script, so that a preview of the link changes nothing. The document is drawn by pdf.js, which
// is served from here, too, out of its npm package (pdfjs/generate.mjs).
//
// The package is pure: what is shown is handed to it, and it reads no table, no bucket and no clock.
package page

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"time"
)

//go:generate node pdfjs/generate.mjs

// Settings of the pages, the same for all companies.
type Settings struct {
	// Bucket is the scheme and host from which presigned links lead to bytes.
	Bucket string
	// NCALayer is the address of the signer's own NCALayer; empty: wss://127.0.0.1:13579.
	NCALayer string
}

// nca is where NCALayer listens on the signer's computer.
const nca = "wss://127.0.0.1:13579"

func (s Settings) nca() string {
	if s.NCALayer == "" {
		return nca
	}
	return s.NCALayer
}

// View is what a signer sees: what GET /v2/documents/{uuid}/ answers.
type View struct {
	Name      string     `json:"name"`
	Company   Company    `json:"company"`
	CreatedAt time.Time  `json:"created_at"`
	Signed    bool       `json:"signed"`
	SealedAt  *time.Time `json:"sealed_at"`
	Level     *string    `json:"level"`
	Withdrawn *time.Time `json:"withdrawn"`
	Paused    *string    `json:"paused"` // why nobody can sign now
	File      *File      `json:"file"`
	Sealed    *File      `json:"sealed"`
	Sign      Own        `json:"sign"`
	Signs     []Signer   `json:"signs"` // all of them
	Consent   Consents   `json:"consent"`
}

// Company is who asks to sign.
type Company struct {
	Name  string  `json:"name"`
	BIN   *string `json:"bin"`
	Phone *string `json:"phone"`
	Email *string `json:"email"`
	Logo  *string `json:"logo"` // shown where it is a path of ours
	// TimeZone is the IANA name of the zone in which the company's days begin.
	TimeZone string `json:"timezone"`
}

// File is one file of the document.
type File struct {
	ID          int64  `json:"id"`
	ContentType string `json:"content_type"`
	Size        int64  `json:"size"`
	SHA256      string `json:"sha256"` // in hexadecimal digits
}

// Own is the caller's own signature.
type Own struct {
	UUID      string    `json:"uuid"`
	Name      string    `json:"name"`
	Type      string    `json:"type"`
	Method    int64     `json:"method"`
	Allowed   []int64   `json:"method_allowed"`
	Status    int64     `json:"status"`
	Phone     *string   `json:"phone"` // most of it hidden
	UpdatedAt time.Time `json:"updated_at"`
	Confirm   *Confirm  `json:"confirm"`
}

// Confirm is the code that the signer was sent.
type Confirm struct {
	ID        string    `json:"confirm_id"`
	ExpiresAt time.Time `json:"expires_at"`
	RetryAt   time.Time `json:"retry_at"`
	TriesLeft int64     `json:"tries_left"`
}

// Signer is one of those who sign.
type Signer struct {
	Name   string `json:"name"`
	Method int64  `json:"method"`
	Status int64  `json:"status"`
}

// Consents are the texts that a signer agrees to, by the way of signing.
type Consents struct {
	SMS  Consent `json:"sms"`
	EGov Consent `json:"egov"`
}

// Consent is one of them.
type Consent struct {
	ID       string `json:"id"`
	Language string `json:"language"`
	Text     string `json:"text"`
}

// States of a sign, and ways of signing, as the pages need them.
const (
	confirmation int64 = 3
	rejected     int64 = 4
	signed       int64 = 5

	bySMS  int64 = 1
	byEGov int64 = 2
)

// address is where a file of the document is had.
func (v *View) address(f *File) string {
	return "/v2/documents/" + url.PathEscape(v.Sign.UUID) + "/documents/" + strconv.FormatInt(f.ID, 10) + "/"
}

// own is the place of the caller's own signature in the list of all.
func (v *View) own() int {
	return slices.Index(v.Signs, Signer{v.Sign.Name, v.Sign.Method, v.Sign.Status})
}

// methods returns the ways in which the signer can sign here.
func (v *View) methods() (list []int64) {
	for _, m := range v.Sign.Allowed {
		if m == byEGov || m == bySMS && v.Sign.Phone != nil {
			list = append(list, m)
		}
	}
	return list
}

// step is what the signer can do next. assets/steps.mjs says the same of a view that the script has read; one table
// tests both.
func (v *View) step() string {
	switch {
	case v.Withdrawn != nil:
		return "withdrawn"
	case v.Sign.Status == rejected:
		return "rejected"
	case v.Sign.Status == signed && v.Sealed != nil:
		return "sealed"
	case v.Sign.Status == signed && v.Signed:
		return "sealing"
	case v.Sign.Status == signed:
		return "waiting"
	case v.Paused != nil:
		return "paused"
	case v.File == nil:
		return "nothing"
	case len(v.methods()) == 0:
		return "office"
	case v.Sign.Status == confirmation && v.Sign.Confirm != nil && v.Sign.Phone != nil:
		return "code"
	default:
		return "choose"
	}
}

// when is the time of which a step tells.
func (v *View) when() time.Time {
	switch step := v.step(); {
	case step == "withdrawn":
		return *v.Withdrawn
	case step == "sealed" && v.SealedAt != nil:
		return *v.SealedAt
	}
	return v.Sign.UpdatedAt
}

// Sign makes the page of a signer. lang is ru, kk or en.
func Sign(lang string, v View, s Settings) (html []byte, headers map[string]string) {
	t := textsIn(lang)
	m := open(t, v.Name+" — "+v.Company.Name, &data{
		Language: t.lang, Texts: t.Script, PDFJS: Assets + pdfjsFolder, NCALayer: s.nca(), View: &v,
	}, "sign.mjs", "api.mjs", "dom.mjs", "ncalayer.mjs", "sha256.mjs", "steps.mjs", "viewer.mjs")
	signBody(m, t, &v)
	return m.close(), headersOf(t.lang, policy(s, true))
}

// Verify makes the page that verifies files.
func Verify(lang string, s Settings) (html []byte, headers map[string]string) {
	t := textsIn(lang)
	m := open(t, t.Page["verify_title"], &data{Language: t.lang, Texts: t.Script},
		"verify.mjs", "api.mjs", "dom.mjs", "sha256.mjs", "steps.mjs")
	verifyBody(m, t)
	return m.close(), headersOf(t.lang, policy(s, false))
}

// Gone makes the page of a link that leads to nothing, whatever it led to before.
func Gone(lang string) (html []byte, headers map[string]string) {
	t := textsIn(lang)
	m := open(t, t.Page["gone_title"], nil)
	m.top(t, "")
	m.add(`<main class="narrow"><h1>%s</h1><p>%s</p></main>`, t.Page["gone_title"], t.Page["gone_text"])
	return m.close(), headersOf(t.lang, policy(Settings{}, false))
}

// Expired makes the page of a link that has expired. Of the document it says nothing but whom to ask.
func Expired(lang string, c Company) (html []byte, headers map[string]string) {
	t := textsIn(lang)
	return whomToAsk(t, t.Page["expired_title"], t.Page["expired_text"], c)
}

// Suspended makes the page of a link of a company that is suspended or closed. Of the document it says nothing but whom to ask.
func Suspended(lang string, c Company) (html []byte, headers map[string]string) {
	t := textsIn(lang)
	return whomToAsk(t, t.Page["suspended_title"], t.said.Steps["paused"], c)
}

func whomToAsk(t texts, title, text string, c Company) (html []byte, headers map[string]string) {
	m := open(t, title, nil)
	m.top(t, "")
	m.add(`<main class="narrow"><h1>%s</h1><p>%s</p>`, title, text)
	contact(m, t, c)
	m.add("</main>")
	return m.close(), headersOf(t.lang, policy(Settings{}, false))
}

// data is what a page hands to its script.
type data struct {
	Language string          `json:"language"`
	Texts    json.RawMessage `json:"texts"`
	PDFJS    string          `json:"pdfjs,omitempty"` // the folder of pdf.js
	NCALayer string          `json:"ncalayer,omitempty"`
	View     *View           `json:"view,omitempty"`
}
