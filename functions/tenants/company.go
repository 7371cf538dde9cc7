package tenants

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/functions/tenants/staff"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
)

// maxExtra is how large a company's extra may be, in bytes of JSON: a list
// carries that of each company.
const maxExtra = 16 << 10

// Company is a company as its members see it.
type Company struct {
	ID       int64       `json:"id"`
	Name     string      `json:"name"`
	Address  string      `json:"address"`
	Country  *string     `json:"country"`
	Currency string      `json:"currency"`
	TimeZone string      `json:"timezone"`
	Logo     *string     `json:"logo" format:"uri"`
	Extra    decode.JSON `json:"extra"`
	Role     tenant.Role `json:"role" enum:"read-only,employee,manager,owner" doc:"What the caller may do in it"`
}

// companyBody makes a company.
type companyBody struct {
	Name     decode.Optional[string]      `json:"name" required:"true" maxLength:"255" example:"Acme"`
	Domain   decode.Optional[string]      `json:"domain" required:"true" maxLength:"253" example:"acme"`
	Address  decode.Optional[string]      `json:"address" blank:"true" maxLength:"512" example:"1 Abay Avenue"`
	Country  decode.Optional[string]      `json:"country" nullable:"true" maxLength:"2" doc:"ISO 3166-1, two letters"`
	Currency decode.Optional[string]      `json:"currency" required:"true" maxLength:"3" example:"KZT" doc:"ISO 4217, three letters"`
	TimeZone decode.Optional[string]      `json:"timezone" required:"true" maxLength:"64" example:"Asia/Almaty" doc:"A name of the IANA database: Asia/Almaty"`
	Logo     decode.Optional[string]      `json:"logo" nullable:"true" format:"uri" maxLength:"2048"`
	Extra    decode.Optional[decode.JSON] `json:"extra" nullable:"true"`
}

// company checks what the body says beyond the form of its values, all of it
// at once.
func (b companyBody) parse(platform string) (company.Company, error) {
	errs := fault.FieldErrors{}
	d, message := parseDomain(b.Domain.Value, platform)
	if message != "" {
		errs.Add("domain", message)
	}
	if b.Country.Set && !b.Country.Null && !among(countries, b.Country.Value) {
		errs.Add("country", fault.BadChoice(b.Country.Value))
	}
	if !among(currencies, b.Currency.Value) {
		errs.Add("currency", fault.BadChoice(b.Currency.Value))
	}
	if !isTimeZone(b.TimeZone.Value) {
		errs.Add("timezone", fault.BadChoice(b.TimeZone.Value))
	}
	if len(b.Extra.Value) > maxExtra {
		errs.Add("extra", "Ensure this field has no more than "+strconv.Itoa(maxExtra)+" bytes.")
	}
	if err := errs.Err(); err != nil {
		return company.Company{}, err
	}
	item := company.Company{
		Name: b.Name.Value, Address: b.Address.Value, Currency: b.Currency.Value, TimeZone: b.TimeZone.Value,
		Extra: "{}",
	}
	b.Country.IntoNullable(&item.Country)
	b.Logo.IntoNullable(&item.Logo)
	if b.Extra.Set {
		item.Extra = string(b.Extra.Value)
	}
	if d.foreign {
		item.Claim = d.host
	} else {
		item.Host = d.host
	}
	return item, nil
}

// shown is a company as a member of a role sees it.
func shown(i company.Company, role tenant.Role) Company {
	return Company{
		ID: i.ID, Name: i.Name, Address: i.Address, Country: i.Country, Currency: i.Currency,
		TimeZone: i.TimeZone, Logo: i.Logo, Extra: decode.JSON(i.Extra), Role: role,
	}
}

// isMember refuses to show a company again, as an answer had it, to who is no
// member any more.
func (g *group) isMember(ctx context.Context, r *web.Request, answer []byte) error {
	var c struct {
		ID tenant.ID `json:"id"`
	}
	if err := json.Unmarshal(answer, &c); err != nil {
		return fmt.Errorf("tenants: an answer that was kept: %w", err)
	}
	err := g.store.all.Get(ctx, table.Of(g.env.Table, c.ID).Member(r.Principal.User), new(staff.Member))
	if errors.Is(err, table.ErrNotFound) {
		return fault.ErrNotFound
	}
	return err
}

// isTimeZone tells whether name is one of the IANA time zone database. Each
// begins with a capital; what does not is a file of some machine.
func isTimeZone(name string) bool {
	if name == "" || name[0] < 'A' || name[0] > 'Z' || name == "Local" || name == "Factory" {
		return false
	}
	_, err := time.LoadLocation(name)
	return err == nil
}

// among tells whether a code is in a list of codes.
func among(list, code string) bool {
	return code != "" && !strings.Contains(code, " ") && strings.Contains(list, " "+code+" ")
}

// countries are the codes of ISO 3166-1 (alpha-2).
const countries = " AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW " +
	"BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO " +
	"FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO " +
	"JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS " +
	"MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU " +
	"RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA " +
	"UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW "

// currencies are the codes of ISO 4217 that are money somewhere: neither funds
// nor metals nor codes for tests.
const currencies = " AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF " +
	"CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF " +
	"IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK " +
	"MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR " +
	"SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VED " +
	"VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG "
