package documents

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/web"
)

// publicOperations are the two that signers call and that the gateway can't tell from those of staff: they differ by what
// stands in one place of the path, a sign's uuid or a document's number. What signers do is in functions/signing.
func (s *service) publicOperations() []web.Operation {
	const one = "/v2/documents/{uuid}/"
	return []web.Operation{
		web.Op(web.Operation{
			ID: "documents-public-read", Method: http.MethodGet, Path: one, Access: web.Public, Secret: true,
			Faults: []fault.Code{fault.Forbidden, fault.NotFound}, Summary: "Read a document as its signer",
			Doc: "By the uuid of a sign, which its link holds. Reading changes nothing. While the company is suspended, or " +
				"after it is closed, only what is sealed can be read.",
		}, s.publicRead),
		web.Op(web.Operation{
			ID: "documents-public-file", Method: http.MethodGet, Path: one + "documents/{file_id}/", Access: web.Public,
			Produces: []string{"*/*"}, Faults: []fault.Code{fault.Forbidden, fault.NotFound}, Summary: "A document's file, for its signer",
			Doc:     "What is signed, or the sealed file; the scans and signatures of others are not shown.",
			Answers: web.Downloads(),
		}, s.publicFile),
	}
}

// reach returns the document that a signer reaches, the sign's place and its company.
func (s *service) reach(ctx context.Context, id uuid.UUID) (
	p document.Place, c document.Sender, d *document.Document, err error,
) {
	if p, err = s.desk.Public.Reach(ctx, id); err != nil {
		return p, c, nil, err
	}
	if c, err = document.SenderOf(ctx, p.Table); err != nil {
		return p, c, nil, err
	}
	if d, err = s.desk.Reached(ctx, p, s.now); err != nil {
		return p, c, nil, err
	}
	if err = c.Reading(d); err != nil {
		return p, c, nil, err
	}
	if _, err = d.SignByLink(id, s.links, s.now()); err != nil {
		return p, c, nil, err
	}
	return p, c, d, nil
}

func (s *service) publicRead(ctx context.Context, r *web.Request, in *struct {
	UUID     uuid.UUID `path:"uuid"`
	Language string    `query:"language" doc:"Of the texts to agree to: ru, kk or en."`
},
) (document.Seen, error) {
	_, c, d, err := s.reach(ctx, in.UUID)
	if err != nil {
		return document.Seen{}, err
	}
	return c.Seen(ctx, d, in.UUID, document.Viewer{Base: r.BaseURL, Language: in.Language, Now: s.now()})
}

func (s *service) publicFile(ctx context.Context, r *web.Request, in *struct {
	UUID uuid.UUID `path:"uuid"`
	File int64     `path:"file_id"`
},
) (*web.Reply[web.FileLink], error) {
	p, _, d, err := s.reach(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	f := d.File(in.File)
	if f == nil || !f.IsPublic() {
		return nil, fault.ErrNotFound
	}
	url, expires, err := s.files.Download(ctx, p.Table.ID(), f.ID, f.Version, saveAs(d, f))
	if err != nil {
		return nil, err
	}
	return r.Download(url, expires), nil
}
