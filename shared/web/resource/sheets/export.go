package sheets

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/record/search/segment"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/sheet"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/allowance"
	"github.com/tenantry/tenantry/shared/table/throttle"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

const (
	// exportTime is how long an export may take. The gateway waits 30 s.
	exportTime = 20 * time.Second
	// exportPart is how many records are in memory at a time.
	exportPart = 1000
	// exportsAnHour is how many exports a user may make in an hour, over all kinds: each of
	// them reads all records.
	exportsAnHour = 20
)

type exportInput struct {
	Search   string `query:"search" doc:"As in the list."`
	Ordering string `query:"ordering" doc:"As in the list."`
}

// Export is the address of a sheet, which works for some minutes.
type Export struct {
	URL       string `json:"url" format:"uri" doc:"The sheet, as an attachment"`
	ExpiresAt string `json:"expires_at" format:"date-time"`
	Count     int    `json:"count" doc:"How many records are in it"`
}

// exports returns the operation that writes the records of a list to a sheet, with the list's
// own search, filters and ordering.
func (s *service[T]) exports() web.Operation {
	many := s.kind.Kind.Many
	return web.Op(web.Operation{
		ID:      s.name("export"),
		Method:  http.MethodGet,
		Path:    s.path("export"),
		Role:    s.reads,
		Summary: "Export " + many + " to a sheet",
		Doc: "Takes the filters, the search and the ordering of the list of " + many + ". The address that it answers works for some " +
			"minutes. The sheet can be imported again: its headers are understood in each language. " + inLanguage + " " +
			"What takes longer than 20 seconds is 400 with the code export_too_long; a filter makes it shorter. A user " +
			"can make 20 an hour.",
		Faults: []fault.Code{fault.Throttled}, Draws: true,
		Query: append([]web.Param{ofFormat(), ofLanguage()}, s.finder.Params()...),
	}, s.export)
}

func (s *service[T]) export(ctx context.Context, r *web.Request, _ *exportInput) (*web.Reply[Export], error) {
	errs := fault.FieldErrors{}
	format, language := asked(r, errs)
	if err := errs.Err(); err != nil {
		return nil, err
	}
	q, err := s.finder.Query(ctx, r)
	if err != nil {
		return nil, err
	}
	q.Order = append(q.Order, segment.By{Field: segment.ID, Descending: true})
	x := exporter[T]{service: s, r: r, columns: s.exported, language: language, format: format, names: map[table.Key]string{}}
	if s.choose != nil {
		x.columns = s.choose(r)
	}
	return x.answer(ctx, q)
}

// errTooLong ends an export that takes longer than exportTime.
var errTooLong = fault.New(fault.Invalid, say.ExportTooLong).With("code", "export_too_long")

// exporter writes records as rows.
type exporter[T record.Stored] struct {
	*service[T]
	r        *web.Request
	columns  []Column[T] // of this sheet
	custom   []custom
	language say.Language
	format   sheet.Format
	names    map[table.Key]string // names of the records that others refer to; "" for a removed one
	zone     *time.Location       // of the company
}

// answer makes the sheet, unless the caller has reached the limit.
func (x *exporter[T]) answer(ctx context.Context, q search.Query) (*web.Reply[Export], error) {
	if x.r.Head() {
		return &web.Reply[Export]{}, nil
	}
	if err := allowance.Draw(ctx); err != nil {
		return nil, err
	}
	limit := throttle.Rule{Name: "export", Limit: exportsAnHour, Window: time.Hour}.Of(x.r.Principal.Caller())
	if _, err := x.throttle.Take(ctx, limit); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, exportTime, errTooLong)
	defer cancel()
	reply, err := x.stored(ctx, q)
	if err != nil && errors.Is(context.Cause(ctx), errTooLong) {
		err = errTooLong.Because(err)
	}
	return reply, err
}

