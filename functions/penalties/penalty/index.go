package penalty

import (
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/column"
	"github.com/tenantry/tenantry/shared/record/search"
)

// The letters of the search index that Unpaid looks at.
const (
	byPaid     = "p"
	byAmount   = "a"
	byDiscount = "d"
)

// columns are the values by which lists of penalties are filtered and ordered. They leave room in
// an entry of the index for 77 bytes of text.
func columns() []column.Column[Penalty] {
	return []column.Column[Penalty]{
		column.Reference("state", "s", func(p *Penalty) *int64 { return p.State }).
			For(column.Equal | column.In).Doc("Id of a penalty state"),
		column.Flag("paid", byPaid, func(p *Penalty) bool { return p.Paid }).For(column.Equal).Doc("Whether it is paid."),
		column.Flag("noted", "n", func(p *Penalty) bool { return p.Noted }).For(column.Equal).Doc("Whether somebody has dealt with it."),
		column.Second("violated_at", "v", func(p *Penalty) *int64 { return p.ViolatedAt }).
			For(column.Range | column.Order).Doc("A time, or a whole day of the company"),
		column.Amount("amount", byAmount, func(p *Penalty) *money.Amount { return p.Amount }).
			For(column.Range | column.Order).Doc("What it comes to, without a discount"),
		column.Second("discount_expires_at", byDiscount, func(p *Penalty) *int64 { return p.DiscountEnds }).
			For(column.Range | column.Order).Doc("A time, or a whole day of the company"),
	}
}

// The signs that stand before and after values in the text of an entry. A value that is sought with
// its signs is found only whole. So it needs no column of its own, which would take the room of
// the longest value from the text of every entry.
const (
	plateSign  = "№"
	itemSign   = "·"
	orderSign  = "°"
	clientSign = "±"
)

// more is what a search finds a penalty by besides its protocol: the number of its car and the names
// of its driver; and the ids that a list can be filtered by, which no word of a search finds.
func more(p *Penalty) string {
	var text strings.Builder
	if plate := p.plate(); plate != "" {
		text.WriteString(marked(plateSign, plate))
	}
	if d := p.Driver; d != nil {
		text.WriteString(" " + record.Texts(d.LastName, d.FirstName, d.MiddleName))
	}
	for _, id := range []struct {
		sign string
		id   *int64
	}{{itemSign, p.Item}, {orderSign, p.Order}, {clientSign, p.Client}} {
		if id.id != nil {
			text.WriteString(marked(id.sign, digits(*id.id)))
		}
	}
	return text.String()
}

func marked(sign, text string) string { return sign + text + sign }

// digits writes an id in letters that take a byte each and that nobody searches for.
func digits(id int64) string {
	const letters = "àáâãäåæçèé"
	all := []rune(letters)
	return strings.Map(func(digit rune) rune { return all[digit-'0'] }, strconv.FormatInt(max(id, 0), 10)) // no id is below 1
}

// ByPlate narrows a list to the penalties of a car, by its number however it is written.
func ByPlate(q *search.Query, number string) { seek(q, plateSign, item.Plate(number)) }

// ByItem narrows a list to the penalties of an inventory item.
func ByItem(q *search.Query, id int64) { seek(q, itemSign, digits(id)) }

// ByOrder narrows a list to the penalties that happened during an order.
func ByOrder(q *search.Query, id int64) { seek(q, orderSign, digits(id)) }

// ByClient narrows a list to the penalties of a client.
func ByClient(q *search.Query, id int64) { seek(q, clientSign, digits(id)) }

func seek(q *search.Query, sign, text string) {
	q.Words = append(q.Words, search.Fold(marked(sign, text)))
}
