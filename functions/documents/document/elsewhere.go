package document

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/keys"
	"github.com/tenantry/tenantry/shared/table"
)

// Elsewhere says of the first stages of a sign that they were made on another installation, whose key is not known here. Its MAC is of
// this installation's key, so whoever can write the table can neither make one, nor change those stages unseen once they are here.
// Whether they were whole when they came is for the other installation to say.
type Elsewhere struct {
	Stages  int64      `dynamo:"n"` // how many
	Head    []byte     `dynamo:"h"` // the chain's after them
	At      int64      `dynamo:"a"` // when the company was taken over
	Key     []byte     `dynamo:"k"` // the id of the key that makes the MAC
	MAC     []byte     `dynamo:"m"`
	Earlier *Elsewhere `dynamo:"e,omitempty"` // the mark with which they came: its installation needs it to prove what it has chained
}

// MarkBytes is how many bytes of an item a mark takes at most, without the earlier ones.
const MarkBytes = 160

// elsewhereAt is the attribute of a sign that has the mark.
const elsewhereAt = "w"

// MarksAt are the places in the item of a document at which marks may be: an arrival changes nothing else.
func MarksAt() []string { return []string{"g[]." + elsewhereAt, "e[]." + elsewhereAt} }

// fits tells whether a sign has the stages that the mark is about.
func (e *Elsewhere) fits(s *Sign) bool {
	return e.Stages > 0 && e.Stages <= int64(len(s.Stages)) && len(e.Key) == len(keys.ID{})
}

// message is what the MAC of a mark that fits is of. All parts but the last have a length of their own.
func (e *Elsewhere) message(d *Document, s *Sign) []byte {
	stages, earlier := sha256.New(), sha256.New()
	for _, stage := range s.Stages[:e.Stages] {
		_, _ = stages.Write(appendInt(nil, int64(len(stage)))) // a hash takes everything
		_, _ = stages.Write(stage)
	}
	for was := e.Earlier; was != nil; was = was.Earlier {
		_, _ = fmt.Fprintf(earlier, "%d %d %x %x %x\n", was.Stages, was.At, was.Head, was.Key, was.MAC)
	}
	text := append([]byte("tenantry elsewhere 1\n"), d.begin(s)...)
	text = appendInt(appendInt(text, e.Stages), e.At)
	return slices.Concat(text, stages.Sum(nil), earlier.Sum(nil), e.Head)
}

// mark is the MAC of a mark that fits, under the key that it names, or where none is known by that name under another.
func (c Chain) mark(ctx context.Context, d *Document, s *Sign, e *Elsewhere, other keys.ID) ([]byte, error) {
	key := keys.ID(e.Key)
	if !c.has(key) {
		key = other
	}
	mac, err := c.Keys.MAC(ctx, keys.Chains, key, e.message(d, s))
	if err != nil {
		return nil, fmt.Errorf("document: mark: %w", err)
	}
	return mac, nil
}

// taken are the links of the stages that were made elsewhere: the last one alone is known. ok says that the mark holds, or that there is
// none.
func (c Chain) taken(ctx context.Context, d *Document, s *Sign, other keys.ID) (links [][]byte, ok bool, err error) {
	e := s.Elsewhere
	if e == nil {
		return nil, true, nil
	}
	if !e.fits(s) {
		return nil, false, nil
	}
	mac, err := c.mark(ctx, d, s, e, other)
	if err != nil || subtle.ConstantTimeCompare(mac, e.MAC) == 0 {
		return nil, false, err
	}
	links = make([][]byte, e.Stages)
	links[e.Stages-1] = e.Head
	return links, true, nil
}

// here are the stages of a sign that were made on this installation.
func (s *Sign) here() []Stage {
	if e := s.Elsewhere; e != nil && e.fits(s) {
		return s.Stages[e.Stages:]
	}
	return s.Stages
}

// markSize is about what a mark needs in an item, in bytes.
const markSize = 128

// marks is what the marks of a document's signs need. No mark uses up what was kept for signing and sealing, where the document came from.
func (d *Document) marks() (size int) {
	for _, list := range [][]Sign{d.Signs, d.Removed} {
		for i := range list {
			for e := list[i].Elsewhere; e != nil; e = e.Earlier {
				size += markSize
			}
		}
	}
	return size
}

// Arrivals marks the signs of documents that come from another installation.
type Arrivals struct {
	chain Chain
	made  map[arrival]*Elsewhere // what was found out before
}

type arrival struct {
	sign uuid.UUID
	at   int64
}

// NewArrivals makes marks by the keys of this installation.
func NewArrivals(k keys.Keys) *Arrivals {
	return &Arrivals{chain: Chain{k}, made: map[arrival]*Elsewhere{}}
}

// Mark marks the signs in the item of a document whose stages don't hold by the keys of this installation; at is when the company was
// taken over. The same item and time give the same marks. What is in the item is not changed but replaced. What holds, as what comes from
// this installation does, has none afterwards but that of this one.
func (a *Arrivals) Mark(ctx context.Context, item table.Attributes, at time.Time) error {
	d := new(Document)
	if err := item.Decode(d); err != nil {
		return err
	}
	for name, signs := range map[string][]Sign{"g": d.Signs, "e": d.Removed} {
		list := item.List(name)
		for i := range signs {
			list[i] = maps.Clone(list[i])
			mark, err := a.of(ctx, d, &signs[i], at.UnixMicro())
			if err != nil {
				return fmt.Errorf("document %d: sign %d: %w", d.ID, signs[i].ID, err)
			}
			if mark == nil {
				delete(list[i], elsewhereAt)
				continue
			}
			if list[i][elsewhereAt], err = dynamo.Marshal(mark); err != nil {
				return err
			}
		}
		if len(signs) > 0 {
			item.SetList(name, list)
		}
	}
	return nil
}

// Marked is how many signs have a mark, of those that were looked at.
func (a *Arrivals) Marked() (n int) {
	for _, mark := range a.made {
		if mark != nil {
			n++
		}
	}
	return n
}

func (a *Arrivals) of(ctx context.Context, d *Document, s *Sign, at int64) (*Elsewhere, error) {
	known := arrival{s.UUID, at}
	if mark, found := a.made[known]; found {
		return mark, nil
	}
	mark, err := a.chain.arrived(ctx, d, *s, at)
	if err == nil {
		a.made[known] = mark
	}
	return mark, err
}

// arrived is the mark that a sign is to have here. Of stages that nobody can read nothing can be proven: their sign stays as it is.
func (c Chain) arrived(ctx context.Context, d *Document, s Sign, at int64) (*Elsewhere, error) {
	came := s.Elsewhere
	for mark := came; ; mark = mark.Earlier {
		s.Elsewhere = mark
		if _, err := c.Links(ctx, d, &s); !errors.Is(err, ErrChain) {
			return mark, err
		}
		if mark == nil {
			break
		}
	}
	list := c.Keys.Secrets(keys.Chains)
	if len(s.Stages) == 0 || slices.ContainsFunc(s.Stages, func(g Stage) bool { return !g.IsWhole() }) {
		return came, nil
	}
	if len(list) == 0 {
		return nil, errNoKey
	}
	e := &Elsewhere{Stages: int64(len(s.Stages)), Head: s.Head, At: at, Key: list[0][:], Earlier: came}
	var err error
	e.MAC, err = c.mark(ctx, d, &s, e, list[0])
	return e, err
}
