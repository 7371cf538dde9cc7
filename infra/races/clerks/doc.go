// Package clerks lets clerks of one rental company work at the same time, and checks afterwards that
// what is stored is consistent. It sees a platform through its HTTP API alone.
//
//	office, err := clerks.Open(ctx, call, time.Now)
//	go office.Hire(call, seed).Act(ctx) // many of them, many times
//	found, problems := office.Audit(ctx, call)
//
// # What they do
//
// They book, move, extend, shorten, reschedule, exchange, swap, hand out, take back, reopen, hold, cancel, sell and block five
// items, and take them out of use. They take payments, deposits and fees, refund and return them, pay referrals and take them back, and
// change how the company prices. All that happens to the same few orders. Each clerk decides by what it has seen last of an
// order, so that much of what they want is refused. A refusal must be true: a 409 that names what is
// in the way has to name a time that meets the wanted one, of a line that was not known to be gone
// before. The worker cancels requests whose hold ends meanwhile. What a platform has no route for is
// refused as gone, like a record that is deleted.
//
// # What is checked
//
// Audit runs while nobody works. No item has two at a time (audit.twice); the calendar of each item equals the
// lines of the orders and the blocks (audit.probe). The books are recomputed (books.faults): what each order costs, owes and
// was paid from its lines, services, fees, deposits, referrals and postings; what was refunded of each posting; the balances of the
// accounts; the sums of the clients; exchanges of items from the lines that they ended and began. No request outlives its hold by
// two minutes. Then the audit books at random, alone, and expects exactly the answers and conflicts that follow from what it has
// read. Check does all that but the bookings, so that the clerks can go on. What is
// stored beside that, such as histories, recordtest.Problems checks where the race runs within a test.
//
// What never goes in here: how a request reaches the platform, and faults, which the caller of the
// package injects.
package clerks
