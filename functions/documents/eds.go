package documents

import (
	"context"

	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/web"
)

type edsInput struct {
	ID   int64 `path:"id"`
	Sign int64 `path:"sign_id"`
	Body struct {
		CMS decode.Optional[string] `json:"cms" required:"true" maxLength:"131072" doc:"Detached, over the bytes of the original; PEM or base64; at most 64 KB decoded."`
	}
}

// edsSign signs by a CMS that staff hands in: the company's own, or a client's.
func (s *service) edsSign(ctx context.Context, r *web.Request, in *edsInput) (*web.Reply[DocumentSign], error) {
	d, err := s.kind.Get(ctx, s.scope(r), in.ID)
	if err != nil {
		return nil, err
	}
	sign, err := d.Sign(in.Sign)
	if err != nil {
		return nil, err
	}
	certified, err := s.desk.Verify(ctx, s.egov, s.throttle, r.Table, d, sign, in.Body.CMS.Value)
	if err != nil {
		return nil, err
	}
	return s.own(ctx, r, signInput{in.ID, in.Sign}, func(w *record.Work, d *document.Document, sign *document.Sign) error {
		return s.desk.Certify(ctx, w, d, sign, certified, by(r))
	})
}
