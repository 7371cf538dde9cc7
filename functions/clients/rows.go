package clients

import "github.com/tenantry/tenantry/shared/decode"

// individualRow is a row of an import of individuals as callers send it.
type individualRow struct {
	Name             decode.Optional[string]      `json:"name" required:"true" maxLength:"512" example:"Assel Kassymova"`
	Phone            decode.Optional[string]      `json:"phone" nullable:"true" maxLength:"32" format:"phone" doc:"No two rows have the same."`
	Email            decode.Optional[string]      `json:"email" nullable:"true" format:"email" maxLength:"254"`
	DocumentNumber   decode.Optional[string]      `json:"document_number" nullable:"true" maxLength:"255"`
	IssueDate        decode.Optional[decode.Date] `json:"issue_date" nullable:"true"`
	IssueDateEnd     decode.Optional[decode.Date] `json:"issue_date_end" nullable:"true"`
	BirthDate        decode.Optional[decode.Date] `json:"birth_date" nullable:"true"`
	AttractionMethod decode.Optional[string]      `json:"attraction_method" nullable:"true" maxLength:"255" doc:"A name; one that is new is created with the import."`
	IIN              decode.Optional[string]      `json:"iin" nullable:"true" maxLength:"32" format:"iin" example:"921130401234" doc:"Unique among the company's clients"`
	Extra            decode.Optional[decode.JSON] `json:"extra" nullable:"true" doc:"Any JSON of at most 16 KB; the custom fields of the key client are checked."`
}

// legalRow is a row of an import of legal entities as callers send it.
type legalRow struct {
	Name     decode.Optional[string]      `json:"name" required:"true" maxLength:"512" example:"Alatau LLP"`
	Phone    decode.Optional[string]      `json:"phone" nullable:"true" maxLength:"32" format:"phone" doc:"No two rows have the same."`
	Email    decode.Optional[string]      `json:"email" nullable:"true" format:"email" maxLength:"254"`
	BIN      decode.Optional[string]      `json:"bin" nullable:"true" maxLength:"32" format:"bin" example:"191151000429" doc:"Unique among the company's clients"`
	Address  decode.Optional[string]      `json:"address" nullable:"true" maxLength:"512"`
	Director decode.Optional[string]      `json:"director" nullable:"true" maxLength:"255"`
	BIK      decode.Optional[string]      `json:"bik" nullable:"true" maxLength:"32" format:"bik"`
	Bank     decode.Optional[string]      `json:"bank" nullable:"true" maxLength:"255"`
	IBAN     decode.Optional[string]      `json:"iban" nullable:"true" maxLength:"64" format:"iban"`
	Extra    decode.Optional[decode.JSON] `json:"extra" nullable:"true" doc:"Any JSON of at most 16 KB; the custom fields of the key client are checked."`
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
