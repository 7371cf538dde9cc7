package clerk

import (
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/functions/webhooks/endpoint"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
)

// What an owner is told of a webhook, in each language: of its address no more than the host.
func TestLetter(t *testing.T) {
	at := moment.Of(time.Date(2026, 11, 27, 20, 4, 0, 0, time.UTC))
	of := company.Company{ID: 7, Name: "Acme", TimeZone: "Asia/Almaty"}
	for _, c := range []struct {
		language      say.Language
		why           endpoint.Reason
		subject, text string
	}{
		{
			say.English, endpoint.Gone, "A webhook was disabled",
			"Webhook 5 of the company \"Acme\", to hooks.test, was disabled at 28 November 2026, 01:04 (UTC+5): its receiver answered that it is " +
				"gone (410).\n\nIts receiver is told nothing more. Once it works again, enable the webhook, and have what it has missed delivered " +
				"by\nPOST /v1/webhooks/{id}/recover/: events are kept for 30 days.\n",
		},
		{
			say.Russian, endpoint.Failing, "Веб-хук выключен",
			"Веб-хук 5 компании «Acme» на hooks.test выключен 28 ноября 2026, 01:04 (UTC+5): пять дней не удаётся ничего доставить.\n\n" +
				"Получатель больше ни о чём не узнаёт. Когда он снова заработает, включите веб-хук и запросите повторную доставку пропущенного: " +
				"события хранятся 30 дней.\n",
		},
		{
			say.Kazakh, endpoint.Gone, "Веб-хук өшірілді",
			"«Acme» компаниясының hooks.test мекенжайына арналған 5 веб-хугы өшірілді (2026 ж. 28 қараша, 01:04 (UTC+5)): алушы енді жоқ деп " +
				"жауап берді (410).\n\nҚабылдаушыға енді ештеңе хабарланбайды. Ол қайта жұмыс істегенде веб-хукты қосып, өткізіп " +
				"алғанын қайта жеткізуді сұратыңыз: оқиғалар 30 күн сақталады.\n",
		},
	} {
		e := &endpoint.Endpoint{Meta: record.Meta{ID: 5}, URL: "https://hooks.test/secret?token=x", Disabled: c.why, DisabledAt: &at}
		m := letter(of, e).To("m", "a@b.test", c.language)
		if m.Subject != c.subject || m.Text != c.text {
			t.Errorf("%s: %q, %s", c.language, m.Subject, m.Text)
		}
	}
}
