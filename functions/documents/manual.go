package documents

import (
	"context"
	"errors"
	"net/http"

	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/functions/render/job"
	"github.com/tenantry/tenantry/functions/tenants/staff"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/files/uploads"
	"github.com/tenantry/tenantry/shared/font/letters"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/web"
)

type manualInput struct {
	ID   int64 `path:"id"`
	Body struct {
		Client decode.Optional[int64]       `json:"client" required:"true" doc:"Id of a client."`
		File   decode.Optional[decode.File] `json:"file" required:"true" doc:"The scan: the file of an upload; in multipart the file itself."`
	}
}

// manualSign records that a client has signed by hand.
func (s *service) manualSign(ctx context.Context, r *web.Request, in *manualInput) (*web.Reply[DocumentSign], error) {
	n, scan, who := s.normalising(r), &taking{service: s, request: r}, by(r)
	return s.signing(ctx, r, in.ID, http.StatusCreated, func(w *record.Work, d *document.Document) (*document.Sign, error) {
		errs := w.Errors("")
		signer, err := signerOf(ctx, w, in.Body.Client.Value, errs)
		if err != nil {
			return nil, err
		}
		if err := errs.Err(); err != nil {
			return nil, err
		}
		if d.IsSigned() {
			return nil, document.ErrSigned
		}
		var sign *document.Sign
		if of := d.SignOf(*signer.OuterID); of != nil {
			sign, err = d.Sign(of.ID)
		} else {
			sign, err = s.add(ctx, w, d, n, document.NewSign{Signer: signer, Allowed: defaultMethods()}, who)
		}
		if err != nil {
			return nil, err
		}
		if _, err := sign.Allows(document.Record); err != nil {
			return nil, err
		}
		if who, err = named(ctx, w, who); err != nil {
			return nil, err
		}
		stored, name, err := scan.take(ctx, in.Body.File.Value)
		if err != nil {
			return nil, err
		}
		return sign, s.desk.Record(ctx, w, d, sign, stored, name, who)
	})
}

// named is a member of staff with the name that the record of who has signed is to have, if it can be drawn.
func named(ctx context.Context, w *record.Work, who document.By) (document.By, error) {
	name, err := staff.NameOf(ctx, w, who.User)
	if err != nil {
		return who, err
	}
	if missing, found := letters.Missing(name); found {
		return who, fault.New(fault.Invalid, say.YourNameNotDrawn(missing.Message())).With("code", job.NoLetter)
	}
	who.Name = name
	return who, nil
}

// taking stores a file that a caller sent, once, even if the unit of work is tried again.
type taking struct {
	service *service
	request *web.Request

	taken *files.Object
	name  string
}

// take returns the stored file and the name that it was sent under.
func (t *taking) take(ctx context.Context, sent decode.File) (files.Object, string, error) {
	if t.taken != nil {
		return *t.taken, t.name, nil
	}
	s, company := t.service, t.request.Table.ID()
	var o files.Object
	if sent.Data == nil {
		from, err := s.uploads().Find(ctx, t.request.Table, sent.URI)
		if err != nil {
			return o, "", err
		}
		t.name = from.Name
		if o, err = s.files.Take(ctx, company, from.ID); errors.Is(err, files.ErrNotFound) {
			return o, "", uploads.ErrNone
		} else if err != nil {
			return o, "", err
		}
	} else {
		contentType, ok := mediaType(sent.ContentType)
		if !ok {
			contentType = anyType
		}
		var err error
		if o, err = s.files.Put(ctx, company, s.newUUID(), contentType, sent.Data); err != nil {
			return o, "", err
		}
		t.name = baseName(sent.Name)
	}
	t.taken = &o
	return o, t.name, nil
}
