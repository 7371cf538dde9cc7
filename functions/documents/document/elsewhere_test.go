package document

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/keys"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
)

// arrives takes a document to an installation with these keys, as an import does, and reads it there.
func arrives(t *testing.T, k keys.Keys, d *Document, at time.Time) *Document {
	t.Helper()
	if d.ID == 0 {
		d.Meta = record.Meta{Item: table.At(table.Key{PK: "T#1#doc", SK: table.SortID(7)}, 1), ID: 7, Revision: 3}
	}
	item, err := d.MarshalDynamoItem()
	if err != nil {
		t.Fatal(err)
	}
	if err := NewArrivals(k).Mark(t.Context(), table.Attributes(item), at); err != nil {
		t.Fatal(err)
	}
	got := new(Document)
	if err := table.Attributes(item).Decode(got); err != nil {
		t.Fatal(err)
	}
	return got
}

var arrived = time.UnixMicro(1_790_000_000_000_000)

// there and home are keys of two installations, whose ids are not those of each other.
func there() secrets { return secrets{list: []keys.ID{{9}}} }
func home() secrets  { return secrets{list: []keys.ID{{1}, {2}}} }

// What was signed elsewhere holds here by its mark, and goes on.
func TestArrivals(t *testing.T) {
	d, s := walked(t, there())
	d.Removed = []Sign{{ID: 8, UUID: uuid.UUID{8}, Status: Gone, Genesis: s.Genesis}}
	if err := (Chain{there()}).append(t.Context(), d, &d.Removed[0], Draft, Gone, Act{At: arrived}); err != nil {
		t.Fatal(err)
	}
	head, _ := d.HeadOf()
	got := arrives(t, home(), d, arrived)
	if is, _ := got.HeadOf(); !bytes.Equal(head, is) || got.Removed[0].Elsewhere == nil {
		t.Errorf("the head is %x, not %x; removed: %+v", is, head, got.Removed)
	}
	c, s := Chain{home()}, &got.Signs[0]
	if e := s.Elsewhere; e == nil || e.Stages != 4 || !bytes.Equal(e.Head, s.Head) || e.At != arrived.UnixMicro() || e.Key[0] != 1 || e.Earlier != nil {
		t.Fatalf("%+v", e)
	}
	want := [][]byte{nil, nil, nil, s.Head}
	if links, err := c.Links(t.Context(), got, s); err != nil || !reflect.DeepEqual(links, want) {
		t.Errorf("%x, %v", links, err)
	}
	if err := c.Move(t.Context(), got, s, Reject, Act{At: arrived, Method: NoMethod}); err != nil {
		t.Fatal(err)
	}
	if links, err := c.Links(t.Context(), got, s); err != nil || !reflect.DeepEqual(links, append(want, s.Head)) {
		t.Errorf("with one more: %x, %v", links, err)
	}
	if _, err := (Chain{there()}).Links(t.Context(), got, s); !errors.Is(err, ErrChain) {
		t.Errorf("by the other's keys: %v", err)
	}
	if again := arrives(t, home(), d, arrived); !reflect.DeepEqual(again.Signs[0].Elsewhere, got.Signs[0].Elsewhere) {
		t.Errorf("again: %+v, not %+v", again.Signs[0].Elsewhere, got.Signs[0].Elsewhere)
	}
}

