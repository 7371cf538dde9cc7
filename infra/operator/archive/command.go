package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/infra/operator/estate"
	"github.com/tenantry/tenantry/infra/operator/restore"
	"github.com/tenantry/tenantry/infra/operator/stage"
	"github.com/tenantry/tenantry/shared/tenant"
)

// ExportCommand writes the archive of a company.
func ExportCommand(ctx context.Context, e *stage.Env, args []string) error {
	flags := e.Flags("export")
	id := flags.Int64("tenant", 0, "the `number` of the company")
	to := flags.String("to", "", "the `folder` of the archive, which is made")
	if err := stage.Parse(flags, args); err != nil {
		return err
	}
	if *to == "" {
		return errors.New("name the folder with -to")
	}
	if err := e.NeedsBucket(); err != nil {
		return err
	}
	company, err := e.Company(ctx, tenant.ID(*id))
	if err != nil {
		return err
	}
	if err := e.Ask(
		fmt.Sprintf("This writes all items and files of company %d, %q, into %s.", *id, company.Name, *to),
		"It holds names, phones and documents of people: keep it as you keep those.",
		"What is written meanwhile may be in it by halves: suspend the company first, or let it read only.",
	); err != nil {
		return err
	}
	m, err := Export(ctx, estate.Open(e.Conn, estate.Bucket{API: e.S3, Name: e.Bucket}), tenant.ID(*id), *to, e.Now())
	if err != nil {
		return err
	}
	return m.print(e.Out)
}

// print writes what an archive holds.
func (m *Manifest) print(out io.Writer) error {
	fmt.Fprintf(out, "The archive of company %d, %q, of %s:\n", m.Company, m.Name, m.At.Format("2006-01-02 15:04:05 MST"))
	for _, path := range slices.Sorted(maps.Keys(m.Files)) {
		if f := m.Files[path]; strings.HasSuffix(path, ".jsonl") {
			fmt.Fprintf(out, "%8d items   %12d bytes  %s\n", f.Count, f.Bytes, path)
		}
	}
	var bytes int64
	for _, o := range m.Objects {
		bytes += m.Files[o.Path].Bytes
	}
	_, err := fmt.Fprintf(out, "%8d files   %12d bytes  objects\n%8d people\n", len(m.Objects), bytes, len(m.People))
	return err
}

// ImportCommand makes a company of an archive.
func ImportCommand(ctx context.Context, e *stage.Env, args []string) error {
	flags := e.Flags("import")
	from := flags.String("from", "", "the `folder` of the archive")
	as := flags.Int64("as", 0, "the `number` that an earlier run gave the company, to go on with it")
	if err := stage.Parse(flags, args); err != nil {
		return err
	}
	if *from == "" {
		return errors.New("name the folder with -from")
	}
	if err := e.NeedsBucket(); err != nil {
		return err
	}
	chains, err := e.Chains(ctx)
	if err != nil {
		return err
	}
	arrivals, to := document.NewArrivals(chains), restore.Of(e)
	to.Arrives = Marks(arrivals)
	i, err := Open(ctx, *from, to)
	if err != nil {
		return err
	}
	if err := i.Manifest.print(e.Out); err != nil {
		return err
	}
	for _, p := range i.Missing {
		e.Say("%s has no account here: invite them afterwards.", stage.Plain(p.Email))
	}
	if n := len(i.Lacking); n > 0 {
		e.Say("Files that records name and the archive lacks: %d, such as %s.", n, stage.Plain(i.Lacking[0]))
	}
	is := tenant.ID(*as)
	if is != 0 {
		if err := i.Ready(ctx, i.Manifest.Company, is); err != nil {
			return err
		}
	}
	if err := e.Ask(
		"A company is made of it, under a number of its own, suspended. Numbers of records are kept; people are found by their addresses.",
		"It has no host until its owner names one, and its webhooks have other secrets. What was signed on another stage is marked so,",
		"and can be proven by that stage alone. What is sealed stays valid; what waits for signers is sent anew, and sealed with the mark.",
		"On the stage that it was exported from, feed tokens, keys, links of signs and fingerprints stay with the first company, and go",
		"for good when that is erased.",
	); err != nil {
		return err
	}
	if err := i.Restore(ctx, e, i.Manifest.Company, is); err != nil {
		return err
	}
	e.Say("%d signs have stages that were made on another stage, and are marked so.", arrivals.Marked())
	return nil
}
