package document

import (
	"crypto/sha256"
	"net/netip"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/keys"
	"github.com/tenantry/tenantry/shared/say"
)

// Sign is one signature that a document waits for or has.
type Sign struct {
	ID        int64     `dynamo:"i"`
	UUID      uuid.UUID `dynamo:"u"`
	Method    Method    `dynamo:"m"`
	Allowed   []Method  `dynamo:"a"`
	Signer    Signer    `dynamo:"p"`
	Status    Status    `dynamo:"s"`
	CreatedAt int64     `dynamo:"c"` // microseconds, as all times here
	UpdatedAt int64     `dynamo:"e"`
	Stages    []Stage   `dynamo:"g"`
	Head      []byte    `dynamo:"h"`           // of the chain of the stages
	Genesis   []byte    `dynamo:"z"`           // the SHA-256 of the original when the sign was added
	Trail     []byte    `dynamo:"t,omitempty"` // the SHA-256 of the last evidence, which names the one before it
	Sent      int64     `dynamo:"l,omitempty"` // how often a link was sent
	Linked    int64     `dynamo:"y,omitempty"` // when the link began to live: with the sign, and whenever it was sent
	Code      *Code     `dynamo:"k,omitempty"` // the last code that was asked for
	// Elsewhere marks the first stages as made on another installation; nil: all were made here.
	Elsewhere *Elsewhere `dynamo:"w,omitempty"`
}

// Signer is who signs.
type Signer struct {
	ID      int64      `dynamo:"i"`
	Name    string     `dynamo:"n"`
	Phone   *string    `dynamo:"p"`
	Email   *string    `dynamo:"e"`
	Type    SignerType `dynamo:"t"`
	OuterID *int64     `dynamo:"o"` // the client
	// Number is the IIN that a certificate has to name, or the BIN of an Organisation.
	Number       string `dynamo:"x,omitempty"`
	Organisation bool   `dynamo:"w,omitempty"`
}

// lastRoom is the stage from which on only the two ends are taken, so that a sign can always end.
const lastRoom = 29

// ErrSigned says that everybody has signed, so that nothing about the signs changes any more.
var ErrSigned = fault.New(fault.Conflict, say.DocumentSignedByAll).Coded()

// ErrLocked says that the content can't change.
var ErrLocked = fault.New(fault.Conflict,
	say.DocumentLocked).Coded()

// Allows tells whether a trigger may move the sign, and where to.
func (s *Sign) Allows(t Trigger) (to Status, err error) {
	to, ok := statuses[s.Status].moves[t]
	if !ok {
		return 0, fault.New(fault.Conflict, say.SignStatus).Coded().With("status", s.Status)
	}
	if to != s.Status && !to.is(end) && len(s.Stages) >= lastRoom-1 {
		return 0, fault.New(fault.Conflict, say.SignTooManyChanges).
			Coded().With("status", s.Status)
	}
	return to, nil
}

// Act is one act about a sign.
type Act struct {
	At       time.Time
	IP       string
	User     int64  // of staff; 0: the signer, or a program, which does nothing that a signer does
	Method   Method // of signing; NoMethod: none
	SHA256   []byte // of the original
	Evidence []byte // the SHA-256 of what is kept about it; nil: nothing
}

// Stage is one change of a sign's state, as it is stored and chained: these very bytes. They are a
// version, the states from and to, the method plus one, the time in microseconds (8 bytes), the id of the
// key that chains it (3), the user (5), the caller's address (16, an IPv4 address mapped), the SHA-256 of the
// original (32) and that of the evidence (32, zeros for none).
type Stage []byte

const (
	stageVersion = 2
	stageSize    = 4 + 8 + 8 + 16 + sha256.Size + sha256.Size
	stageUser    = 12 // where the user begins, with the key
	stageIP      = 20 // where the address begins
)

