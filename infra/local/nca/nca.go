// Package nca is a small certification centre like Kazakhstan's (NCA): with it the whole way of
// signing by eGov can be walked on one machine. It has a root, an authority below it and an OCSP
// responder, once with RSA and once with GOST 2015, and gives keys to whom it is told.
//
// Its certificates look like those of the NCA: the same names, usages and object identifiers. But
// it believes everybody, and its keys lie in a file. On demand it makes what no honest signer and no
// honest centre makes, so that tests see it refused.
//
// What never goes in here: anything that a function needs. Functions get the roots and the address
// of the responder by their configuration, as they get those of the real centre.
package nca

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// Right is what a holder's key of an organisation allows.
type Right int

// The rights, by the last number of their usage.
const (
	Head     Right = 1
	MaySign  Right = 2
	Employee Right = 5
)

// Person is who gets a key, and what the certificate says.
type Person struct {
	Name         string `json:"name"`
	IIN          string `json:"iin"`
	Organisation string `json:"organisation,omitempty"`
	BIN          string `json:"bin,omitempty"` // empty in a key of a person
	Right        Right  `json:"right,omitempty"`
	Kind         Kind   `json:"kind"`
	SigningIn    bool   `json:"signing_in,omitempty"` // a key for signing in, not for documents
	Revoked      bool   `json:"revoked,omitempty"`
	// From and Till are a day ago and in a year where they are zero.
	From time.Time `json:"from,omitzero"`
	Till time.Time `json:"till,omitzero"`

	// What the NCA never writes.
	CA        int  `json:"-"` // an authority: below it may be as many as this less 1, or any number where it is negative
	KeyUsage  byte `json:"-"` // instead of that of the key
	ClientToo bool `json:"-"` // for documents and for signing in
	Responder bool `json:"-"` // for answers of OCSP
}

// Holder is somebody with a key and a certificate.
type Holder struct {
	Person
	Certificate []byte // DER

	key    key
	issuer *Holder
}

// Centre is the certification centre.
type Centre struct {
	now func() time.Time

	mu       sync.Mutex
	branches []*branch
	people   []*Holder
	answers  Answers
}

// branch is everything of one kind of keys.
type branch struct{ root, authority, responder *Holder }

// New makes a centre with keys of its own.
func New(now func() time.Time) (*Centre, error) {
	c := &Centre{now: now}
	for _, kind := range []Kind{RSA, GOST512} {
		b, err := newBranch(kind, now().UTC())
		if err != nil {
			return nil, fmt.Errorf("nca: %w", err)
		}
		c.branches = append(c.branches, b)
	}
	return c, nil
}

