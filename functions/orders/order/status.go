package order

import (
	"slices"

	"github.com/tenantry/tenantry/shared/enum"
)

// Status is how far an order is.
type Status int64

// The statuses of an order. What follows from a status is asked by its traits, see statuses. Only the step that leads to a status, such
// as the hand-out, compares with == .
const (
	Request   Status = 0
	Reserved  Status = 1
	InRent    Status = 2
	Cancelled Status = 3
	Completed Status = 4
	Debtor    Status = 5
)

// statuses says of each status what it is, and to which others an action may bring an order from
// there. Whether it may depends on the items of the order, too: see Allowed.
var statuses = map[Status]status{
	Request: {
		name: "request", next: []Status{Reserved, Cancelled},
		traits: traitCounts | traitHoldsClient | traitOpen | traitFirst | traitErasable,
	},
	Reserved: {
		name: "reserved", next: []Status{InRent, Cancelled},
		traits: traitCounts | traitHoldsClient | traitOpen | traitFirst,
	},
	InRent: {
		name: "in rent", next: []Status{InRent, Completed},
		traits: traitCounts | traitHoldsClient | traitOpen | traitOfLines | traitCloses | traitHandedOut,
	},
	Cancelled: {name: "cancelled", traits: traitErasable | traitOwesFees},
	Completed: {name: "completed", traits: traitCounts | traitOfLines | traitHandedOut | traitOver},
	Debtor: {
		name: "debtor", meaning: "completed, and something is owed",
		traits: traitCounts | traitHoldsClient | traitHandedOut | traitOver,
	},
}

type status struct {
	name, meaning string
	next          []Status
	traits        trait
}

// trait is what orders of some statuses have in common.
type trait int

const (
	traitCounts      trait = 1 << iota // the order has its items, and counts for its client and in metrics
	traitHoldsClient                   // the client can't be deleted
	traitOpen                          // lines may still come, change and go
	traitFirst                         // a new order may have it
	traitErasable                      // the order can be deleted
	traitHandedOut                     // what is owed is the client's debt
	traitOwesFees                      // the client's debt are its fees alone, if it owes them (Order.OwesFees)
	traitOfLines                       // an action that leads there is about lines, and names them or means all that it can be about
	traitCloses                        // the order is completed once all its items are back
	traitOver                          // all items are back: whether something is owed decides between Completed and Debtor
)

func (s Status) is(t trait) bool { return statuses[s].traits&t != 0 }

// Values are the statuses with their names.
func (Status) Values() []enum.Value {
	return enum.Table(statuses, func(s status) (name, meaning string) { return s.name, s.meaning })
}

// Counts tells whether an order has its items, and counts for its client and in metrics.
func (s Status) Counts() bool { return s.is(traitCounts) }

// IsFirst tells whether a new order may have the status.
func (s Status) IsFirst() bool { return s.is(traitFirst) }

// having are the statuses that have something in common, in order.
func having(t trait) (list []int64) {
	for s := range statuses {
		if s.is(t) {
			list = append(list, int64(s))
		}
	}
	slices.Sort(list)
	return list
}

// PaymentStatus is how much of an order is paid.
type PaymentStatus int64

// The payment statuses of an order.
const (
	Unpaid     PaymentStatus = 0
	PartlyPaid PaymentStatus = 1
	Paid       PaymentStatus = 2
)

// Values are the payment statuses with their names.
func (PaymentStatus) Values() []enum.Value {
	return enum.Numbers(map[PaymentStatus]string{Unpaid: "unpaid", PartlyPaid: "partly", Paid: "paid"})
}

// LineType is what an item line does with its item.
type LineType int64

// Types of item lines.
const (
	Rental LineType = 0
	Sale   LineType = 1
)

// Values are the types of item lines with their names.
func (LineType) Values() []enum.Value {
	return enum.Numbers(map[LineType]string{Rental: "rental", Sale: "sale"})
}

// ReferralStatus tells whether an agent has got the amount of a referral.
type ReferralStatus int64

// The statuses of a referral.
const (
	ReferralPaid    ReferralStatus = 0
	ReferralPending ReferralStatus = 1
)

// Values are the statuses of referrals with their names.
func (ReferralStatus) Values() []enum.Value {
	return enum.Numbers(map[ReferralStatus]string{ReferralPaid: "paid", ReferralPending: "pending"})
}
