package resource

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/files/uploads"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
)

// Image declares a field that is an image: any http(s) address, or the file of an upload. The
// unit of work copies the upload, which can't be taken a second time. It is then answered as
// an address below the record's own address, named after the field, which leads to the bytes.
// The field of the body is a text with the format uri; Apply must ignore it.
type Image[T record.Stored, Body any] struct {
	Field string
	Sent  func(in *Body) decode.Optional[string]
	At    func(rec T) **uploads.Image
}

// ImageOf returns the address of a record's image, as callers see it.
func (v Viewer) ImageOf(k kinds.Kind, id int64, field string, image *uploads.Image) *string {
	return image.Address(v.Base + k.One(id) + field + "/")
}

// ImageEver returns the same of a record that may be gone: the image of an upload has no address then.
func (v Viewer) ImageEver(k kinds.Kind, id int64, field string, image *uploads.Image, gone bool) *string {
	if gone {
		return image.Elsewhere()
	}
	return v.ImageOf(k, id, field, image)
}

// SentImage is what a caller sent for one image of a record.
type SentImage struct {
	Field string
	Sent  decode.Optional[string]
	At    **uploads.Image
}

// Images takes the images of one request; it also serves operations that do not belong to a
// resource. It remembers what it has copied, so that a unit of work that is tried again does
// not copy it again.
type Images struct {
	request *web.Request
	uploads uploads.Store
	copied  map[uuid.UUID]files.Object
}

// TakeImages has to be called once per request, outside of its unit of work.
func TakeImages(r *web.Request, from uploads.Store) Images {
	return Images{r, from, map[uuid.UUID]files.Object{}}
}

// take sets the images of a resource's record to what was sent.
func (s service[T, Body, View]) take(ctx context.Context, w *record.Work, g Images, rec T, in *Body) error {
	var sent []SentImage
	for _, im := range s.Images {
		sent = append(sent, SentImage{im.Field, im.Sent(in), im.At(rec)})
	}
	return g.Take(ctx, w, s.Kind.Kind.One(record.ID(rec)), sent...)
}

// Take sets the images of the object at a path to what was sent. It copies bytes only if the
// unit of work has found no errors.
func (g Images) Take(ctx context.Context, w *record.Work, path string, images ...SentImage) error {
	found, errs := map[uuid.UUID]*uploads.Upload{}, w.Errors("")
	var taken []SentImage
	for _, im := range images {
		switch {
		case !im.Sent.Set || errs.Has(im.Field):
			continue
		case im.Sent.Null:
			*im.At = nil
			continue
		}
		u, err := g.find(ctx, w.Scope().Table, g.request.BaseURL+path+im.Field+"/", im.Sent.Value, *im.At)
		switch {
		case errors.Is(err, errSame):
		case errors.Is(err, uploads.ErrNone), u != nil && found[u.ID] != nil:
			errs.Add(im.Field, uploads.NoUpload)
		case err != nil:
			return err
		case u == nil:
			*im.At = &uploads.Image{URL: im.Sent.Value}
		case !strings.HasPrefix(u.Type, "image/"):
			errs.Add(im.Field, uploads.NoImage)
		default:
			*im.At = &uploads.Image{ID: u.ID, Name: u.Name}
			found[u.ID], taken = u, append(taken, im)
		}
	}
	if len(taken) == 0 {
		return nil
	}
	if err := w.Check(ctx); err != nil {
		return err
	}
	for _, im := range taken {
		if err := g.copy(ctx, w, im.Field, *im.At); err != nil {
			return err
		}
	}
	return nil
}

// errSame says that the field has this image already.
var errSame = errors.New("resource: the image that is there")

// find returns the upload that an address names; nil if the address is not one in our bucket.
// own is the address of the image in the API.
func (g Images) find(ctx context.Context, t *table.Tenant, own, uri string, now *uploads.Image) (*uploads.Upload, error) {
	if g.uploads.Files == nil { // without a bucket there are no uploads
		return nil, nil
	}
	if now.IsUpload() && uri == own {
		return nil, errSame
	}
	upload, err := g.uploads.Files.ParseUpload(ctx, t.ID(), uri)
	if errors.Is(err, files.ErrForeign) {
		ours, err := g.uploads.Files.Holds(ctx, uri)
		if ours {
			err = uploads.ErrNone
		}
		return nil, err
	}
	if err != nil {
		return nil, err
	}
	if now.IsUpload() && now.ID == upload {
		return nil, errSame // the caller sent the same change again
	}
	return g.uploads.Find(ctx, t, uri)
}

// copy copies an upload to the files of the company. The upload can't be taken a second time.
func (g Images) copy(ctx context.Context, w *record.Work, field string, to *uploads.Image) error {
	t, none := w.Scope().Table, fault.Field(field, uploads.NoUpload)
	o, ok := g.copied[to.ID]
	if !ok {
		var err error
		o, err = g.uploads.Files.Take(ctx, t.ID(), to.ID)
		if errors.Is(err, files.ErrNotFound) {
			return none
		}
		if err != nil {
			return err
		}
		g.copied[to.ID] = o
	}
	to.Version = o.Version
	w.Also(func(tx *table.Tx) error {
		tx.Delete(t.Delete(t.Upload(o.ID.String())).If("attribute_exists(pk)"), none)
		return nil
	})
	return nil
}

// ShowImage leads to the bytes of an image of a company. An image that is not an upload is
// answered with 404.
func ShowImage(
	ctx context.Context, r *web.Request, from uploads.Store, of tenant.ID, field string, image *uploads.Image,
) (*web.Reply[web.FileLink], error) {
	if !image.IsUpload() {
		return nil, fault.ErrNotFound
	}
	url, expires, err := from.Files.Download(ctx, of, image.ID, image.Version, cmp.Or(image.Name, field))
	if err != nil {
		return nil, err
	}
	return r.Download(url, expires), nil
}

// image returns the operation that leads to the bytes of a record's image.
func (res Resource[T, Body, View]) image(im Image[T, Body], now func() time.Time) web.Operation {
	return web.Op(web.Operation{
		ID: res.id(strings.ReplaceAll(im.Field, "_", "-")), Method: http.MethodGet, Path: res.one() + im.Field + "/", Role: res.Reads,
		Produces: []string{"*/*"}, Answers: web.Downloads(), Summary: "The " + im.Field + " of " + res.a(),
		Doc: "Redirects to an address that works for some minutes; a caller who asks for application/json gets it as JSON. " +
			"404 where it is no upload.",
	}, func(ctx context.Context, r *web.Request, in *oneInput) (*web.Reply[web.FileLink], error) {
		rec, err := res.Kind.Get(ctx, Scope(r, now), in.ID)
		if err != nil {
			return nil, err
		}
		return ShowImage(ctx, r, res.Uploads, r.Table.ID(), im.Field, *im.At(rec))
	})
}
