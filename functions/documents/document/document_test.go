package document

import (
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/keys"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
)

func TestLimits(t *testing.T) {
	for name, c := range map[string]struct {
		change func(d *Document)
		field  string // empty: it may be stored
	}{
		"files":                              {func(d *Document) { d.Files = make([]File, maxFiles) }, ""},
		"too many files":                     {func(d *Document) { d.Files = make([]File, maxFiles+1) }, "files"},
		"signs":                              {func(d *Document) { d.Signs = make([]Sign, maxSigns) }, ""},
		"too many signs":                     {func(d *Document) { d.Signs = make([]Sign, maxSigns+1) }, "signs"},
		"links":                              {func(d *Document) { d.Links = make([]Link, maxLinks) }, ""},
		"too many links":                     {func(d *Document) { d.Links = make([]Link, maxLinks+1) }, "links"},
		"stages":                             {func(d *Document) { d.Signs = []Sign{{Stages: make([]Stage, maxStages)}} }, ""},
		"too many stages":                    {func(d *Document) { d.Signs = []Sign{{Stages: make([]Stage, maxStages+1)}} }, "stages"},
		"20 signs of 30 stages and 24 files": {full, ""},
		"large": {func(d *Document) {
			d.Signs = []Sign{{Signer: Signer{Name: strings.Repeat("a", 99<<10)}}}
			d.Seal = &Seal{}
		}, ""},
		"20 signs with room to be signed": {func(d *Document) {
			full(d)
			d.Seal, d.Files = nil, d.Files[:1]
			for i := range d.Signs {
				d.Signs[i].Stages, d.Signs[i].Code = d.Signs[i].Stages[:1], nil
			}
		}, ""},
		"too large to be signed": {func(d *Document) {
			d.Signs = []Sign{{Signer: Signer{Name: strings.Repeat("a", 97<<10)}}}
		}, fault.NonField},
		"too large to be sealed": {func(d *Document) {
			d.Signs = []Sign{{Status: Signed, Signer: Signer{Name: strings.Repeat("a", 98<<10)}}}
		}, fault.NonField},
		"too large": {func(d *Document) {
			d.Signs = []Sign{{Signer: Signer{Name: strings.Repeat("a", 100<<10)}}}
		}, fault.NonField},
		"many in all": {func(d *Document) {
			d.Links = make([]Link, 50)
			d.Links[0].Label = strings.Repeat("a", 100<<10)
		}, fault.NonField},
		"numbers of files used up": {func(d *Document) { d.LastFile = filesPerDocument }, fault.NonField},
	} {
		d := Document{Meta: record.Meta{ID: 7}}
		c.change(&d)
		_, err := d.MarshalDynamoItem()
		f, _ := fault.As(err)
		switch {
		case c.field == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.field != "" && (f == nil || f.Code != fault.Invalid || f.Fields[c.field] == nil):
			t.Errorf("%s: %v, want a fault on %s", name, err, c.field)
		}
	}
}

// full makes a document of everything that it may have, with long names.
func full(d *Document) {
	phone, email, outer := "+77011234567", strings.Repeat("a", 120)+"@example.com", int64(1_000_000)
	for i := range maxSigns {
		s := Sign{
			ID: int64(i + 1), Allowed: []Method{EGov, SMS}, Head: make([]byte, 32), Genesis: make([]byte, 32), CreatedAt: 1 << 50, UpdatedAt: 1 << 50,
			Signer: Signer{ID: int64(i + 1), Name: strings.Repeat("Ә", 255), Phone: &phone, Email: &email, Type: Client, OuterID: &outer, Number: "850515300016"},
			Code:   &Code{Phone: phone, SHA256: make([]byte, 32), Message: strings.Repeat("m", 26), At: 1 << 50, SentAt: 1 << 50, Told: strings.Repeat("t", 60)},
		}
		agreed := ConsentIn("kk", SMS)
		s.Code.Language, s.Code.Consent, s.Code.ConsentSum = agreed.Language, agreed.ID, agreed.SHA256
		s.Code.Name = make([]byte, 32)
		for range maxStages {
			s.Stages = append(s.Stages, newStage(Viewing, Confirmation, Act{SHA256: make([]byte, 32)}, keys.ID{}))
		}
		d.Signs = append(d.Signs, s)
	}
	for range maxFiles {
		d.AddFile(files.Object{Version: strings.Repeat("v", 40), SHA256: make([]byte, 32), ContentType: "application/pkcs7-signature", Size: 1 << 20}, CMS, "sign-12.p7s")
	}
	d.Seal = &Seal{At: 1 << 50, Level: "B-T", Certificate: make([]byte, 32), Head: make([]byte, 32)}
}

// The room that is kept is enough for what signing and sealing add.
func TestRoom(t *testing.T) {
	size := func(d *Document) int {
		item, err := d.MarshalDynamoItem()
		if err != nil {
			t.Fatal(err)
		}
		return table.Attributes(item).Size()
	}
	d := Document{Meta: record.Meta{ID: 7}}
	full(&d)
	d.Files, d.Signs = d.Files[:maxSigns], d.Signs[:maxSigns]
	before := d
	before.Seal, before.Files, before.Signs = nil, nil, slices.Clone(d.Signs)
	for i := range before.Signs {
		s := &before.Signs[i]
		s.Stages, s.Code = s.Stages[:1], nil
	}
	sealed := files.Object{Version: strings.Repeat("v", 40), SHA256: make([]byte, 32), ContentType: PDF, Size: 1 << 20}
	d.AddFile(sealed, SealedFile, strings.Repeat("😀", MaxName))
	if got, kept := size(&d)-size(&before), before.room(); got > kept {
		t.Errorf("signing and sealing add %d bytes, and %d are kept", got, kept)
	}
}
