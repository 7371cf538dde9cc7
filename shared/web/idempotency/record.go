package idempotency

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/table"
)

const (
	version = 1

	zipFrom   = 512       // bytes of a body; with it, most records are within 1 KB
	largeFrom = 100 << 10 // bytes of a body that is too large for the table
)

// record is an answer or, if Owner is set, a hold.
type record struct {
	table.Item
	Hash   []byte            `dynamo:"h"`
	Owner  string            `dynamo:"o,omitempty"`
	Status int               `dynamo:"s,omitempty"`
	Header map[string]string `dynamo:"hd,omitempty"`
	Type   string            `dynamo:"ct,omitempty"`
	Body   []byte            `dynamo:"b,omitempty"`
	Zipped bool              `dynamo:"z,omitempty"`
	Large  string            `dynamo:"f,omitempty"` // the uuid of a body that is stored in the bucket
	Until  int64             `dynamo:"u"`           // milliseconds since 1970
	TTL    int64             `dynamo:"ttl"`         // when the table may sweep it
}

// record makes the record of an answer. It stores a large body beside the table, and does so
// once even if the transaction is built several times.
func (s *Slot) record(ctx context.Context, a Answer) (record, error) {
	r := record{Status: a.Status, Header: a.Header, Type: a.ContentType, Body: a.Body}
	switch {
	case len(a.Body) > largeFrom:
		if err := s.putLarge(ctx, a); err != nil {
			return r, err
		}
		r.Body, r.Large = nil, s.stored.String()
	case len(a.Body) > zipFrom:
		zipped, err := zip(a.Body)
		if err != nil {
			return r, err
		}
		r.Body, r.Zipped = zipped, true
	}
	return r, nil
}

func (s *Slot) putLarge(ctx context.Context, a Answer) error {
	sum := sha256.Sum256(a.Body)
	if s.stored != uuid.Nil && sum == s.storedHash {
		return nil
	}
	if s.store.Large == nil {
		return errors.New("idempotency: a large answer, and nowhere to keep it")
	}
	id := uuid.NewHash(sha256.New(), uuid.Nil, append([]byte(s.key.SK+s.key.PK+s.owner), sum[:]...), 8)
	if err := s.store.Large.PutTemporary(ctx, s.tenant, id, a.ContentType, a.Body); err != nil {
		return fmt.Errorf("idempotency: keep a large answer: %w", err)
	}
	s.stored, s.storedHash = id, sum
	return nil
}

// answer returns the answer of a record.
func (s *Slot) answer(ctx context.Context, r *record) (*Answer, error) {
	a := &Answer{Status: r.Status, Header: r.Header, ContentType: r.Type, Body: r.Body}
	if a.Header == nil {
		a.Header = map[string]string{}
	}
	switch {
	case r.Large != "":
		id, err := uuid.Parse(r.Large)
		if err != nil || s.store.Large == nil {
			return nil, fmt.Errorf("idempotency: a large answer at %q can't be read: %w", r.Large, err)
		}
		if a.Body, err = s.store.Large.GetTemporary(ctx, s.tenant, id); err != nil {
			return nil, fmt.Errorf("idempotency: a large answer: %w", err)
		}
	case r.Zipped:
		body, err := unzip(r.Body)
		if err != nil {
			return nil, err
		}
		a.Body = body
	}
	return a, nil
}

func zip(body []byte) ([]byte, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(body); err != nil {
		return nil, fmt.Errorf("idempotency: zip: %w", err)
	}
	if err := z.Close(); err != nil {
		return nil, fmt.Errorf("idempotency: zip: %w", err)
	}
	return b.Bytes(), nil
}

func unzip(body []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("idempotency: unzip: %w", err)
	}
	plain, err := io.ReadAll(io.LimitReader(z, largeFrom+1))
	if err != nil {
		return nil, fmt.Errorf("idempotency: unzip: %w", err)
	}
	return plain, nil
}
