package document

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/keys"
)

// The whole table of transitions: what is not in it is a conflict.
func TestTransitions(t *testing.T) {
	names := map[Trigger]string{
		Send: "send", Open: "open", Ask: "ask", Confirm: "confirm", Certify: "certify", Record: "record", Reject: "reject", Reopen: "reopen",
		Resend: "resend",
	}
	want := map[string]Status{
		"send 0": 1, "send 1": 1, "open 0": 2, "open 1": 2, "ask 1": 3, "ask 2": 3, "ask 3": 3, "confirm 3": 5,
		"certify 1": 5, "certify 2": 5, "certify 3": 5, "record 0": 5, "record 1": 5, "record 2": 5, "record 3": 5,
		"reject 0": 4, "reject 1": 4, "reject 2": 4, "reject 3": 4, "reopen 4": 0,
		"resend 2": 2, "resend 3": 3,
	}
	for trigger, name := range names {
		for status := Draft; status <= Signed; status++ {
			row := fmt.Sprintf("%s %d", name, status)
			t.Run(row, func(t *testing.T) {
				s := Sign{Status: status}
				to, err := s.Allows(trigger)
				wanted, allowed := want[row]
				f, _ := fault.As(err)
				switch {
				case allowed && (err != nil || to != wanted):
					t.Errorf("%d %v, want %d", to, err, wanted)
				case !allowed && (f == nil || f.Code != fault.Conflict || f.Members["code"] != "status"):
					t.Errorf("%d %v, want a conflict", to, err)
				}
			})
		}
	}
}

// From the 29th stage on only the two ends are taken, and what repeats a state takes no room.
func TestLastRoom(t *testing.T) {
	for _, c := range []struct {
		stages  int
		status  Status
		trigger Trigger
		ok      bool
	}{
		{27, Draft, Open, true},
		{28, Draft, Open, false},
		{28, Rejected, Reopen, false},
		{28, Confirmation, Ask, true}, // 3 → 3 appends none
		{28, Ready, Send, true},
		{28, Viewing, Resend, true},
		{28, Confirmation, Confirm, true},
		{28, Viewing, Certify, true},
		{28, Draft, Record, true},
		{28, Viewing, Reject, true},
		{29, Confirmation, Confirm, true},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			s := Sign{Status: c.status, Stages: make([]Stage, c.stages)}
			if _, err := s.Allows(c.trigger); (err == nil) != c.ok {
				t.Error(err)
			}
		})
	}
}

func TestStage(t *testing.T) {
	at := time.UnixMicro(1_772_443_800_000_001)
	sum, evidence := sha256.Sum256([]byte("a")), sha256.Sum256([]byte("b"))
	for _, c := range []struct {
		a        Act
		ip       string
		evidence []byte
	}{
		{Act{At: at, IP: "203.0.113.7", User: 7, Method: SMS, SHA256: sum[:], Evidence: evidence[:]}, "203.0.113.7", evidence[:]},
		{Act{At: at, IP: "2001:db8::1", Method: Manual, SHA256: sum[:]}, "2001:db8::1", nil},
		{Act{At: at, User: 999_999_999_999, Method: Manual, SHA256: sum[:]}, "", nil},
		{Act{At: at, IP: "nobody", Method: NoMethod, SHA256: sum[:]}, "", nil},
	} {
		s := newStage(Viewing, Confirmation, c.a, keys.ID{0xff, 2, 0xfe})
		if key := s.Key(); key != (keys.ID{0xff, 2, 0xfe}) {
			t.Errorf("its key is %x", key)
		}
		if !s.IsWhole() || s.From() != Viewing || s.To() != Confirmation || s.At() != at.UnixMicro() || s.User() != c.a.User ||
			s.Method() != c.a.Method || s.IP() != c.ip || !bytes.Equal(s.SHA256(), sum[:]) || !bytes.Equal(s.Evidence(), c.evidence) {
			t.Errorf("%+v is stored as %x", c.a, []byte(s))
		}
	}
	for _, damaged := range []Stage{nil, {1}, make(Stage, stageSize), append(Stage{2}, make(Stage, stageSize)...)} {
		if damaged.IsWhole() {
			t.Errorf("%x is taken", []byte(damaged))
		}
	}
}

// secrets are keys as KMS has them: those of each use.
type secrets struct {
	keys.Keys
	list []keys.ID
}

func (s secrets) Secrets(keys.Use) []keys.ID { return s.list }

func (s secrets) MAC(_ context.Context, use keys.Use, key keys.ID, message []byte) ([]byte, error) {
	if !slices.Contains(s.list, key) {
		return nil, keys.ErrUnknownKey
	}
	h := hmac.New(sha256.New, slices.Concat([]byte(use), key[:]))
	_, _ = h.Write(message)
	return h.Sum(nil), nil
}

