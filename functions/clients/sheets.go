package clients

import (
	"regexp"
	"slices"
	"time"

	"github.com/tenantry/tenantry/functions/clients/client"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/web/resource"
	"github.com/tenantry/tenantry/shared/web/resource/sheets"
)

// importKind is the kind of the messages that end imports.
const importKind outbox.Kind = "clients.import"

// maxNewMethods is how many attraction methods an import may make.
const maxNewMethods = 25

// totals are how rows below a list begin that are no clients.
var totals = regexp.MustCompile(`^(итого|всего|жиыны|барлығы|total)( |:|$)`)

// clientSheets are the sheets of clients.
func clientSheets(now func() time.Time) sheets.Sheets[*client.Client, body, Client] {
	return sheets.Sheets[*client.Client, body, Client]{
		Resource: clients(now), Message: importKind, Columns: ofExport(""), Choose: chosen,
		Currency: company.CurrencyOf,
		Imports:  []sheets.Importer[*client.Client]{importing(individuals()), importing(legalEntities())},
	}
}

// DryRun is the answer of an import of clients that only shows what it would do.
type DryRun[Out any] struct {
	Data     []Out            `json:"data" doc:"As the import would answer them."`
	Created  int              `json:"created" doc:"How many clients the import would make."`
	Methods  []string         `json:"attraction_methods" doc:"The attraction methods that it would make."`
	Ignored  []string         `json:"ignored" doc:"Headers of a sheet, or names in the rows, that mean nothing to this import, and would be left out."`
	Similar  []sheets.Similar `json:"similar" doc:"Those of them that are nearly the name of a field."`
	Warnings []sheets.Warning `json:"warnings" doc:"What is likely a mistake in the rows, although they are imported: at most 100."`
}

// importing adds to an import what both imports have in common.
func importing[In, Out any](im sheets.Import[*client.Client, In, Out]) sheets.Import[*client.Client, In, Out] {
	im.Doc = "No two rows have the same phone, IIN or BIN, and no other client has the same IIN or BIN; " +
		"one that another import has at this moment is 409 with the code import_running."
	im.Part, im.Fits = im.Name, unmixed(im.Name)
	im.Columns, im.Others = ofImport(im.Name)
	im.Distinct = func(c *client.Client) []record.Unique {
		return []record.Unique{{Name: "phone", Value: sheets.Optional(c.Phone), Field: "phone"}}
	}
	im.Odd = func(c *client.Client) []sheets.Odd {
		if totals.MatchString(search.Fold(c.Name)) {
			return []sheets.Odd{{Field: "name", Message: say.UnusualTotal}}
		}
		return nil
	}
	im.Doubles = &sheets.Doubles[*client.Client]{
		Field: "name", Key: (*client.Client).Likeness, Among: client.Likely, Known: client.LikenessOf,
	}
	im.DryRun = func(d sheets.DryRun[Out], methods []string) any {
		return DryRun[Out]{Data: d.Data, Created: d.Created, Methods: methods, Ignored: d.Ignored, Similar: d.Similar, Warnings: d.Warnings}
	}
	return im
}

