package signing_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/outbox/notify"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// writes has the company write in a language, by its field and by its extra.
func (w *world) writes(language say.Language, extra string) {
	w.t.Helper()
	of := table.Of(w.Env.Table, companyID)
	c := company.Company{
		Item: table.At(of.Company(), company.Version), ID: int64(companyID), Revision: 2, Name: "Acme",
		TimeZone: "Asia/Almaty", Language: language, Extra: extra,
	}
	if err := of.Put(c).Run(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

// What a signer is sent, in each language: that of the company, whose field counts before its extra, and Russian where it has chosen none.
func TestLettersToSigners(t *testing.T) {
	const ru = "Acme просит вас подписать документ: LINK|Acme: документ на подпись|Здравствуйте, Anna!\n\nAcme просит вас прочитать и " +
		"подписать документ «Lease»:\nLINK\n\nСсылка только для вас, не передавайте её никому.\n|000000 — код для подписания документа " +
		"Acme. Никому его не сообщайте."
	const kk = "Acme құжатқа қол қоюыңызды сұрайды: LINK|Acme: қол қоюға арналған құжат|Сәлеметсіз бе, Anna!\n\nAcme сізден «Lease» " +
		"құжатын оқып, оған қол қоюыңызды сұрайды:\nLINK\n\nСілтеме тек сізге арналған, оны ешкімге бермеңіз.\n|000000 — Acme құжатына " +
		"қол қою коды. Оны ешкімге айтпаңыз."
	const en = "Acme asks you to sign a document: LINK|Acme: a document to sign|Dear Anna,\n\nAcme asks you to read and sign the document " +
		"“Lease”:\nLINK\n\nThe link is for you alone, don't pass it on.\n|000000 is your code to sign a document of Acme. Tell it to nobody."
	for _, c := range []struct {
		language    say.Language
		extra, want string
	}{
		{"", "", ru},
		{"", `{"language":"KK"}`, kk},
		{say.English, `{"language":"kk"}`, en},
		{say.Russian, `{"language":"kk"}`, ru},
		{say.Kazakh, "", kk},
	} {
		w := newWorld(t)
		w.writes(c.language, c.extra)
		w.client("Anna", "+77011234567")
		w.upload("Lease")
		uuid := w.staff().Post(all+"1/signs/", `{"client":1}`).Status(201).Text("uuid")
		link := webtest.BaseURL + "/sign/" + uuid + "/"
		var got []string
		sent := func() notify.Message { // what is sent next
			w.Deliver()
			return w.post.last()
		}
		w.staff().Post(all+"1/signs/1/sms/", `{}`).Status(200)
		got = append(got, sent().Text)
		w.staff().Post(all+"1/signs/1/sms/", `{"channel":"email"}`).Status(200)
		m := sent()
		got = append(got, m.Subject, m.Text)
		w.public().Post(all+uuid+"/open/", `{}`).Status(200)
		w.ask(all + uuid + "/").Status(200)
		got = append(got, sent().Text)
		text := digits.ReplaceAllString(strings.ReplaceAll(strings.Join(got, "|"), link, "LINK"), "000000")
		if text != c.want {
			t.Errorf("%s, %s: %s", c.language, c.extra, text)
		}
	}
}

// A code is sent in the language of the page on which it was asked for, whatever the company writes in.
func TestACodeIsInTheLanguageOfThePage(t *testing.T) {
	for language, want := range map[string]string{"ru": "код для подписания", "kk": "қол қою коды", "en": "is your code"} {
		w := newWorld(t)
		w.writes(say.Kazakh, "")
		if language == "kk" {
			w.writes(say.English, "")
		}
		w.client("Anna", "+77011234567")
		w.upload("Lease")
		one := all + w.staff().Post(all+"1/signs/", `{"client":1}`).Status(201).Text("uuid") + "/"
		w.public().Post(one+"open/", `{}`).Status(200)
		w.public().Post(one+"sign/", fmt.Sprintf(`{"language":%q,"sha256":%q}`, language, w.shown(one))).Status(200)
		w.Deliver()
		if m := w.post.last(); !strings.Contains(m.Text, want) {
			t.Errorf("%s: %s", language, m.Text)
		}
	}
}
