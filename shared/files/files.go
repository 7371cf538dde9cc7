// Package files is the platform's bucket. Its bytes can be reached only through presigned URLs
// that work for some minutes.
//
// What never goes in here: what a file belongs to, who may read it, how large it may be, and
// how long an upload waits. The group that keeps the record decides that.
//
// # Keys
//
// The folders are registered in shared/table/keyspace, and listed in docs/keys.md. A key
// consists of a folder, a company and a uuid (that of a segment also of a kind), and is never
// parsed from a text: a record stores only the uuid, so it can't point into another company. The bucket is versioned, and a record
// stores the version that it took. A client that still has the URL of an upload can store
// other bytes under the same key, but these do not become part of the record.
//
// The template's lifecycle rules delete uploads, temporary files and jobs after a day, and the
// bytes of deleted segments after 35. The local bucket has no lifecycle: the files stay in the data
// folder, and old uploads are refused because of their age.
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

	"github.com/tenantry/tenantry/shared/patience"
	"github.com/tenantry/tenantry/shared/table/keyspace"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Lifetimes of presigned requests.
const (
	UploadTime   = 15 * time.Minute
	DownloadTime = 5 * time.Minute
)

// Errors that a caller's request can lead to.
var (
	// ErrNotFound says that no bytes are stored there.
	ErrNotFound = errors.New("files: no such file")
	// ErrForeign says that a uri is not the address of one of the company's uploads.
	ErrForeign = errors.New("files: not an upload of this company")
	// ErrTooLarge says that a file has more bytes than its reader accepts.
	ErrTooLarge = errors.New("files: too large")
)

// Options tell where the bucket is.
type Options struct {
	Bucket   string
	Endpoint string // of S3; empty on AWS
	// PublicEndpoint is the address of the same S3 for those who use presigned requests; empty if it is Endpoint.
	PublicEndpoint string
	// Config returns credentials and region. It is called when the bucket is first needed, and
	// again after a failure.
	Config func(ctx context.Context) (aws.Config, error)
}

// Store is the bucket of this deployment. It is safe for concurrent use.
type Store struct {
	options Options
	mu      sync.Mutex
	made    *client
}

// New returns the Store of a bucket. It connects when it is first needed.
func New(o Options) *Store { return &Store{options: o} }

// client is what is made at the first use.
type client struct {
	*s3.Client
	presign *s3.PresignClient
	base    string // the address that all keys are below, with a trailing slash
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
	made := &client{Client: at(config, s.options.Endpoint)}
	// A signature covers the host, so what is presigned is signed for the host by which it will be used.
	public := made.Client
	if s.options.PublicEndpoint != "" {
		public = at(config, s.options.PublicEndpoint)
	}
	made.presign = s3.NewPresignClient(public)
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

// at returns a client of S3 at an address; an empty one is AWS's own.
func at(config aws.Config, endpoint string) *s3.Client {
	return s3.NewFromConfig(config, func(o *s3.Options) {
		if endpoint != "" {
			o.BaseEndpoint = aws.String(endpoint)
			o.UsePathStyle = true
		}
		// By default the client signs the checksum of the body that it has, and a presigned
		// upload has no body yet.
		o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
		o.HTTPClient, o.Retryer = patience.Client(o.HTTPClient), patience.Retryer(o.Retryer)
	})
}

func (s *Store) bucket() *string { return aws.String(s.options.Bucket) }

// Origin returns the scheme and host from which presigned addresses lead to bytes, for the policy of
// a page that reads them.
func (s *Store) Origin(ctx context.Context) (string, error) {
	c, err := s.client(ctx)
	if err != nil {
		return "", err
	}
	u, err := url.Parse(c.base)
	if err != nil {
		return "", fmt.Errorf("files: address of the bucket: %w", err)
	}
	return u.Scheme + "://" + u.Host, nil
}

// uploadKey returns the key of an upload that no record has taken yet.
func uploadKey(t tenant.ID, id uuid.UUID) string { return keyIn(keyspace.Uploads, t, id) }

// fileKey returns the key of a record's file.
func fileKey(t tenant.ID, id uuid.UUID) string { return keyIn(keyspace.Files, t, id) }

func keyIn(folder string, t tenant.ID, id uuid.UUID) string {
	return folder + "/" + t.String() + "/" + id.String()
}

// Request is a presigned request with which a client stores bytes.
type Request struct {
	File    string // the uri by which a later request names the file; it permits nothing by itself
	URL     string
	Method  string
	Headers map[string]string // to be sent unchanged
	Expires time.Time
}

// Upload presigns the upload of exactly size bytes of a content type. The length is signed
// too, but is not among the headers: clients send it by themselves, and browsers don't let
// scripts set it.
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

// expiry returns when a presigned URL expires, according to the URL itself.
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

// Holds tells whether an address is inside the bucket, even if nothing is stored there.
func (s *Store) Holds(ctx context.Context, uri string) (bool, error) {
	c, err := s.client(ctx)
	if err != nil {
		return false, err
	}
	return len(uri) >= len(c.base) && strings.EqualFold(uri[:len(c.base)], c.base), nil
}

// ParseUpload returns the id in the uri of one of the company's uploads. Any text that differs
// from what Upload writes is ErrForeign.
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
