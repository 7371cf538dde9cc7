package documents

import (
	"context"
	"errors"

	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/functions/render/job"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/invoke"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/web"
)

// normalising writes an uploaded PDF anew before it is signed, so that every reader and the seal read the same of it. It
// remembers what it has made, so that a unit of work that is tried again does not make it again.
type normalising struct {
	service *service
	request *web.Request

	of   document.Object
	made *files.Object
}

func (s *service) normalising(r *web.Request) *normalising {
	return &normalising{service: s, request: r}
}

// ready makes sure that a document can be signed. It fails with a fault where it can't.
func (n *normalising) ready(ctx context.Context, d *document.Document) error {
	f := d.FileOf(document.Original)
	if f == nil || d.Source != document.Uploaded || d.Upload != nil {
		return d.Ready()
	}
	if n.made == nil || n.of != f.Object {
		made, err := n.normalise(ctx, f.Object, f.Size)
		if err != nil {
			return err
		}
		n.made, n.of = &made, f.Object
	}
	upload := f.Object
	d.SetOriginal(n.made, f.Name)
	d.Upload = &upload
	return nil
}

// normalise has render write a PDF anew.
func (n *normalising) normalise(ctx context.Context, o document.Object, size int64) (files.Object, error) {
	if size > job.MostUpload {
		return files.Object{}, refused(job.TooLarge, say.PDFTooLargeToSign)
	}
	s, company := n.service, n.request.Table.ID()
	in, out := s.newUUID(), s.newUUID()
	if err := s.files.GiveJob(ctx, company, o.ID, o.Version, in); err != nil {
		return files.Object{}, err
	}
	return s.render(ctx, job.Request{Tenant: company, Kind: job.PDF, In: in, Out: out})
}

// render has render do a job, and takes what it has made.
func (s *service) render(ctx context.Context, r job.Request) (files.Object, error) {
	answer, err := job.Call(ctx, s.renderer, r)
	if err != nil {
		if failed := new(invoke.Error); errors.As(err, &failed) {
			return files.Object{}, fault.ErrUnavailable
		}
		return files.Object{}, err
	}
	if answer.Problem != "" {
		return files.Object{}, refused(answer.Problem, answer.Text)
	}
	return s.files.TakeJob(ctx, r.Tenant, r.Out, s.newUUID())
}

// refused is the fault about a file that can't be signed, or content of which no PDF can be made.
func refused(problem string, text say.Message) *fault.Error {
	return fault.New(fault.Invalid, text).With("code", problem)
}
