// Package uploads handles files that a client announces, uploads, and names in a later request
// of any group: a document, an import. The announcement is stored in the company's part of the
// table. It returns the presigned request that stores the bytes, and the uri by which a later
// request names them.
//
// What never goes in here: what is done with the bytes, and how large they may be. A group
// that wants to keep an upload copies it (files.Store.Take).
package uploads

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/throttle"
	"github.com/tenantry/tenantry/shared/tenant/principal"
)

const (
	// Life is how long an upload waits to be taken.
	Life = 24 * time.Hour
	// MaxSize is the largest upload, in bytes.
	MaxSize = 25 << 20

	version = 1
)

// How many uploads may be announced in a day of UTC. Each may have MaxSize bytes, which are
// stored for Life even if no request uses them.
const (
	MaxOfUser    = 1000 // over all companies
	MaxOfCompany = 5000
)

// Upload is an upload that was announced. Its bytes may not be there yet.
type Upload struct {
	table.Item
	ID   uuid.UUID `dynamo:"id"`
	Name string    `dynamo:"n"`
	Type string    `dynamo:"k,omitempty"` // the media type that was announced
	By   int64     `dynamo:"b"`
	TTL  int64     `dynamo:"ttl"` // Unix seconds; every reader checks it
}

// ErrNone is the fault of a uri that names no upload of the company. It is the same for
// another company's upload, one that is too old, one without bytes, and any other address.
var ErrNone = fault.Field("file", NoUpload)

// NoUpload is its message.
const NoUpload = say.UploadUnknown

// NoImage is the message of an upload that was announced as something else.
const NoImage = say.UploadNoImage

// Store is the uploads of all companies.
type Store struct {
	Files   *files.Store
	Now     func() time.Time
	NewUUID func() uuid.UUID
	// Throttle counts announcements; a group that only takes uploads needs none.
	Throttle throttle.Throttle
}

// quota returns the counters of an announcement.
func quota(by principal.Principal, t *table.Tenant) []throttle.Count {
	return []throttle.Count{
		throttle.Rule{Name: "uploader", Limit: MaxOfUser, Window: 24 * time.Hour}.Of(by.Caller()),
		throttle.Rule{Name: "uploads", Limit: MaxOfCompany, Window: 24 * time.Hour}.Of(t.ID().String()),
	}
}

// Announce returns the request that stores exactly size bytes of a content type, and remembers
// the file's name. It takes three calls of one unit each. They are not one transaction,
// because a browser that announces twenty files at once would conflict with itself.
func (s Store) Announce(ctx context.Context, t *table.Tenant, by principal.Principal, name, contentType string, size int64) (
	files.Request, error,
) {
	id := s.NewUUID()
	request, err := s.Files.Upload(ctx, t.ID(), id, contentType, size)
	if err != nil {
		return files.Request{}, err
	}
	if _, err := s.Throttle.Take(ctx, quota(by, t)...); err != nil {
		return files.Request{}, err
	}
	u := Upload{
		Item: table.At(t.Upload(id.String()), version),
		ID:   id,
		Name: name,
		Type: contentType,
		By:   by.User,
		TTL:  s.Now().Add(Life).Unix(),
	}
	err = table.Retry(ctx, func() error { return t.Put(u).Run(ctx) })
	return request, err
}

// Find returns the upload that a uri names, or ErrNone. It takes one call.
func (s Store) Find(ctx context.Context, t *table.Tenant, uri string) (*Upload, error) {
	id, err := s.Files.ParseUpload(ctx, t.ID(), uri)
	if errors.Is(err, files.ErrForeign) {
		return nil, ErrNone
	}
	if err != nil {
		return nil, err
	}
	u := new(Upload)
	err = t.Get(ctx, t.Upload(id.String()), u)
	if errors.Is(err, table.ErrNotFound) || err == nil && s.Now().Unix() >= u.TTL {
		return nil, ErrNone
	}
	return u, err
}

// Read returns the bytes of the upload that a uri names, and the file's name. It takes one
// call.
func (s Store) Read(ctx context.Context, t *table.Tenant, uri string) (data []byte, name string, err error) {
	u, err := s.Find(ctx, t, uri)
	if err != nil {
		return nil, "", err
	}
	data, err = s.Files.ReadUpload(ctx, t.ID(), u.ID, MaxSize)
	if errors.Is(err, files.ErrNotFound) {
		return nil, "", ErrNone
	}
	return data, u.Name, err
}
