package penalty_test

import (
	"fmt"
	"testing"

	"github.com/tenantry/tenantry/functions/penalties/penalty"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record/recordtest"
)

func to[T any](v T) *T { return &v }

func TestPenalties(t *testing.T) {
	recordtest.Run(t, recordtest.Subject[*penalty.Penalty]{
		Kind: penalty.Kind(),
		New: func(n int) *penalty.Penalty {
			return &penalty.Penalty{
				OuterID: to(int64(n)), ViolatedAt: to[moment.Micros](1_770_000_000_000_000), Item: to[int64](1), Order: to[int64](2), Line: to[int64](3),
				Client: to[int64](4), Charged: &penalty.Charged{Order: 2, Fee: 5},
				Fields: penalty.Fields{
					Protocol: fmt.Sprint("KZ", n), Description: to(""), Department: to("Полиция"), Punishment: to("Штраф"), Amount: to(money.Whole(5)),
					Address: to("Абая 1"), Date: to(decode.Date("2026-03-01")), Time: to(decode.Time("10:00:00")), Paid: true,
					PaymentDate: to[moment.Micros](1), DiscountEnds: to[moment.Micros](2_000_000), KNO: to("1"), KBK: to("2"), KNP: to("3"), TaxOffice: to("4"),
					TaxIBAN: to("5"), TaxBIN: to("6"), PDF: to("https://a.kz/1.pdf"), Photos: []string{"https://a.kz/1.jpg"}, Noted: true,
				},
				Car:        &penalty.Car{OuterID: to[int64](7), Number: to("123ABC02"), TechPassport: to("AA1"), PublishedAt: to[moment.Micros](8)},
				Driver:     &penalty.Driver{LastName: to("Ахметов"), FirstName: to("Ерлан"), IIN: to("850515300016"), Document: to("1"), IssueDate: to(decode.Date("2020-01-01"))},
				Company:    &penalty.Company{OuterID: to[int64](9), BIN: to("140340010302"), Name: to("ТОО")},
				Overridden: &penalty.Overridden{Of: []string{"no"}},
			}
		},
		Change: func(p *penalty.Penalty, n int) { p.Protocol = fmt.Sprint("KZ-", n) },
	})
}
