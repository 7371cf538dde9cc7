package files_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"testing"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

// A file goes to a function as a job, and what it makes of it comes back as another file.
func TestJobs(t *testing.T) {
	const company = tenant.ID(5)
	s, file, in, out, made := filestest.New(t), uuid.New(), uuid.New(), uuid.New(), uuid.New()
	first, err := s.Put(t.Context(), company, file, pdf, []byte("first"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(t.Context(), company, file, pdf, []byte("second")); err != nil {
		t.Fatal(err)
	}
	if err := s.GiveJob(t.Context(), company, file, first.Version, in); err != nil {
		t.Fatal(err)
	}
	if got, err := s.GetJob(t.Context(), company, in, 5); err != nil || string(got) != "first" {
		t.Fatalf("the job gets %q, %v", got, err)
	}
	for _, body := range []string{"draft", "result"} {
		if err := s.PutJob(t.Context(), company, out, "application/json", []byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	taken, err := s.TakeJob(t.Context(), company, out, made)
	sum := sha256.Sum256([]byte("result"))
	if err != nil || taken.ID != made || taken.Size != 6 || taken.ContentType != "application/json" || !bytes.Equal(taken.SHA256, sum[:]) {
		t.Fatalf("taken: %+v, %v", taken, err)
	}
	if err := s.PutJob(t.Context(), company, out, pdf, []byte("later")); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Get(t.Context(), company, made, taken.Version, 6); err != nil || string(got) != "result" {
		t.Errorf("the file has %q, %v", got, err)
	}
}

func TestJobsThatFail(t *testing.T) {
	const company = tenant.ID(5)
	s, job, file := filestest.New(t), uuid.New(), uuid.New()
	if err := s.PutJob(t.Context(), company, job, pdf, []byte("job")); err != nil {
		t.Fatal(err)
	}
	object, err := s.Put(t.Context(), company, file, pdf, []byte("file"))
	if err != nil {
		t.Fatal(err)
	}
	away := filestest.Away()
	for name, row := range map[string]struct {
		do   func() error
		want error // nil: the bucket is away
	}{
		"another company reads":  {func() error { _, err := s.GetJob(t.Context(), 6, job, 9); return err }, files.ErrNotFound},
		"another company takes":  {func() error { _, err := s.TakeJob(t.Context(), 6, job, uuid.New()); return err }, files.ErrNotFound},
		"another company gives":  {func() error { return s.GiveJob(t.Context(), 6, file, object.Version, uuid.New()) }, files.ErrNotFound},
		"nothing is read":        {func() error { _, err := s.GetJob(t.Context(), company, uuid.New(), 9); return err }, files.ErrNotFound},
		"a file is no job":       {func() error { _, err := s.GetJob(t.Context(), company, file, 9); return err }, files.ErrNotFound},
		"a job is no file":       {func() error { _, err := s.Get(t.Context(), company, job, "null", 9); return err }, files.ErrNotFound},
		"a job is no upload":     {func() error { _, err := s.Take(t.Context(), company, job); return err }, files.ErrNotFound},
		"more than is asked for": {func() error { _, err := s.GetJob(t.Context(), company, job, 2); return err }, files.ErrTooLarge},
		"put without a bucket":   {func() error { return away.PutJob(t.Context(), company, job, pdf, nil) }, nil},
		"get without a bucket":   {func() error { _, err := away.GetJob(t.Context(), company, job, 9); return err }, nil},
		"take without a bucket":  {func() error { _, err := away.TakeJob(t.Context(), company, job, file); return err }, nil},
		"give without a bucket":  {func() error { return away.GiveJob(t.Context(), company, file, "1", job) }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			switch err := row.do(); {
			case row.want == nil && (errors.Is(err, files.ErrNotFound) || !table.Unavailable(err)):
				t.Errorf("%v, want one of a bucket that is away", err)
			case row.want != nil && !errors.Is(err, row.want):
				t.Errorf("%v, want %v", err, row.want)
			}
		})
	}
}
