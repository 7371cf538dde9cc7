package clients

import (
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/kz"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
)

// Types of clients.
const (
	typeIndividual int64 = 0
	typeLegal      int64 = 1
)

// soleTrader is the legal type of a person who trades.
const soleTrader int64 = 0

// client is a client as it is stored.
type client struct {
	record.Meta
	Name             string        `dynamo:"n"`
	Type             int64         `dynamo:"t"`
	LegalType        *int64        `dynamo:"lt,omitempty"`
	Gender           *int64        `dynamo:"ge,omitempty"`
	Comment          *string       `dynamo:"co,omitempty"`
	Avatar           *string       `dynamo:"av,omitempty"`
	Email            *string       `dynamo:"em,omitempty"`
	Phone            *string       `dynamo:"ph,omitempty"` // E.164
	Deposit          *money.Amount `dynamo:"de,omitempty"`
	Signed           bool          `dynamo:"sg,omitempty"`
	SignDate         *decode.Date  `dynamo:"sd,omitempty"`
	SignExpires      *decode.Date  `dynamo:"se,omitempty"`
	AttractionMethod *int64        `dynamo:"am,omitempty"`
	Extra            decode.JSON   `dynamo:"e"`
	Individual       *individual   `dynamo:"iv,omitempty"`
	Legal            *legal        `dynamo:"le,omitempty"`
}

// individual is what is known of a person.
type individual struct {
	IIN            *string      `json:"iin" dynamo:"i,omitempty" nullable:"true"`
	DocumentNumber *string      `json:"document_number" dynamo:"d,omitempty" nullable:"true"`
	IssueDate      *decode.Date `json:"issue_date" dynamo:"f,omitempty" nullable:"true"`
	IssueDateEnd   *decode.Date `json:"issue_date_end" dynamo:"t,omitempty" nullable:"true"`
	BirthDate      *decode.Date `json:"birth_date" dynamo:"b,omitempty" nullable:"true"`
}

// legal is what is known of a legal entity.
type legal struct {
	BIN      *string `json:"bin" dynamo:"i,omitempty" nullable:"true"`
	Director *string `json:"director" dynamo:"d,omitempty" nullable:"true"`
	BIK      *string `json:"bik" dynamo:"k,omitempty" nullable:"true"`
	Bank     *string `json:"bank" dynamo:"b,omitempty" nullable:"true"`
	IBAN     *string `json:"iban" dynamo:"a,omitempty" nullable:"true"`
	Address  *string `json:"address" dynamo:"s,omitempty" nullable:"true"`
}

type body struct {
	Name             decode.Optional[string]         `json:"name" required:"true" maxLength:"512"`
	Type             decode.Optional[int64]          `json:"type" enum:"0,1" default:"0" doc:"0 individual, 1 legal"`
	LegalType        decode.Optional[int64]          `json:"legal_type" nullable:"true" enum:"0,1,2,3" doc:"0 sole trader, 1 LLP, 2 JSC, 3 production cooperative; of type 1 alone"`
	Gender           decode.Optional[int64]          `json:"gender" nullable:"true" enum:"0,1,2,9" doc:"As in ISO/IEC 5218: 0 not known, 1 male, 2 female, 9 not applicable"`
	Comment          decode.Optional[string]         `json:"comment" nullable:"true" blank:"true" maxLength:"10000"`
	Avatar           decode.Optional[string]         `json:"avatar" nullable:"true" format:"uri" maxLength:"2048"`
	Email            decode.Optional[string]         `json:"email" nullable:"true" format:"email" maxLength:"254"`
	Phone            decode.Optional[string]         `json:"phone" nullable:"true" maxLength:"32" doc:"Stored in E.164; a number of Kazakhstan may begin with 8 or with its code."`
	Deposit          decode.Optional[money.Amount]   `json:"deposit" nullable:"true" minimum:"0"`
	Signed           decode.Optional[bool]           `json:"signed" default:"false"`
	SignDate         decode.Optional[decode.Date]    `json:"sign_date" nullable:"true"`
	SignExpires      decode.Optional[decode.Date]    `json:"sign_expires" nullable:"true" doc:"Not before sign_date"`
	AttractionMethod decode.Optional[int64]          `json:"attraction_method" nullable:"true" doc:"Id of an attraction method"`
	Extra            decode.Optional[decode.JSON]    `json:"extra" nullable:"true" doc:"Any JSON; the custom fields of the key client are checked."`
	Individual       decode.Optional[individualBody] `json:"individual" nullable:"true" doc:"Of type 0, and of type 1 with the legal_type 0"`
	Legal            decode.Optional[legalBody]      `json:"legal" nullable:"true" doc:"Of type 1 alone"`
	Tenant           decode.Optional[int64]          `json:"tenant" doc:"The request's own company, if it is sent."`
}

