package tenants

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/functions/tenants/staff"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
)

// maxExtra is the maximum size of a company's extra, in bytes of JSON: a list contains the
// extra of each company.
const maxExtra = 16 << 10

// Company is a company as its members see it.
type Company struct {
	ID       int64         `json:"id"`
	Name     string        `json:"name"`
	Address  string        `json:"address"`
	Country  *string       `json:"country"`
	Currency string        `json:"currency"`
	TimeZone string        `json:"timezone"`
	Logo     *string       `json:"logo" format:"uri" doc:"Of an upload: the API's own address, which leads to the bytes."`
	BIN      *string       `json:"bin"`
	Phone    *string       `json:"phone" doc:"In E.164"`
	Email    *string       `json:"email" format:"email"`
	Language *say.Language `json:"language" nullable:"true" doc:"In which it writes to people who have chosen none, and of its documents. Where it is null, 'language' of extra counts, else it is ru for documents and signers, and the first language of the stage in other e-mails."`
	Extra    decode.JSON   `json:"extra"`
	Role     string        `json:"role" enum:"read-only,employee,manager,owner" doc:"What the caller may do in it"`
	State    string        `json:"state" enum:"active,read_only,suspended,closed,erasing" doc:"Whether it can be used. The host suspends a company, for all but reading or wholly; its owner closes it."`
	Notice   *say.Message  `json:"notice" nullable:"true" doc:"What whoever is refused for the state is told; null for the usual words."`
	ErasedAt *string       `json:"erased_at" nullable:"true" format:"date-time" doc:"When a closed company is erased, unless an owner takes the closing back before."`
}

// companyBody is the body that makes a company.
type companyBody struct {
	Name     decode.Optional[string]       `json:"name" required:"true" maxLength:"255" example:"Acme"`
	Domain   decode.Optional[string]       `json:"domain" required:"true" maxLength:"253" example:"acme"`
	Address  decode.Optional[string]       `json:"address" blank:"true" maxLength:"512" example:"1 Abay Avenue"`
	Country  decode.Optional[string]       `json:"country" nullable:"true" maxLength:"2" doc:"ISO 3166-1, two letters"`
	Currency decode.Optional[string]       `json:"currency" required:"true" maxLength:"3" example:"KZT" doc:"ISO 4217, three letters"`
	TimeZone decode.Optional[string]       `json:"timezone" required:"true" maxLength:"64" example:"Asia/Almaty" doc:"A name of the IANA database: Asia/Almaty"`
	Logo     decode.Optional[string]       `json:"logo" nullable:"true" format:"uri" maxLength:"2048" doc:"Any http or https address; a company that is there takes the file of an upload, too."`
	BIN      decode.Optional[string]       `json:"bin" nullable:"true" maxLength:"32" format:"bin"`
	Phone    decode.Optional[string]       `json:"phone" nullable:"true" maxLength:"32" format:"phone"`
	Email    decode.Optional[string]       `json:"email" nullable:"true" format:"email" maxLength:"254"`
	Language decode.Optional[say.Language] `json:"language" nullable:"true"`
	Extra    decode.Optional[decode.JSON]  `json:"extra" nullable:"true"`
}

// parse checks what the decoder can't check, and reports all errors at once.
func (b companyBody) parse(platform string) (company.Company, error) {
	errs := fault.FieldErrors{}
	d, message := parseDomain(b.Domain.Value, platform)
	if message != "" {
		errs.Add("domain", message)
	}
	item := company.Company{Extra: "{}", Revision: 1, Rental: company.NewRental()}
	companyChange{
		Name: b.Name, Address: b.Address, Country: b.Country, Currency: b.Currency, TimeZone: b.TimeZone,
		BIN: b.BIN, Phone: b.Phone, Email: b.Email, Language: b.Language, Extra: b.Extra,
	}.apply(&item, errs)
	if err := errs.Err(); err != nil {
		return company.Company{}, err
	}
	if d.foreign {
		item.Claim = d.host
	} else {
		item.Host = d.host
	}
	return item, nil
}

// pathOf returns the path of a company.
func pathOf(id int64) string { return "/v1/tenant/" + strconv.FormatInt(id, 10) + "/" }

const logo = "logo"

// shown returns a company as a member with a role sees it. base is the API's own address.
func shown(i company.Company, role tenant.Role, base string) Company {
	return Company{
		ID:       i.ID,
		Name:     i.Name,
		Address:  i.Address,
		Country:  i.Country,
		Currency: i.Currency,
		TimeZone: i.TimeZone,
		Logo:     i.Logo.Address(base + pathOf(i.ID) + logo + "/"),
		BIN:      i.BIN,
		Phone:    i.Phone,
		Email:    i.Email,
		Language: i.Language.OrNull(),
		Extra:    decode.JSON(i.Extra),
		Role:     string(role),
		State:    i.State.Shown(),
		Notice:   orNull(i.Notice),
		ErasedAt: endOf(i),
	}
}

func orNull[T ~string](text T) *T {
	if text == "" {
		return nil
	}
	return &text
}

// endOf is when a closed company is erased.
func endOf(c company.Company) *string {
	at := c.Ends()
	if at == nil {
		return nil
	}
	text := encode.Instant(at.Truncate(time.Second))
	return &text
}

// isMember refuses to repeat an answer that shows a company if the caller is no longer a
// member of it.
func (g *group) isMember(ctx context.Context, r *web.Request, answer []byte) error {
	var c struct {
		ID tenant.ID `json:"id"`
	}
	if err := json.Unmarshal(answer, &c); err != nil {
		return fmt.Errorf("tenants: an answer that was kept: %w", err)
	}
	return g.belongs(ctx, r, c.ID)
}

// belongs fails with fault.ErrNotFound unless the caller is a member of a company.
func (g *group) belongs(ctx context.Context, r *web.Request, id tenant.ID) error {
	err := g.store.all.Get(ctx, table.Of(g.env.Table, id).Member(r.Principal.User), new(staff.Member))
	if errors.Is(err, table.ErrNotFound) {
		return fault.ErrNotFound
	}
	return err
}
