package export

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/show/job"
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/invoke"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Maker makes exports.
type Maker struct {
	Files   *files.Store
	Show    invoke.Function
	Now     func() time.Time
	NewUUID func() uuid.UUID
}

// run is one run of a Maker.
type run struct {
	Maker
	of   tenant.ID
	e    *Export
	open map[string]*bytes.Buffer // parts that are not stored yet, by what they are of
	in   map[string]int64         // records in each of them
}

// Advance stores further parts of an export, and its manifest at its end, until a moment. company is the company's own record. What it
// changes of e has to be written, or is done again.
func (m Maker) Advance(ctx context.Context, of tenant.ID, e *Export, company any, until time.Time) error {
	r := run{Maker: m, of: of, e: e, open: map[string]*bytes.Buffer{}, in: map[string]int64{}}
	for order := job.Kinds(); e.Step < len(order) && m.Now().Before(until); {
		p, err := job.Next(ctx, m.Show, job.PageRequest{Company: of, Base: e.Base, Kind: order[e.Step], After: e.After})
		if err != nil {
			return err
		}
		for _, one := range p.Records {
			if err := r.add(ctx, one); err != nil {
				return err
			}
		}
		if e.After = p.After; p.Last {
			e.Step, e.After = e.Step+1, 0
		}
	}
	if e.Step == len(job.Kinds()) {
		body, err := encode.JSON(company)
		if err != nil {
			return err
		}
		if err := r.add(ctx, job.Exported{Of: "company", ID: int64(of), Record: body}); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.open)) {
		if err := r.store(ctx, name); err != nil {
			return err
		}
	}
	if e.Step < len(job.Kinds()) {
		return nil
	}
	return r.finish(ctx)
}

// add adds a record to the part that is open for its kind, and the files that it names to theirs.
func (r *run) add(ctx context.Context, one job.Exported) error {
	if one.Fails {
		r.e.Failed = append(r.e.Failed, fmt.Sprint(one.Of, " ", one.ID))
		return nil
	}
	if err := r.line(ctx, one.Of, one.Record); err != nil {
		return err
	}
	for _, f := range filesIn(r.e.Base, one.Record) {
		f.Of, f.Record = one.Of, one.ID
		line, err := encode.JSON(f)
		if err != nil {
			return err
		}
		if err := r.line(ctx, filesOf, line); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) line(ctx context.Context, of string, record []byte) error {
	if r.open[of] == nil {
		r.open[of] = new(bytes.Buffer)
	}
	r.open[of].Write(bytes.TrimSpace(record))
	r.open[of].WriteByte('\n')
	if r.in[of]++; r.open[of].Len() < maxPart {
		return nil
	}
	return r.store(ctx, of)
}

// store stores what is open of a kind as its next part.
func (r *run) store(ctx context.Context, of string) error {
	n := 1
	for _, p := range r.e.Parts {
		if p.Of == of {
			n++
		}
	}
	p, err := r.put(ctx, of, fmt.Sprintf("%s-%d.jsonl", of, n), lines, r.open[of].Bytes(), r.in[of])
	if err != nil {
		return err
	}
	r.e.Parts = append(r.e.Parts, p)
	delete(r.open, of)
	delete(r.in, of)
	return nil
}

func (r *run) put(ctx context.Context, of, name, contentType string, data []byte, records int64) (Part, error) {
	id, sum := r.NewUUID(), sha256.Sum256(data)
	p := Part{Of: of, Name: name, UUID: id.String(), Records: records, Size: int64(len(data)), SHA256: hex.EncodeToString(sum[:])}
	return p, r.Files.PutTemporary(ctx, r.of, id, contentType, data)
}

// Manifest is the file that describes an export.
type Manifest struct {
	Company    int64            `json:"company"`
	API        string           `json:"api"`
	BegunAt    string           `json:"begun_at"`
	EndedAt    string           `json:"ended_at"`
	Counts     map[string]int64 `json:"counts"`
	Parts      []ManifestPart   `json:"parts"`
	NotShown   []string         `json:"not_shown"` // what the API itself fails to show
	References string           `json:"references"`
}

// ManifestPart is a file of an export.
type ManifestPart struct {
	Name    string `json:"name"`
	Of      string `json:"of"`
	Records int64  `json:"records"`
	Size    int64  `json:"size"`
	SHA256  string `json:"sha256"`
}

// finish stores the manifest.
func (r *run) finish(ctx context.Context) error {
	now := moment.Of(r.Now())
	m := Manifest{
		Company: int64(r.of), API: r.e.Base, BegunAt: encode.Instant(r.e.Begun.Time().UTC()), EndedAt: encode.Instant(now.Time().UTC()),
		Counts: map[string]int64{}, Parts: []ManifestPart{}, NotShown: append([]string{}, r.e.Failed...),
		References: "Each line of a part of file names a file by the address at which the API answers with it.",
	}
	for _, p := range r.e.Parts {
		m.Counts[p.Of] += p.Records
		m.Parts = append(m.Parts, ManifestPart{p.Name, p.Of, p.Records, p.Size, p.SHA256})
	}
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	p, err := r.put(ctx, "manifest", ManifestName, "application/json", data, int64(len(m.Parts)))
	if err != nil {
		return err
	}
	r.e.Manifest, r.e.Ended = &p, now
	return nil
}
