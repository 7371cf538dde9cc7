package clients

import (
	"fmt"

	"github.com/tenantry/tenantry/functions/clients/client"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
)

// individualRow is a row of an import of individuals as callers send it.
type individualRow struct {
	Name             decode.Optional[string]      `json:"name" required:"true" maxLength:"512" example:"Assel Kassymova"`
	Phone            decode.Optional[string]      `json:"phone" nullable:"true" maxLength:"32" doc:"Answered in E.164; no two rows have the same."`
	Email            decode.Optional[string]      `json:"email" nullable:"true" format:"email" maxLength:"254"`
	DocumentNumber   decode.Optional[string]      `json:"document_number" nullable:"true" maxLength:"255"`
	IssueDate        decode.Optional[decode.Date] `json:"issue_date" nullable:"true"`
	IssueDateEnd     decode.Optional[decode.Date] `json:"issue_date_end" nullable:"true"`
	BirthDate        decode.Optional[decode.Date] `json:"birth_date" nullable:"true"`
	AttractionMethod decode.Optional[string]      `json:"attraction_method" nullable:"true" maxLength:"255" doc:"A name; one that is new is created with the import."`
	IIN              decode.Optional[string]      `json:"iin" nullable:"true" maxLength:"32" example:"921130401234" doc:"12 digits, checked; unique among the company's clients"`
	Extra            decode.Optional[decode.JSON] `json:"extra" nullable:"true" doc:"Any JSON; the custom fields of the key client are checked."`
}

// legalRow is a row of an import of legal entities as callers send it.
type legalRow struct {
	Name     decode.Optional[string]      `json:"name" required:"true" maxLength:"512" example:"Alatau LLP"`
	Phone    decode.Optional[string]      `json:"phone" nullable:"true" maxLength:"32" doc:"Answered in E.164; no two rows have the same."`
	Email    decode.Optional[string]      `json:"email" nullable:"true" format:"email" maxLength:"254"`
	BIN      decode.Optional[string]      `json:"bin" nullable:"true" maxLength:"32" example:"191151000429" doc:"12 digits, checked; unique among the company's clients"`
	Address  decode.Optional[string]      `json:"address" nullable:"true" maxLength:"512"`
	Director decode.Optional[string]      `json:"director" nullable:"true" maxLength:"255"`
	BIK      decode.Optional[string]      `json:"bik" nullable:"true" maxLength:"32"`
	Bank     decode.Optional[string]      `json:"bank" nullable:"true" maxLength:"255"`
	IBAN     decode.Optional[string]      `json:"iban" nullable:"true" maxLength:"64"`
	Extra    decode.Optional[decode.JSON] `json:"extra" nullable:"true" doc:"Any JSON; the custom fields of the key client are checked."`
}

// IndividualRow is a row of an import of individuals, in the usual spelling of
// its values.
type IndividualRow struct {
	Name             string       `json:"name"`
	Phone            *string      `json:"phone" nullable:"true" doc:"In E.164"`
	Email            *string      `json:"email" nullable:"true" format:"email"`
	DocumentNumber   *string      `json:"document_number" nullable:"true"`
	IssueDate        *decode.Date `json:"issue_date" nullable:"true"`
	IssueDateEnd     *decode.Date `json:"issue_date_end" nullable:"true"`
	BirthDate        *decode.Date `json:"birth_date" nullable:"true"`
	AttractionMethod *string      `json:"attraction_method" nullable:"true"`
	IIN              *string      `json:"iin" nullable:"true"`
	Extra            decode.JSON  `json:"extra,omitempty" doc:"Where it was sent"`
}

// LegalRow is a row of an import of legal entities, in the usual spelling of its
// values.
type LegalRow struct {
	Name     string      `json:"name"`
	Phone    *string     `json:"phone" nullable:"true" doc:"In E.164"`
	Email    *string     `json:"email" nullable:"true" format:"email"`
	BIN      *string     `json:"bin" nullable:"true"`
	Address  *string     `json:"address" nullable:"true"`
	Director *string     `json:"director" nullable:"true"`
	BIK      *string     `json:"bik" nullable:"true"`
	Bank     *string     `json:"bank" nullable:"true"`
	IBAN     *string     `json:"iban" nullable:"true"`
	Extra    decode.JSON `json:"extra,omitempty" doc:"Where it was sent"`
}

// row is a row of an import on its way to a client.
type row struct {
	number int           // as its sender counts: from 1, or as the sheet does
	client client.Client // as it becomes, but for its number and its attraction method
	method string        // the name of its attraction method; "" is none
	extra  bool          // it was sent
	errs   fault.FieldErrors
	dates  fault.FieldErrors // what is wrong with dates of custom fields, beside what the definitions say
}