// newStage makes a stage that is chained by a key.
func newStage(from, to Status, a Act, key keys.ID) Stage {
	s := make(Stage, 0, stageSize)
	s = append(s, stageVersion, byte(from), byte(to), byte(a.Method+1))
	s = appendInt(s, a.At.UnixMicro())
	s = appendInt(s, a.User) // ids fit into five bytes: see keyspace.MaxID
	copy(s[stageUser:], key[:])
	address, _ := netip.ParseAddr(a.IP) // what is no address is stored as none
	var ip [16]byte
	if address.IsValid() {
		ip = address.As16()
	}
	s = append(s, ip[:]...)
	s = append(s, fit(a.SHA256)...)
	return append(s, fit(a.Evidence)...)
}

func appendInt(b []byte, n int64) []byte {
	for shift := 56; shift >= 0; shift -= 8 {
		b = append(b, byte(n>>shift))
	}
	return b
}

func intAt(b []byte) (n int64) {
	for _, c := range b[:8] {
		n = n<<8 | int64(c)
	}
	return n
}

// fit is a hash, or as many zeros.
func fit(hash []byte) []byte {
	b := make([]byte, sha256.Size)
	copy(b, hash)
	return b
}

// IsWhole tells whether the bytes are a stage.
func (s Stage) IsWhole() bool {
	return len(s) == stageSize && s[0] == stageVersion
}

// Key is the key that chains the stage.
func (s Stage) Key() (key keys.ID) { return keys.ID(s[stageUser : stageUser+len(key)]) }

// From is the state before.
func (s Stage) From() Status { return Status(s[1]) }

// To is the state after.
func (s Stage) To() Status { return Status(s[2]) }

// Method is the way of signing; NoMethod for an act that is none.
func (s Stage) Method() Method { return Method(s[3]) - 1 }

// At is when it happened, in microseconds.
func (s Stage) At() int64 { return intAt(s[4:]) }

// User is the user of staff who did it; 0: the signer, or a program.
func (s Stage) User() int64 { return intAt(s[stageUser:]) & (1<<40 - 1) }

// IP is the address of whoever did it; empty if it is not known.
func (s Stage) IP() string {
	address := netip.AddrFrom16([16]byte(s[stageIP : stageIP+16])).Unmap()
	if address.IsUnspecified() {
		return ""
	}
	return address.String()
}

// SHA256 is the hash of the original as it was then.
func (s Stage) SHA256() []byte { return s[36:68] }

// Evidence is the hash of what is kept about it; nil if nothing is.
func (s Stage) Evidence() []byte {
	if hash := s[68:100]; slices.ContainsFunc(hash, func(b byte) bool { return b != 0 }) {
		return hash
	}
	return nil
}

// sign returns the document's own copy of a sign, so that a document that was read stays unchanged; nil if it has none.
func (d *Document) own(at int) *Sign {
	d.Signs = slices.Clone(d.Signs)
	s := &d.Signs[at]
	s.Stages = slices.Clone(s.Stages)
	if s.Code != nil {
		code := *s.Code
		s.Code = &code
	}
	return s
}

// Sign returns a sign by its number, to be changed.
func (d *Document) Sign(id int64) (*Sign, error) {
	return d.signBy(func(s *Sign) bool { return s.ID == id })
}

// SignByUUID returns a sign by its uuid, to be changed.
func (d *Document) SignByUUID(id uuid.UUID) (*Sign, error) {
	return d.signBy(func(s *Sign) bool { return s.UUID == id })
}

func (d *Document) signBy(is func(*Sign) bool) (*Sign, error) {
	for i := range d.Signs {
		if is(&d.Signs[i]) {
			return d.own(i), nil
		}
	}
	return nil, fault.ErrNotFound
}

// SignOf returns the sign of a client, or of the company (client 0); nil if there is none.
func (d *Document) SignOf(client int64) *Sign {
	for i := range d.Signs {
		p := &d.Signs[i].Signer
		if client == 0 && p.Type == Company || client != 0 && p.OuterID != nil && *p.OuterID == client {
			return &d.Signs[i]
		}
	}
	return nil
}
