package clients

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/tenantry/tenantry/functions/clients/client"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/customfield"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/sheet"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/throttle"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

const (
	// exportTime is how long an export may take. The gateway waits 30 s.
	exportTime = 20 * time.Second
	// exportPart is how many clients are in memory at a time.
	exportPart = 1000
	// exportsAnHour is how many a user may make: each reads all clients.
	exportsAnHour = 20
)

type exportInput struct {
	Search   string `query:"search" doc:"As in the list of clients."`
	Ordering string `query:"ordering" doc:"As in the list of clients."`
}

// Export is where a sheet can be read for some minutes.
type Export struct {
	URL       string `json:"url" format:"uri" doc:"The sheet, as an attachment"`
	ExpiresAt string `json:"expires_at" format:"date-time"`
	Count     int    `json:"count" doc:"How many clients are in it"`
}

func (s *sheets) export(ctx context.Context, r *web.Request, _ *exportInput) (*web.Reply, error) {
	format, err := formatOf(r)
	if err != nil {
		return nil, err
	}
	res := clients()
	q, err := res.Finder().Query(ctx, r)
	if err != nil {
		return nil, err
	}
	if r.Head() {
		return &web.Reply{Header: map[string]string{"Cache-Control": "no-store"}}, nil
	}
	user := strconv.FormatInt(r.Principal.User, 10)
	if _, err := s.throttle.Take(ctx, throttle.Rule{Name: "export", Limit: exportsAnHour, Window: time.Hour}.Of(user)); err != nil {
		return nil, err
	}
	q.Order = append(q.Order, search.By{Field: search.ID, Descending: true})
	ctx, cancel := context.WithTimeoutCause(ctx, exportTime, search.ErrTooManyRecords)
	defer cancel()
	reply, err := s.exported(ctx, r, res.Kind.Index(resource.Scope(r, s.now)), q, format)
	if err != nil && errors.Is(context.Cause(ctx), search.ErrTooManyRecords) {
		err = search.ErrTooManyRecords.Because(err)
	}
	return reply, err
}

