package document

import "github.com/tenantry/tenantry/shared/enum"

// Status is how far a sign is.
type Status int64

// The statuses of a sign. What each of them is stands in statuses, and nowhere else.
const (
	Draft        Status = 0
	Ready        Status = 1
	Viewing      Status = 2
	Confirmation Status = 3
	Rejected     Status = 4
	Signed       Status = 5
	Gone         Status = 6
)

// statuses says of each status what it is, and which triggers move a sign on from there. What leads to the status that a sign has
// appends no stage.
var statuses = map[Status]status{
	Draft: {"draft", moves{Send: Ready, Open: Viewing, Record: Signed, Reject: Rejected, Remove: Gone}, 0},
	Ready: {"ready", moves{
		Send: Ready, Open: Viewing, Ask: Confirmation, Certify: Signed, Record: Signed, Reject: Rejected, Remove: Gone,
	}, 0},
	Viewing: {"viewing", moves{
		Resend: Viewing, Ask: Confirmation, Certify: Signed, Record: Signed, Reject: Rejected, Remove: Gone,
	}, opened},
	Confirmation: {"confirmation", moves{
		Resend: Confirmation, Ask: Confirmation, Confirm: Signed, Certify: Signed, Record: Signed, Reject: Rejected, Remove: Gone,
	}, opened | locks},
	Rejected: {"rejected", moves{Reopen: Draft, Remove: Gone}, end},
	Signed:   {"signed", nil, end | locks},
	Gone:     {"gone", nil, end | hidden},
}

type status struct {
	name  string
	moves moves
	is    trait
}

// moves are the statuses to which triggers lead.
type moves map[Trigger]Status

// trait is what signs of some statuses have in common.
type trait int

const (
	opened trait = 1 << iota // the signer has opened the page, and may sign
	locks                    // the content of the document can't change
	end                      // a sign comes here however many stages it has
	hidden                   // the sign was removed and is kept: no answer shows it
)

func (s Status) is(t trait) bool { return statuses[s].is&t != 0 }

// Locks tells whether the content of the document can't change while a sign has the status.
func (s Status) Locks() bool { return s.is(locks) }

// Values are the statuses that answers show, with their names.
func (Status) Values() []enum.Value {
	shown := make(map[Status]string, len(statuses))
	for s, row := range statuses {
		if !s.is(hidden) {
			shown[s] = row.name
		}
	}
	return enum.Numbers(shown)
}

// Trigger is what moves a sign to another status.
type Trigger int

// The triggers.
const (
	Send    Trigger = iota // staff sends the link
	Open                   // the signer opens the page
	Ask                    // the signer asks for a code
	Confirm                // the code is right
	Certify                // a CMS was verified
	Record                 // staff records a signature by hand
	Reject                 // the signer or staff rejects
	Reopen                 // staff reopens what was rejected
	Remove                 // staff removes the sign
	Resend                 // staff sends the link to who has it already
)

// Method is a way of signing.
type Method int64

// Methods of signing.
const (
	Manual Method = 0
	SMS    Method = 1
	EGov   Method = 2
)

// NoMethod is the method of an act that is no way to sign. It is not among the values.
const NoMethod Method = -1

// Values are the methods with their names.
func (Method) Values() []enum.Value {
	return enum.Numbers(map[Method]string{Manual: "manual", SMS: "SMS", EGov: "eGov"})
}

// Channel is how a signer is sent something.
type Channel string

// The channels.
const (
	BySMS   Channel = "sms"
	ByEmail Channel = "email"
)

// Values are the channels.
func (Channel) Values() []enum.Value { return enum.Named(BySMS, ByEmail) }

// SignerType is for whom a signer signs.
type SignerType string

// Types of signers.
const (
	Company SignerType = "company"
	Client  SignerType = "client"
)

// Values are the types of signers.
func (SignerType) Values() []enum.Value { return enum.Named(Company, Client) }