// The keys of an installation are replaced: its marks hold as long as the key is in the list, whatever it is called.
func TestMarksOfSeveralKeys(t *testing.T) {
	d, _ := walked(t, there())
	got := arrives(t, home(), d, arrived)
	for _, c := range []struct {
		name string
		list []keys.ID
		hold bool
	}{
		{"the other way", []keys.ID{{2}, {1}}, true},
		{"the one that marks", []keys.ID{{1}}, true},
		{"the one behind it", []keys.ID{{2}}, false},
		{"the other installation's", []keys.ID{{9}}, false},
		{"none", nil, false},
	} {
		k := Chain{secrets{list: c.list}}
		if _, err := k.Links(t.Context(), got, &got.Signs[0]); (err == nil) != c.hold || !c.hold && !errors.Is(err, ErrChain) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	renamed := *got.Signs[0].Elsewhere
	renamed.Key = []byte{7, 7, 7} // as if the key had another name now
	got.Signs[0].Elsewhere = &renamed
	if _, err := (Chain{secrets{list: []keys.ID{{2}, {1}}}}).Links(t.Context(), got, &got.Signs[0]); err != nil {
		t.Errorf("by another name: %v", err)
	}
}

// Nothing of a mark, nor of the stages that it is about, can be changed by who has no key.
func TestForgedMarks(t *testing.T) {
	of, _ := walked(t, there())
	whole := arrives(t, home(), of, arrived)
	c := Chain{home()}
	if err := c.Move(t.Context(), whole, &whole.Signs[0], Reject, Act{At: arrived, Method: NoMethod}); err != nil {
		t.Fatal(err)
	}
	by := func(key []byte, e *Elsewhere, d *Document, s *Sign) {
		h := hmac.New(sha256.New, key)
		_, _ = h.Write(e.message(d, s))
		e.MAC = h.Sum(nil)
	}
	changed := func(s *Sign, at int) {
		s.Stages = slices.Clone(s.Stages)
		s.Stages[at] = slices.Clone(s.Stages[at])
		s.Stages[at][11]++
	}
	for name, change := range map[string]func(d *Document, s *Sign, e *Elsewhere){
		"no mark":             func(_ *Document, s *Sign, _ *Elsewhere) { s.Elsewhere = nil },
		"made without a key":  func(d *Document, s *Sign, e *Elsewhere) { by([]byte("mine"), e, d, s) },
		"no MAC":              func(_ *Document, _ *Sign, e *Elsewhere) { e.MAC = nil },
		"no key":              func(_ *Document, _ *Sign, e *Elsewhere) { e.Key = nil },
		"one stage more":      func(_ *Document, _ *Sign, e *Elsewhere) { e.Stages++ },
		"one stage less":      func(_ *Document, _ *Sign, e *Elsewhere) { e.Stages-- },
		"no stages":           func(_ *Document, _ *Sign, e *Elsewhere) { e.Stages = 0 },
		"fewer than none":     func(_ *Document, _ *Sign, e *Elsewhere) { e.Stages = -1 },
		"more than there are": func(_ *Document, _ *Sign, e *Elsewhere) { e.Stages = 99 },
		"all that there are": func(_ *Document, s *Sign, e *Elsewhere) {
			e.Stages, e.Head = int64(len(s.Stages)), s.Head // the last one was made here
		},
		"another day":  func(_ *Document, _ *Sign, e *Elsewhere) { e.At++ },
		"another head": func(_ *Document, _ *Sign, e *Elsewhere) { e.Head = make([]byte, 32) },
		"an earlier mark": func(_ *Document, _ *Sign, e *Elsewhere) {
			e.Earlier = &Elsewhere{Stages: 1, Head: make([]byte, 32), Key: make([]byte, 3), MAC: make([]byte, 32)}
		},
		"a stage of them changed": func(_ *Document, s *Sign, _ *Elsewhere) { changed(s, 1) },
		"the first one changed":   func(_ *Document, s *Sign, _ *Elsewhere) { changed(s, 0) },
		"one of them gone":        func(_ *Document, s *Sign, _ *Elsewhere) { s.Stages = slices.Delete(slices.Clone(s.Stages), 1, 2) },
		"one of them gone, counted": func(_ *Document, s *Sign, e *Elsewhere) {
			s.Stages, e.Stages = slices.Delete(slices.Clone(s.Stages), 1, 2), e.Stages-1
		},
		"two of them swapped": func(_ *Document, s *Sign, _ *Elsewhere) {
			s.Stages = slices.Clone(s.Stages)
			s.Stages[1], s.Stages[2] = s.Stages[2], s.Stages[1]
		},
		"a later one changed": func(_ *Document, s *Sign, _ *Elsewhere) { changed(s, 4) },
		"the later one gone":  func(_ *Document, s *Sign, _ *Elsewhere) { s.Stages = s.Stages[:4] },
		"a later one more":    func(_ *Document, s *Sign, _ *Elsewhere) { s.Stages = append(slices.Clone(s.Stages), s.Stages[4]) },
		"of another sign":     func(_ *Document, s *Sign, _ *Elsewhere) { s.UUID[0]++ },
		"of another document": func(d *Document, _ *Sign, _ *Elsewhere) { d.UUID[0]++ },
		"of another file":     func(_ *Document, s *Sign, _ *Elsewhere) { s.Genesis = make([]byte, 32) },
		"another head of all": func(_ *Document, s *Sign, _ *Elsewhere) { s.Head = make([]byte, 32) },
		"what is no stage": func(_ *Document, s *Sign, _ *Elsewhere) {
			s.Stages = slices.Clone(s.Stages)
			s.Stages[1] = s.Stages[1][:50]
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, s, e := *whole, whole.Signs[0], *whole.Signs[0].Elsewhere
			s.Elsewhere = &e
			change(&d, &s, &e)
			if _, err := c.Links(t.Context(), &d, &s); !errors.Is(err, ErrChain) {
				t.Errorf("it does not show: %v", err)
			}
		})
	}
	if _, err := c.Links(t.Context(), whole, &whole.Signs[0]); err != nil {
		t.Errorf("unchanged: %v", err)
	}
}

