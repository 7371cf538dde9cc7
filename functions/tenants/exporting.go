package tenants

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/tenants/export"
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/throttle"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
)

// exportsADay is how many exports of a company can be begun in a day of UTC.
const exportsADay = 10

// exportTurn is how long one delivery of the message works at most. Half of the time that it has is left for the call that is under way
// then, and for storing what there is: what a turn does not store is done again.
const exportTurn = 15 * time.Second

func turn(ctx context.Context, now time.Time) time.Duration {
	if end, bounded := ctx.Deadline(); bounded {
		return min(exportTurn, end.Sub(now)/2)
	}
	return exportTurn
}

// Export is an export of a company, as its owners see it.
type Export struct {
	ID        uuid.UUID    `json:"id" format:"uuid"`
	Company   int64        `json:"company"`
	Status    string       `json:"status" enum:"running,done,expired" doc:"What was running and has not ended within an hour is expired too: begin another one."`
	StartedAt string       `json:"started_at" format:"date-time"`
	EndedAt   *string      `json:"ended_at" format:"date-time" nullable:"true"`
	ExpiresAt string       `json:"expires_at" format:"date-time" doc:"When its files are gone."`
	Records   int64        `json:"records" doc:"So far."`
	NotShown  []string     `json:"not_shown" doc:"Records that GET of their paths fails to show: client 7."`
	Files     []ExportFile `json:"files" doc:"Once it is done; the manifest is the first."`
}

// ExportFile is one file of an export.
type ExportFile struct {
	Name    string `json:"name"`
	URL     string `json:"url" format:"uri" doc:"Answers with the file; see tenants-export-file."`
	Records int64  `json:"records"`
	Size    int64  `json:"size" doc:"In bytes."`
	SHA256  string `json:"sha256" doc:"In hexadecimal."`
}

func (g *group) exportOperations() []web.Operation {
	const path = "/v1/tenant/{id}/export/"
	return []web.Operation{
		web.Op(web.Operation{
			ID: "tenants-export", Method: http.MethodPost, Path: path, Access: web.SignedIn, Status: http.StatusAccepted,
			Idempotent: true, Again: g.mayExport,
			Faults:  []fault.Code{fault.Forbidden, fault.NotFound, fault.Throttled},
			Summary: "Begin an export of a company",
			Doc: "By an owner: else 403; a closed company can be exported too, and one that is suspended wholly can't be, " +
				"closed or not. All records, as GET of their paths shows them, in JSON " +
				"Lines by kind; the files that they name, by the API's addresses, which answer while the company can be read; and a " +
				"manifest with counts and SHA-256. Histories, events and metrics are not in it. It takes some seconds for each " +
				"thousand records; an e-mail tells whoever asked when it is done. It replaces the last one, and can be had for a day. " +
				"While one is being made, another call answers how far it is. " + strconv.Itoa(exportsADay) + " can be begun in a " +
				"day (UTC).",
		}, g.beginExport),
		web.Op(web.Operation{
			ID: "tenants-export-read", Method: http.MethodGet, Path: path, Access: web.SignedIn,
			Faults: []fault.Code{fault.Forbidden}, Summary: "Read the last export of a company",
			Doc: "By an owner: else 403. 404 where there was none.",
		}, g.readExport),
		web.Op(web.Operation{
			ID: "tenants-export-file", Method: http.MethodGet, Path: path + "{name}/", Access: web.SignedIn,
			Produces: []string{"*/*"}, Answers: web.Downloads(),
			Faults: []fault.Code{fault.Forbidden}, Summary: "A file of the last export of a company",
			Doc: "By an owner: else 403. Redirects to an address that works for some minutes; a caller who asks for application/json " +
				"gets it as JSON. 404 before the export is done, and once it has expired.",
		}, g.exportFile),
	}
}

// mayExport refuses to repeat an answer about an export if the caller is no longer a member of its company.
func (g *group) mayExport(ctx context.Context, r *web.Request, answer []byte) error {
	var e struct {
		Company tenant.ID `json:"company"`
	}
	if err := json.Unmarshal(answer, &e); err != nil {
		return fmt.Errorf("tenants: an answer that was kept: %w", err)
	}
	return g.belongs(ctx, r, e.Company)
}

// exporter makes exports.
func (g *group) exporter() export.Maker {
	return export.Maker{Files: g.env.Files, Show: g.env.Show, Now: g.env.Now, NewUUID: g.env.NewUUID}
}

