// Package row is what the orders of a company brought in, in rows: what was accrued and what of it
// was collected, by line and by day. Rows follow from orders and never the other way round.
//
// # What has a row
//
// Each item line (of the type inventory, or sale), each service line (delivery, workshop or service,
// by the type that the service had) and each fee (penalty) of an order has one, paid or not, past or
// ahead. The order itself has one of the type request, with its totals and its status, which counts
// in no total. What was paid for an order without lines and fees is a row of the type service. A
// traffic penalty has a row of the type penalty as long as no order is charged with it; from then on
// the row of the order's fee stands for it.
//
// The prediction of a row is what it is worth within its order: its net with its part of the order's
// discount and of the added tax (pricing.Shares), and its late fee; 0 if the order is cancelled. Its
// profit is its part of what was paid for the order and not refunded, in proportion to what the rows
// are worth; where they are worth nothing, to their nets. A cancelled order that owes its fees
// (Order.OwesFees) is worth them: they keep their predictions, and what was paid serves them first.
// So the rows of an order, without its own, come to what is due for it, and to its paid_amount, to the
// cent. That of a traffic penalty accrues nothing.
//
// The date of a row is a day of the company: that on which a line begins as planned; for services and
// for the order the first start of the order, else its creation; for fees their creation; that of a
// violation. It stays where the company changes its time zone later, until the order changes or all
// rows are worked out again.
//
// # How they are stored
//
// A row is one item of less than 1 KB. Its id follows from what it is of, so that working a row out
// again finds the row that is there, and no id has to be kept anywhere. The row of an order itself
// also holds the ids of the order's others, and the revision of the order that they were made from; it is
// what all transactions about the order are conditional on. It outlives the order, without being
// listed, so that a late worker does not bring back the rows of an order that was deleted.
//
// The rows of a day come to one item of sums by type, which is only ever added to, in the transactions
// that write the rows. It says how many rows there are, and in which day a page begins.
//
// Rows are not searched: their entries in the index of children hold what lists are filtered
// and ordered by, in the order of days, so a list reads the days that it asks for and no others.
//
// # How they follow
//
// Each write of an order arms a message with its id, and one of a penalty a message about a block of
// them. Its handler reads the order, its lines and its rows consistently, works the rows out, and
// writes those that differ. A row that is new costs 3 write units, one that changed 2 to 4, and each
// day 2; if nothing differs, nothing is written.
//
// All rows of a company are worked out again by a rebuild, which takes a portion of the orders at a time
// (Rebuild). Each of its steps is what a message does.
//
// What never goes in here: HTTP, what lists show of other records, and prices (orders/pricing).
package row
