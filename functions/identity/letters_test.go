package identity

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/outbox/notify"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// speaking is a stage that answers in all languages.
func speaking(e *app.Env) { e.Config.Languages = say.Languages() }

// letter is the one mail that is sent next.
func (w *world) letter() notify.Message {
	w.t.Helper()
	mails := w.deliver()
	if len(mails) != 1 {
		w.t.Fatalf("mails %+v", mails)
	}
	return mails[0]
}

// speaks has a user have chosen a language, as the profile does.
func (w *world) speaks(user int64, language string) {
	w.t.Helper()
	err := crosstenant.Open(w.Env.Table).Update(crosstenant.User(user)).Set("la", language).Run(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
}

// want is what a mail has to say, with 000000 for its code.
type want struct{ subject, text string }

func (want want) check(t *testing.T, m notify.Message) {
	t.Helper()
	text := sixDigits.ReplaceAllString(m.Text, "000000")
	if m.Channel != notify.Email || m.Subject != want.subject || text != want.text {
		t.Errorf("%q, %s", m.Subject, text)
	}
}

// What each mail about an account says, in each language, as the request has asked for.
func TestLettersAboutAccounts(t *testing.T) {
	const registerInit = "/v1/tenant/register/init/"
	for language, wants := range map[string]struct{ code, have, reset, none, changed want }{
		"en": {
			want{"Your registration code", "Your registration code: 000000\n\nIt is valid for 10 minutes. Whoever asks you for it is not us.\n" +
				"If you did not ask for it, you have nothing to do.\n"},
			want{"You already have an account", "Somebody, perhaps you, asked for a registration code for this address.\n\n" +
				"There is an account with this address already, so no code was made: just sign in.\nIf it was not you, you have nothing to do.\n"},
			want{"Your code for a new password", "Your code for a new password: 000000\n\nIt is valid for 10 minutes. " +
				"Whoever asks you for it is not us.\nIf you did not ask for it, you have nothing to do: your password stays as it is.\n"},
			want{"You have no account", "Somebody, perhaps you, asked for a new password for this address.\n\n" +
				"There is no account with this address, so no code was made: perhaps you registered with another one.\n" +
				"If it was not you, you have nothing to do.\n"},
			want{"Your password was changed", "The password of your account was changed on 2 March 2026, 09:30 (UTC), with a code that was " +
				"sent to this address.\nEverybody who was signed in has been signed out, and no account of Google or another provider is linked " +
				"any more.\n\nIf it was not you, somebody else reads your mail: secure it first, then ask for a new password again.\n"},
		},
		"ru": {
			want{"Код для регистрации", "Ваш код для регистрации: 000000\n\nОн действует 10 минут. Никому его не сообщайте: мы никогда его не " +
				"спрашиваем.\nЕсли вы не запрашивали код, ничего делать не нужно.\n"},
			want{"У вас уже есть учётная запись", "Кто-то, возможно вы, запросил код для регистрации с этим адресом почты.\n\n" +
				"Учётная запись с этим адресом уже есть, поэтому кода нет: просто войдите.\nЕсли это были не вы, ничего делать не нужно.\n"},
			want{"Код для нового пароля", "Ваш код для нового пароля: 000000\n\nОн действует 10 минут. Никому его не сообщайте: мы никогда его " +
				"не спрашиваем.\nЕсли вы не запрашивали код, ничего делать не нужно: пароль останется прежним.\n"},
			want{"У вас нет учётной записи", "Кто-то, возможно вы, запросил новый пароль для этого адреса почты.\n\nУчётной записи с этим " +
				"адресом нет, поэтому нет и кода: возможно, вы регистрировались с другим адресом.\nЕсли это были не вы, ничего делать не нужно.\n"},
			want{"Ваш пароль изменён", "Пароль вашей учётной записи изменён 2 марта 2026, 09:30 (UTC) по коду, который пришёл на этот адрес.\n" +
				"На всех устройствах выполнен выход, а учётные записи Google и других сервисов отвязаны.\n\nЕсли это были не вы, вашу почту " +
				"читает кто-то другой: сначала защитите её, а потом снова запросите новый пароль.\n"},
		},
		"kk": {
			want{"Тіркелу коды", "Тіркелу кодыңыз: 000000\n\nОл 10 минут жарамды. Оны ешкімге айтпаңыз: біз оны ешқашан сұрамаймыз.\n" +
				"Егер кодты сіз сұратпаған болсаңыз, ештеңе істеудің қажеті жоқ.\n"},
			want{"Сізде тіркелгі бар", "Біреу, бәлкім сіз, осы пошта мекенжайымен тіркелу кодын сұратты.\n\n" +
				"Бұл мекенжаймен тіркелгі бар, сондықтан код жасалған жоқ: жай ғана кіріңіз.\nЕгер бұл сіз болмасаңыз, ештеңе істеудің қажеті жоқ.\n"},
			want{"Жаңа құпиясөз коды", "Жаңа құпиясөз кодыңыз: 000000\n\nОл 10 минут жарамды. Оны ешкімге айтпаңыз: біз оны ешқашан " +
				"сұрамаймыз.\nЕгер кодты сіз сұратпаған болсаңыз, ештеңе істеудің қажеті жоқ: құпиясөзіңіз өзгермейді.\n"},
			want{"Сізде тіркелгі жоқ", "Біреу, бәлкім сіз, осы пошта мекенжайы үшін жаңа құпиясөз сұратты.\n\nБұл мекенжаймен тіркелгі жоқ, " +
				"сондықтан код жасалған жоқ: бәлкім, сіз басқа мекенжаймен тіркелген шығарсыз.\n" +
				"Егер бұл сіз болмасаңыз, ештеңе істеудің қажеті жоқ.\n"},
			want{"Құпиясөзіңіз өзгертілді", "Тіркелгіңіздің құпиясөзі осы мекенжайға жіберілген код арқылы өзгертілді: 2026 ж. 2 наурыз, 09:30 " +
				"(UTC).\nБарлық құрылғыда жүйеден шығу орындалды, Google мен басқа сервистердің тіркелгілері ажыратылды.\n\nЕгер бұл сіз " +
				"болмасаңыз, поштаңызды басқа біреу оқып отыр: алдымен оны қорғаңыз, содан кейін жаңа құпиясөзді қайта сұратыңыз.\n"},
		},
	} {
		t.Run(language, func(t *testing.T) {
			w := newWorld(t, speaking)
			w.add(anna)
			ask := w.anybody().With("Accept-Language", language+"-KZ, de;q=0.9")
			ask.Post(registerInit, map[string]string{"email": boris}).Status(200)
			wants.code.check(t, w.letter())
			ask.Post(registerInit, map[string]string{"email": anna}).Status(200)
			wants.have.check(t, w.letter())
			ask.Post(resetInit, map[string]string{"email": boris}).Status(200)
			wants.none.check(t, w.letter())
			ask.Post(resetInit, map[string]string{"email": anna}).Status(200)
			m := w.letter()
			wants.reset.check(t, m)
			ask.Post(resetConfirm, renewal(anna, sixDigits.FindString(m.Text), newPassword)).Status(200)
			wants.changed.check(t, w.letter())
		})
	}
}

// The choice of the account's owner counts before what a request asks for, which may be anybody's; where there is neither, it is the
// stage's first language.
func TestWhoseLanguageALetterHas(t *testing.T) {
	const ru, kk, en = "Код для нового пароля", "Жаңа құпиясөз коды", "Your code for a new password"
	for _, c := range []struct {
		name, chosen, accept, want string
		stage                      []say.Language
	}{
		{"chosen", "kk", "ru", kk, say.Languages()},
		{"chosen, where the stage answers in English only", "kk", "ru", kk, nil},
		{"asked for", "", "ru", ru, say.Languages()},
		{"asked for what the stage doesn't speak", "", "ru", en, nil},
		{"neither", "", "", en, say.Languages()},
		{"neither, on a stage in Russian", "", "", ru, []say.Language{say.Russian, say.English}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, func(e *app.Env) { e.Config.Languages = c.stage })
			w.add(anna)
			w.speaks(1, c.chosen)
			who := w.anybody()
			if c.accept != "" {
				who = who.With("Accept-Language", c.accept)
			}
			who.Post(resetInit, map[string]string{"email": anna}).Status(200)
			if m := w.letter(); m.Subject != c.want {
				t.Errorf("%s", m.Subject)
			}
		})
	}
}

