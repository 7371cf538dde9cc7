package platform

import (
	"encoding/hex"
	"io"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/seal/job"
	"github.com/tenantry/tenantry/functions/seal/pades"
	"github.com/tenantry/tenantry/functions/seal/pdf/pdftest"
	"github.com/tenantry/tenantry/shared/tenant"
)

// The worker has a document sealed by the function, which has the key and the time-stamp service.
func TestSealing(t *testing.T) {
	p := start(t, Options{})
	env, err := p.unjudged("worker", io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	const company tenant.ID = 1
	original, err := env.Files.Put(t.Context(), company, uuid.New(), "application/pdf", pdftest.Page())
	if err != nil {
		t.Fatal(err)
	}
	r := job.Request{
		Tenant: company, Output: uuid.New(), VerifyURL: "http://localhost/verify", At: time.Now(), Language: "ru", Level: job.LevelBT,
		Original: job.Object{ID: original.ID, Version: original.Version, SHA256: original.SHA256},
		Record:   job.Record{Original: hex.EncodeToString(original.SHA256), Signs: []job.Sign{{ID: 1, Name: "Ann"}}},
	}
	a, err := job.Call(t.Context(), env.Seal, r)
	if err != nil || a.Problem != "" || a.Level != job.LevelBT {
		t.Fatalf("%+v, %v", a, err)
	}
	whole, err := env.Files.Get(t.Context(), company, r.Output, a.Version, a.Size)
	if err != nil {
		t.Fatal(err)
	}
	trust := pades.Trust{Seal: []pades.Sum{pades.Sum(a.Certificate)}, Stamp: []pades.Sum{p.seals.root}}
	if v, err := pades.Verify(whole, trust); err != nil || v.Stamp == nil || !v.Stamp.Trusted {
		t.Errorf("%+v, %v", v, err)
	}
	again, err := startSealing(t.Context(), p.Storage)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if again.chain != p.seals.chain || again.root != p.seals.root {
		t.Error("a start later there is another certificate, or another root of the time-stamp service")
	}
}