type individualBody struct {
	IIN            decode.Optional[string]      `json:"iin" nullable:"true" maxLength:"32" doc:"12 digits, checked; unique among the company's clients"`
	DocumentNumber decode.Optional[string]      `json:"document_number" nullable:"true" maxLength:"255"`
	IssueDate      decode.Optional[decode.Date] `json:"issue_date" nullable:"true"`
	IssueDateEnd   decode.Optional[decode.Date] `json:"issue_date_end" nullable:"true"`
	BirthDate      decode.Optional[decode.Date] `json:"birth_date" nullable:"true"`
}

type legalBody struct {
	BIN      decode.Optional[string] `json:"bin" nullable:"true" maxLength:"32" doc:"12 digits, checked; unique among the company's clients"`
	Director decode.Optional[string] `json:"director" nullable:"true" maxLength:"255"`
	BIK      decode.Optional[string] `json:"bik" nullable:"true" maxLength:"32"`
	Bank     decode.Optional[string] `json:"bank" nullable:"true" maxLength:"255"`
	IBAN     decode.Optional[string] `json:"iban" nullable:"true" maxLength:"64"`
	Address  decode.Optional[string] `json:"address" nullable:"true" maxLength:"512"`
}

// Client is a client as callers see it.
type Client struct {
	ID               int64         `json:"id"`
	CreatedAt        string        `json:"created_at" format:"date-time"`
	UpdatedAt        string        `json:"updated_at" format:"date-time"`
	Name             string        `json:"name"`
	Type             int64         `json:"type" enum:"0,1" doc:"0 individual, 1 legal"`
	LegalType        *int64        `json:"legal_type" nullable:"true" doc:"0 sole trader, 1 LLP, 2 JSC, 3 production cooperative"`
	Gender           *int64        `json:"gender" nullable:"true" doc:"As in ISO/IEC 5218: 0 not known, 1 male, 2 female, 9 not applicable"`
	Comment          *string       `json:"comment" nullable:"true"`
	Avatar           *string       `json:"avatar" nullable:"true" format:"uri"`
	Email            *string       `json:"email" nullable:"true" format:"email"`
	Phone            *string       `json:"phone" nullable:"true" doc:"In E.164"`
	Deposit          *money.Amount `json:"deposit" nullable:"true"`
	AgreementID      *string       `json:"agreement_id" nullable:"true"`
	Signed           bool          `json:"signed"`
	SignDate         *decode.Date  `json:"sign_date" nullable:"true"`
	SignExpires      *decode.Date  `json:"sign_expires" nullable:"true"`
	AttractionMethod *int64        `json:"attraction_method" nullable:"true"`
	Extra            decode.JSON   `json:"extra"`
	Individual       *individual   `json:"individual"`
	Legal            *legal        `json:"legal"`
	OrdersCount      int64         `json:"orders_count"`
	OrdersAmount     money.Amount  `json:"orders_amount"`
	OrdersPaid       money.Amount  `json:"orders_paid_amount"`
	OrdersDebt       money.Amount  `json:"orders_debt_amount"`
	Tenant           int64         `json:"tenant"`
}

// The names of reservations.
const (
	uniqueIIN = "cli.iin"
	uniqueBIN = "cli.bin"
)

func clients() record.Resource[client, body, Client] {
	return record.Resource[client, body, Client]{
		Kind: kinds.Client, Path: "/v1/crm/clients/", ID: "clients", One: "client", Many: "clients",
		Doc:   "`search` finds every word in the name, the phone, the IIN or the BIN; a phone, or a part of it, is found however it is written.",
		Apply: apply, View: view,
		Name:    func(c *client) string { return c.Name },
		Numbers: numbers, Digits: digits, Words: words, Filters: filters(),
		Order:      map[string]string{"type": byFlags},
		Unique:     uniques,
		References: references,
		Extra:      func(c *client) (string, decode.JSON) { return "client", c.Extra },
	}
}

// uniques are what no two live clients of a company share.
func uniques(c *client) (list []record.Unique) {
	if c.Individual != nil && c.Individual.IIN != nil {
		list = append(list, record.Unique{Name: uniqueIIN, Value: *c.Individual.IIN, Field: "individual.iin"})
	}
	if c.Legal != nil && c.Legal.BIN != nil {
		list = append(list, record.Unique{Name: uniqueBIN, Value: *c.Legal.BIN, Field: "legal.bin"})
	}
	return list
}

func references(c *client) []record.Reference {
	if c.AttractionMethod == nil {
		return nil
	}
	return []record.Reference{{Field: "attraction_method", Kind: kinds.AttractionMethod, ID: *c.AttractionMethod}}
}