func (g *group) beginExport(ctx context.Context, r *web.Request, in *companyInput) (*web.Reply[Export], error) {
	if in.ID > table.MaxID {
		return nil, fault.ErrNotFound // the number may be longer than any number of ours
	}
	scope := g.scope(r, tenant.ID(in.ID))
	if err := g.mayHave(ctx, scope); err != nil {
		return nil, err
	}
	e := export.Export{ID: g.env.NewUUID().String(), By: r.Principal.User, Base: r.BaseURL}
	o := web.OutcomeOf(r, func() (*web.Reply[Export], error) {
		return &web.Reply[Export]{Status: http.StatusAccepted, Body: web.Body(g.shownExport(in.ID, e, r.BaseURL))}, nil
	})
	return o.After(export.Begin(ctx, scope, o, &e, func() error {
		rule := throttle.Rule{Name: "export", Limit: exportsADay, Window: 24 * time.Hour}
		_, err := g.throttle.Take(ctx, rule.Of(strconv.FormatInt(in.ID, 10)))
		return err
	}))
}

// shownExport is an export as its owners see it.
func (g *group) shownExport(company int64, e export.Export, base string) Export {
	now := g.env.Now()
	v := Export{
		Company: company, Status: "running", StartedAt: encode.Instant(e.Begun.Time().UTC()), ExpiresAt: encode.Instant(e.Expires()),
		Records:  e.Records(),
		NotShown: append([]string{}, e.Failed...), Files: []ExportFile{},
	}
	v.ID, _ = uuid.Parse(e.ID) // we have made it
	switch {
	case !now.Before(e.Expires()), e.Ended == 0 && !e.Running(now):
		v.Status = "expired"
	case e.Ended != 0:
		v.Status = "done"
		at := encode.Instant(e.Ended.Time().UTC())
		v.EndedAt = &at
		for _, p := range append([]export.Part{*e.Manifest}, e.Parts...) {
			url := base + pathOf(company) + "export/" + p.Name + "/"
			v.Files = append(v.Files, ExportFile{p.Name, url, p.Records, p.Size, p.SHA256})
		}
	}
	return v
}

// mayHave refuses an export to who is no owner, and of a company that its host has suspended wholly, whether its owner closed it since or
// not. Another closed one can be taken away.
func (g *group) mayHave(ctx context.Context, s record.Scope) error {
	c, err := g.owned(ctx, s.Reading())
	switch {
	case err != nil:
		return err
	case c.State != tenant.Closed:
		return c.Refusal(true)
	case c.Before != nil:
		return c.Before.Refusal(true)
	}
	return nil
}

// exported is the last export of a company whose owner asks.
func (g *group) exported(ctx context.Context, r *web.Request, id int64) (e export.Export, err error) {
	if id > table.MaxID {
		return e, fault.ErrNotFound // the number may be longer than any number of ours
	}
	scope := g.scope(r, tenant.ID(id))
	if err := g.mayHave(ctx, scope); err != nil {
		return e, err
	}
	if e, err = export.Last(ctx, scope); err == nil && e.ID == "" {
		err = fault.ErrNotFound
	}
	return e, err
}

func (g *group) readExport(ctx context.Context, r *web.Request, in *companyInput) (Export, error) {
	e, err := g.exported(ctx, r, in.ID)
	if err != nil {
		return Export{}, err
	}
	return g.shownExport(in.ID, e, r.BaseURL), nil
}

func (g *group) exportFile(ctx context.Context, r *web.Request, in *struct {
	ID   int64  `path:"id"`
	Name string `path:"name" doc:"As the export lists it."`
},
) (*web.Reply[web.FileLink], error) {
	e, err := g.exported(ctx, r, in.ID)
	if err != nil {
		return nil, err
	}
	p, found := e.Find(in.Name)
	if !found || e.Ended == 0 || !g.env.Now().Before(e.Expires()) {
		return nil, fault.ErrNotFound
	}
	id, err := uuid.Parse(p.UUID)
	if err != nil {
		return nil, fmt.Errorf("tenants: a part of an export: %w", err)
	}
	url, expires, err := g.env.Files.DownloadTemporary(ctx, tenant.ID(in.ID), id, p.Name)
	if err != nil {
		return nil, err
	}
	return r.Download(url, expires), nil
}

// makeExport goes on with an export, for a while.
func (g *group) makeExport(ctx context.Context, m outbox.Message) error {
	scope, err := record.ForMessage(g.env.Table, m, g.env.Now)
	if err != nil {
		return err
	}
	now := g.env.Now()
	return export.GoOn(ctx, scope, g.exporter(), func(base string) (any, error) {
		c, err := g.store.company(ctx, scope.Table.ID())
		return shown(c, tenant.Owner, base), err
	}, now.Add(turn(ctx, now)))
}
