package client

import (
	"github.com/tenantry/tenantry/shared/decode"
)

// NestedClient is what other records show of a client.
type NestedClient struct {
	ID          int64        `json:"id"`
	Name        string       `json:"name"`
	AgreementID *string      `json:"agreement_id" nullable:"true"`
	Phone       *string      `json:"phone" nullable:"true"`
	Avatar      *string      `json:"avatar" nullable:"true" format:"uri"`
	Type        Type         `json:"type" doc:"{values}"`
	LegalType   *LegalType   `json:"legal_type" nullable:"true" open:"true"`
	Signed      bool         `json:"signed"`
	SignDate    *decode.Date `json:"sign_date" nullable:"true"`
	SignExpires *decode.Date `json:"sign_expires" nullable:"true"`
	Email       *string      `json:"email" nullable:"true" format:"email"`
	Extra       decode.JSON  `json:"extra"`
}

// Nested returns what other records show of a client. An avatar that is an upload has no address
// yet, because that depends on the caller.
func (c *Client) Nested() NestedClient {
	return NestedClient{
		ID: c.ID, Name: c.Name, AgreementID: c.AgreementID, Phone: c.Phone, Avatar: c.Avatar.Told(), Type: c.Type,
		LegalType: c.LegalType, Signed: c.Signed,
		SignDate: c.SignDate, SignExpires: c.SignExpires, Email: c.Email, Extra: c.Extra,
	}
}
