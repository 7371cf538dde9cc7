package tenants

import (
	"net/http"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/functions/tenants/export"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/outbox/notify"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// letter is what a mail has to say.
type letter struct{ subject, text string }

func (want letter) check(t *testing.T, m notify.Message) {
	t.Helper()
	if m.Channel != notify.Email || m.Subject != want.subject || m.Text != want.text {
		t.Errorf("to %s: %q, %s", m.To, m.Subject, m.Text)
	}
}

// letter is the one mail that is sent next.
func (w *world) letter() notify.Message {
	w.t.Helper()
	mails := w.deliver()
	if len(mails) != 1 {
		w.t.Fatalf("mails %+v", mails)
	}
	return mails[0]
}

// has gives a user the address by which others find the user.
func (w *world) has(user int64) {
	w.t.Helper()
	owner := struct {
		table.Item
		User int64 `dynamo:"u"`
	}{table.At(crosstenant.Email(address(user)), 1), user}
	if err := crosstenant.Open(w.Env.Table).Put(owner).Run(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

// exported has an export of company 1, for which its owner has asked, told to be there.
func (w *world) exported() notify.Message {
	w.t.Helper()
	of, now := table.Of(w.Env.Table, 1), w.Env.Now()
	e := export.Export{
		Item: table.At(of.Export(), export.Version), ID: "e", By: 1, Base: webtest.BaseURL, Begun: moment.Of(now), Ended: moment.Of(now),
	}
	if err := of.Put(e).Run(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	before := len(w.mails)
	if err := w.Group("tenants").Work[export.Done](w.t.Context(), outbox.NewKeyed(of.Message, export.Done, export.Whole, now)); err != nil {
		w.t.Fatal(err)
	}
	return w.mails[before]
}

// What each mail about a company says, in each language, with times in the company's zone.
func TestLettersAboutCompanies(t *testing.T) {
	const files = webtest.BaseURL + "/v1/tenant/1/export/"
	for language, want := range map[string]struct{ invited, exported, closed letter }{
		"en": {
			letter{"You are invited", "The company \"Acme\" invites you to work with it, as manager.\n\nSign in or register with this address " +
				"(u3@rent.test): the invitation is among yours, and nothing happens until you accept it.\nIt can be accepted until 16 March 2026, " +
				"14:30 (UTC+5). If you don't know the company, you have nothing to do.\n"},
			letter{"Your export is ready", "The export of the company \"Acme\" that you asked for is ready.\n\nAn owner who is signed in gets the " +
				"list of its files at " + files + ", until 3 March 2026, 14:30 (UTC+5).\nIf you didn't ask for it, somebody else has used your " +
				"sign-in: change your password.\n"},
			letter{"Your company was closed", "The company \"Acme\" was closed by u1@rent.test.\n\nNobody can use it any more. Until 16 March " +
				"2026, 14:30 (UTC+5) an owner can sign in and take that back, or export what it has; after that\neverything that it has is erased.\n"},
		},
		"ru": {
			letter{"Вас приглашают", "Компания «Acme» приглашает вас к совместной работе. Ваша роль: менеджер.\n\nВойдите или зарегистрируйтесь " +
				"с этим адресом почты (u3@rent.test): приглашение ждёт вас там, и пока вы его не примете, ничего не произойдёт.\n" +
				"Принять его можно до 16 марта 2026, 14:30 (UTC+5). Если вы не знаете эту компанию, ничего делать не нужно.\n"},
			letter{"Выгрузка готова", "Выгрузка данных компании «Acme», которую вы запросили, готова.\n\nВладелец, который вошёл в систему, " +
				"получит список её файлов по адресу " + files + " до 3 марта 2026, 14:30 (UTC+5).\n" +
				"Если вы её не запрашивали, кто-то другой вошёл под вашим именем: смените пароль.\n"},
			letter{"Ваша компания закрыта", "Компанию «Acme» закрыл пользователь u1@rent.test.\n\nПользоваться ею больше нельзя. До 16 марта " +
				"2026, 14:30 (UTC+5) владелец может войти и отменить закрытие или выгрузить данные; после этого все данные компании будут удалены.\n"},
		},
		"kk": {
			letter{"Сізді шақырады", "«Acme» компаниясы сізді бірге жұмыс істеуге шақырады. Рөліңіз: менеджер.\n\nОсы пошта мекенжайымен " +
				"(u3@rent.test) кіріңіз немесе тіркеліңіз: шақыру сонда, оны қабылдағанша ештеңе болмайды.\n" +
				"Қабылдау мерзімінің соңы: 2026 ж. 16 наурыз, 14:30 (UTC+5). Егер бұл компанияны білмесеңіз, ештеңе істеудің қажеті жоқ.\n"},
			letter{"Деректер көшірмесі дайын", "Сіз сұратқан «Acme» компаниясы деректерінің көшірмесі дайын.\n\nФайлдар тізімін жүйеге кірген " +
				"иесі мына мекенжайдан алады: " + files + ". Мерзімінің соңы: 2026 ж. 3 наурыз, 14:30 (UTC+5).\n" +
				"Егер оны сіз сұратпаған болсаңыз, басқа біреу сіздің атыңыздан кірген: құпиясөзіңізді ауыстырыңыз.\n"},
			letter{"Компанияңыз жабылды", "«Acme» компаниясын u1@rent.test жапты.\n\nОны енді ешкім пайдалана алмайды. Иесі кіріп, жабудан бас " +
				"тарта алады немесе деректерді көшіріп ала алады; бұл мерзімнің соңы: 2026 ж. 16 наурыз, 14:30 (UTC+5). " +
				"Содан кейін компанияның барлық деректері жойылады.\n"},
		},
	} {
		t.Run(language, func(t *testing.T) {
			w := newWorld(t)
			w.password(1)
			w.as(1).Patch(acme, `{"language":"`+language+`"}`).Status(200)
			w.invite(1, 3, tenant.Manager)
			want.invited.check(t, w.letter())
			want.exported.check(t, w.exported())
			w.as(1).Do(http.MethodDelete, acme, proof).Status(204)
			want.closed.check(t, w.letter())
		})
	}
}

// Who reads it decides before the company does, the company's field before its extra, and the stage last.
func TestWhoseLanguageALetterHas(t *testing.T) {
	const ru, kk, en = "Вас приглашают", "Сізді шақырады", "You are invited"
	for _, c := range []struct {
		name, chosen, company, want string
		stage                       []say.Language
	}{
		{"the reader's", `"kk"`, `{"language":"ru"}`, kk, nil},
		{"the company's", `null`, `{"language":"ru","extra":{"language":"kk"}}`, ru, nil},
		{"the company's extra", `null`, `{"extra":{"language":"kk"}}`, kk, nil},
		{"nobody's", `null`, `{}`, en, nil},
		{"nobody's, on a stage in Russian", `null`, `{}`, ru, []say.Language{say.Russian, say.English}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, func(e *app.Env) { e.Config.Languages = c.stage })
			w.has(3)
			w.as(1).Patch(acme, c.company).Status(200)
			w.as(3).Patch(profile, `{"language":`+c.chosen+`}`).Status(200)
			w.invite(1, 3, tenant.Employee)
			if m := w.letter(); m.Subject != c.want {
				t.Errorf("%q", m.Subject)
			}
			w.as(1).Patch("/v1/auth/profile/", `{"language":"kk"}`).Status(200)
			if m := w.exported(); m.Subject != "Деректер көшірмесі дайын" {
				t.Errorf("%q", m.Subject)
			}
		})
	}
}

// An invitation leads to the client of the company that invites, by its host; to the stage's own while the host is not proven.
func TestTheLinkOfAnInvitation(t *testing.T) {
	lines := map[string]string{"en": "To the invitation: ", "ru": "Открыть приглашение: ", "kk": "Шақыруды ашу: "}
	for language, line := range lines {
		w := newWorld(t, func(e *app.Env) { e.Config.WebClient = "https://{host}/" })
		w.as(1).Patch(acme, `{"language":"`+language+`"}`).Status(200)
		w.invite(1, 3, tenant.Employee)
		if m := w.letter(); !strings.HasSuffix(m.Text, "\n\n"+line+"https://acme."+webtest.PlatformDomain+"/#invitation=1\n") {
			t.Errorf("%s", m.Text)
		}
	}
	w := newWorld(t, func(e *app.Env) { e.Config.WebClient = "https://{host}/" })
	w.as(3).Post("/v1/tenant/", body("rent.claimed.test")).Status(201)
	w.as(3).With("X-Tenant-Id", "3").Post(people, map[string]any{"email": address(4), "role": "employee"}).Status(201)
	for _, m := range w.deliver() {
		if m.To == address(4) && !strings.HasSuffix(m.Text, "\n\nTo the invitation: https://"+webtest.PlatformDomain+"/#invitation=3\n") {
			t.Errorf("%s", m.Text)
		}
	}
}

// An address that another company has is called that to people; programs read not_unique.
func TestATakenDomainIsSaidToPeople(t *testing.T) {
	w := newWorld(t, func(e *app.Env) { e.Config.Languages = say.Languages() })
	w.as(5).Post("/v1/tenant/", body("taken")).Status(201)
	for language, want := range map[string]string{
		"en": "This field must be unique.",
		"ru": "Этот адрес уже занят. Выберите другой.",
		"kk": "Бұл мекенжай бос емес. Басқасын таңдаңыз.",
	} {
		w.as(5).With("Accept-Language", language).Post("/v1/tenant/", body("taken")).Writes(3).Status(400).JSON(`{"domain":["` + want + `"]}`)
	}
	w.as(5).With("Accept", "application/problem+json").Post("/v1/tenant/", body("taken")).Writes(3).Status(400).
		Field("errors.0.code", `"not_unique"`)
}
