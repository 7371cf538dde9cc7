// Package render is a function without paths that others call: it makes PDFs of HTML, and writes
// uploaded PDFs anew. It is a function of its own because what it reads is any user's, and it may
// take memory and time: it reaches nothing but the bytes of jobs, and what it takes hurts nobody else.
//
// What never goes in here: who may have a document, and what is done with it; templates, and the
// sanitising of HTML (functions/documents).
package render

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/functions/render/job"
	"github.com/tenantry/tenantry/functions/render/layout"
	"github.com/tenantry/tenantry/functions/render/normalise"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/invoke"
	"github.com/tenantry/tenantry/shared/say"
)

// New is the function. It may be called twice with the same request: then it does the same again.
func New(env app.Env) invoke.Function {
	r := renderer{files: env.Files, layout: layout.New(), limit: job.MostSeconds * time.Second}
	return func(ctx context.Context, payload []byte) ([]byte, error) {
		var request job.Request
		if err := json.Unmarshal(payload, &request); err != nil {
			return nil, fmt.Errorf("render: the request: %w", err)
		}
		answer, err := r.do(ctx, request)
		if err != nil {
			return nil, err
		}
		return json.Marshal(answer)
	}
}

type renderer struct {
	files  *files.Store
	layout *layout.Renderer
	limit  time.Duration // of making a PDF
}

// maker is what makes a PDF of what is at In.
type maker struct {
	most     int64 // bytes of what is at In
	tooLarge say.Message
	make     func(ctx context.Context, in []byte) (pdf []byte, pages int, err error)
}

func (r *renderer) maker(kind string) (maker, bool) {
	switch kind {
	case job.HTML:
		return maker{job.MostJob, say.PrintHTMLOrImagesTooLarge, r.html}, true
	case job.PDF:
		return maker{job.MostUpload, say.PDFTooLarge, normalise.PDF}, true
	}
	return maker{}, false
}

func (r *renderer) html(ctx context.Context, in []byte) (pdf []byte, pages int, err error) {
	var page job.Page
	if err := json.Unmarshal(in, &page); err != nil {
		return nil, 0, fmt.Errorf("render: the page: %w", err)
	}
	return r.layout.PDF(ctx, &page)
}

func (r *renderer) do(ctx context.Context, request job.Request) (job.Answer, error) {
	m, ok := r.maker(request.Kind)
	if !ok {
		return job.Answer{}, fmt.Errorf("render: there are no jobs of the kind %q", request.Kind)
	}
	in, err := r.files.GetJob(ctx, request.Tenant, request.In, m.most)
	if errors.Is(err, files.ErrTooLarge) {
		return job.Answer{Problem: job.TooLarge, Text: m.tooLarge}, nil
	}
	if err != nil {
		return job.Answer{}, fmt.Errorf("render: read the job: %w", err)
	}
	bounded, cancel := context.WithTimeout(ctx, r.limit)
	defer cancel()
	pdf, pages, err := m.make(bounded, in)
	if problem, ok := errors.AsType[*job.Problem](err); ok {
		return job.Answer{Problem: problem.Code, Text: problem.Text}, nil
	}
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return job.Answer{Problem: job.TooSlow, Text: say.PrintTooSlow(job.MostSeconds)}, nil
	}
	if err != nil {
		return job.Answer{}, err
	}
	if err := r.files.PutJob(ctx, request.Tenant, request.Out, job.ContentPDF, pdf); err != nil {
		return job.Answer{}, fmt.Errorf("render: store the PDF: %w", err)
	}
	sum := sha256.Sum256(pdf)
	return job.Answer{SHA256: sum[:], Size: int64(len(pdf)), Pages: pages}, nil
}