func newBranch(kind Kind, now time.Time) (*branch, error) {
	from, till := now.Add(-day).Truncate(time.Second), now.Add(10*year).Truncate(time.Second)
	label := map[Kind]string{RSA: "RSA", GOST512: "GOST"}[kind]
	named := func(name string) *Holder {
		return &Holder{Person: Person{Name: name + " (" + label + ") LOCAL", Kind: kind, From: from, Till: till}}
	}
	b := &branch{
		root: named("НЕГІЗГІ КУӘЛАНДЫРУШЫ ОРТАЛЫҚ"), authority: named("ҰЛТТЫҚ КУӘЛАНДЫРУШЫ ОРТАЛЫҚ"), responder: named("OCSP RESPONDER"),
	}
	b.link()
	var making errgroup.Group // keys of RSA take long
	for _, h := range b.holders() {
		making.Go(func() (err error) { h.key, err = newKey(kind); return err })
	}
	if err := making.Wait(); err != nil {
		return nil, err
	}
	for _, h := range b.holders() {
		use := authorityExtensions()
		if h == b.responder {
			use = responderExtensions()
		}
		var err error
		if h.Certificate, err = h.certify(authorityName(h.Person.Name), use); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// holders are those of a branch, each after the one who issues its certificate.
func (b *branch) holders() []*Holder { return []*Holder{b.root, b.authority, b.responder} }

func (b *branch) link() {
	b.root.issuer, b.authority.issuer, b.responder.issuer = b.root, b.root, b.authority
}

const (
	day  = 24 * time.Hour
	year = 365 * day
)

// Roots returns the roots and the authorities below them as PEM: what a function is configured with.
func (c *Centre) Roots() string {
	var out bytes.Buffer
	for _, b := range c.branches {
		for _, h := range []*Holder{b.root, b.authority} {
			_ = pem.Encode(&out, &pem.Block{Type: "CERTIFICATE", Bytes: h.Certificate})
		}
	}
	return out.String()
}

// Authority returns the certificate that issues those of a kind, DER.
func (c *Centre) Authority(kind Kind) []byte { return c.branch(kind).authority.Certificate }

// Responder returns who answers for certificates of a kind.
func (c *Centre) Responder(kind Kind) *Holder { return c.branch(kind).responder }

func (c *Centre) branch(kind Kind) *branch {
	if kind == RSA {
		return c.branches[0]
	}
	return c.branches[1]
}

// Issue gives somebody a key.
func (c *Centre) Issue(p Person) (*Holder, error) {
	k, err := newKey(p.Kind)
	if err != nil {
		return nil, fmt.Errorf("nca: %w", err)
	}
	return c.issue(p, k)
}

func (c *Centre) issue(p Person, k key) (*Holder, error) {
	now := c.now().UTC().Truncate(time.Second)
	if p.From.IsZero() {
		p.From = now.Add(-day)
	}
	if p.Till.IsZero() {
		p.Till = now.Add(year)
	}
	h := &Holder{Person: p, key: k, issuer: c.branch(p.Kind).authority}
	var err error
	if h.Certificate, err = h.certify(p.subject(), p.extensions()); err != nil {
		return nil, fmt.Errorf("nca: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.people = append(c.people, h)
	return h, nil
}

// Again gives somebody one more certificate for the key that they have, which is faster.
func (c *Centre) Again(h *Holder, p Person) (*Holder, error) { return c.issue(p, h.key) }

// Revoke takes a certificate out of use, or back into it.
func (c *Centre) Revoke(h *Holder, revoked bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h.Revoked = revoked
}

// People are all who have a key, in the order in which they got it.
func (c *Centre) People() []*Holder {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.people)
}

// saved is a holder in a file.
type saved struct {
	Person
	Certificate []byte `json:"certificate"`
	Key         []byte `json:"key"`
}

// Open returns the centre whose keys are in a file. If there is none, it makes one, gives keys to
// some people, and writes the file.
func Open(file string, now func() time.Time, people []Person) (*Centre, error) {
	content, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return create(file, now, people)
	}
	if err != nil {
		return nil, fmt.Errorf("nca: %w", err)
	}
	var all []saved
	if err := json.Unmarshal(content, &all); err != nil {
		return nil, fmt.Errorf("nca: %s: %w", file, err)
	}
	return restore(all, now)
}

const inBranch = 3 // root, authority, responder

func restore(all []saved, now func() time.Time) (*Centre, error) {
	c := &Centre{now: now}
	if len(all) < 2*inBranch {
		return nil, errors.New("nca: the file of keys is cut")
	}
	holders := make([]*Holder, len(all))
	for i, s := range all {
		k, err := readKey(s.Kind, s.Key)
		if err != nil {
			return nil, fmt.Errorf("nca: %w", err)
		}
		holders[i] = &Holder{Person: s.Person, Certificate: s.Certificate, key: k}
	}
	for three := range slices.Chunk(holders[:2*inBranch], inBranch) {
		b := &branch{three[0], three[1], three[2]}
		b.link()
		c.branches = append(c.branches, b)
	}
	c.people = holders[2*inBranch:]
	for _, h := range c.people {
		h.issuer = c.branch(h.Kind).authority
	}
	return c, nil
}

func create(file string, now func() time.Time, people []Person) (*Centre, error) {
	c, err := New(now)
	if err != nil {
		return nil, err
	}
	if err := c.Invite(people); err != nil {
		return nil, err
	}
	all := []saved{}
	for _, b := range c.branches {
		for _, h := range b.holders() {
			all = append(all, saved{h.Person, h.Certificate, h.key.bytes()})
		}
	}
	for _, h := range c.people {
		all = append(all, saved{h.Person, h.Certificate, h.key.bytes()})
	}
	content, err := json.Marshal(all)
	if err == nil {
		err = os.WriteFile(file, content, 0o600)
	}
	if err != nil {
		return nil, fmt.Errorf("nca: %w", err)
	}
	return c, nil
}

// Invite gives keys to people. All with keys of RSA have the same one, as making one takes long.
func (c *Centre) Invite(people []Person) error {
	var first *Holder
	for _, p := range people {
		var h *Holder
		var err error
		if p.Kind == RSA && first != nil {
			h, err = c.Again(first, p)
		} else {
			h, err = c.Issue(p)
		}
		if err != nil {
			return err
		}
		if p.Kind == RSA {
			first = h
		}
	}
	return nil
}

func serial() (*big.Int, error) {
	n, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 158))
	if err != nil {
		return nil, err
	}
	return n.Add(n, new(big.Int).Lsh(big.NewInt(1), 158)), nil
}

// Below has a holder issue a certificate, which nobody but an authority may.
func (c *Centre) Below(by *Holder, p Person) (*Holder, error) {
	h, err := c.Issue(p)
	if err != nil {
		return nil, err
	}
	h.issuer = by
	h.Certificate, err = h.certify(h.subject(), h.extensions())
	return h, err
}
