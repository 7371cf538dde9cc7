package judge

import (
	"slices"

	"github.com/tenantry/tenantry/infra/local/policy"
)

// Exception is a right that no recorded event uses, and who does. A star in its role, statement or right stands for anything.
type Exception struct {
	Right

	Who string
}

// Walk is who uses a right that the walk of infra/smoke needs and no event does.
const Walk = "the walk through every operation"

// Late is who uses a right for messages that wait for some seconds, until an index is up to date: the walk waits for what they do, and
// the replay of an event sometimes takes as long.
const Late = "messages that wait for an index, in the walk through every operation"

func (e Exception) about(r Right) bool {
	return policy.Like(e.Role, r.Role) && policy.Like(e.Statement, r.Statement) && policy.Like(e.Right.Right, r.Right)
}

// Unexplained returns what a list of exceptions doesn't explain: rights that nothing used, and exceptions about none of these.
func Unexplained(unused []Right, exceptions []Exception) (wrong []string) {
	for _, r := range unused {
		if !slices.ContainsFunc(exceptions, func(e Exception) bool { return e.about(r) }) {
			wrong = append(wrong, "nothing uses "+r.String()+": remove it, or name who does")
		}
	}
	for _, e := range exceptions {
		if e.Who != Late && !slices.ContainsFunc(unused, e.about) {
			wrong = append(wrong, "an exception about nothing: "+e.String()+" is used, or isn't granted")
		}
	}
	return wrong
}

// Unwalked returns the rights that an exception says the walk uses, and that are unused after it.
func Unwalked(unused []Right, exceptions []Exception) (wrong []string) {
	for _, r := range unused {
		if slices.ContainsFunc(exceptions, func(e Exception) bool { return (e.Who == Walk || e.Who == Late) && e.about(r) }) {
			wrong = append(wrong, "the walk doesn't use "+r.String())
		}
	}
	return wrong
}

// Exceptions are the rights that no recorded event uses.
func Exceptions() []Exception {
	except := func(role, statement, right, who string) Exception {
		return Exception{Right{role, statement, right}, who}
	}
	return []Exception{
		except("*", "Logs", "*", "Lambda, which writes what a function prints"),
		except("worker", "Stream", "*", "Lambda, which reads the table's stream for the worker"),
		except("worker", "ListStreams", "*", "Lambda, which reads the table's stream for the worker"),
		except("worker", "Failures", "*", "Lambda, which puts batches there that the worker gave up on"),

		except("signing", "Files", "s3:GetObjectVersion", Walk),
		except("seal", "Files", "*", Walk),
		except("seal", "seal.Seal", "*", Walk),
		except("documents", "Files", "files/temporary/*", Walk),
		except("services", "Files", "files/temporary/*", Walk),
		except("inventory", "Files", "files/uploads/*", Walk),
		except("worker", "Writes", "H#*", Walk),
		except("worker", "Writes", "T#*#cli", Walk),
		except("worker", "Writes", "T#*#cli#*", Walk),
		except("worker", "ChildrenIndex", "dynamodb:Query", Late),
		except("worker", "ChildrenIndex", "T#*#oin#of#*#*", Late),
		except("worker", "ChildrenIndex", "T#*#pen#of#*#*", Late),

		except("*", "MissingFiles", "s3:ListBucket", "a file that was announced and never came: the tests of shared/files"),
		except("*", "Reads", "dynamodb:ConditionCheckItem", "a write with a record that it only refers to: the tests of shared/record"),
		except("*", "Writes", "T#*#replay#*", "an Idempotency-Key: the events of one group show it, infra/conformance sends one to all"),
		except("*", "Writes", "T#*#outbox", "counters of a listing that are to be folded: the tests of shared/record/listing"),
		except("*", "Writes", "T#*#allowance", "lists that are more than a company's small part: the tests of shared/table/allowance"),
		except("history", "Writes", "dynamodb:UpdateItem", "large pages: the tests of shared/table/allowance"),
		except("*", "ChangesIndex", "*", "a search of many records: the tests of shared/record/search"),
		except("*", "Segments", "*", "a search of many records: the tests of shared/record/search"),
		except("*", "Reads", "dynamodb:BatchGetItem", "the page of a search of many records: the tests of shared/record/search"),
		except("worker", "Calls", "pack", Late),
		except("pack", "*", "*", "segments, which are made of many records: the tests of shared/record/search"),
		except("*", "Files", "s3:*Object", "a long answer under an Idempotency-Key: the tests of shared/web/idempotency"),
		except("history", "Reads", "dynamodb:GetItem", "a change that an import made: the tests of shared/record/audit"),
		except("finance", "Writes", "T#*", "a refund of what was paid for an order: the tests of functions/finance"),
		except("inventory", "Writes", "T#*#upload", "an upload that is imported or taken as an image: the tests of functions/inventory"),
		except("signing", "Writes", "T#*#cms", "a CMS that signs: the tests of functions/signing"),
		except("documents", "Writes", "T#*#cms", "a CMS that signs: the tests of functions/signing"),
		except("documents", "*", "T#*#smo*", "a link that is paid from the account: the tests of functions/signing"),
		except("signing", "*", "T#*#smo*", "a code that is paid from the account: the tests of functions/signing"),
		except("sms", "Writes", "T#*#smsreport", "a provider's report: the tests of functions/sms"),
		except("*", "ChildrenIndex", "T#*#inv#of#*#*", "a car that is known by its tech passport: the tests of functions/penalties"),

		except("worker", "Writes", "dynamodb:BatchWriteItem", "what a fold or a dead import left: the tests of shared/record/bulk"),
		except("worker", "Writes", "T#*#dir", "counters that are folded: the tests of shared/record/listing/folding"),
		except("worker", "Writes", "T#*#unique#*", "reservations of a dead import: the tests of shared/record/bulk"),
		except("worker", "Writes", "T#*#inv*", "items that are moved into a group: the tests of functions/inventory"),
		except("worker", "Writes", "T#*#grp#sum", "items that are moved into a group: the tests of functions/inventory"),
		except("worker", "Writes", "T#*#met#*", "metrics that are worked out anew: the tests of functions/metrics"),
		except("worker", "Writes", "T#*#pen*", "penalties whose car is found later: the tests of functions/penalties"),
		except("worker", "Writes", "T#*#sm*", "an SMS that could not be sent, and is paid back: the tests of functions/sms"),
		except("worker", "Writes", "T#*#stf*", "people whose names change: the tests of functions/tenants"),
		except("worker", "Writes", "U#*", "people whose companies change: the tests of functions/tenants"),
		except("worker", "Writes", "D#*", "a host that is proven: the tests of functions/tenants"),
		except("worker", "Writes", "T#*#company", "a host that is proven: the tests of functions/tenants"),
	}
}
