// Package clerks lets clerks of one rental company work at the same time, and checks afterwards that
// what is stored is consistent. It sees a platform through its HTTP API alone.
//
//	office, err := clerks.Open(ctx, call, time.Now)
//	go office.Hire(call, seed).Act(ctx) // many of them, many times
//	found, problems := office.Audit(ctx, call)
//
// # What they do
//
// They book, move, extend, exchange, hand out, take back, cancel, sell and block five items, take them
// out of use, and take money, all on the same few orders. Each decides by what it has seen last of an
// order, so that much of what they want is refused. A refusal must be true: a 409 that names what is
// in the way has to name a time that meets the wanted one, of a line that was not known to be gone
// before.
//
// # What is checked
//
// Audit runs while nobody works. No item has two at a time; the calendar of each item equals the
// lines of the orders and the blocks; totals equal the sums of lines, fees and payments; the sums of
// the clients equal their orders; the balance of the account equals its postings. Then it books at
// random, alone, and expects exactly the answers and conflicts that follow from what it has read. What is
// stored beside that, such as histories, recordtest.Problems checks where the race runs within a test.
//
// What never goes in here: how a request reaches the platform, and faults, which the caller of the
// package injects.
package clerks
