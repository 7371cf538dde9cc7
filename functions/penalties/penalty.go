package penalties

import (
	"context"
	"strings"

	"github.com/tenantry/tenantry/functions/penalties/penalty"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// fields are what a penalty says besides its protocol.
type fields struct {
	Description  decode.Optional[string]          `json:"description" nullable:"true" blank:"true" maxLength:"10000"`
	Department   decode.Optional[string]          `json:"department_name" nullable:"true" blank:"true" maxLength:"255" doc:"Who has recorded the violation"`
	Punishment   decode.Optional[string]          `json:"punishment_main" nullable:"true" blank:"true" maxLength:"255"`
	Amount       decode.Optional[money.Amount]    `json:"amount" nullable:"true" minimum:"0" example:"19660.00"`
	Address      decode.Optional[string]          `json:"violation_address" nullable:"true" blank:"true" maxLength:"1000"`
	Date         decode.Optional[decode.Date]     `json:"violation_date" nullable:"true" example:"2026-03-01"`
	Time         decode.Optional[decode.Time]     `json:"violation_time" nullable:"true" example:"14:05:00" doc:"HH:MM or HH:MM:SS, in the company's time zone; a fraction of a second is cut off"`
	Paid         decode.Optional[bool]            `json:"paid" default:"false"`
	PaymentDate  decode.Optional[decode.DateTime] `json:"payment_date" nullable:"true"`
	DiscountEnds decode.Optional[decode.DateTime] `json:"discount_expires_at" nullable:"true" doc:"Until then it can be paid at a discount"`
	KNO          decode.Optional[string]          `json:"payment_kno" nullable:"true" blank:"true" maxLength:"255" doc:"Code of the tax office"`
	KBK          decode.Optional[string]          `json:"payment_kbk" nullable:"true" blank:"true" maxLength:"255" doc:"Code of budget classification"`
	KNP          decode.Optional[string]          `json:"payment_knp" nullable:"true" blank:"true" maxLength:"255" doc:"Code of the purpose of payment"`
	TaxOffice    decode.Optional[string]          `json:"beneficiary_tax_office_name" nullable:"true" blank:"true" maxLength:"255"`
	TaxIBAN      decode.Optional[string]          `json:"beneficiary_tax_iban" nullable:"true" blank:"true" maxLength:"255" doc:"As the registry gives it; its check digits are not checked"`
	TaxBIN       decode.Optional[string]          `json:"beneficiary_tax_bin_number" nullable:"true" blank:"true" maxLength:"255" doc:"As the registry gives it"`
	PDF          decode.Optional[string]          `json:"pdf" nullable:"true" blank:"true" format:"uri" maxLength:"2000" doc:"Address of the protocol"`
	Photos       decode.Optional[[]string]        `json:"photo_urls" nullable:"true" format:"uri" maxLength:"200" maxItems:"50" doc:"Addresses of photos; null is none"`
	State        decode.Optional[int64]           `json:"state" nullable:"true" doc:"Id of a penalty state"`
	Noted        decode.Optional[bool]            `json:"noted" default:"false" doc:"Somebody has dealt with it. It stays with the order and the client that it was matched to."`
}

// body is what the staff may change of a penalty.
type body struct {
	Protocol decode.Optional[string] `json:"protocol_number" required:"true" maxLength:"255" example:"KZ2603010017"`
	fields
}

// Penalty is a penalty as callers see it.
type Penalty struct{ penalty.Shown }

// penalties is the resource of penalties.
func penalties() resource.Resource[*penalty.Penalty, body, Penalty] {
	settle := func(ctx context.Context, w *record.Work, p *penalty.Penalty, _ *body) error {
		p.RememberOverridden(penalty.Kind().Before(w, p.ID))
		return penalty.Settle(ctx, w, p, "")
	}
	return resource.Resource[*penalty.Penalty, body, Penalty]{
		Kind: penalty.Kind(), Apply: func(p *penalty.Penalty, in *body, _ fault.FieldErrors) { in.apply(&p.Fields) },
		View:    func(p *penalty.Penalty, _ resource.Viewer) Penalty { return Penalty{p.Shown()} },
		Along:   func(t *table.Tenant, _ int64) []table.Key { return penalty.Needs(t) },
		Changed: settle, Gone: func(_ context.Context, _ *record.Work, p *penalty.Penalty) error { return p.Deletable() },
		Doc: "`search` finds penalties by their protocol, the number of their car, and the names of their driver.",
	}
}

func (in *body) apply(f *penalty.Fields) {
	in.Protocol.Into(&f.Protocol)
	in.fields.apply(f)
}

func (in *fields) apply(f *penalty.Fields) {
	in.Description.IntoNullable(&f.Description)
	in.Department.IntoNullable(&f.Department)
	in.Punishment.IntoNullable(&f.Punishment)
	in.Amount.IntoNullable(&f.Amount)
	in.Address.IntoNullable(&f.Address)
	in.Date.IntoNullable(&f.Date)
	if in.Time.Set {
		in.Time.IntoNullable(&f.Time)
		f.Time = wholeSeconds(f.Time)
	}
	in.Paid.Into(&f.Paid)
	decode.IntoMicros(in.PaymentDate, &f.PaymentDate)
	decode.IntoMicros(in.DiscountEnds, &f.DiscountEnds)
	in.KNO.IntoNullable(&f.KNO)
	in.KBK.IntoNullable(&f.KBK)
	in.KNP.IntoNullable(&f.KNP)
	in.TaxOffice.IntoNullable(&f.TaxOffice)
	in.TaxIBAN.IntoNullable(&f.TaxIBAN)
	in.TaxBIN.IntoNullable(&f.TaxBIN)
	in.PDF.IntoNullable(&f.PDF)
	if in.Photos.Set {
		f.Photos = in.Photos.Value
	}
	in.State.IntoNullable(&f.State)
	in.Noted.Into(&f.Noted)
}

// wholeSeconds cuts the fraction of a second off a time of day.
func wholeSeconds(at *decode.Time) *decode.Time {
	if at == nil {
		return nil
	}
	whole, _, _ := strings.Cut(string(*at), ".")
	cut := decode.Time(whole)
	return &cut
}