// A mail with a code for a new password leads to the stage's web client, which finds the code where no server learns it.
func TestTheLinkOfAReset(t *testing.T) {
	for language, line := range map[string]string{
		"en": "\n\nOr set the new password here: ", "ru": "\n\nИли задайте новый пароль здесь: ", "kk": "\n\nНемесе жаңа құпиясөзді осында қойыңыз: ",
	} {
		w := newWorld(t, speaking, func(e *app.Env) { e.Config.WebClient = "https://{host}/office/" })
		w.add(anna)
		ask := w.anybody().With("Accept-Language", language)
		ask.Post(resetInit, map[string]string{"email": anna}).Status(200)
		m := w.letter()
		link := line + "https://" + webtest.PlatformDomain + "/office/#code=" + sixDigits.FindString(m.Text) + "&reset=anna%40rent.test\n"
		if !strings.HasSuffix(m.Text, link) {
			t.Errorf("%s", m.Text)
		}
		ask.Post(resetInit, map[string]string{"email": boris}).Status(200)
		ask.Post("/v1/tenant/register/init/", map[string]string{"email": boris}).Status(200)
		for _, m := range w.deliver() {
			if strings.Contains(m.Text, "https:") {
				t.Errorf("%s", m.Text)
			}
		}
	}
}

func TestTheLetterOfALinkedIdentity(t *testing.T) {
	for language, want := range map[string]want{
		"en": {"Your account has another way to sign in", "anna@gmail.test of Google was linked to your account on 2 March 2026, 09:30 (UTC).\n" +
			"Whoever can sign in there can now sign in to your account.\n\n" +
			"If it was not you, ask for a new password: that unlinks it and signs everybody out.\n"},
		"ru": {"У вашей учётной записи появился ещё один способ входа", "К вашей учётной записи привязана учётная запись anna@gmail.test (Google): " +
			"2 марта 2026, 09:30 (UTC).\nКто может войти там, теперь может войти и в вашу учётную запись.\n\n" +
			"Если это были не вы, запросите новый пароль: тогда она будет отвязана, и на всех устройствах будет выполнен выход.\n"},
		"kk": {"Тіркелгіңізге кірудің тағы бір жолы қосылды", "Тіркелгіңізге anna@gmail.test (Google) байланыстырылды: " +
			"2026 ж. 2 наурыз, 09:30 (UTC).\nОнда кіре алатын адам енді сіздің тіркелгіңізге де кіре алады.\n\n" +
			"Егер бұл сіз болмасаңыз, жаңа құпиясөз сұратыңыз: сонда ол ажыратылады, барлық құрылғыда жүйеден шығу орындалады.\n"},
	} {
		w := newWorld(t)
		w.add(anna)
		w.speaks(1, language)
		m := outboxMessage(t, w, linkedBody{User: 1, Identity: "anna@gmail.test", Issuer: "Google", Language: say.English})
		if err := w.Group("identity").Work[linkedMessage](t.Context(), m); err != nil {
			t.Fatal(err)
		}
		want.check(t, w.mails.list[len(w.mails.list)-1])
	}
}

func outboxMessage(t *testing.T, w *world, body linkedBody) outbox.Message {
	t.Helper()
	m, err := outbox.New(crosstenant.Message, linkedMessage, body, w.Env.Now(), w.Env.Now())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A telephone that doesn't fit is not called a pattern to people; programs read the code that it always had.
func TestATelephoneThatDoesNotFit(t *testing.T) {
	w := newWorld(t, speaking)
	body := map[string]string{
		"email": anna, "password": "correct horse", "otp": "123456", "first_name": "Anna", "phone": "8 701",
	}
	for language, want := range map[string]string{
		"en": "This value does not match the required pattern.",
		"ru": "Укажите номер телефона, например +77011234567.",
		"kk": "Телефон нөмірін көрсетіңіз, мысалы +77011234567.",
	} {
		w.anybody().With("Accept-Language", language).Post("/v1/tenant/register/confirm/", body).Status(400).JSON(`{"phone":["` + want + `"]}`)
	}
	w.anybody().With("Accept", "application/problem+json").Post("/v1/tenant/register/confirm/", body).Status(400).
		Field("errors.0.code", `"pattern_mismatch"`)
}