// only is a key without another one.
func only() secrets { return secrets{list: []keys.ID{{1}}} }

// signable makes a document with an original.
func signable() *Document {
	d := &Document{UUID: uuid.UUID{7}}
	sum := sha256.Sum256([]byte("original"))
	d.SetOriginal(&files.Object{ID: uuid.UUID{1}, Version: "1", SHA256: sum[:], ContentType: PDF}, "")
	return d
}

// walked makes a document with a sign that has been through some stages.
func walked(t *testing.T, k keys.Keys) (*Document, *Sign) {
	t.Helper()
	d, phone, c := signable(), "+77011234567", Chain{k}
	a := Act{At: time.UnixMicro(1), SHA256: d.FileOf(Original).SHA256, Method: NoMethod}
	s, err := c.Add(t.Context(), d, Sign{UUID: uuid.UUID{9}, Allowed: []Method{SMS}, Signer: Signer{Type: Client, Phone: &phone}}, a)
	if err != nil {
		t.Fatal(err)
	}
	for _, trigger := range []Trigger{Send, Send, Open, Ask} {
		if err := c.Move(t.Context(), d, s, trigger, a); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.Stages) != 4 || s.Status != Confirmation {
		t.Fatalf("%d stages, status %d", len(s.Stages), s.Status)
	}
	return d, s
}

// A stage that is changed, missing, moved or added shows, and so does a sign that is about another document.
func TestChain(t *testing.T) {
	c := Chain{only()}
	d, s := walked(t, only())
	links, err := c.Links(t.Context(), d, s)
	if err != nil || len(links) != len(s.Stages) || !bytes.Equal(links[3], s.Head) {
		t.Fatalf("%d links, %v", len(links), err)
	}
	for name, change := range map[string]func(d *Document, s *Sign){
		"a changed byte": func(_ *Document, s *Sign) { s.Stages[1] = slices.Clone(s.Stages[1]); s.Stages[1][9]++ },
		"one missing":    func(_ *Document, s *Sign) { s.Stages = slices.Delete(slices.Clone(s.Stages), 1, 2) },
		"the last gone":  func(_ *Document, s *Sign) { s.Stages = s.Stages[:3] },
		"all gone":       func(_ *Document, s *Sign) { s.Stages = nil },
		"two swapped": func(_ *Document, s *Sign) {
			s.Stages = slices.Clone(s.Stages)
			s.Stages[1], s.Stages[2] = s.Stages[2], s.Stages[1]
		},
		"one more":         func(_ *Document, s *Sign) { s.Stages = append(slices.Clone(s.Stages), s.Stages[3]) },
		"a cut one":        func(_ *Document, s *Sign) { s.Stages = slices.Clone(s.Stages); s.Stages[3] = s.Stages[3][:50] },
		"another head":     func(_ *Document, s *Sign) { s.Head = slices.Clone(s.Head); s.Head[0]++ },
		"another sign":     func(_ *Document, s *Sign) { s.UUID[0]++ },
		"another file":     func(_ *Document, s *Sign) { s.Genesis = make([]byte, 32) },
		"another document": func(d *Document, _ *Sign) { d.UUID[0]++ },
	} {
		t.Run(name, func(t *testing.T) {
			other, sign := *d, *s
			change(&other, &sign)
			if _, err := c.Links(t.Context(), &other, &sign); err == nil {
				t.Error("it does not show")
			}
		})
	}
}

// A key is replaced between the stages of a sign. What it chained before holds as long as it is in the list.
func TestChainOfSeveralKeys(t *testing.T) {
	one, two := keys.ID{1}, keys.ID{2}
	a := Act{At: time.UnixMicro(1), Method: NoMethod}
	d, s := walked(t, secrets{list: []keys.ID{one}})
	both := Chain{secrets{list: []keys.ID{two, one}}}
	if err := both.Move(t.Context(), d, s, Reject, a); err != nil {
		t.Fatal(err)
	}
	first, last := s.Stages[0].Key(), s.Stages[4].Key()
	if first != one || last != two {
		t.Errorf("the stages are of the keys %x and %x", first, last)
	}
	for _, c := range []struct {
		name string
		list []keys.ID
		hold bool
	}{
		{"both", []keys.ID{two, one}, true},
		{"both, the other way", []keys.ID{one, two}, true},
		{"and a third", []keys.ID{{3}, two, one}, true},
		{"without the old", []keys.ID{two}, false},
		{"without the new", []keys.ID{one}, false},
		{"none", nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := Chain{secrets{list: c.list}}
			if links, err := k.Links(t.Context(), d, s); (err == nil) != c.hold || c.hold && len(links) != 5 || !c.hold && !errors.Is(err, ErrChain) {
				t.Errorf("%d links, %v", len(links), err)
			}
		})
	}
	named := slices.Clone(s.Stages[0])
	copy(named[stageUser:], two[:])
	s.Stages[0] = named
	if _, err := both.Links(t.Context(), d, s); !errors.Is(err, ErrChain) {
		t.Errorf("a stage that names another key: %v", err)
	}
	if err := (Chain{secrets{}}).Move(t.Context(), d, s, Reopen, a); err == nil {
		t.Error("a stage is chained without a key")
	}
}

