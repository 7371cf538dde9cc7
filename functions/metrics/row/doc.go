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
// The date of a row is, unless the company wishes otherwise, a day of the company: that on which a line begins as planned; for services and
// for the order the first start of the order, else its creation; for fees their creation; that of a
// violation. It stays where the company changes its time zone later, until the order changes or all
// rows are worked out again.
//
// # Rows by days
//
// Where the company's setting accrual is daily, a line has rows for several days (byDay). Its prediction is spread over the days of the
// time that is priced, by seconds (money.Amount.Spread), so a day of 23 hours has less; a late fee is on the day of the return. Service
// lines that are charged for a time are spread over that; other ones, sales and fees are on one day, as ever. The profit of each row of the
// order is spread over the days on which money was collected (order.Collected): what falls on a day comes to what was collected on it
// and not refunded, a refund being taken off the day of its payment. What was paid before orders kept those days is on the date of the
// line. So all rows of a line come to its one row by the other setting, to the cent, and no part is negative. The row of the order
// itself stays one.
//
// A line has at most 400 rows: 367 for its time, 32 for days of payments and one for lateness. If the time has more days they are
// grouped evenly, each group on its first day.
//
// The setting is read when rows are worked out: it counts for an order from the order's next change on, or from a rebuild. Rows of the
// other way are replaced as any others that differ.
//
// # How they are stored
//
// A row is one item of less than 1 KB. Its id follows from what it is of, so that working a row out
// again finds the row that is there, and no id has to be kept anywhere. The row of an order itself
// also holds the ids of the order's others, and the revision of the order that they were made from; it is
// what all transactions about the order are conditional on. It outlives the order, without being
// listed, so that a late worker does not bring back the rows of an order that was deleted.
//
// Of the rows of a line by days, one has that id, the base; those for other days are steps, whose ids follow from it and from their number:
// days of the time have numbers of their own, so that a payment moves none. The base knows the numbers of its steps, and a
// digest of all that they say. So a change of the order reads the steps of those lines alone that have become other ones. Steps
// show no status of their own.
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
// By days, a new line of n days costs about 5 write units a day (63 for ten days, with its order and a service line), and another price of
// it 6; another status costs as much as by the first day, and so does a payment, but for 5 for each line on a new day. One message
// writes the steps of about 400 to 800 rows, in transactions, and arms itself for the others (Follow). Before the first of several
// transactions, the base names all steps that may be there, and loses its digest; the last one gives it the new digest. So a
// worker that comes after one that died, or after another change of the order, reads what is there and writes what differs from what is
// true then; none brings an older state back, because all are conditional on the order's own row.
//
// All rows of a company are worked out again by a rebuild, which takes a portion of the orders at a time
// (Rebuild). Each of its steps is what a message does; an order with more rows than one message writes goes on by messages of its own.
//
// What never goes in here: HTTP, what lists show of other records, and prices (orders/pricing).
package row