// exported stores a sheet of the clients that a query asks for, and answers
// where it is.
func (s *sheets) exported(ctx context.Context, r *web.Request, ix search.Index[client.Client], q search.Query, format sheet.Format) (reply *web.Reply, err error) {
	file, err := os.CreateTemp("", "export-")
	if err != nil {
		return nil, fmt.Errorf("clients: export: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close(), os.Remove(file.Name())) }()
	count, err := s.fill(ctx, r, file, ix, q, format)
	if err != nil {
		return nil, err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("clients: export: %w", err)
	}
	id := s.newUUID()
	if err := s.files.PutTemporaryFrom(ctx, r.Table.ID(), id, format.ContentType(), file); err != nil {
		return nil, err
	}
	name := "clients-" + s.now().UTC().Format(time.DateOnly) + "." + string(format)
	url, expires, err := s.files.DownloadTemporary(ctx, r.Table.ID(), id, name)
	if err != nil {
		return nil, err
	}
	return &web.Reply{
		Status: http.StatusOK, Header: map[string]string{"Cache-Control": "no-store"},
		Body: Export{URL: url, ExpiresAt: expires.UTC().Format("2006-01-02T15:04:05Z"), Count: count},
	}, nil
}

// fill writes the sheet, a part of the clients at a time.
func (s *sheets) fill(ctx context.Context, r *web.Request, to io.Writer, ix search.Index[client.Client], q search.Query, format sheet.Format) (count int, err error) {
	var set table.Attributes
	err = r.Table.Get(ctx, r.Table.Definitions("client"), &set)
	if err != nil && !errors.Is(err, table.ErrNotFound) {
		return 0, err
	}
	custom, err := customfield.Decode(set)
	if err != nil {
		return 0, err
	}
	x := exporter{
		language: languageOf(r), columns: exportColumns(kindAsked(r), custom), custom: custom, methods: map[int64]string{},
	}
	out, err := sheet.NewWriter(to, format, x.header())
	if err != nil {
		return 0, err
	}
	count, err = ix.Each(ctx, q, exportPart, func(part []client.Client) error {
		if err := x.name(ctx, r.Table, part); err != nil {
			return err
		}
		for i := range part {
			if err := out.Row(x.row(&part[i])); err != nil {
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

// exportColumns are the columns of an export: those of imports, and what people
// want to see beside them, where an import would not take that for a custom
// field.
func exportColumns(kind string, custom customfield.Set) []column {
	known := headersOf("", custom)
	list := append([]column{typeColumn()}, columnsOf(kind)...)
	for _, c := range []column{
		{field: fieldID, english: "ID", russian: "ID"},
		{field: fieldComment, english: "Comment", russian: "Комментарий"},
		{field: fieldCreated, english: "Created", russian: "Создан"},
	} {
		_, english := known[headerKey(c.english)]
		_, russian := known[headerKey(c.russian)]
		if !english && !russian {
			list = append(list, c)
		}
	}
	return list
}

// kindAsked is the kind of sheet that fits the clients of the filter type.
func kindAsked(r *web.Request) string {
	switch r.Param("type") {
	case "0":
		return "individual"
	case "1":
		return "legal"
	}
	return ""
}

// exporter writes clients as rows.
type exporter struct {
	language string
	columns  []column
	custom   customfield.Set
	methods  map[int64]string // names of attraction methods; "" of one that is gone
}

func (x *exporter) header() []string {
	var titles []string
	for _, c := range x.columns {
		titles = append(titles, c.title(x.language))
	}
	return append(titles, customTitles(x.custom)...)
}

// name looks up the names of the attraction methods of clients that are not
// known yet: none or one call for a hundred.
func (x *exporter) name(ctx context.Context, t *table.Tenant, part []client.Client) error {
	ids := map[table.Key]int64{}
	var keys []table.Key
	for i := range part {
		if id := part[i].AttractionMethod; id != nil {
			k := t.Record(kinds.AttractionMethod, *id)
			if _, known := x.methods[*id]; !known && ids[k] == 0 {
				ids[k], keys = *id, append(keys, k)
			}
		}
	}
	items, err := t.GetMany(ctx, keys...)
	if err != nil {
		return err
	}
	for k, id := range ids {
		x.methods[id] = table.Attributes(items[k]).Text(kinds.Name)
	}
	return nil
}

// row is a client as the cells of its columns.
func (x *exporter) row(c *client.Client) []sheet.Cell {
	fields := x.fields(c)
	cells := make([]sheet.Cell, 0, len(x.columns)+len(x.custom.List))
	for _, column := range x.columns {
		switch value := fields[column.field]; {
		case value == "":
			cells = append(cells, sheet.Cell{})
		case column.field == fieldID:
			cells = append(cells, sheet.Number(value))
		case column.is == date:
			cells = append(cells, sheet.Date(value))
		default:
			cells = append(cells, sheet.Text(value))
		}
	}
	if len(x.custom.List) == 0 {
		return cells
	}
	var extra map[string]json.RawMessage
	if err := json.Unmarshal(c.Extra, &extra); err != nil {
		extra = nil // a client from before the custom fields may have anything there
	}
	for i := range x.custom.List {
		cells = append(cells, customCell(&x.custom.List[i], extra[x.custom.List[i].Name]))
	}
	return cells
}

// fields are those of a client, as texts by their names.
func (x *exporter) fields(c *client.Client) map[string]string {
	f := map[string]string{
		fieldID: strconv.FormatInt(c.ID, 10), fieldType: typeName(c.Type, x.language), fieldCreated: c.CreatedAt(),
		"name": c.Name, "phone": orEmpty(c.Phone), "email": orEmpty(c.Email), fieldComment: orEmpty(c.Comment),
	}
	if c.AttractionMethod != nil {
		f["attraction_method"] = x.methods[*c.AttractionMethod]
	}
	if p := c.Individual; p != nil {
		f["iin"], f["document_number"] = orEmpty(p.IIN), orEmpty(p.DocumentNumber)
		f["issue_date"], f["issue_date_end"], f["birth_date"] = orEmpty(p.IssueDate), orEmpty(p.IssueDateEnd), orEmpty(p.BirthDate)
	}
	if p := c.Legal; p != nil {
		f["bin"], f["address"], f["director"] = orEmpty(p.BIN), orEmpty(p.Address), orEmpty(p.Director)
		f["bik"], f["bank"], f["iban"] = orEmpty(p.BIK), orEmpty(p.Bank), orEmpty(p.IBAN)
	}
	return f
}

func orEmpty[T ~string](s *T) string {
	if s == nil {
		return ""
	}
	return string(*s)
}

// customTitles are headers that an import takes for each custom field: its label
// where that means nothing else, else its path.
func customTitles(custom customfield.Set) []string {
	known, titles := headersOf("", custom), make([]string, len(custom.List))
	for i := range custom.List {
		d := &custom.List[i]
		if titles[i] = customPath(d); known[headerKey(d.Label)].custom == d {
			titles[i] = d.Label
		}
	}
	return titles
}

// customCell is the value of a custom field.
func customCell(d *customfield.Definition, value json.RawMessage) sheet.Cell {
	var s string
	switch {
	case len(value) == 0 || string(value) == "null":
		return sheet.Cell{}
	case json.Unmarshal(value, &s) == nil:
	default:
		s = string(value)
	}
	switch d.Type {
	case "integer", "decimal":
		return sheet.Number(s)
	case "date":
		return sheet.Date(s)
	}
	return sheet.Text(s)
}

// formatOf reads the parameter format.
func formatOf(r *web.Request) (sheet.Format, error) {
	switch format := sheet.Format(r.Param("format")); format {
	case sheet.XLSX, sheet.CSV:
		return format, nil
	case "":
		return "", fault.Field("format", fault.Required)
	default:
		return "", fault.Field("format", fault.BadChoice(format))
	}
}