// stored writes and stores a sheet of the records that a query asks for, and answers with its
// address.
func (x *exporter[T]) stored(ctx context.Context, q search.Query) (reply *web.Reply[Export], err error) {
	file, err := os.CreateTemp("", "export-")
	if err != nil {
		return nil, fmt.Errorf("sheets: export: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close(), os.Remove(file.Name())) }()
	count, err := x.fill(ctx, file, q)
	if err != nil {
		return nil, err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("sheets: export: %w", err)
	}
	company, id := x.r.Table.ID(), x.newUUID()
	if err := x.files.PutTemporaryFrom(ctx, company, id, x.format.ContentType(), file); err != nil {
		return nil, err
	}
	name := x.name(x.now().UTC().Format(time.DateOnly)) + "." + string(x.format)
	url, expires, err := x.files.DownloadTemporary(ctx, company, id, name)
	if err != nil {
		return nil, err
	}
	return &web.Reply[Export]{
		Status:   http.StatusOK,
		Language: x.language,
		Body:     &Export{URL: url, ExpiresAt: expires.UTC().Format("2006-01-02T15:04:05Z"), Count: count},
	}, nil
}

// fill writes the rows, reading the records in parts.
func (x *exporter[T]) fill(ctx context.Context, to io.Writer, q search.Query) (count int, err error) {
	if x.zone, err = x.zoneOfCompany(); err != nil {
		return 0, err
	}
	scope := resource.Scope(x.r, x.now)
	if x.custom, err = x.service.custom(ctx, scope.Reading()); err != nil {
		return 0, err
	}
	out, err := sheet.NewNamedWriter(to, x.format, say.WordSheet.In(x.language), x.header())
	if err != nil {
		return 0, err
	}
	count, err = x.kind.Each(ctx, scope, q, exportPart, func(part []T) error {
		if err := x.lookUp(ctx, part); err != nil {
			return err
		}
		for _, rec := range part {
			if err := out.Row(x.row(rec)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return count, out.Close()
}

// zoneOfCompany is where the company's clocks are, or UTC where there is no company. One that can't be read is an error: a cell doesn't say
// its zone.
func (x *exporter[T]) zoneOfCompany() (*time.Location, error) {
	of := x.r.Zone()
	if of == nil {
		return time.UTC, nil
	}
	zone, err := of()
	if errors.Is(err, table.ErrNotFound) {
		return time.UTC, nil
	}
	return zone, err
}

// local writes an instant by the company's clocks.
func (x *exporter[T]) local(instant string) string {
	at, err := time.Parse(time.RFC3339, instant)
	if err != nil {
		return instant
	}
	return at.In(x.zone).Format(time.DateTime)
}

// header decides which columns the sheet has, and returns their titles.
func (x *exporter[T]) header() []string {
	h := headers[T]{columns: x.exported, custom: x.custom}
	known := h.known()
	x.columns = slices.DeleteFunc(slices.Clone(x.columns), func(c Column[T]) bool {
		isKnown := func(title string) bool { _, ok := known[headerKey(title)]; return ok }
		return c.Value == nil || c.ExportOnly && slices.ContainsFunc(spoken(c.Title), isKnown)
	})
	var titles []string
	for _, c := range x.columns {
		titles = append(titles, c.Title.In(x.language))
	}
	return append(titles, h.titles()...)
}

// named returns the key of the record whose name a column shows; ok is false if it shows none.
func (x *exporter[T]) named(c Column[T], rec T) (k table.Key, ok bool) {
	id, err := strconv.ParseInt(c.Value(rec), 10, 64)
	return x.r.Table.Record(c.Names, id), err == nil
}

// lookUp looks up the names of records that are not known yet, with one call for a hundred of
// them.
func (x *exporter[T]) lookUp(ctx context.Context, part []T) error {
	var keys []table.Key
	for _, c := range x.columns {
		if c.Names == "" {
			continue
		}
		for _, rec := range part {
			k, ok := x.named(c, rec)
			if _, known := x.names[k]; ok && !known {
				x.names[k], keys = "", append(keys, k)
			}
		}
	}
	items, err := x.r.Table.GetMany(ctx, keys...)
	for _, k := range keys {
		x.names[k] = table.Attributes(items[k]).Text(kinds.Name)
	}
	return err
}

// row returns the cells of a record.
func (x *exporter[T]) row(rec T) []sheet.Cell {
	cells := make([]sheet.Cell, 0, len(x.columns)+len(x.custom))
	for _, c := range x.columns {
		s := ""
		if c.Names == "" {
			s = c.Value(rec)
		} else if k, ok := x.named(c, rec); ok {
			s = x.names[k]
		}
		if c.Holds == Moment {
			s = x.local(s)
		}
		cells = append(cells, c.cell(s, x.language))
	}
	if len(x.custom) == 0 {
		return cells
	}
	values := map[string]map[string]json.RawMessage{}
	for _, e := range x.kind.Extras(rec) {
		values[e.Field] = fieldsOf(e)
	}
	for _, c := range x.custom {
		cells = append(cells, customCell(c.Definition, values[c.field][c.Name], x.language))
	}
	return cells
}

// fieldsOf returns the custom fields of a record. Data from before custom fields existed may
// be any JSON; it then has no fields.
func fieldsOf(e record.Extra) (fields map[string]json.RawMessage) {
	if json.Unmarshal(e.JSON, &fields) != nil {
		return nil
	}
	return fields
}
