package tenants

import (
	"context"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/functions/tenants/staff"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/files/uploads"
	"github.com/tenantry/tenantry/shared/font/letters"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// companyChange is the body that changes a company. The domain can't be changed, because people and certificates
// depend on it.
type companyChange struct {
	Name     decode.Optional[string]       `json:"name" required:"true" maxLength:"255" example:"Acme"`
	Address  decode.Optional[string]       `json:"address" blank:"true" maxLength:"512" example:"1 Abay Avenue"`
	Country  decode.Optional[string]       `json:"country" nullable:"true" maxLength:"2" doc:"ISO 3166-1, two letters"`
	Currency decode.Optional[string]       `json:"currency" required:"true" maxLength:"3" example:"KZT" doc:"ISO 4217, three letters; another one only while nothing with an amount exists"`
	TimeZone decode.Optional[string]       `json:"timezone" required:"true" maxLength:"64" example:"Asia/Almaty" doc:"A name of the IANA database: Asia/Almaty"`
	Logo     decode.Optional[string]       `json:"logo" nullable:"true" format:"uri" maxLength:"2048"`
	BIN      decode.Optional[string]       `json:"bin" nullable:"true" maxLength:"32" format:"bin" example:"140340010302"`
	Phone    decode.Optional[string]       `json:"phone" nullable:"true" maxLength:"32" format:"phone" example:"+77011234567"`
	Email    decode.Optional[string]       `json:"email" nullable:"true" format:"email" maxLength:"254"`
	Language decode.Optional[say.Language] `json:"language" nullable:"true" example:"kk"`
	Extra    decode.Optional[decode.JSON]  `json:"extra" nullable:"true"`
}

// apply writes what was sent to a company, and adds what the decoder can't check to errs.
func (b companyChange) apply(c *company.Company, errs fault.FieldErrors) {
	if missing, found := letters.Missing(b.Name.Value); found && b.Name.Value != c.Name { // the records of who has signed are headed by it
		errs.Add("name", missing.Message())
	}
	b.Name.Into(&c.Name)
	b.Address.Into(&c.Address)
	b.Country.IntoNullable(&c.Country)
	b.Currency.Into(&c.Currency)
	b.TimeZone.Into(&c.TimeZone)
	b.BIN.IntoNullable(&c.BIN)
	b.Phone.IntoNullable(&c.Phone)
	b.Email.IntoNullable(&c.Email)
	if b.Language.Set {
		c.Language = b.Language.Value // empty if it was null
	}
	if b.Extra.Set {
		c.Extra = string(b.Extra.Value) // empty if it was null
	}
	if b.Country.Set && !b.Country.Null && !among(countries, b.Country.Value) {
		errs.Add("country", say.InvalidChoice(b.Country.Value))
	}
	if b.Currency.Set && !among(currencies, b.Currency.Value) {
		errs.Add("currency", say.InvalidChoice(b.Currency.Value))
	}
	if b.TimeZone.Set && !isTimeZone(b.TimeZone.Value) {
		errs.Add("timezone", say.InvalidChoice(b.TimeZone.Value))
	}
	if len(b.Extra.Value) > maxExtra {
		errs.Add("extra", say.TooManyBytes(maxExtra))
	}
}

// errCurrency prevents existing amounts from getting another currency.
var errCurrency = fault.New(fault.Conflict, say.CurrencyFixed).
	Coded()

type companyInput struct {
	ID int64 `path:"id"`
}

type companyChangeInput struct {
	ID      int64  `path:"id"`
	IfMatch string `header:"If-Match"`
	Body    companyChange
}

// own returns the request's company and the caller's role in it, as the unit of work has them.
// It takes one call. It fails with 404 for any company that the caller does not belong to.
func (g *group) own(ctx context.Context, w *record.Work) (c company.Company, role tenant.Role, err error) {
	t := w.Scope().Table
	key := t.Member(w.Scope().Actor.User)
	if err := w.Load(ctx, t.Company(), key); err != nil {
		return c, "", err
	}
	item, err := w.Item(ctx, key)
	if err != nil {
		return c, "", err
	}
	if item == nil {
		return c, "", fault.ErrNotFound
	}
	var m staff.Member
	if err := item.Decode(&m); err != nil {
		return c, "", err
	}
	c, err = company.Get(ctx, w)
	return c, m.Role, err
}

func (g *group) read(ctx context.Context, r *web.Request, in *companyInput) (*web.Reply[Company], error) {
	if in.ID > table.MaxID {
		return nil, fault.ErrNotFound // the number may be longer than any number of ours
	}
	c, role, err := g.own(ctx, g.scope(r, tenant.ID(in.ID)).Reading())
	if err != nil {
		return nil, err
	}
	return reply(r, c, role), nil
}

func reply(r *web.Request, c company.Company, role tenant.Role) *web.Reply[Company] {
	return &web.Reply[Company]{Header: map[string]string{"ETag": web.ETag(c.Revision)}, Body: web.Body(shown(c, role, r.BaseURL))}
}

// made returns the answer about a new company.
func made(r *web.Request, c company.Company) *web.Reply[Company] {
	a := reply(r, c, tenant.Owner)
	a.Header["Location"] = r.BaseURL + pathOf(c.ID)
	return a
}

// edit serves PUT and PATCH. They differ only in what the decoder requires.
func (g *group) edit(ctx context.Context, r *web.Request, in *companyChangeInput) (*web.Reply[Company], error) {
	if in.ID > table.MaxID {
		return nil, fault.ErrNotFound // the number may be longer than any number of ours
	}
	var c company.Company
	var role tenant.Role
	images := resource.TakeImages(r, g.uploads)
	o := web.OutcomeOf(r, func() (*web.Reply[Company], error) { return reply(r, c, role), nil })
	return o.After(g.scope(r, tenant.ID(in.ID)).Do(ctx, o, func(w *record.Work) (err error) {
		if c, role, err = g.own(ctx, w); err != nil {
			return err
		}
		if !role.Covers(tenant.Manager) {
			return fault.ErrForbidden
		}
		if err := c.Refusal(false); err != nil {
			return err
		}
		if err := r.Match(web.ETag(c.Revision)); err != nil {
			return err
		}
		before := c
		in.Body.apply(&c, w.Errors(""))
		if c.TimeZone != before.TimeZone {
			if today, err := before.UseOn(g.env.Now()); err == nil { // a zone that nobody knows any more can be left
				c.UsedFrom = today.Format(time.DateOnly)
			}
		}
		if err := images.Take(ctx, w, pathOf(c.ID), resource.SentImage{Field: logo, Sent: in.Body.Logo, At: &c.Logo}); err != nil {
			return err
		}
		told := func(c company.Company) any { return log(c) }
		if !c.Change(w, before, told, func(u *dynamo.Update) { change(u, c) }) {
			return nil
		}
		staff.Stands(w, tenant.Manager)
		if c.Currency != before.Currency {
			w.Also(func(tx *table.Tx) error {
				g.store.withoutAmounts(tx, tenant.ID(c.ID))
				return nil
			})
		}
		return nil
	}))
}

// change writes the fields of a company that its members change here.
func change(update *dynamo.Update, c company.Company) {
	update.Set("n", c.Name).Set("cu", c.Currency).Set("tz", c.TimeZone)
	for name, text := range map[string]string{"a": c.Address, "e": c.Extra, "uf": c.UsedFrom, "la": string(c.Language)} {
		if text == "" {
			update.Remove(name)
		} else {
			update.Set(name, text)
		}
	}
	for name, value := range map[string]*string{"c": c.Country, "b": c.BIN, "p": c.Phone, "em": c.Email} {
		if value == nil {
			update.Remove(name)
		} else {
			update.Set(name, *value)
		}
	}
	if c.Logo == nil {
		update.Remove("l")
	} else {
		update.Set("l", c.Logo)
	}
}

// firstLogo returns the logo of a company that is being made. It can only be an address: the company has no uploads
// yet.
func (g *group) firstLogo(ctx context.Context, sent decode.Optional[string]) (*uploads.Image, error) {
	if !sent.Set || sent.Null {
		return nil, nil // it has none
	}
	if g.uploads.Files != nil {
		ours, err := g.uploads.Files.Holds(ctx, sent.Value)
		if err != nil {
			return nil, err
		}
		if ours {
			return nil, fault.Field(logo, uploads.NoUpload)
		}
	}
	return &uploads.Image{URL: sent.Value}, nil
}

// showLogo answers with the address of the bytes of a company's logo.
func (g *group) showLogo(ctx context.Context, r *web.Request, in *companyInput) (*web.Reply[web.FileLink], error) {
	if in.ID > table.MaxID {
		return nil, fault.ErrNotFound // the number may be longer than any number of ours
	}
	c, _, err := g.own(ctx, g.scope(r, tenant.ID(in.ID)).Reading())
	if err != nil {
		return nil, err
	}
	return resource.ShowImage(ctx, r, g.uploads, tenant.ID(c.ID), logo, c.Logo)
}

// withoutAmounts makes the transaction fail if a record with an amount was ever made, that is if such a kind has given
// out a number. Deleted records count, because their history shows amounts.
func (s store) withoutAmounts(tx *table.Tx, id tenant.ID) {
	t := table.Of(s.conn, id)
	for _, k := range kinds.All() {
		if k.Amounts {
			tx.Check(s.absent(t.Sequence(k.Code)), errCurrency)
		}
	}
}
