package document

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"slices"

	"github.com/tenantry/tenantry/shared/keys"
)

// Chain chains stages by MACs. A stage names the key of its own, so that keys can be replaced: the first of the list chains
// what is new, and the others verify what they have chained before.
type Chain struct{ Keys keys.Keys }

// begin is what the first stage of a sign is chained to: a hash of what the sign is about.
func (d *Document) begin(s *Sign) []byte {
	h := sha256.New()
	for _, part := range [][]byte{[]byte("tenantry sign 1\n"), d.UUID[:], s.UUID[:], s.Genesis} {
		_, _ = h.Write(part) // a hash takes everything
	}
	return h.Sum(nil)
}

// has tells whether the list has a key. Keys may have got other names since, as those of a local platform do.
func (c Chain) has(key keys.ID) bool { return slices.Contains(c.Keys.Secrets(keys.Chains), key) }

// names tells whether all that is checked of a sign names keys of the list.
func (c Chain) names(s *Sign) bool {
	if e := s.Elsewhere; e != nil && e.fits(s) && !c.has(keys.ID(e.Key)) {
		return false
	}
	return !slices.ContainsFunc(s.here(), func(g Stage) bool { return !c.has(g.Key()) })
}

// link is the MAC of a stage and of the chain before it: under the key that the stage names, or where none is known by that name
// under another.
func (c Chain) link(ctx context.Context, before []byte, stage Stage, other keys.ID) ([]byte, error) {
	key := stage.Key()
	if !c.has(key) {
		key = other
	}
	mac, err := c.Keys.MAC(ctx, keys.Chains, key, slices.Concat([]byte("tenantry stage 1\n"), before, stage))
	if err != nil {
		return nil, fmt.Errorf("document: chain: %w", err)
	}
	return mac, nil
}

// append appends a stage to a sign.
func (c Chain) append(ctx context.Context, d *Document, s *Sign, from, to Status, a Act) error {
	before, list := s.Head, c.Keys.Secrets(keys.Chains)
	if len(s.Stages) == 0 {
		before = d.begin(s)
	}
	if len(list) == 0 {
		return errNoKey
	}
	stage := newStage(from, to, a, list[0])
	head, err := c.link(ctx, before, stage, list[0])
	if err != nil {
		return err
	}
	s.Stages, s.Head = append(s.Stages, stage), head
	return nil
}

var errNoKey = errors.New("document: chain: no key of chains is configured")

// ErrChain says that stages are not those that were chained.
var ErrChain = errors.New("the stages are not those that were chained")

// Links are the MACs of a sign's stages, the last one being its head. It fails with ErrChain if
// they are not. What names a key does so for speed alone: stages that name one which is not in the list hold if they hold
// under one key of the list, whichever it is. Of the stages that were made elsewhere (Elsewhere) the links are nil but for the last one's.
func (c Chain) Links(ctx context.Context, d *Document, s *Sign) (links [][]byte, err error) {
	for i, stage := range s.Stages {
		if !stage.IsWhole() {
			return nil, fmt.Errorf("%w: stage %d of sign %d can't be read", ErrChain, i+1, s.ID)
		}
	}
	all := c.names(s)
	for i, key := range c.Keys.Secrets(keys.Chains) {
		if i > 0 && all {
			break // another key changes nothing
		}
		if links, err = c.links(ctx, d, s, key); err != nil {
			return nil, err
		}
		if len(links) > 0 && subtle.ConstantTimeCompare(links[len(links)-1], s.Head) == 1 {
			return links, nil
		}
	}
	return links, fmt.Errorf("%w: those of sign %d", ErrChain, s.ID)
}

// links are the MACs of stages, those that name no known key under the given one; none if the mark of those made elsewhere doesn't hold.
func (c Chain) links(ctx context.Context, d *Document, s *Sign, other keys.ID) (links [][]byte, err error) {
	links, ok, err := c.taken(ctx, d, s, other)
	if err != nil || !ok {
		return nil, err
	}
	before := d.begin(s)
	if len(links) > 0 {
		before = s.Elsewhere.Head
	}
	for _, stage := range s.here() {
		if before, err = c.link(ctx, before, stage, other); err != nil {
			return nil, err
		}
		links = append(links, before)
	}
	return links, nil
}

// HeadOf is the head of the whole document: a hash of the number of its stages and of the heads of its signs, those that were
// removed last.
func (d *Document) HeadOf() (head []byte, stages int) {
	h := sha256.New()
	for _, list := range [][]Sign{d.Signs, d.Removed} {
		for i := range list {
			s := &list[i]
			_, _ = fmt.Fprintf(h, "%s %d %x\n", s.UUID, len(s.Stages), s.Head)
			stages += len(s.Stages)
		}
	}
	return h.Sum(nil), stages
}

// Move moves a sign, which the caller got from the document to be changed, by a trigger. What leads to the
// state that the sign is in changes nothing but its time.
func (c Chain) Move(ctx context.Context, d *Document, s *Sign, t Trigger, a Act) error {
	to, err := s.Allows(t)
	if err != nil {
		return err
	}
	s.UpdatedAt = a.At.UnixMicro()
	if to == s.Status {
		return nil
	}
	if err := c.append(ctx, d, s, s.Status, to, a); err != nil {
		return err
	}
	s.Status = to
	if to == Signed {
		s.Method = a.Method
	}
	return nil
}

// Add adds a sign of a signer: of a client as a draft, of the company ready.
func (c Chain) Add(ctx context.Context, d *Document, s Sign, a Act) (*Sign, error) {
	if d.IsSigned() {
		return nil, ErrSigned
	}
	d.LastSign++
	s.ID, s.CreatedAt, s.UpdatedAt, s.Genesis = d.LastSign, a.At.UnixMicro(), a.At.UnixMicro(), a.SHA256
	if s.Signer.Type == Company {
		s.Status = Ready
	}
	d.Signs = append(slices.Clone(d.Signs), s)
	added := &d.Signs[len(d.Signs)-1]
	return added, c.append(ctx, d, added, Draft, s.Status, a)
}