func TestHead(t *testing.T) {
	d, _ := walked(t, only())
	head, stages := d.HeadOf()
	if stages != 4 {
		t.Errorf("%d stages", stages)
	}
	for name, change := range map[string]func(d *Document){
		"no sign":    func(d *Document) { d.Signs = nil },
		"other head": func(d *Document) { d.Signs[0].Head = []byte{1} },
		"fewer":      func(d *Document) { d.Signs[0].Stages = d.Signs[0].Stages[:1] },
	} {
		other := *d
		other.Signs = slices.Clone(d.Signs)
		change(&other)
		if got, _ := other.HeadOf(); bytes.Equal(got, head) {
			t.Errorf("%s has the same head", name)
		}
	}
}

// A code is good for what it was made for, for ten minutes, and for five tries.
func TestCode(t *testing.T) {
	d, s := walked(t, only())
	now, id := time.UnixMicro(1_772_443_800_000_000), uuid.UUID{3}
	if err := d.NewCode(s, id, "m", ConsentIn("kk", SMS), now); err != nil {
		t.Fatal(err)
	}
	text, err := s.Code.Text(t.Context(), only(), d, s)
	if err != nil || len(text) != 6 || strings.Trim(text, "0123456789") != "" {
		t.Fatalf("%q %v", text, err)
	}
	for name, c := range map[string]struct {
		change func(d *Document, s *Sign)
		id     uuid.UUID
		after  time.Duration
		ok     bool
	}{
		"at once":               {func(*Document, *Sign) {}, id, 0, true},
		"late":                  {func(*Document, *Sign) {}, id, CodeLifetime - 1, true},
		"too late":              {func(*Document, *Sign) {}, id, CodeLifetime, false},
		"another id":            {func(*Document, *Sign) {}, uuid.UUID{4}, 0, false},
		"four wrong":            {func(_ *Document, s *Sign) { s.Code.Tries = 4 }, id, 0, true},
		"five wrong":            {func(_ *Document, s *Sign) { s.Code.Tries = 5 }, id, 0, false},
		"used":                  {func(_ *Document, s *Sign) { s.Code.Used = true }, id, 0, false},
		"another telephone":     {func(_ *Document, s *Sign) { p := "+77010000000"; s.Signer.Phone = &p }, id, 0, false},
		"no telephone":          {func(_ *Document, s *Sign) { s.Signer.Phone = nil }, id, 0, false},
		"another file":          {func(d *Document, _ *Sign) { d.Files[0].SHA256 = make([]byte, 32) }, id, 0, false},
		"another name":          {func(d *Document, _ *Sign) { d.Name += "." }, id, 0, false},
		"shown anew":            {func(d *Document, _ *Sign) { d.Shown++ }, id, 0, false},
		"no file":               {func(d *Document, _ *Sign) { d.Files = nil }, id, 0, false},
		"no code":               {func(_ *Document, s *Sign) { s.Code = nil }, id, 0, false},
		"another signer's step": {func(d *Document, _ *Sign) { d.Revision++ }, id, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			other := *d
			other.Files, other.Signs = slices.Clone(d.Files), slices.Clone(d.Signs)
			sign, err := other.Sign(s.ID)
			if err != nil {
				t.Fatal(err)
			}
			c.change(&other, sign)
			if err := other.Guess(sign, c.id, now.Add(c.after)); (err == nil) != c.ok {
				t.Error(err)
			}
		})
	}
}

