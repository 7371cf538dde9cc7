package pages

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/seal/job"
	"github.com/tenantry/tenantry/functions/seal/pdf"
)

func sample(language string, signs, stages int) Record {
	start := time.Date(2026, 11, 20, 9, 30, 15, 0, time.FixedZone("", 5*3600))
	phone, email := "+77011234567", "aigerim@example.kz"
	hash := strings.Repeat("0123456789abcdef", 4)
	r := Record{
		Language: language, At: start.Add(50 * time.Hour),
		VerifyURL: "https://tenantry.example/verify/?sha256=" + hash,
		Record: job.Record{
			Document: uuid.MustParse("3f0a5c1e-8b1d-4c55-9d6e-0f4f6f1d2a11"), Number: 42, Name: "Шарт № 42: көлікті жалға алу туралы",
			Company: "ТОО «Алма Прокат»", BIN: "140340010302", Original: hash, Pages: 5, Created: start, Stages: signs * stages, Head: hash,
			Consent: []job.Consent{{SHA256: hash, Language: "ru", Text: "Я прочитал(а) документ и согласен(на) с ним."}},
		},
		Attachments: []Attachment{{Name: job.AuditName, Size: 12345, SHA256: bytes.Repeat([]byte{0xAB}, 32)}},
	}
	for i := range signs {
		s := job.Sign{
			ID: int64(i + 1), Name: fmt.Sprintf("Әлиева Айгерім Нұрланқызы %d", i+1), Type: "client", Phone: &phone, Email: &email, Method: int64(i % 3),
			Status: 5, SignedAt: start.Add(48 * time.Hour),
		}
		if s.Method == 2 {
			s.Attachment = fmt.Sprintf("sign-%d.p7s", i+1)
			s.Certificate = &job.Certificate{
				Subject: "CN=ӘЛИЕВА АЙГЕРІМ,SURNAME=ӘЛИЕВА,SERIALNUMBER=IIN850515300016,C=KZ,G=НҰРЛАНҚЫЗЫ", IIN: "850515300016",
				Serial: "5f2c1a9b0d3e4f5061728394a5b6c7d8e9f00112", Issuer: "CN=ҰЛТТЫҚ КУӘЛАНДЫРУШЫ ОРТАЛЫҚ (GOST) 2022,C=KZ",
				Algorithm: "GOST R 34.10-2015, 512", NotAfter: start.AddDate(1, 0, 0),
			}
			r.Attachments = append(r.Attachments, Attachment{Name: s.Attachment, Size: 4321, SHA256: bytes.Repeat([]byte{byte(i)}, 32)})
		}
		for n := range stages {
			to := int64(n % 5)
			if n == stages-1 {
				to = 5
			}
			g := job.Stage{ID: int64(n + 1), To: to, At: start.Add(time.Duration(n) * time.Hour), Network: "203.0.113.0/24", Hash: hash, Evidence: hash}
			if i%4 == 1 {
				g.Network = "2001:db8:85a3::/48"
			}
			s.Stages = append(s.Stages, g)
		}
		r.Signs = append(r.Signs, s)
	}
	return r
}

func TestDraw(t *testing.T) {
	long := sample("ru", 1, 1)
	long.Name, long.Company = strings.Repeat("Щ", 512), strings.Repeat("Компания ", 60)
	long.Signs[0].Name = strings.Repeat("ұзақ-есім", 80)
	hostile := sample("xx", 2, 2)
	hostile.Name = "a\x00\xff\u202e𝄞\ufeff漢字\n\n\t"
	hostile.Signs[0].Method, hostile.Signs[0].Stages[0].To = 99, -1
	hostile.Signs[0].Stages[0].Network = strings.Repeat("9", 400)
	empty := sample("en", 0, 0)
	empty.Name, empty.Company, empty.Attachments, empty.Consent = "", "", nil, nil
	removed := sample("kk", 2, 3)
	removed.Removed = sample("kk", 2, 30).Signs
	for i := range removed.Removed {
		removed.Removed[i].SignedAt = time.Time{}
		removed.Removed[i].Stages[29] = job.Stage{ID: 30, To: 6, At: removed.At, By: job.ByStaff, User: 64}
	}
	for name, r := range map[string]Record{
		"removed": removed, "ru": sample("ru", 3, 5), "kk": sample("kk", 3, 5), "en": sample("en", 3, 5),
		"many": sample("kk", 20, 30), "long": long, "hostile": hostile, "empty": empty,
	} {
		t.Run(name, func(t *testing.T) {
			drawn, err := Draw(r)
			if err != nil {
				t.Fatal(err)
			}
			if again, err := Draw(r); err != nil || !bytes.Equal(drawn, again) {
				t.Error("the same record gave other bytes", err)
			}
			f, err := pdf.Read(drawn)
			if err != nil {
				t.Fatal(err)
			}
			catalog, _ := f.Dict(f.Trailer["Root"])
			tree, _ := f.Dict(catalog["Pages"])
			if n, ok, err := f.Int(tree["Count"]); err != nil || !ok || n < 1 || n > 20 || name == "long" && n > 2 {
				t.Errorf("%d pages, %v", n, err)
			}
		})
	}
}

