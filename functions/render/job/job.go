// Package job is how other functions call the function render: its request, its answer, and
// what lies in the bucket between them.
//
// What never goes in here: how pages are laid out (functions/render/layout). What imports this
// package links neither fonts nor a PDF library.
package job

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/invoke"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Kinds of jobs.
const (
	HTML = "html" // In is a Page as JSON; Out becomes a PDF/A-3b
	PDF  = "pdf"  // In is a PDF that somebody uploaded; Out becomes the same pages, written simply
)

// Bounds of a job. What is beyond one of them is a Problem.
const (
	MostHTML        = 1_000_000         // bytes of HTML, header and footer of a page, without images
	MostPage        = 8_000_000         // bytes of them with the images in base64
	MostJob         = 16_000_000        // bytes of a Page as JSON, which may write a letter as six
	MostImages      = 5_000_000         // bytes of all images, decoded from base64
	MostPixels      = 20_000_000        // of one image
	MostPages       = 200               // of the PDF
	MostUpload      = 25 << 20          // bytes of a PDF that is normalised
	MostUploadPages = 1_000             // of it
	MostSeconds     = 5                 // of laying out
	ContentPDF      = "application/pdf" // the content type of what lies at Out
)

// Request is what render is called with. In and Out are objects of the company below render/.
type Request struct {
	Tenant tenant.ID `json:"tenant"`
	Kind   string    `json:"kind"`
	In     uuid.UUID `json:"in"`
	Out    uuid.UUID `json:"out"`
}

// Page is a document that becomes a PDF. Its HTML has been sanitised, and its images are data
// URIs. The same Page becomes the same bytes.
type Page struct {
	HTML     string    `json:"html"`
	Header   string    `json:"header"` // HTML at the top of every page; {page} and {pages} stand for numbers
	Footer   string    `json:"footer"` // the same, at the bottom
	Format   string    `json:"format"` // A3, A4, A5, Letter, Legal
	Margins  Margins   `json:"margins"`
	Title    string    `json:"title"`
	Language string    `json:"language"` // such as ru
	At       time.Time `json:"at"`       // when the document was made, by its metadata
}

// Margins are the empty borders of a page, in millimetres.
type Margins struct {
	Top    float64 `json:"top"`
	Right  float64 `json:"right"`
	Bottom float64 `json:"bottom"`
	Left   float64 `json:"left"`
}

// Codes of problems.
const (
	TooLarge     = "too_large"
	TooManyPages = "too_many_pages"
	TooSlow      = "too_slow"
	BadHTML      = "bad_html"
	BadImage     = "bad_image"
	BadPage      = "bad_page" // a format or margins that can't be
	NoLetter     = "letter"   // a letter that the fonts don't have
	NotPDF       = "not_pdf"
	Encrypted    = "encrypted"
	Signed       = "signed"
	Active       = "active"
)

// Problem is an error that is due to what was given: a code, and a sentence for whoever made it.
type Problem struct {
	Code string
	Text say.Message
}

func (p *Problem) Error() string { return p.Code + ": " + p.Text.Error() }

// Refuse makes a Problem.
func Refuse(code string, text say.Message) error { return &Problem{Code: code, Text: text} }

// Answer is what render answers. Where Problem isn't empty, there is nothing at Out, and Text says
// why, in a sentence for whoever made the document.
type Answer struct {
	SHA256  []byte      `json:"sha256,omitempty"`
	Size    int64       `json:"size,omitempty"`
	Pages   int         `json:"pages,omitempty"`
	Problem string      `json:"problem,omitempty"`
	Text    say.Message `json:"text,omitempty"`
}

// Call has render do a job. An error means that it is unknown whether render did it: the same
// request may be sent again.
func Call(ctx context.Context, render invoke.Function, r Request) (Answer, error) {
	var a Answer
	if err := render.Ask(ctx, r, &a); err != nil {
		return Answer{}, fmt.Errorf("job: render: %w", err)
	}
	if a.Problem == "" && (len(a.SHA256) != 32 || a.Size <= 0 || a.Pages <= 0) {
		return Answer{}, fmt.Errorf("job: render answered neither a PDF nor a problem")
	}
	return a, nil
}