// A code's digits differ by all that it is bound to.
func TestCodesAreBound(t *testing.T) {
	d, s := walked(t, only())
	if err := d.NewCode(s, uuid.UUID{3}, "m", ConsentIn("kk", SMS), time.UnixMicro(1)); err != nil {
		t.Fatal(err)
	}
	base, _ := s.Code.Text(t.Context(), only(), d, s)
	for name, change := range map[string]func(d *Document, s *Sign){
		"document": func(d *Document, _ *Sign) { d.UUID[1]++ },
		"sign":     func(_ *Document, s *Sign) { s.UUID[1]++ },
		"code":     func(_ *Document, s *Sign) { s.Code.ID[1]++ },
		"phone":    func(_ *Document, s *Sign) { s.Code.Phone += "0" },
		"file":     func(_ *Document, s *Sign) { s.Code.SHA256 = []byte{1} },
		"shown":    func(_ *Document, s *Sign) { s.Code.Shown++ },
		"language": func(_ *Document, s *Sign) { s.Code.Language = "ru" },
		"name":     func(_ *Document, s *Sign) { s.Code.Name = []byte{1} },
		"consent":  func(_ *Document, s *Sign) { s.Code.ConsentSum = []byte{1} },
	} {
		other, sign := *d, *s
		code := *s.Code
		sign.Code = &code
		change(&other, &sign)
		if got, _ := sign.Code.Text(t.Context(), only(), &other, &sign); got == base {
			t.Errorf("another %s has the same code", name)
		}
		if ok, _ := sign.Code.IsCode(t.Context(), only(), &other, &sign, base); ok {
			t.Errorf("another %s takes the code", name)
		}
	}
}

// While the key of codes is replaced, a code of either is good.
func TestACodeOfAnotherKey(t *testing.T) {
	d, s := walked(t, only())
	if err := d.NewCode(s, uuid.UUID{3}, "m", ConsentIn("kk", SMS), time.UnixMicro(1)); err != nil {
		t.Fatal(err)
	}
	sent, _ := s.Code.Text(t.Context(), only(), d, s)
	for name, c := range map[string]struct {
		list []keys.ID
		want bool
	}{
		"behind": {[]keys.ID{{2}, {1}}, true}, "in front": {[]keys.ID{{1}, {2}}, true}, "gone": {[]keys.ID{{2}}, false},
	} {
		if ok, err := s.Code.IsCode(t.Context(), secrets{list: c.list}, d, s, sent); err != nil || ok != c.want {
			t.Errorf("its key is %s: %t, %v", name, ok, err)
		}
	}
}

// Codes are 60 seconds apart and ten in a day of UTC.
func TestPaceOfCodes(t *testing.T) {
	d, s := walked(t, only())
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	ask := func(after time.Duration) error {
		at = at.Add(after)
		return d.NewCode(s, uuid.New(), "m", ConsentIn("kk", SMS), at)
	}
	if err := ask(0); err != nil {
		t.Fatal(err)
	}
	if f, _ := fault.As(ask(59 * time.Second)); f == nil || f.Code != fault.Throttled || f.RetryAfter != time.Second {
		t.Errorf("after 59 seconds: %+v", f)
	}
	for range 9 {
		if err := ask(time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	if f, _ := fault.As(ask(time.Minute)); f == nil || f.Code != fault.Throttled || f.RetryAfter < 14*time.Hour {
		t.Errorf("the eleventh of the day: %+v", f)
	}
	if err := ask(15 * time.Hour); err != nil || s.Code.Today != 1 {
		t.Errorf("the next day: %v", err)
	}
}

// The seal is asked for by the write that makes everybody have signed, and by no other.
func TestTellsTheSeal(t *testing.T) {
	with := func(statuses ...Status) *Document {
		d := signable()
		d.ID = 7
		for _, status := range statuses {
			d.Signs = append(d.Signs, Sign{Status: status})
		}
		return d
	}
	for name, c := range map[string]struct {
		before, after *Document
		told          bool
	}{
		"the last signs":            {with(Signed, Confirmation), with(Signed, Signed), true},
		"the open one is removed":   {with(Signed, Viewing), with(Signed), true},
		"made with a signature":     {nil, with(Signed), true},
		"one of two signs":          {with(Draft, Confirmation), with(Draft, Signed), false},
		"a write after that":        {with(Signed), with(Signed), false},
		"deleted":                   {with(Signed), nil, false},
		"the only open one removed": {with(Draft), with(), false},
	} {
		list := tells(c.before, c.after)
		if (len(list) == 1) != c.told || c.told && (list[0].Kind != SealKind || list[0].Key != "7") {
			t.Errorf("%s: %v", name, list)
		}
	}
}

func TestLanguageOf(t *testing.T) {
	for header, want := range map[string]string{
		"": "ru", "en": "en", "kk-KZ,kk;q=0.9,ru;q=0.8": "kk", "de,en;q=0.5,ru;q=0.7": "ru", "ru;q=0,en;q=0.1": "en", "de": "ru",
		"en;q=x,kk;q=0.1": "kk", "EN-us": "en", "*": "ru", ";;,": "ru", "en;q=2": "ru",
	} {
		if got := LanguageOf(header); got != want {
			t.Errorf("%q: %s, want %s", header, got, want)
		}
	}
}
