package document

import (
	"encoding/hex"
	"testing"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/fault"
)

// A text that changes is another text: it needs another id, lest evidence says that the new one was shown.
func TestConsentsHaveIDs(t *testing.T) {
	want := map[string]string{}
	for _, language := range Languages() {
		for method, name := range map[Method]string{SMS: "sms", EGov: "egov"} {
			c := ConsentIn(language, method)
			if c.Language != language || c.ID != name+"-"+language+consentEdition {
				t.Errorf("%s in %s is %s in %s", name, language, c.ID, c.Language)
			}
			want[c.ID] = hex.EncodeToString(c.SHA256[:6])
		}
	}
	for id, sum := range map[string]string{
		"sms-ru-1": "596a0a9a4c1d", "sms-kk-1": "7d43d8bcd40c", "sms-en-1": "2a4e2ecf54ad", "egov-ru-1": "2c74c69399c8", "egov-kk-1": "86aae20565d9", "egov-en-1": "d686c868e63a",
	} {
		if want[id] != sum {
			t.Errorf("the text %s has changed: it is %s", id, want[id])
		}
	}
	if c := ConsentIn("de", SMS); c.ID != "sms-ru-1" {
		t.Errorf("in German it is %s", c.ID)
	}
}

// What is confirmed is what was agreed to when the code was asked for, whatever the confirmation says.
func TestAgreed(t *testing.T) {
	kept := func(change func(c *Code)) *Code {
		is := ConsentIn("kk", SMS)
		c := &Code{ID: uuid.UUID{3}, Language: is.Language, Consent: is.ID, ConsentSum: is.SHA256}
		change(c)
		return c
	}
	for name, c := range map[string]struct {
		code     *Code
		language string
		want     string // the id of the text
		field    string // of the fault
	}{
		"no language":       {kept(func(*Code) {}), "", "sms-kk-1", ""},
		"the same":          {kept(func(*Code) {}), "kk", "sms-kk-1", ""},
		"another":           {kept(func(*Code) {}), "ru", "", "language"},
		"a text of before":  {kept(func(c *Code) { c.Consent = "sms-kk-0" }), "", "", "code"},
		"a text with typos": {kept(func(c *Code) { c.ConsentSum = []byte{1} }), "", "", "code"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := c.code.Agreed(c.language)
			f, _ := fault.As(err)
			if c.field == "" && (err != nil || got.ID != c.want) {
				t.Errorf("%s, %v", got.ID, err)
			}
			if c.field != "" && (f == nil || f.Fields[c.field] == nil) {
				t.Errorf("%v, want a fault on %s", err, c.field)
			}
		})
	}
}
