package clients

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/functions/clients/client"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/files/uploads"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web/resource"
)

type body struct {
	Name             decode.Optional[string]           `json:"name" required:"true" maxLength:"512" example:"Assel Kassymova"`
	Type             decode.Optional[client.Type]      `json:"type" default:"0" doc:"{values}"`
	LegalType        decode.Optional[client.LegalType] `json:"legal_type" nullable:"true" doc:"{values}; of type 1 alone"`
	Gender           decode.Optional[client.Gender]    `json:"gender" nullable:"true" doc:"As in ISO/IEC 5218: {values}"`
	Comment          decode.Optional[string]           `json:"comment" nullable:"true" blank:"true" maxLength:"10000"`
	Avatar           decode.Optional[string]           `json:"avatar" nullable:"true" format:"uri" maxLength:"2048" doc:"Any http(s) address, or the file of an upload (POST /v2/documents/uploads/), which is then answered as an address of this API."`
	Email            decode.Optional[string]           `json:"email" nullable:"true" format:"email" maxLength:"254"`
	Phone            decode.Optional[string]           `json:"phone" nullable:"true" maxLength:"32" format:"phone" example:"+77027654321"`
	Deposit          decode.Optional[money.Amount]     `json:"deposit" nullable:"true" minimum:"0"`
	Signed           decode.Optional[bool]             `json:"signed" default:"false"`
	SignDate         decode.Optional[decode.Date]      `json:"sign_date" nullable:"true"`
	SignExpires      decode.Optional[decode.Date]      `json:"sign_expires" nullable:"true" doc:"Not before sign_date"`
	AttractionMethod decode.Optional[int64]            `json:"attraction_method" nullable:"true" doc:"Id of an attraction method"`
	Extra            decode.Optional[decode.JSON]      `json:"extra" nullable:"true" doc:"Any JSON of at most 16 KB; the custom fields of the key client are checked."`
	Individual       decode.Optional[individualBody]   `json:"individual" nullable:"true" doc:"Of type 0, and of type 1 with the legal_type 0"`
	Legal            decode.Optional[legalBody]        `json:"legal" nullable:"true" doc:"Of type 1 alone"`
}

type individualBody struct {
	IIN            decode.Optional[string]      `json:"iin" nullable:"true" maxLength:"32" format:"iin" doc:"Unique among the company's clients"`
	DocumentNumber decode.Optional[string]      `json:"document_number" nullable:"true" maxLength:"255"`
	IssueDate      decode.Optional[decode.Date] `json:"issue_date" nullable:"true"`
	IssueDateEnd   decode.Optional[decode.Date] `json:"issue_date_end" nullable:"true"`
	BirthDate      decode.Optional[decode.Date] `json:"birth_date" nullable:"true"`
}

type legalBody struct {
	BIN      decode.Optional[string] `json:"bin" nullable:"true" maxLength:"32" format:"bin" doc:"Unique among the company's clients"`
	Director decode.Optional[string] `json:"director" nullable:"true" maxLength:"255"`
	BIK      decode.Optional[string] `json:"bik" nullable:"true" maxLength:"32" format:"bik"`
	Bank     decode.Optional[string] `json:"bank" nullable:"true" maxLength:"255"`
	IBAN     decode.Optional[string] `json:"iban" nullable:"true" maxLength:"64" format:"iban"`
	Address  decode.Optional[string] `json:"address" nullable:"true" maxLength:"512"`
}

// Client is a client as callers see it.
type Client struct {
	client.Shown
	OrdersCount  int64        `json:"orders_count" doc:"Orders that were not cancelled"`
	OrdersAmount money.Amount `json:"orders_amount" doc:"Their prices and penalties"`
	OrdersPaid   money.Amount `json:"orders_paid_amount" doc:"What was paid for them"`
	OrdersDebt   money.Amount `json:"orders_debt_amount" doc:"What is owed for orders in rent and completed ones, and of the fees of cancelled ones"`
	Tenant       int64        `json:"tenant"`
}

type clientResource = resource.Resource[*client.Client, body, Client]

func clients(now func() time.Time) clientResource {
	return clientResource{
		Kind:    client.Kind(),
		Apply:   apply,
		View:    view,
		Images:  []resource.Image[*client.Client, body]{avatar()},
		Filters: filters(now),
		Join:    joinOrders,
		Along: func(t *table.Tenant, id int64) []table.Key {
			return []table.Key{t.Beside(kinds.Client, id)}
		},
		Doc: "`search` finds every word in the name, the phone, the IIN or the BIN; a phone, or a part of it, is found however it " +
			"is written. In lists, what a client's orders come to may lag behind by about a second.",
	}
}

