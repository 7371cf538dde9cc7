package samples

// BIN is the number of the company, which its signatures by eGov name.
const BIN = "140340010302"

// Progress is how far a signer of a paper has come.
type Progress int

// Each of these but the last three is a state of a sign; those are the ways in which a sign is signed.
const (
	Added Progress = iota
	Linked
	Opened
	CodeSent
	Refused
	ByHand
	BySMS
	ByEGov
)

// Paper is a document that is made of the first template and of the last order of its first signer.
type Paper struct {
	Name    string
	Signers []Signer
}

// Signer is a client, or the company itself if it is not said who, and what they have done.
type Signer struct {
	Client Ref
	Key    string // the IIN that a client's key is of, to sign by eGov
	Did    Progress
}

// Company tells whether the company signs by itself.
func (s Signer) Company() bool { return s.Client == Ref{} }

// Papers are the company's documents that are signed: one in each state.
func Papers() []Paper {
	const title, petr = "Договор аренды: ", "Иванов Пётр Андреевич"
	paper := func(client string, did Progress) Paper {
		return Paper{title + client, []Signer{{Client: in(clients, client), Did: did}}}
	}
	return []Paper{
		paper("Дана Қасымова", Added),
		paper("Сергей Ким", Linked),
		paper("Алия Нұрпейісова", Opened),
		paper("Тимур Ахметов", CodeSent),
		paper("Ольга Петрова", Refused),
		paper("Ержан Төлегенов", ByHand),
		paper("Әсел Сәрсенбаева", BySMS),
		{title + petr, []Signer{{Client: in(clients, petr), Did: ByEGov, Key: "850515300701"}, {Did: ByEGov}}},
	}
}
