package identity

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"sync"
	"testing"

	"github.com/tenantry/tenantry/functions/authorizer"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/keys/keystest"
	"github.com/tenantry/tenantry/shared/outbox/notify"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const (
	anna     = "anna@rent.test"
	boris    = "boris@rent.test"
	password = "correct horse 42"
)

// mailbox takes what is sent.
type mailbox struct {
	mu   sync.Mutex
	list []notify.Message
}

func (m *mailbox) Send(_ context.Context, message notify.Message) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.list = append(m.list, message)
	return nil
}

// world is the group behind the real authorizer, with a mailbox.
type world struct {
	*webtest.API
	t     *testing.T
	mails *mailbox
}

func newWorld(t *testing.T, change ...func(*app.Env)) *world {
	t.Helper()
	w := &world{t: t, mails: new(mailbox)}
	w.API = webtest.Setup{
		Change: func(e *app.Env) {
			e.Keys, e.Notify = keystest.New(t), w.mails
			for _, c := range change {
				c(e)
			}
		},
		Authorizer: func(e app.Env) webtest.Invoker {
			return authorizer.New(authorizer.Config{Table: e.Table, Keys: e.Keys, Now: e.Now, Log: e.Log})
		},
	}.New(t, New)
	return w
}

// anybody sends no token.
func (w *world) anybody() *webtest.Client { return w.As(webtest.Nobody()) }

// deliver carries out the outbox and gives the messages that were sent of it.
func (w *world) deliver() []notify.Message {
	w.t.Helper()
	before := len(w.mails.list)
	w.Deliver()
	return w.mails.list[before:]
}

var sixDigits = regexp.MustCompile(`\b\d{6}\b`)

// code asks for a registration code and reads it from the mail.
func (w *world) code(email string) string {
	w.t.Helper()
	return w.mailed("/v1/tenant/register/init/", email)
}

// mailed asks for a code and reads it from the mail.
func (w *world) mailed(path, email string) string {
	w.t.Helper()
	w.anybody().Post(path, map[string]string{"email": email}).Status(200)
	for _, m := range w.deliver() {
		if found := sixDigits.FindAllString(m.Text, -1); m.To == crosstenant.Fold(email) && len(found) == 1 {
			return found[0]
		}
	}
	w.t.Fatalf("no code for %s in %v", email, w.mails.list)
	return ""
}

func confirmation(email, otp string) map[string]any {
	return map[string]any{
		"email": email, "password": password, "otp": otp, "first_name": "Anna", "phone": "+77011234567", "last_name": "Petrova",
	}
}

// add makes an account the short way.
func (w *world) add(email string) int64 {
	w.t.Helper()
	s := newService(w.Env)
	u := user{Person: crosstenant.Person{Email: crosstenant.Fold(email), FirstName: "Anna", Phone: "+77011234567"}}
	if err := s.newUser(w.t.Context(), u, password, func(*table.Tx) {}); err != nil {
		w.t.Fatalf("add %s: %v", email, err)
	}
	id, err := s.users.owner(w.t.Context(), u.Email)
	if err != nil || id == 0 {
		w.t.Fatalf("add %s: number %d, %v", email, id, err)
	}
	return id
}

func (w *world) login(email string) tokens {
	w.t.Helper()
	return pair(w.anybody().Post("/v1/auth/login/", map[string]string{"username": email, "password": password}).Status(200))
}

func pair(a *webtest.Answer) tokens { return tokens{a.Text("access"), a.Text("refresh")} }

func (w *world) renew(refresh string) *webtest.Answer {
	w.t.Helper()
	return w.anybody().Post("/v1/auth/refresh/", map[string]string{"refresh": refresh})
}

// holds checks whether an access token lets its holder in.
func (w *world) holds(access string, want bool) {
	w.t.Helper()
	status := 401
	if want {
		status = 200
	}
	w.As(webtest.Bearer(access)).Get("/v1/auth/profile/").Status(status)
}

// wrong is a code that is not this one.
func wrong(code string, other int) string {
	var n int
	_, _ = fmt.Sscan("1"+code, &n) // six digits
	return fmt.Sprintf("%06d", (n+other)%1_000_000)
}

// at once calls do so often at the same time, and gives the answers.
func atOnce(n int, do func() *webtest.Answer) []*webtest.Answer {
	answers := make([]*webtest.Answer, n)
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() {
			<-start
			answers[i] = do()
		})
	}
	close(start)
	wg.Wait()
	return answers
}

// statuses counts answers by status.
func statuses(answers []*webtest.Answer) map[int]int {
	count := map[int]int{}
	for _, a := range answers {
		count[a.Code()]++
	}
	return count
}

func encode(t testing.TB, v any) string {
	t.Helper()
	encoded, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}

const badToken = `{"detail":"Given token not valid for any token type","code":"token_not_valid",` +
	`"messages":[{"token_class":"AccessToken","token_type":"access","message":"Token is invalid or expired"}]}`
