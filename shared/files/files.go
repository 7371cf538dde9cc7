// Package files is the platform's bucket: bytes that are reached only by
// presigned URLs that live minutes.
//
// What never goes in here: what a file is of, who may read it, how large it
// may be, and how long an upload waits. The group that keeps the record knows.
//
// # Keys
//
// The folders are registered in shared/table/keyspace, and listed in
// docs/keys.md. A key is made of a folder, a company and a uuid, and never read back from a text: a
// record keeps the uuid alone, so it can't point into another company. The
// bucket is versioned, and a record keeps the version that it took. Whoever
// still holds an upload's URL can put other bytes under it, but not under the
// record.
//
// The template's lifecycle removes uploads and what is temporary after a day. The
// local bucket has no lifecycle: there they stay in the data folder, and uploads
// are refused by their age.
package files

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/table/keyspace"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Lifetimes of presigned requests.
const (
	UploadTime   = 15 * time.Minute
	DownloadTime = 5 * time.Minute
)

// The errors that callers can cause.
var (
	// ErrNotFound says that no bytes are stored there.
	ErrNotFound = errors.New("files: no such file")
	// ErrForeign says that a uri is not that of an upload of the company.
	ErrForeign = errors.New("files: not an upload of this company")
	// ErrTooLarge says that a file has more bytes than its reader takes.
	ErrTooLarge = errors.New("files: too large")
)

// Options say where the bucket is.
type Options struct {
	Bucket   string
	Endpoint string // of S3; empty on AWS
	// Config gives credentials and region. It is called when the bucket is
	// first needed, and again after a failure.
	Config func(ctx context.Context) (aws.Config, error)
}

// Store is the bucket of this deployment. It is safe for concurrent use.
type Store struct {
	options Options
	mu      sync.Mutex
	made    *client
}

// New names the bucket. Nothing is connected before it is needed.
func New(o Options) *Store { return &Store{options: o} }

// client is what the first use makes.
type client struct {
	*s3.Client
	presign *s3.PresignClient
	base    string // the address under which keys lie, with a final slash
}

func (s *Store) client(ctx context.Context) (*client, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.made != nil {
		return s.made, nil
	}
	config, err := s.options.Config(ctx)
	if err != nil {
		return nil, fmt.Errorf("files: configuration: %w", err)
	}
	api := s3.NewFromConfig(config, func(o *s3.Options) {
		if s.options.Endpoint != "" {
			o.BaseEndpoint = aws.String(s.options.Endpoint)
			o.UsePathStyle = true
		}
		// By default the client signs the checksum of the body it sees, which
		// for a presigned upload is none.
		o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
	})
	made := &client{Client: api, presign: s3.NewPresignClient(api)}
	// The client alone knows how it addresses a bucket.
	const probe = "-"
	signed, err := made.presign.PresignGetObject(ctx, &s3.GetObjectInput{Bucket: s.bucket(), Key: aws.String(probe)})
	if err != nil {
		return nil, fmt.Errorf("files: address of the bucket: %w", err)
	}
	address, _, _ := strings.Cut(signed.URL, "?")
	made.base = strings.TrimSuffix(address, probe)
	s.made = made
	return made, nil
}

func (s *Store) bucket() *string { return aws.String(s.options.Bucket) }

// uploadKey is where an upload lies until a record takes it.
func uploadKey(t tenant.ID, id uuid.UUID) string { return keyIn(keyspace.Uploads, t, id) }

// fileKey is where a file of a record lies.
func fileKey(t tenant.ID, id uuid.UUID) string { return keyIn(keyspace.Files, t, id) }

func keyIn(folder string, t tenant.ID, id uuid.UUID) string {
	return folder + "/" + t.String() + "/" + id.String()
}

// Request is a presigned request that stores bytes.
type Request struct {
	File    string // the uri that a record then takes; it is no permission
	URL     string
	Method  string
	Headers map[string]string // to be sent as they are
	Expires time.Time
}

// Upload presigns the upload of exactly size bytes of a content type. The
// length is signed too; clients send it by themselves, and browsers let no
// script set it, so it is not among the headers.
func (s *Store) Upload(ctx context.Context, t tenant.ID, id uuid.UUID, contentType string, size int64) (Request, error) {
	c, err := s.client(ctx)
	if err != nil {
		return Request{}, err
	}
	key := uploadKey(t, id)
	signed, err := c.presign.PresignPutObject(ctx, &s3.PutObjectInput{
		Bucket: s.bucket(), Key: &key, ContentType: &contentType, ContentLength: &size,
	}, s3.WithPresignExpires(UploadTime))
	if err != nil {
		return Request{}, fmt.Errorf("files: presign upload: %w", err)
	}
	expires, err := expiry(signed.URL)
	if err != nil {
		return Request{}, err
	}
	return Request{
		File: c.base + key, URL: signed.URL, Method: http.MethodPut,
		Headers: map[string]string{"Content-Type": contentType}, Expires: expires,
	}, nil
}

// expiry is when a presigned URL ends, as the URL itself says.
func expiry(signed string) (time.Time, error) {
	u, err := url.Parse(signed)
	if err != nil {
		return time.Time{}, fmt.Errorf("files: presigned address: %w", err)
	}
	query := u.Query()
	at, err := time.Parse("20060102T150405Z", query.Get("X-Amz-Date"))
	if err != nil {
		return time.Time{}, fmt.Errorf("files: presigned address: %w", err)
	}
	life, err := time.ParseDuration(query.Get("X-Amz-Expires") + "s")
	if err != nil {
		return time.Time{}, fmt.Errorf("files: presigned address: %w", err)
	}
	return at.Add(life), nil
}

// Holds tells whether an address is in the bucket, be there bytes or not.
func (s *Store) Holds(ctx context.Context, uri string) (bool, error) {
	c, err := s.client(ctx)
	if err != nil {
		return false, err
	}
	return len(uri) >= len(c.base) && strings.EqualFold(uri[:len(c.base)], c.base), nil
}

// ParseUpload is the id in the uri of an upload of the company. Anything that
// Upload would not have written letter for letter is ErrForeign.
func (s *Store) ParseUpload(ctx context.Context, t tenant.ID, uri string) (uuid.UUID, error) {
	c, err := s.client(ctx)
	if err != nil {
		return uuid.Nil, err
	}
	if len(uri) < len(uuid.Nil.String()) {
		return uuid.Nil, ErrForeign
	}
	id, err := uuid.Parse(uri[len(uri)-len(uuid.Nil.String()):])
	if err != nil || uri != c.base+uploadKey(t, id) {
		return uuid.Nil, ErrForeign
	}
	return id, nil
}
