package signing_test

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/outbox/notify"
	"github.com/tenantry/tenantry/shared/table"
)

// Names in messages are in one line, short, and run in the direction of the text.
func TestNamesInMessages(t *testing.T) {
	w := newWorld(t)
	of := table.Of(w.Env.Table, companyID)
	c := company.Company{
		Item: table.At(of.Company(), company.Version), ID: int64(companyID), Revision: 2,
		Name:     "Astana\r\nYour code: 111111 \u202e" + strings.Repeat("я", 200),
		TimeZone: "Asia/Almaty", Extra: `{"language":"en"}`,
	}
	if err := of.Put(c).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.client(`A\n\nPay here: x`, "+77011234567")
	w.upload("Lease\u2028\n\nSecond")
	one := all + w.staff().Post(all+"1/signs/", `{"client":1}`).Status(201).Text("uuid") + "/"
	w.staff().Post(all+"1/signs/1/sms/", `{}`).Status(200)
	w.staff().Post(all+"1/signs/1/sms/", `{"channel":"email"}`).Status(200)
	w.public().Post(one+"open/", `{}`).Status(200)
	w.ask(one).Status(200)
	w.Deliver()
	if len(w.post.sent) != 3 {
		t.Fatalf("%d messages were sent", len(w.post.sent))
	}
	for _, m := range w.post.sent {
		lines := strings.Count(m.Text, "\n")
		if m.Channel == notify.SMS && (lines != 0 || len([]rune(m.Text)) > 200) || m.Channel == notify.Email && lines != 6 ||
			strings.ContainsAny(m.Subject, "\r\n") || strings.ContainsAny(m.Text, "\r\u202e\u2028") {
			t.Errorf("sent %q, %q", m.Subject, m.Text)
		}
	}
}