func view(c *client.Client, to resource.Viewer) Client {
	v := Client{Shown: c.Shown(), Tenant: int64(c.Tenant())}
	v.Avatar = to.ImageOf(kinds.Of(kinds.Client), c.ID, "avatar", c.Avatar)
	return v
}

// joinOrders adds to clients what their orders come to.
func joinOrders(ctx context.Context, w *record.Work, recs []*client.Client, views []Client) error {
	keys := make([]table.Key, len(recs))
	for i, c := range recs {
		keys[i] = w.Scope().Table.Beside(kinds.Client, c.ID)
	}
	if err := w.Load(ctx, keys...); err != nil {
		return err
	}
	for i, c := range recs {
		of, err := client.StandingOf(ctx, w, c.ID)
		if err != nil {
			return err
		}
		v := &views[i]
		v.OrdersCount, v.OrdersAmount, v.OrdersPaid, v.OrdersDebt = of.Count, of.Amount, of.Paid, of.Debt
	}
	return nil
}

// avatar declares the image of a client.
func avatar() resource.Image[*client.Client, body] {
	return resource.Image[*client.Client, body]{
		Field: "avatar",
		Sent:  func(in *body) decode.Optional[string] { return in.Avatar },
		At:    func(c *client.Client) **uploads.Image { return &c.Avatar },
	}
}

func apply(c *client.Client, in *body, errs fault.FieldErrors) {
	in.Name.Into(&c.Name)
	in.Type.Into(&c.Type)
	in.LegalType.IntoNullable(&c.LegalType)
	in.Gender.IntoNullable(&c.Gender)
	in.Comment.IntoNullable(&c.Comment)
	in.Email.IntoNullable(&c.Email)
	in.Phone.IntoNullable(&c.Phone)
	in.Deposit.IntoNullable(&c.Deposit)
	in.Signed.Into(&c.Signed)
	in.SignDate.IntoNullable(&c.SignDate)
	in.SignExpires.IntoNullable(&c.SignExpires)
	in.AttractionMethod.IntoNullable(&c.AttractionMethod)
	record.ExtraInto(c, in.Extra, &c.Extra)
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
		c.Legal = in.Legal.Value.apply(c.Legal)
	}
	fits(c, errs)
}

// fits adds to errs the fields that contradict each other in a client. A sole trader is both a
// person and a legal entity.
func fits(c *client.Client, errs fault.FieldErrors) {
	if c.SignDate != nil && c.SignExpires != nil && *c.SignExpires < *c.SignDate && !errs.Has("sign_date") {
		errs.Add("sign_expires", say.ClientAgreementExpiresBeforeSigning)
	}
	if errs.Has("type") || errs.Has("legal_type") { // it is not known which fields the client must have
		return
	}
	trader := c.Type == client.TypeLegal && c.LegalType != nil && *c.LegalType == client.SoleTrader
	if c.Type != client.TypeLegal && c.LegalType != nil {
		errs.Add("legal_type", say.ClientNoLegalType)
	}
	if c.Type != client.TypeLegal && c.Legal != nil {
		errs.Add("legal", say.ClientNoLegalPart)
	}
	if c.Type != client.TypeIndividual && !trader && c.Individual != nil {
		errs.Add("individual", say.ClientNoIndividualPart)
	}
}

// apply returns the individual's fields after a change.
func (in *individualBody) apply(before *client.Individual, errs fault.FieldErrors) *client.Individual {
	var p client.Individual
	if before != nil {
		p = *before
	}
	in.IIN.IntoNullable(&p.IIN)
	in.DocumentNumber.IntoNullable(&p.DocumentNumber)
	in.IssueDate.IntoNullable(&p.IssueDate)
	in.IssueDateEnd.IntoNullable(&p.IssueDateEnd)
	in.BirthDate.IntoNullable(&p.BirthDate)
	if p.IssueDate != nil && p.IssueDateEnd != nil && *p.IssueDateEnd < *p.IssueDate && !errs.Has("individual.issue_date") {
		errs.AddAt("individual.issue_date_end", say.IdentityCardEndsBeforeIssue)
	}
	return &p
}

// apply returns the legal entity's fields after a change.
func (in *legalBody) apply(before *client.Legal) *client.Legal {
	var p client.Legal
	if before != nil {
		p = *before
	}
	in.BIN.IntoNullable(&p.BIN)
	in.Director.IntoNullable(&p.Director)
	in.BIK.IntoNullable(&p.BIK)
	in.Bank.IntoNullable(&p.Bank)
	in.IBAN.IntoNullable(&p.IBAN)
	in.Address.IntoNullable(&p.Address)
	return &p
}