func individuals() sheets.Import[*client.Client, individualRow, IndividualRow] {
	return sheets.Import[*client.Client, individualRow, IndividualRow]{
		Name: individual, Summary: "Import individuals",
		Apply: func(c *client.Client, in *individualRow, errs fault.FieldErrors) {
			apply(c, &body{
				Name: in.Name, Type: decode.Some(client.TypeIndividual), Phone: in.Phone, Email: in.Email, Extra: in.Extra,
				Individual: decode.Some(individualBody{
					IIN:            in.IIN,
					DocumentNumber: in.DocumentNumber,
					IssueDate:      in.IssueDate,
					IssueDateEnd:   in.IssueDateEnd,
					BirthDate:      in.BirthDate,
				}),
			}, errs)
		},
		Show: func(c *client.Client, in *individualRow, _ resource.Viewer) IndividualRow {
			p := c.Individual
			return IndividualRow{
				Name:             c.Name,
				Phone:            c.Phone,
				Email:            c.Email,
				DocumentNumber:   p.DocumentNumber,
				IssueDate:        p.IssueDate,
				IssueDateEnd:     p.IssueDateEnd,
				BirthDate:        p.BirthDate,
				AttractionMethod: textOrNil(in.AttractionMethod),
				IIN:              p.IIN,
				Extra:            echoed(c, in.Extra),
			}
		},
		Names: func(in *individualRow) string { return in.AttractionMethod.Or("") },
		Named: &sheets.Named[*client.Client]{
			Many: say.ManyAttractionMethods, Most: maxNewMethods, Value: methodName,
			Make: func(w *record.Work, name string) func() int64 {
				m := &attractionMethod{Name: name}
				attractionMethods().Kind.Create(w, "", m)
				return func() int64 { return m.ID }
			},
			Apply: func(c *client.Client, id int64) { c.AttractionMethod = &id },
		},
	}
}

func legalEntities() sheets.Import[*client.Client, legalRow, LegalRow] {
	return sheets.Import[*client.Client, legalRow, LegalRow]{
		Name: legal, Summary: "Import legal entities",
		Apply: func(c *client.Client, in *legalRow, errs fault.FieldErrors) {
			apply(c, &body{
				Name:  in.Name,
				Type:  decode.Some(client.TypeLegal),
				Phone: in.Phone,
				Email: in.Email,
				Extra: in.Extra,
				Legal: decode.Some(legalBody{
					BIN: in.BIN, Address: in.Address, Director: in.Director, BIK: in.BIK, Bank: in.Bank, IBAN: in.IBAN,
				}),
			}, errs)
		},
		Show: func(c *client.Client, in *legalRow, _ resource.Viewer) LegalRow {
			p := c.Legal
			return LegalRow{
				Name: c.Name, Phone: c.Phone, Email: c.Email, BIN: p.BIN, Address: p.Address, Director: p.Director,
				BIK: p.BIK, Bank: p.Bank, IBAN: p.IBAN, Extra: echoed(c, in.Extra),
			}
		},
	}
}

// textOrNil returns the text of a field, or nil if the field is null or was not sent.
func textOrNil(in decode.Optional[string]) (text *string) {
	in.IntoNullable(&text)
	return text
}

// echoed returns the extra fields of a client, if its row had any.
func echoed(c *client.Client, in decode.Optional[decode.JSON]) decode.JSON {
	if !in.Set {
		return nil
	}
	return c.Extra
}

// ofImport returns the columns of an import, and those that it refuses because only the other
// type of client has them.
func ofImport(name string) (columns, others []column) {
	kind := typeColumn()
	kind.Refuse = func(value string) say.Message {
		switch value {
		case name:
			return ""
		case otherOf(name):
			return say.ClientRowOfOtherType(name)
		}
		return say.ClientTypeUnknown
	}
	for _, c := range columnsOf(otherOf(name)) {
		if c.Field == "address" {
			continue // lists of people have one too, and nothing of a company shows in it
		}
		c.Refuse = func(string) say.Message { return say.ClientTypeWithoutField(name) }
		others = append(others, c)
	}
	return append(columnsOf(name), kind), others
}

func otherOf(kind string) string {
	if kind == individual {
		return legal
	}
	return individual
}

// unmixed refuses a sheet with columns of the other type. A sheet that has the type of each
// row, such as an export of all clients, may have them if they are empty.
func unmixed(name string) func(found []sheets.Found) error {
	own, _ := ofImport(name)
	return func(found []sheets.Found) error {
		if slices.ContainsFunc(found, func(f sheets.Found) bool { return f.Field == fieldType }) {
			return nil
		}
		for _, f := range found {
			if !f.Custom && !slices.ContainsFunc(own, func(c column) bool { return c.Field == f.Field }) {
				return fault.Field("file", say.ClientColumnOfOtherType(f.Column, f.Header, otherOf(name))).With("column", f.Column)
			}
		}
		return nil
	}
}
