package document

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"slices"
)

// Chain makes the MAC of a message under the chain's key.
type Chain func(ctx context.Context, message []byte) ([]byte, error)

// begin is what the first stage of a sign is chained to: a hash of what the sign is about.
func (d *Document) begin(s *Sign) []byte {
	h := sha256.New()
	for _, part := range [][]byte{[]byte("tenantry sign 1\n"), d.UUID[:], s.UUID[:], s.Genesis} {
		_, _ = h.Write(part) // a hash takes everything
	}
	return h.Sum(nil)
}

// link is the MAC of a stage and of the chain before it.
func (c Chain) link(ctx context.Context, before []byte, stage Stage) ([]byte, error) {
	mac, err := c(ctx, slices.Concat([]byte("tenantry stage 1\n"), before, stage))
	if err != nil {
		return nil, fmt.Errorf("document: chain: %w", err)
	}
	return mac, nil
}

// append appends a stage to a sign.
func (c Chain) append(ctx context.Context, d *Document, s *Sign, stage Stage) error {
	before := s.Head
	if len(s.Stages) == 0 {
		before = d.begin(s)
	}
	head, err := c.link(ctx, before, stage)
	if err != nil {
		return err
	}
	s.Stages, s.Head = append(s.Stages, stage), head
	return nil
}

// ErrChain says that stages are not those that were chained.
var ErrChain = errors.New("the stages are not those that were chained")

// Links are the MACs of a sign's stages, the last one being its head. It fails with ErrChain if
// they are not.
func (c Chain) Links(ctx context.Context, d *Document, s *Sign) (links [][]byte, err error) {
	before := d.begin(s)
	for i, stage := range s.Stages {
		if !stage.IsWhole() {
			return nil, fmt.Errorf("%w: stage %d of sign %d can't be read", ErrChain, i+1, s.ID)
		}
		if before, err = c.link(ctx, before, stage); err != nil {
			return nil, err
		}
		links = append(links, before)
	}
	if len(links) == 0 || subtle.ConstantTimeCompare(before, s.Head) != 1 {
		return links, fmt.Errorf("%w: those of sign %d", ErrChain, s.ID)
	}
	return links, nil
}

// HeadOf is the head of the whole document: a hash of the number of its stages and of the heads of its signs.
func (d *Document) HeadOf() (head []byte, stages int) {
	h := sha256.New()
	for i := range d.Signs {
		s := &d.Signs[i]
		_, _ = fmt.Fprintf(h, "%s %d %x\n", s.UUID, len(s.Stages), s.Head)
		stages += len(s.Stages)
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
	if err := c.append(ctx, d, s, newStage(s.Status, to, a)); err != nil {
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
	return added, c.append(ctx, d, added, newStage(Draft, s.Status, a))
}