func apply(c *client, in *body, errs fault.Fields) {
	in.Name.Into(&c.Name)
	in.Type.Into(&c.Type)
	in.LegalType.IntoNullable(&c.LegalType)
	in.Gender.IntoNullable(&c.Gender)
	in.Comment.IntoNullable(&c.Comment)
	in.Avatar.IntoNullable(&c.Avatar)
	in.Email.IntoNullable(&c.Email)
	checked(in.Phone, &c.Phone, "phone", kz.Phone, kz.BadPhone, errs)
	in.Deposit.IntoNullable(&c.Deposit)
	in.Signed.Into(&c.Signed)
	in.SignDate.IntoNullable(&c.SignDate)
	in.SignExpires.IntoNullable(&c.SignExpires)
	in.AttractionMethod.IntoNullable(&c.AttractionMethod)
	record.ExtraInto(in.Extra, &c.Extra)
	switch {
	case in.Individual.Null:
		c.Individual = nil
	case in.Individual.Set:
		c.Individual = in.Individual.Value.apply(c.Individual, errs)
	}
	switch {
	case in.Legal.Null:
		c.Legal = nil
	case in.Legal.Set:
		c.Legal = in.Legal.Value.apply(c.Legal, errs)
	}
	c.fits(errs)
}

// fits adds to errs what does not go together in a client. A sole trader is both
// a person and a legal entity.
func (c *client) fits(errs fault.Fields) {
	trader := c.Type == typeLegal && c.LegalType != nil && *c.LegalType == soleTrader
	if c.Type != typeLegal && c.LegalType != nil {
		errs.Add("legal_type", "Only a client of type 1 has a legal_type.")
	}
	if c.Type != typeLegal && c.Legal != nil && errs["legal"] == nil {
		errs.Add("legal", "Only a client of type 1 has this part: send null.")
	}
	if c.Type != typeIndividual && !trader && c.Individual != nil && errs["individual"] == nil {
		errs.Add("individual", "Only a client of type 0, or of type 1 with the legal_type 0, has this part: send null.")
	}
	if c.SignDate != nil && c.SignExpires != nil && *c.SignExpires < *c.SignDate {
		errs.Add("sign_expires", "This date is before sign_date.")
	}
}

// apply gives the part of a person as it is after a change.
func (in *individualBody) apply(before *individual, errs fault.Fields) *individual {
	var p individual
	if before != nil {
		p = *before
	}
	checked(in.IIN, &p.IIN, "individual.iin", kz.IIN, kz.BadIIN, errs)
	in.DocumentNumber.IntoNullable(&p.DocumentNumber)
	in.IssueDate.IntoNullable(&p.IssueDate)
	in.IssueDateEnd.IntoNullable(&p.IssueDateEnd)
	in.BirthDate.IntoNullable(&p.BirthDate)
	if p.IssueDate != nil && p.IssueDateEnd != nil && *p.IssueDateEnd < *p.IssueDate {
		errs.AddAt("individual.issue_date_end", "This date is before issue_date.")
	}
	return &p
}

// apply gives the part of a legal entity as it is after a change.
func (in *legalBody) apply(before *legal, errs fault.Fields) *legal {
	var p legal
	if before != nil {
		p = *before
	}
	checked(in.BIN, &p.BIN, "legal.bin", kz.BIN, kz.BadBIN, errs)
	in.Director.IntoNullable(&p.Director)
	checked(in.BIK, &p.BIK, "legal.bik", kz.BIK, kz.BadBIK, errs)
	in.Bank.IntoNullable(&p.Bank)
	checked(in.IBAN, &p.IBAN, "legal.iban", kz.IBAN, kz.BadIBAN, errs)
	in.Address.IntoNullable(&p.Address)
	return &p
}

// checked writes a text in its usual spelling, if it is what it has to be.
func checked(in decode.Optional[string], to **string, field string, normal func(string) (string, bool), wrong string, errs fault.Fields) {
	if in.Set && !in.Null {
		text, ok := normal(in.Value)
		if !ok {
			errs.AddAt(field, wrong)
			return
		}
		in.Value = text
	}
	in.IntoNullable(to)
}

func view(c *client) Client {
	return Client{
		ID: c.ID, CreatedAt: c.CreatedAt(), UpdatedAt: c.UpdatedAt(), Name: c.Name, Type: c.Type, LegalType: c.LegalType,
		Gender: c.Gender, Comment: c.Comment, Avatar: c.Avatar, Email: c.Email, Phone: c.Phone, Deposit: c.Deposit,
		Signed: c.Signed, SignDate: c.SignDate, SignExpires: c.SignExpires, AttractionMethod: c.AttractionMethod,
		Extra: c.Extra, Individual: c.Individual, Legal: c.Legal, Tenant: int64(c.Tenant()),
	}
}
