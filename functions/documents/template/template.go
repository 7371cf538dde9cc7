// Package template is the domain of templates: the texts of a company from which its documents are
// made, with the page that they are printed on.
//
// The texts of a template are one file of the bucket (Text), and its item names the version. So a
// list of templates is small, however long their texts are.
//
// What never goes in here: HTTP, what variables there are (functions/documents/values), and how a
// text and values become a page (functions/documents/merge, functions/render).
package template

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/enum"
	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Subject is what the documents of a template are about.
type Subject string

// The subjects.
const (
	OfClient Subject = "client"
	OfOrder  Subject = "orderrequest"
)

// Values are the subjects.
func (Subject) Values() []enum.Value { return enum.Named(OfClient, OfOrder) }

// Format is the size of a page.
type Format string

// The formats.
const (
	A3     Format = "A3"
	A4     Format = "A4"
	A5     Format = "A5"
	Letter Format = "Letter"
	Legal  Format = "Legal"
)

// Values are the formats.
func (Format) Values() []enum.Value { return enum.Named(A3, A4, A5, Letter, Legal) }

// Most is how many templates a company may have: their list is an array of all.
const Most = 200

// The longest texts, in characters.
const (
	MaxContent = 1_000_000
	MaxEdge    = 10_000 // of the header, and of the footer
)

// maxText is the largest Text as JSON, in bytes: the longest texts of the longest characters.
const maxText = 6*(MaxContent+2*MaxEdge) + 100

// Template is a template as it is stored.
type Template struct {
	record.Meta
	Name     string      `dynamo:"n"`
	About    Subject     `dynamo:"ab"`
	Disabled bool        `dynamo:"di,omitempty"`
	Order    int64       `dynamo:"or"`
	Format   Format      `dynamo:"fo"`
	Margins  Margins     `dynamo:"ma"`
	Points   []int64     `dynamo:"pt,omitempty"`
	Extra    decode.JSON `dynamo:"e"`
	Text     File        `dynamo:"tx"`
}

// Margins are the empty borders of a page, in millimetres.
type Margins struct {
	Top    int64 `json:"top" dynamo:"t"`
	Right  int64 `json:"right" dynamo:"r"`
	Bottom int64 `json:"bottom" dynamo:"b"`
	Left   int64 `json:"left" dynamo:"l"`
}

// Plain is the page of a template that names none, and of documents without a template.
func Plain() (format Format, m Margins) {
	return A4, Margins{Top: 20, Right: 15, Bottom: 20, Left: 20}
}

// File is the version of the file in which the texts are.
type File struct {
	ID      uuid.UUID `dynamo:"o"`
	Version string    `dynamo:"e"`
	SHA256  []byte    `dynamo:"h"`
}

// Text is the texts of a template, as a user wrote them.
type Text struct {
	Content string `json:"content"`
	Header  string `json:"header"`
	Footer  string `json:"footer"`
}

// Part is one of the texts, with its field, and what it is called.
type Part struct {
	Field string
	Says  say.Message
	Text  *string
}

// Parts are the texts, each of which has variables.
func (t *Text) Parts() []Part {
	return []Part{
		{"content", say.TemplatePartContent, &t.Content},
		{"header", say.TemplatePartHeader, &t.Header},
		{"footer", say.TemplatePartFooter, &t.Footer},
	}
}

// Kind is the kind of templates.
func Kind() *record.Kind[*Template] { return declared.Get(declare) }

var declared record.Declared[*Template]

func declare() record.Kind[*Template] {
	return record.Kind[*Template]{
		Kind: kinds.Of(kinds.Template), Most: Most, Shown: func(t *Template) any { return t.Shown() },
		Sorted:     func(a, b *Template) int { return cmp.Compare(a.Order, b.Order) },
		References: references,
		Extras:     record.Free("template", func(t *Template) decode.JSON { return t.Extra }), MaxExtra: record.MaxArrayExtra,
	}
}

// references are the rental points that use a template.
func references(t *Template) (list []record.Reference) {
	for i, id := range t.Points {
		list = append(list, record.Reference{Field: "points." + strconv.Itoa(i), Kind: kinds.RentalPoint, ID: id})
	}
	return list
}

// Shown is what the history sees of a template: of its texts their hash alone.
type Shown struct {
	Name        string      `json:"name"`
	ContentType Subject     `json:"content_type"`
	Status      Status      `json:"status"`
	Order       int64       `json:"order"`
	Format      Format      `json:"format"`
	Margins     Margins     `json:"margins"`
	Points      []int64     `json:"points"`
	Extra       decode.JSON `json:"extra"`
	Text        string      `json:"text_sha256"`
}

// Shown returns what the history sees of a template.
func (t *Template) Shown() Shown {
	return Shown{
		Name: t.Name, ContentType: t.About, Status: t.Status(), Order: t.Order, Format: t.Format, Margins: t.Margins,
		Points: append([]int64{}, t.Points...), Extra: t.Extra, Text: hex.EncodeToString(t.Text.SHA256),
	}
}

// Status tells whether documents are made of a template.
type Status string

// The statuses of a template. Documents are made of active ones.
const (
	Active   Status = "active"
	Disabled Status = "disabled"
)

// Values are the statuses.
func (Status) Values() []enum.Value { return enum.Named(Active, Disabled) }

// Status is the status of a template as callers see it.
func (t *Template) Status() Status {
	if t.Disabled {
		return Disabled
	}
	return Active
}

// KindOf is the kind of records that the documents of a template are about.
func KindOf(about Subject) kinds.Kind {
	if about == OfClient {
		return kinds.Of(kinds.Client)
	}
	return kinds.Of(kinds.Order)
}

// Read reads the texts of a template.
func (t *Template) Read(ctx context.Context, from *files.Store, company tenant.ID) (text Text, err error) {
	data, err := from.Get(ctx, company, t.Text.ID, t.Text.Version, maxText)
	if err == nil {
		err = json.Unmarshal(data, &text)
	}
	if err != nil {
		return Text{}, fmt.Errorf("template: texts of %d: %w", t.ID, err)
	}
	return text, nil
}

// Write stores texts and makes them the template's. Equal texts have one name in the bucket, so a unit
// of work that is tried again only stores another version of them.
func (t *Template) Write(ctx context.Context, to *files.Store, company tenant.ID, text Text) error {
	data, err := json.Marshal(text)
	if err != nil {
		return fmt.Errorf("template: %w", err)
	}
	sum := sha256.Sum256(data)
	if string(sum[:]) == string(t.Text.SHA256) {
		return nil
	}
	o, err := to.Put(ctx, company, uuid.NewSHA1(uuid.NameSpaceOID, sum[:]), decode.TypeJSON, data)
	if err != nil {
		return err
	}
	t.Text = File{ID: o.ID, Version: o.Version, SHA256: o.SHA256}
	return nil
}
