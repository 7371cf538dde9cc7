// Package calendar says when an inventory item is occupied: it is the only lock against
// occupying an item twice.
//
//	err := calendar.Change(ctx, w, item, func(c *calendar.Calendar) error {
//		return c.Occupy(calendar.Entry{Block: id, Start: from, End: to}, now)
//	})
//
// # One item for each inventory item
//
// Each inventory item has one calendar, which is one item of the table. It holds the times for
// which the inventory item is occupied, by lines of orders and by blocks. Nothing else is asked
// whether an item is free. All calendars of a company are in one partition, so that one query
// reads many of them; but such a query only shows, and never decides. An inventory item without a
// calendar has one that is open and empty, so creating or importing an item writes none.
//
// # One function
//
// Whatever occupies an item, moves or ends such a time, or takes the item out of use goes through
// Change. It reads the calendar consistently, once in a unit of work: verbs that change the same
// calendar share one working copy, and it is written once. It is written in the transaction of
// what has caused the change, on the condition that the stored calendar still has the revision that
// was read, or still does not exist if it did not then. If another request was faster, the whole unit
// of work is decided anew from what is true then. So two requests can never both find a time free and
// take it, and a conflict is only ever reported with a time that is really taken. What changes several
// calendars at once may be decided on copies of them (Read) before, which Change then puts in their place.
//
// # The rule
//
// The methods of Calendar are the rule. They are plain functions of the calendar, of what is
// wanted, and of the time.
//
// Times are half-open, [start, end), in microseconds of UTC: a time that begins where another one
// ends is not in its way. A line that is out past its end blocks a new booking only until now,
// because it may be back at any moment; but it blocks a hand-out until it is returned. A sale never ends
// (Forever); one that is handed out has left the company, so it does not keep the item in use.
//
// After a rental an item is kept free (Gap). That is for plans: it counts before a line that is
// planned, but not before a block, nor before what was handed out, because then the item was back.
// An entry keeps its Gap while its End stays, so a change of the setting makes no two bookings
// conflict. Everything else (what is over, overdue, or shown) is told by the End alone.
//
// A return tells what happened, so it is never refused. What was planned for a time that the line
// still had the item waits until then (Late), and has the item from that moment on; if it would
// have ended before, it occupies nothing. Late is dropped when the entry is moved to another start or
// handed out. What an entry kept is not checked again, so one that waits can be extended.
//
// What was told of a line can be taken back (Reopen): its entry is out again, or planned, and what waited for it waits as before. That is
// refused where something has taken the item since.
//
// Clocks of requests differ by up to Skew. If another request's clock was ahead, a return may lie
// in our future; HandOutAt gives the moment of that return then, instead of now.
//
// A calendar does not grow for ever. What has been over for Kept is dropped when the calendar
// next changes; in a calendar of Most entries, so is as much of what is over as one more needs.
// Floor is the latest end that was dropped. As nobody can tell any more whether the item was free
// before, a time that begins earlier is refused (code "past"). What was when is found in the
// records of the lines. A calendar with Most entries that are not over is full.
//
// The calendar of an item that is archived, withdrawn or deleted is closed: it takes no times
// until the item returns. It can't be closed while a line of an order needs the item, now or later.
//
// An entry is stored as a short text, because lists of what is free read all calendars of a company.
//
// # Where an item is returned
//
// The entry of a line keeps the rental point at which its item is returned (Point), and PointAt tells from these where the item will
// be. They decide on no time: nothing is refused because of them.
//
// They are stored beside the texts, and not in them. Releases from before there were points refuse a text with a part that they don't
// know, and so would take no bookings of that item while both releases run, or after a rollback. What they don't know beside the texts
// they ignore; but what they write has no points. So during a deployment, and after a rollback, a calendar that an old release changes
// forgets where its items are returned, until this release writes the entries anew: when a line gets another time, is handed out, or its
// order another rental_point_return. Until then PointAt knows of no move there. What moves the item at its return asks the order, and
// forgets nothing.
//
// # For showing
//
// All reads the calendars of a company, and IsFree, IsIdle and Within answer of each. They lag
// behind, so they never decide.
//
// What never goes in here: what an inventory item, a block or a line is (calendars know them by
// number only), how long a company keeps an item free after a rental, and HTTP.
package calendar
