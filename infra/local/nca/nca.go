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
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
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
	CA        int           `json:"-"` // an authority: below it may be as many as this less 1, or any number where it is negative
	KeyUsage  x509.KeyUsage `json:"-"` // instead of that of the key
	ClientToo bool          `json:"-"` // for documents and for signing in
	Responder bool          `json:"-"` // for answers of OCSP
}

// Holder is somebody with a key and a certificate.
type Holder struct {
	Person
	Certificate []byte // DER

	key    key
	issuer *Holder
	says   content // of the certificate
}

// Centre is the certification centre.
type Centre struct {
	now func() time.Time

	mu      sync.Mutex
	holders []*Holder // the root, the authority below it and the responder, once for each kind of keys; then people
	answers Answers
}

// The places of those of one kind of keys, and how many of them there are.
const (
	root = iota
	authority
	responder
	each
)

// New makes a centre with keys of its own.
func New(now func() time.Time) (*Centre, error) {
	c := &Centre{now: now}
	from, till := now().UTC().Add(-day).Truncate(time.Second), now().UTC().Add(10*year).Truncate(time.Second)
	for _, kind := range []Kind{RSA, GOST512} {
		label := map[Kind]string{RSA: "RSA", GOST512: "GOST"}[kind]
		for _, name := range []string{"НЕГІЗГІ КУӘЛАНДЫРУШЫ ОРТАЛЫҚ", "ҰЛТТЫҚ КУӘЛАНДЫРУШЫ ОРТАЛЫҚ", "OCSP RESPONDER"} {
			p := Person{Name: name + " (" + label + ") LOCAL", Kind: kind, From: from, Till: till}
			c.holders = append(c.holders, &Holder{Person: p})
		}
	}
	c.link()
	var making errgroup.Group // keys of RSA take long
	for _, h := range c.holders {
		making.Go(func() (err error) { h.key, err = newKey(h.Kind); return err })
	}
	err := making.Wait()
	for i, h := range c.holders {
		use := ofAuthority()
		if i%each == responder {
			use = ofResponder()
		}
		if err == nil {
			err = h.certify(pkix.RDNSequence{attribute(3, h.Name), attribute(6, "KZ")}, use)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("nca: %w", err)
	}
	return c, nil
}

// link says who issues whose certificate.
func (c *Centre) link() {
	for i, h := range c.holders {
		of := c.of(h.Kind)
		if h.issuer = of[authority]; i < 2*each && i%each != responder {
			h.issuer = of[root]
		}
	}
}

// of are those for a kind of keys, by their places.
func (c *Centre) of(kind Kind) []*Holder {
	if kind == RSA {
		return c.holders[:each]
	}
	return c.holders[each : 2*each]
}

const (
	day  = 24 * time.Hour
	year = 365 * day
)

// Roots returns the roots and the authorities below them as PEM: what a function is configured with.
func (c *Centre) Roots() string {
	var out bytes.Buffer
	for _, h := range slices.Concat(c.of(RSA)[:responder], c.of(GOST512)[:responder]) {
		_ = pem.Encode(&out, &pem.Block{Type: "CERTIFICATE", Bytes: h.Certificate})
	}
	return out.String()
}

// Authority returns the certificate that issues those of a kind, DER.
func (c *Centre) Authority(kind Kind) []byte { return c.of(kind)[authority].Certificate }

// Responder returns who answers for certificates of a kind.
func (c *Centre) Responder(kind Kind) *Holder { return c.of(kind)[responder] }

// Issue gives somebody a key.
func (c *Centre) Issue(p Person) (*Holder, error) {
	k, err := newKey(p.Kind)
	if err != nil {
		return nil, fmt.Errorf("nca: %w", err)
	}
	return c.issue(p, k, c.of(p.Kind)[authority])
}

func (c *Centre) issue(p Person, k key, by *Holder) (*Holder, error) {
	now := c.now().UTC().Truncate(time.Second)
	if p.From.IsZero() {
		p.From = now.Add(-day)
	}
	if p.Till.IsZero() {
		p.Till = now.Add(year)
	}
	h := &Holder{Person: p, key: k, issuer: by}
	if err := h.certify(p.subject(), p.certificate()); err != nil {
		return nil, fmt.Errorf("nca: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.holders = append(c.holders, h)
	return h, nil
}

// Again gives somebody one more certificate for the key that they have, which is faster.
func (c *Centre) Again(h *Holder, p Person) (*Holder, error) {
	return c.issue(p, h.key, c.of(p.Kind)[authority])
}

// Below has a holder issue a certificate, which nobody but an authority may.
func (c *Centre) Below(by *Holder, p Person) (*Holder, error) {
	k, err := newKey(p.Kind)
	if err != nil {
		return nil, fmt.Errorf("nca: %w", err)
	}
	return c.issue(p, k, by)
}

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
	return slices.Clone(c.holders[2*each:])
}

// Invite gives keys to people. All with keys of RSA have the same one, as making one takes long.
func (c *Centre) Invite(people []Person) (err error) {
	var first *Holder
	for _, p := range people {
		var h *Holder
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
	var all []saved
	if err == nil {
		err = json.Unmarshal(content, &all)
	}
	if err == nil && len(all) < 2*each {
		err = errors.New("the file of keys is cut")
	}
	c := &Centre{now: now}
	for _, s := range all {
		h := &Holder{Person: s.Person, Certificate: s.Certificate}
		if err == nil {
			h.key, err = readKey(s.Kind, s.Key)
		}
		if err == nil {
			h.says, err = read(s.Certificate)
		}
		c.holders = append(c.holders, h)
	}
	if err != nil {
		return nil, fmt.Errorf("nca: %s: %w", file, err)
	}
	c.link()
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
	for _, h := range c.holders {
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
