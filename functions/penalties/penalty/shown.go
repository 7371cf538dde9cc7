package penalty

import (
	"strconv"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/money"
)

// Shown is what callers and the history see of a penalty.
type Shown struct {
	ID           int64         `json:"id"`
	OuterID      *int64        `json:"outer_id" nullable:"true" doc:"The registry's number of it"`
	CreatedAt    string        `json:"created_at" format:"date-time"`
	UpdatedAt    string        `json:"updated_at" format:"date-time"`
	Protocol     string        `json:"protocol_number"`
	Description  *string       `json:"description" nullable:"true"`
	Department   *string       `json:"department_name" nullable:"true"`
	Punishment   *string       `json:"punishment_main" nullable:"true"`
	Amount       *money.Amount `json:"amount" nullable:"true"`
	Address      *string       `json:"violation_address" nullable:"true"`
	Date         *decode.Date  `json:"violation_date" nullable:"true"`
	Time         *decode.Time  `json:"violation_time" nullable:"true" doc:"HH:MM:SS, in the company's time zone"`
	ViolatedAt   *string       `json:"violated_at" nullable:"true" format:"date-time" doc:"Date and time of the violation as one moment; null if one of them is not known"`
	Paid         bool          `json:"paid"`
	PaymentDate  *string       `json:"payment_date" nullable:"true" format:"date-time"`
	DiscountEnds *string       `json:"discount_expires_at" nullable:"true" format:"date-time"`
	KNO          *string       `json:"payment_kno" nullable:"true"`
	KBK          *string       `json:"payment_kbk" nullable:"true"`
	KNP          *string       `json:"payment_knp" nullable:"true"`
	TaxOffice    *string       `json:"beneficiary_tax_office_name" nullable:"true"`
	TaxIBAN      *string       `json:"beneficiary_tax_iban" nullable:"true"`
	TaxBIN       *string       `json:"beneficiary_tax_bin_number" nullable:"true"`
	PDF          *string       `json:"pdf" nullable:"true" doc:"Address of the protocol, or an empty text"`
	Photos       []string      `json:"photo_urls"`
	State        *int64        `json:"state" nullable:"true" doc:"Id of a penalty state"`
	Noted        bool          `json:"noted" doc:"Somebody has dealt with it. It stays with the order and the client that it was matched to."`
	Item         *string       `json:"inventory" nullable:"true" doc:"Id of the inventory item that the car is, as a text"`
	Order        *string       `json:"request" nullable:"true" doc:"Id of the order that had the car at that moment, as a text"`
	Client       *string       `json:"client" nullable:"true" doc:"Id of the client of that order, as a text"`
	Car          *ShownCar     `json:"car"`
	Driver       *ShownDriver  `json:"driver"`
	Company      *ShownCompany `json:"company"`
}

// ShownCar is what callers see of a penalty's car.
type ShownCar struct {
	ID           *int64  `json:"id" nullable:"true" doc:"Id of the inventory item that it is; null if it is none"`
	OuterID      *int64  `json:"outer_id" nullable:"true"`
	Number       *string `json:"number" nullable:"true" doc:"Without spaces, in capitals"`
	TechPassport *string `json:"tech_passport" nullable:"true"`
	CreatedAt    string  `json:"created_at" format:"date-time" doc:"When the registry first sent it"`
	UpdatedAt    string  `json:"updated_at" format:"date-time" doc:"When the registry last changed it"`
	PublishedAt  *string `json:"published_at" nullable:"true" format:"date-time"`
}

// ShownDriver is what callers see of a penalty's driver.
type ShownDriver struct {
	ID         int64        `json:"id" doc:"That of the penalty, which the driver is a part of"`
	OuterID    *int64       `json:"outer_id" nullable:"true"`
	CreatedAt  string       `json:"created_at" format:"date-time" doc:"When the registry first sent the driver"`
	UpdatedAt  string       `json:"updated_at" format:"date-time" doc:"When the registry last changed the driver"`
	IIN        *string      `json:"iin_number" nullable:"true"`
	Document   *string      `json:"doc_number" nullable:"true"`
	FirstName  *string      `json:"first_name" nullable:"true"`
	LastName   *string      `json:"last_name" nullable:"true"`
	MiddleName *string      `json:"middle_name" nullable:"true"`
	IssueDate  *decode.Date `json:"doc_issue_date" nullable:"true"`
}

// ShownCompany is what callers see of the company that is liable.
type ShownCompany struct {
	ID        int64   `json:"id" doc:"That of the penalty, which the company is a part of"`
	OuterID   *int64  `json:"outer_id" nullable:"true"`
	CreatedAt string  `json:"created_at" format:"date-time" doc:"When the registry first sent it"`
	UpdatedAt string  `json:"updated_at" format:"date-time" doc:"When the registry last changed it"`
	BIN       *string `json:"bin_number" nullable:"true"`
	Name      *string `json:"name" nullable:"true"`
}

// Shown returns what callers see of a penalty.
func (p *Penalty) Shown() Shown {
	s := Shown{
		ID: p.ID, OuterID: p.OuterID, CreatedAt: p.CreatedAt(), UpdatedAt: p.UpdatedAt(),
		Protocol: p.Protocol, Description: p.Description, Department: p.Department, Punishment: p.Punishment, Amount: p.Amount,
		Address: p.Address, Date: p.Date, Time: p.Time, ViolatedAt: encode.Moment(p.ViolatedAt),
		Paid: p.Paid, PaymentDate: encode.Moment(p.PaymentDate), DiscountEnds: encode.Moment(p.DiscountEnds),
		KNO: p.KNO, KBK: p.KBK, KNP: p.KNP, TaxOffice: p.TaxOffice, TaxIBAN: p.TaxIBAN, TaxBIN: p.TaxBIN,
		PDF: p.PDF, Photos: p.Photos, State: p.State, Noted: p.Noted,
		Item: text(p.Item), Order: text(p.Order), Client: text(p.Client),
	}
	if s.Photos == nil {
		s.Photos = []string{} // never null
	}
	if c := p.Car; c != nil {
		s.Car = &ShownCar{
			ID: p.Item, OuterID: c.OuterID, Number: c.Number, TechPassport: c.TechPassport,
			CreatedAt: *encode.Moment(&c.Created), UpdatedAt: *encode.Moment(&c.Updated), PublishedAt: encode.Moment(c.PublishedAt),
		}
	}
	if d := p.Driver; d != nil {
		s.Driver = &ShownDriver{
			ID: p.ID, OuterID: d.OuterID, CreatedAt: *encode.Moment(&d.Created), UpdatedAt: *encode.Moment(&d.Updated), IIN: d.IIN,
			Document: d.Document, FirstName: d.FirstName, LastName: d.LastName, MiddleName: d.MiddleName, IssueDate: d.IssueDate,
		}
	}
	if c := p.Company; c != nil {
		s.Company = &ShownCompany{
			ID: p.ID, OuterID: c.OuterID, CreatedAt: *encode.Moment(&c.Created), UpdatedAt: *encode.Moment(&c.Updated),
			BIN: c.BIN, Name: c.Name,
		}
	}
	return s
}

// text is an id as a text; nil for nil.
func text(id *int64) *string {
	if id == nil {
		return nil
	}
	s := strconv.FormatInt(*id, 10)
	return &s
}
