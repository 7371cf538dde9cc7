package seal

import (
	"bytes"
	"compress/zlib"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tenantry/tenantry/functions/seal/job"
	"github.com/tenantry/tenantry/functions/seal/pades"
	"github.com/tenantry/tenantry/functions/seal/pages"
	"github.com/tenantry/tenantry/functions/seal/pdf"
)

// assembly is an update that becomes a sealed file.
type assembly struct {
	file    *pdf.File
	update  *pdf.Update
	catalog pdf.Dict
	tree    pdf.Ref // the root of the pages
	pages   pdf.Dict
	count   int // of pages
}

// assemble makes the sealed file.
func assemble(
	ctx context.Context, r *job.Request, original []byte, attachments [][]byte, signature pades.Signature,
) ([]byte, error) {
	a, err := begin(original)
	if err != nil {
		return nil, err
	}
	r.Record.Pages = a.count
	audit, err := auditOf(r.Record)
	if err != nil {
		return nil, err
	}
	embedded := []attachment{{name: job.AuditName, kind: "application/json", relation: "Data", data: audit}}
	for i, of := range r.Attachments {
		embedded = append(embedded, attachment{
			name: of.Name, kind: "application/pkcs7-signature", relation: "Supplement", data: attachments[i],
		})
	}
	record := pages.Record{Record: r.Record, Language: r.Language, VerifyURL: r.VerifyURL, At: r.At}
	for _, e := range embedded {
		sum := sha256.Sum256(e.data)
		record.Attachments = append(record.Attachments, pages.Attachment{Name: e.name, Size: len(e.data), SHA256: sum[:]})
	}
	drawn, err := pages.Draw(record)
	if err != nil {
		return nil, err
	}
	field := a.update.Reserve()
	page, err := a.graft(drawn, field)
	if err != nil {
		return nil, fmt.Errorf("seal: the record's pages: %w", err)
	}
	if err := a.embed(embedded, r.At); err != nil {
		return nil, err
	}
	whole, err := signature.Sign(ctx, a.file, a.update, a.catalog, field, page, a.identity(r))
	return whole, refused(err)
}

// refused is the problem that an error of reading or signing the original is; the error itself
// where it is none.
func refused(err error) error {
	switch {
	case errors.Is(err, pdf.ErrXRefStream):
		return problemf(job.XRefStream, "The original has cross-reference streams.")
	case errors.Is(err, pdf.ErrEncrypted):
		return problemf(job.Encrypted, "The original is encrypted.")
	case errors.Is(err, pades.ErrSigned):
		return problemf(job.Signed, "The original has a signature.")
	case errors.Is(err, pdf.ErrSyntax):
		return problemf(job.NotPDF, "The original can't be read as a PDF: %v.", err)
	}
	return err
}

// begin reads what the update changes of the original.
func begin(original []byte) (*assembly, error) {
	f, err := pdf.Read(original)
	if err != nil {
		return nil, refused(err)
	}
	a := &assembly{file: f, update: f.Update()}
	for r := range f.Objects() {
		v, err := f.Object(r)
		if err != nil {
			return nil, refused(err)
		}
		if d, ok := v.(pdf.Dict); ok && d["ByteRange"] != nil {
			return nil, refused(pades.ErrSigned)
		}
	}
	catalog, err := f.Dict(f.Trailer["Root"])
	if err != nil {
		return nil, refused(err)
	}
	tree, ok := catalog["Pages"].(pdf.Ref)
	if !ok {
		return nil, problemf(job.NotPDF, "The original has no pages.")
	}
	node, err := f.Dict(tree)
	if err != nil {
		return nil, refused(err)
	}
	count, ok, err := f.Int(node["Count"])
	const most = 100_000
	if err != nil || !ok || count < 1 || count > most || node["Type"] != pdf.Name("Pages") {
		return nil, problemf(job.NotPDF, "The original has no pages.")
	}
	a.catalog, a.tree, a.pages, a.count = maps.Clone(catalog), tree, maps.Clone(node), count
	return a, nil
}

// auditOf is the record as JSON.
func auditOf(r job.Record) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(r); err != nil {
		return nil, fmt.Errorf("seal: record: %w", err)
	}
	return b.Bytes(), nil
}

// graft puts the pages of another PDF behind those of the original, with all that they refer to. It
// returns the first one, which gets a field.
func (a *assembly) graft(drawn []byte, field pdf.Ref) (first pdf.Ref, err error) {
	from, err := pdf.Read(drawn)
	if err != nil {
		return first, err
	}
	catalog, err := from.Dict(from.Trailer["Root"])
	if err != nil {
		return first, err
	}
	tree, err := from.Dict(catalog["Pages"])
	if err != nil {
		return first, err
	}
	kids, err := from.Array(tree["Kids"])
	if err != nil {
		return first, err
	}
	node := a.update.Reserve()
	moved := map[pdf.Ref]pdf.Ref{}
	var waiting []pdf.Ref
	move := func(r pdf.Ref) pdf.Ref {
		if _, ok := moved[r]; !ok {
			moved[r] = a.update.Reserve()
			waiting = append(waiting, r)
		}
		return moved[r]
	}
	var added pdf.Array
	for i, kid := range kids {
		old, err := from.Dict(kid)
		if err != nil {
			return first, err
		}
		page := maps.Clone(old)
		delete(page, "Parent") // else the whole tree would be moved
		page = page.Mapped(move)
		page["Parent"] = node
		// What the original's pages inherit must not reach these.
		box := tree["MediaBox"]
		if page["MediaBox"] != nil {
			box = page["MediaBox"]
		}
		page["MediaBox"], page["CropBox"], page["Rotate"] = box, box, pdf.Int(0)
		if i == 0 {
			page["Annots"] = pdf.Array{field}
		}
		added = append(added, a.update.Add(page))
	}
	for len(waiting) > 0 {
		r := waiting[0]
		waiting = waiting[1:]
		v, err := from.Object(r)
		if err != nil {
			return first, err
		}
		a.update.Set(moved[r], pdf.Mapped(v, move))
	}
	a.update.Set(node, pdf.Dict{"Type": pdf.Name("Pages"), "Parent": a.tree, "Kids": added, "Count": pdf.Int(len(added))})
	all, err := a.file.Array(a.pages["Kids"])
	if err != nil {
		return first, err
	}
	a.pages["Kids"] = append(slices.Clone(all), node)
	a.pages["Count"] = pdf.Int(a.count + len(added))
	a.update.Set(a.tree, a.pages)
	first, ok := added[0].(pdf.Ref)
	if !ok {
		return first, pdf.ErrSyntax
	}
	return first, nil
}

// attachment is a file that is embedded.
type attachment struct {
	name, kind, relation string
	data                 []byte
}

// embed embeds files, as PDF/A-3 has it: named in the catalog's tree of names, and associated with the
// document.
func (a *assembly) embed(list []attachment, at time.Time) error {
	names, err := a.file.Dict(a.catalog["Names"])
	if err != nil {
		return refused(err)
	}
	files, err := a.file.Dict(names["EmbeddedFiles"])
	if err != nil {
		return refused(err)
	}
	leaves, err := a.file.Array(files["Names"])
	if err != nil {
		return refused(err)
	}
	associations, err := a.file.Array(a.catalog["AF"])
	if err != nil {
		return refused(err)
	}
	if len(leaves) > 0 || files["Kids"] != nil || len(associations) > 0 { // an empty tree is what fpdf writes
		return problemf(job.EmbedsFiles, "The original has embedded files.")
	}
	list = slices.SortedFunc(slices.Values(list), func(x, y attachment) int { return strings.Compare(x.name, y.name) })
	var tree, associated pdf.Array
	for _, e := range list {
		stream := &pdf.Stream{Data: e.data, Dict: pdf.Dict{
			"Type": pdf.Name("EmbeddedFile"), "Subtype": pdf.Name(e.kind),
			"Params": pdf.Dict{"Size": pdf.Int(len(e.data)), "ModDate": pdf.Raw(at.UTC().Format("(D:20060102150405Z)"))},
		}}
		if e.name == job.AuditName {
			stream.Data = deflated(e.data)
			stream.Dict["Filter"] = pdf.Name("FlateDecode")
		}
		content := a.update.Add(stream)
		specification := a.update.Add(pdf.Dict{
			"Type": pdf.Name("Filespec"), "F": pdf.Text(e.name), "UF": pdf.Text(e.name), "AFRelationship": pdf.Name(e.relation),
			"EF": pdf.Dict{"F": content, "UF": content},
		})
		tree = append(tree, pdf.Text(e.name), specification)
		associated = append(associated, specification)
	}
	next := maps.Clone(names)
	if next == nil {
		next = pdf.Dict{}
	}
	next["EmbeddedFiles"] = pdf.Dict{"Names": tree}
	a.catalog["Names"], a.catalog["AF"] = next, associated
	return nil
}

func deflated(data []byte) []byte {
	var b bytes.Buffer
	w, _ := zlib.NewWriterLevel(&b, zlib.BestCompression) // there is this level
	_, _ = w.Write(data)                                  // a buffer takes everything
	_ = w.Close()
	return b.Bytes()
}

// identity is the file's ID: the first part stays as it was, or is of the original's bytes; the second
// is of what is sealed.
func (a *assembly) identity(r *job.Request) (id [2]pdf.Raw) {
	const length = 16
	id[0] = pdf.Hex(r.Original.SHA256[:length])
	if old, _ := a.file.Array(a.file.Trailer["ID"]); len(old) == 2 {
		if raw, ok := old[0].(pdf.Raw); ok && len(raw) > 2 {
			id[0] = raw
		}
	}
	sum := sha256.Sum256([]byte(r.Record.Original + r.Record.Head))
	id[1] = pdf.Hex(sum[:length])
	return id
}