// Which signs get a mark, and which lose the one that they had.
func TestWhatIsMarked(t *testing.T) {
	one, two := there(), home()
	third := secrets{list: []keys.ID{{5}}}
	begun, _ := walked(t, one)
	marked := arrives(t, two, begun, arrived)
	further := arrives(t, two, begun, arrived)
	if err := (Chain{two}).Move(t.Context(), further, &further.Signs[0], Reject, Act{At: arrived, Method: NoMethod}); err != nil {
		t.Fatal(err)
	}
	cut, _ := walked(t, one)
	cut.Signs[0].Stages[1] = cut.Signs[0].Stages[1][:50]
	none, _ := walked(t, one)
	none.Signs[0].Stages = nil
	later := arrived.Add(time.Hour)
	for _, c := range []struct {
		name   string
		d      *Document
		to     secrets
		stages []int64 // of the mark, and of the one before it
		hold   bool
	}{
		{"back where it was made", begun, one, nil, true},
		{"with its key behind another", begun, secrets{list: []keys.ID{{4}, {9}}}, nil, true},
		{"on another installation", begun, two, []int64{4}, true},
		{"again on the one that has marked it", marked, two, []int64{4}, true},
		{"nothing new, back where it was made", marked, one, nil, true},
		{"signed on, on the same installation", further, two, []int64{4}, true},
		{"signed on, back where it was begun", further, one, []int64{5, 4}, true},
		{"signed on, on a third one", further, third, []int64{5, 4}, true},
		{"a stage that can't be read", cut, two, nil, false},
		{"no stages", none, two, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := arrives(t, c.to, c.d, later)
			var stages []int64
			for e := got.Signs[0].Elsewhere; e != nil; e = e.Earlier {
				stages = append(stages, e.Stages)
			}
			if !slices.Equal(stages, c.stages) {
				t.Errorf("marks of %v stages, not %v", stages, c.stages)
			}
			if _, err := (Chain{c.to}).Links(t.Context(), got, &got.Signs[0]); (err == nil) != c.hold {
				t.Error(err)
			}
		})
	}
	if err := NewArrivals(secrets{}).Mark(t.Context(), itemOf(t, begun), later); !errors.Is(err, errNoKey) {
		t.Errorf("without a key: %v", err)
	}
}

func itemOf(t *testing.T, d *Document) table.Attributes {
	t.Helper()
	item, err := d.MarshalDynamoItem()
	if err != nil {
		t.Fatal(err)
	}
	return table.Attributes(item)
}

// A document that is as large as it may be has room for its marks, and for what was kept for signing.
func TestMarksTakeNoRoom(t *testing.T) {
	d, s := walked(t, there())
	phone := *s.Signer.Phone
	for i := range maxSigns - 1 {
		if _, err := (Chain{there()}).Add(t.Context(), d, Sign{
			UUID: uuid.UUID{byte(i)}, Allowed: []Method{SMS}, Signer: Signer{Type: Client, Name: "N", Phone: &phone},
		}, Act{At: arrived}); err != nil {
			t.Fatal(err)
		}
	}
	d.Meta = record.Meta{Item: table.At(table.Key{PK: "T#1#doc", SK: table.SortID(7)}, 1), ID: 7, Revision: 3}
	for { // its name fills what is left
		more := *d
		more.Name += "as many letters as make this quick, and fewer than a mark needs"
		if _, err := more.MarshalDynamoItem(); err != nil {
			break
		}
		*d = more
	}
	got := arrives(t, home(), d, arrived)
	if got.marks() != maxSigns*markSize {
		t.Errorf("its marks need %d bytes", got.marks())
	}
	if _, err := got.MarshalDynamoItem(); err != nil {
		t.Error(err)
	}
}

// What a mark adds to an item is what MarkBytes says, and not much less.
func TestMarkBytes(t *testing.T) {
	size := func(e *Elsewhere) int {
		t.Helper()
		item, err := dynamo.MarshalItem(struct {
			Mark *Elsewhere `dynamo:"w"`
		}{e})
		if err != nil {
			t.Fatal(err)
		}
		return table.Attributes(item).Size()
	}
	hash := bytes.Repeat([]byte{1}, sha256.Size)
	mark := Elsewhere{Stages: 1_234_567, Head: hash, At: 1_790_000_123_456_789, Key: make([]byte, len(keys.ID{})), MAC: hash}
	again := mark
	again.Earlier = &mark
	third := mark
	third.Earlier = &again
	if more := size(&third) - size(&again); more > MarkBytes || more < MarkBytes/2 {
		t.Errorf("a mark more takes %d bytes", more)
	}
	if first := size(&mark); first > MarkBytes {
		t.Errorf("the first mark takes %d bytes", first)
	}
}