// importing is what the two imports differ in.
type importing[In, Out any] struct {
	name   string // "individual"
	number string // the field with the number of a person or company
	part   string // of a client, in which the other fields are
	// sent gives a row as the body of a client, and the name of its attraction method.
	sent func(in *In) (body, string)
	// view is the row as it is answered.
	view func(r *row) Out
}

func individuals() importing[individualRow, IndividualRow] {
	return importing[individualRow, IndividualRow]{
		name: "individual", number: "iin", part: "individual",
		sent: func(in *individualRow) (body, string) {
			return body{
				Name: in.Name, Type: decode.Some(client.TypeIndividual), Phone: in.Phone, Email: in.Email, Extra: in.Extra,
				Individual: decode.Some(individualBody{
					IIN: in.IIN, DocumentNumber: in.DocumentNumber, IssueDate: in.IssueDate, IssueDateEnd: in.IssueDateEnd, BirthDate: in.BirthDate,
				}),
			}, in.AttractionMethod.Or("")
		},
		view: func(r *row) IndividualRow {
			c, p := &r.client, r.client.Individual
			return IndividualRow{
				Name: c.Name, Phone: c.Phone, Email: c.Email, DocumentNumber: p.DocumentNumber, IssueDate: p.IssueDate,
				IssueDateEnd: p.IssueDateEnd, BirthDate: p.BirthDate, AttractionMethod: orNull(r.method), IIN: p.IIN, Extra: r.echoed(),
			}
		},
	}
}

func legalEntities() importing[legalRow, LegalRow] {
	return importing[legalRow, LegalRow]{
		name: "legal", number: "bin", part: "legal",
		sent: func(in *legalRow) (body, string) {
			return body{
				Name: in.Name, Type: decode.Some(client.TypeLegal), Phone: in.Phone, Email: in.Email, Extra: in.Extra,
				Legal: decode.Some(legalBody{
					BIN: in.BIN, Address: in.Address, Director: in.Director, BIK: in.BIK, Bank: in.Bank, IBAN: in.IBAN,
				}),
			}, ""
		},
		view: func(r *row) LegalRow {
			c, p := &r.client, r.client.Legal
			return LegalRow{
				Name: c.Name, Phone: c.Phone, Email: c.Email, BIN: p.BIN, Address: p.Address, Director: p.Director,
				BIK: p.BIK, Bank: p.Bank, IBAN: p.IBAN, Extra: r.echoed(),
			}
		},
	}
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// echoed is the free part of the client, where the row had one.
func (r *row) echoed() decode.JSON {
	if !r.extra {
		return nil
	}
	return r.client.Extra
}

// numberOf is a client's number of a person or company; "" where it has none.
func numberOf(c *client.Client) string {
	switch {
	case c.Individual != nil && c.Individual.IIN != nil:
		return *c.Individual.IIN
	case c.Legal != nil && c.Legal.BIN != nil:
		return *c.Legal.BIN
	}
	return ""
}

// row applies the rule of clients to a row that was decoded. Everything that is
// wrong with it is in its errors, under the names of the row's fields.
func (im importing[In, Out]) row(number int, in *decode.Row[In]) row {
	r := row{number: number, errs: in.Errors}
	if r.errs == nil {
		r.errs = fault.FieldErrors{}
	}
	sent, method := im.sent(&in.Value)
	r.method, r.extra = method, sent.Extra.Set
	errs := fault.FieldErrors{}
	apply(&r.client, &sent, errs)
	part, _ := errs[im.part].(fault.FieldErrors)
	delete(errs, im.part)
	for _, found := range []fault.FieldErrors{errs, part} {
		for field, e := range found {
			if r.errs[field] == nil {
				r.errs[field] = e
			}
		}
	}
	return r
}

// duplicates adds an error to every row that has the phone or the number of an
// earlier one.
func (im importing[In, Out]) duplicates(rows []row) {
	seen := map[string]int{}
	check := func(r *row, field, value string) {
		if value == "" {
			return
		}
		key := field + " " + value
		if first, found := seen[key]; found {
			r.errs.Add(field, fmt.Sprintf("This value is also in row %d.", first))
			return
		}
		seen[key] = r.number
	}
	for i := range rows {
		r := &rows[i]
		if r.client.Phone != nil {
			check(r, "phone", *r.client.Phone)
		}
		check(r, im.number, numberOf(&r.client))
	}
}

// problems are the errors of rows in step with them; nil where no row has any.
func problems(rows []row) []fault.FieldErrors {
	list, bad := make([]fault.FieldErrors, len(rows)), false
	for i := range rows {
		list[i] = rows[i].errs
		bad = bad || len(list[i]) > 0
	}
	if !bad {
		return nil
	}
	return list
}