// Each fact of a record is drawn: a record with another one is another PDF.
func TestEveryFactIsDrawn(t *testing.T) {
	drawn := func(change func(*Record)) []byte {
		r := sample("en", 3, 5)
		r.Removed = sample("en", 1, 3).Signs
		r.Removed[0].SignedAt = time.Time{}
		change(&r)
		b, err := Draw(r)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	as := drawn(func(*Record) {})
	other := "0"
	elsewhere := func(stages int64, day int) func(*Record) {
		return func(r *Record) { r.Signs[0].Elsewhere = job.NewElsewhere(stages, r.At.AddDate(0, 0, day)) }
	}
	for fact, pair := range map[string][2]func(*Record){
		"how many events were made elsewhere": {elsewhere(1, 0), elsewhere(2, 0)},
		"when they were taken over":           {elsewhere(1, 0), elsewhere(1, 1)},
	} {
		if bytes.Equal(drawn(pair[0]), drawn(pair[1])) {
			t.Errorf("%s is not drawn", fact)
		}
	}
	for fact, change := range map[string]func(*Record){
		"a document's name":         func(r *Record) { r.Name = other },
		"a document's hash":         func(r *Record) { r.Original = other },
		"a company":                 func(r *Record) { r.Company = other },
		"a signer":                  func(r *Record) { r.Signs[0].Name = other },
		"a telephone":               func(r *Record) { r.Signs[0].Phone = &other },
		"an e-mail address":         func(r *Record) { r.Signs[0].Email = &other },
		"when it was signed":        func(r *Record) { r.Signs[0].SignedAt = r.At },
		"who recorded it by hand":   func(r *Record) { r.Signs[0].Staff = other },
		"the scan":                  func(r *Record) { r.Signs[0].Scan = other },
		"what was agreed to":        func(r *Record) { r.Signs[0].Consent = r.Consent[0].SHA256 },
		"the id of a text":          func(r *Record) { r.Consent[0].ID = other },
		"the text":                  func(r *Record) { r.Consent[0].Text = other },
		"a certificate":             func(r *Record) { r.Signs[2].Certificate.Serial = other },
		"a network":                 func(r *Record) { r.Signs[0].Stages[1].Network = other },
		"evidence":                  func(r *Record) { r.Signs[0].Stages[1].Evidence = other },
		"who did it":                func(r *Record) { r.Signs[0].Stages[2].By = job.ByLink },
		"a file":                    func(r *Record) { r.Attachments[0].Name = other },
		"that a sign was removed":   func(r *Record) { r.Removed = nil },
		"whose sign was removed":    func(r *Record) { r.Removed[0].Name = other },
		"who removed it":            func(r *Record) { r.Removed[0].RemovedBy = other },
		"what was made elsewhere":   elsewhere(1, 0),
		"what a removed sign knows": func(r *Record) { r.Removed[0].Stages[1].At = r.At },
	} {
		if bytes.Equal(as, drawn(change)) {
			t.Errorf("%s is not drawn", fact)
		}
	}
}

// Nothing that was drawn changes what is drawn next.
func TestDrawingLeavesNothing(t *testing.T) {
	first, err := Draw(sample("ru", 3, 5))
	if err != nil {
		t.Fatal(err)
	}
	for _, language := range []string{"en", "kk", "ru"} {
		last, err := Draw(sample(language, 3, 5))
		if err != nil || language == "ru" && !bytes.Equal(first, last) {
			t.Errorf("%s: other bytes than before, %v", language, err)
		}
	}
}

func TestACodeThatHasNoRoom(t *testing.T) {
	r := sample("ru", 1, 1)
	r.VerifyURL = strings.Repeat("x", 5000)
	if _, err := Draw(r); err == nil {
		t.Error("it is drawn")
	}
}

// What the fonts don't have is shown as such.
func TestClean(t *testing.T) {
	for s, want := range map[string]string{"Ұлы №1 ₸\u00a0": "Ұлы №1 ₸\u00a0", "a\x00\u200bb": "ab", "𝄞漢": "��", "a\tb": "a b", "\xff": "�"} {
		if got := clean(s); got != want {
			t.Errorf("%q: %q", s, got)
		}
	}
}

// What only the link proves is not said to be the signer's, and who was reopened was not added again.
func TestWhoDidIt(t *testing.T) {
	for language, want := range map[string][5]string{
		"ru": {"документ открыт (тот, у кого была ссылка)", "отказ (сотрудник № 7)", "подписано", "добавлен", "отказ снят, открыто заново (сотрудник № 7)"},
		"kk": {"құжат ашылды (сілтемесі болған адам)", "бас тартылды (қызметкер № 7)", "қол қойылды", "қосылды", "бас тарту жойылды, қайта ашылды (қызметкер № 7)"},
		"en": {"document opened (by whoever had the link)", "rejected (by staff, user 7)", "signed", "added", "rejection lifted, reopened (by staff, user 7)"},
	} {
		w := in(language)
		for i, g := range []job.Stage{
			{To: 2, By: job.ByLink}, {To: 4, By: job.ByStaff, User: 7}, {To: 5}, {}, {From: 4, By: job.ByStaff, User: 7},
		} {
			if got := w.happened(&g); got != want[i] {
				t.Errorf("%s: %q, want %q", language, got, want[i])
			}
		}
	}
}

func BenchmarkDraw(b *testing.B) {
	r := sample("ru", 2, 6)
	for b.Loop() {
		if _, err := Draw(r); err != nil {
			b.Fatal(err)
		}
	}
}
