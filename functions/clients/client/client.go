// Package client is the clients of a company as other groups may use them: what is stored
// about a client, what callers see, and which fields are unique, searchable and references.
//
// What never goes in here: HTTP, and the import and export of sheets.
package client

import (
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/enum"
	"github.com/tenantry/tenantry/shared/files/uploads"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
)

// Type tells a person from a legal entity.
type Type int64

// Types of clients.
const (
	TypeIndividual Type = 0
	TypeLegal      Type = 1
)

// Values are the types of clients with their names.
func (Type) Values() []enum.Value {
	return enum.Numbers(map[Type]string{TypeIndividual: "individual", TypeLegal: "legal"})
}

// LegalType is the form of a legal entity.
type LegalType int64

// Forms of legal entities.
const (
	SoleTrader  LegalType = 0 // a person who trades
	LLP         LegalType = 1
	JSC         LegalType = 2
	Cooperative LegalType = 3
)

// Values are the forms with their names.
func (LegalType) Values() []enum.Value {
	return enum.Numbers(map[LegalType]string{SoleTrader: "sole trader", LLP: "LLP", JSC: "JSC", Cooperative: "production cooperative"})
}

// Gender is the gender of a person. ISO/IEC 5218 defines its numbers.
type Gender int64

// The genders.
const (
	GenderNotKnown      Gender = 0
	Male                Gender = 1
	Female              Gender = 2
	GenderNotApplicable Gender = 9
)

// Values are the genders with their names.
func (Gender) Values() []enum.Value {
	return enum.Numbers(map[Gender]string{
		GenderNotKnown: "not known", Male: "male", Female: "female", GenderNotApplicable: "not applicable",
	})
}

// Client is a client as it is stored.
type Client struct {
	record.Meta
	Name             string         `dynamo:"n"`
	Type             Type           `dynamo:"t"`
	LegalType        *LegalType     `dynamo:"lt,omitempty"`
	Gender           *Gender        `dynamo:"ge,omitempty"`
	Comment          *string        `dynamo:"co,omitempty,allowempty"` // may be empty
	Avatar           *uploads.Image `dynamo:"av,omitempty"`
	Email            *string        `dynamo:"em,omitempty"`
	Phone            *string        `dynamo:"ph,omitempty"` // E.164
	Deposit          *money.Amount  `dynamo:"de"`
	AgreementID      *string        `dynamo:"ag,omitempty"` // see Agree
	Signed           bool           `dynamo:"sg,omitempty"`
	SignDate         *decode.Date   `dynamo:"sd,omitempty"`
	SignExpires      *decode.Date   `dynamo:"se,omitempty"`
	AttractionMethod *int64         `dynamo:"am,omitempty"`
	Extra            decode.JSON    `dynamo:"e"`
	Individual       *Individual    `dynamo:"iv,omitempty"`
	Legal            *Legal         `dynamo:"le,omitempty"`
}

// Individual has the fields of a person.
type Individual struct {
	IIN            *string      `json:"iin" dynamo:"i,omitempty" nullable:"true"`
	DocumentNumber *string      `json:"document_number" dynamo:"d,omitempty" nullable:"true"`
	IssueDate      *decode.Date `json:"issue_date" dynamo:"f,omitempty" nullable:"true"`
	IssueDateEnd   *decode.Date `json:"issue_date_end" dynamo:"t,omitempty" nullable:"true"`
	BirthDate      *decode.Date `json:"birth_date" dynamo:"b,omitempty" nullable:"true"`
}

// Legal has the fields of a legal entity.
type Legal struct {
	BIN      *string `json:"bin" dynamo:"i,omitempty" nullable:"true"`
	Director *string `json:"director" dynamo:"d,omitempty" nullable:"true"`
	BIK      *string `json:"bik" dynamo:"k,omitempty" nullable:"true"`
	Bank     *string `json:"bank" dynamo:"b,omitempty" nullable:"true"`
	IBAN     *string `json:"iban" dynamo:"a,omitempty" nullable:"true"`
	Address  *string `json:"address" dynamo:"s,omitempty" nullable:"true"`
}

// Shown is what callers and the history see of a client, without what comes from other
// records.
type Shown struct {
	ID               int64         `json:"id"`
	CreatedAt        string        `json:"created_at" format:"date-time"`
	UpdatedAt        string        `json:"updated_at" format:"date-time"`
	Name             string        `json:"name"`
	Type             Type          `json:"type" doc:"{values}"`
	LegalType        *LegalType    `json:"legal_type" nullable:"true" open:"true" doc:"{values}"`
	Gender           *Gender       `json:"gender" nullable:"true" open:"true" doc:"As in ISO/IEC 5218: {values}"`
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
	Individual       *Individual   `json:"individual"`
	Legal            *Legal        `json:"legal"`
}

// Kind is the kind of clients.
func Kind() *record.Kind[*Client] { return declared.Get(declare) }

var declared record.Declared[*Client]

func declare() record.Kind[*Client] {
	return record.Kind[*Client]{
		Kind: kinds.Of(kinds.Client), Name: func(c *Client) string { return c.Name },
		Shown:   func(c *Client) any { return c.Shown() },
		Columns: columns(), Unique: uniques, References: references,
		Extras: record.Free("client", func(c *Client) decode.JSON { return c.Extra }),
	}
}

// Shown returns what callers see of a client.
func (c *Client) Shown() Shown {
	return Shown{
		ID: c.ID, CreatedAt: c.CreatedAt(), UpdatedAt: c.UpdatedAt(), Name: c.Name, Type: c.Type, LegalType: c.LegalType,
		Gender: c.Gender, Comment: c.Comment, Avatar: c.Avatar.Told(), Email: c.Email, Phone: c.Phone, Deposit: c.Deposit,
		AgreementID: c.AgreementID, Signed: c.Signed, SignDate: c.SignDate, SignExpires: c.SignExpires,
		AttractionMethod: c.AttractionMethod,
		Extra:            c.Extra, Individual: c.Individual, Legal: c.Legal,
	}
}

// uniques returns the values that no two live clients of a company may share.
func uniques(c *Client) (list []record.Unique) {
	if c.Individual != nil && c.Individual.IIN != nil {
		list = append(list, record.Unique{Name: "iin", Value: *c.Individual.IIN, Field: "individual.iin"})
	}
	if c.Legal != nil && c.Legal.BIN != nil {
		list = append(list, record.Unique{Name: "bin", Value: *c.Legal.BIN, Field: "legal.bin"})
	}
	return list
}

func references(c *Client) []record.Reference {
	if c.AttractionMethod == nil {
		return nil
	}
	return []record.Reference{{Field: "attraction_method", Kind: kinds.AttractionMethod, ID: *c.AttractionMethod}}
}
