package identity

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/tenantry/tenantry/functions/identity/credential"
	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/tabletest"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// asOnAWS gives a world whose table refuses what meets in time, as AWS does.
func asOnAWS(t *testing.T) (w *world, name string) {
	t.Helper()
	name = enginetest.Table(t)
	return newWorld(t, func(e *app.Env) {
		e.Table = table.Open(tabletest.Wrap(enginetest.Client(t), tabletest.Locks(), 1), name)
	}), name
}

func TestManyRefreshesAtOnce(t *testing.T) {
	w, _ := asOnAWS(t)
	w.add(anna)
	first := w.login(anna)
	var next tokens
	for _, a := range atOnce(20, func() *webtest.Answer { return w.renew(first.Refresh) }) {
		a.Status(200)
		if got := pair(a); next.Refresh != "" && got.Refresh != next.Refresh {
			t.Error("two successors of one token")
		} else {
			next = got
		}
		w.holds(a.Text("access"), true)
	}
	r, _ := readRefresh(first.Refresh)
	f, alive, err := families{crosstenant.Open(w.Env.Table)}.get(t.Context(), r.User, r.Family, w.Clock.Now())
	if err != nil || !alive || f.Generation != 2 || f.Revoked != 0 {
		t.Errorf("the family is %+v, %v; want the second generation, not revoked", f, err)
	}
	w.renew(next.Refresh).Status(200)
}

func TestManyExchangesAtOnce(t *testing.T) {
	w, _ := asOnAWS(t)
	w.add(anna)
	token := w.cross(w.login(anna).Access)
	answers := atOnce(20, func() *webtest.Answer { return w.exchange(map[string]string{"token": token}) })
	if got := statuses(answers); got[200] != 1 || got[400] != 19 {
		t.Errorf("statuses %v, want one 200 and 400 for the others", got)
	}
}

func TestManyConfirmationsAtOnce(t *testing.T) {
	w, name := asOnAWS(t)
	code := w.code(anna)
	answers := atOnce(20, func() *webtest.Answer {
		return w.anybody().Post("/v1/tenant/register/confirm/", confirmation(anna, code))
	})
	if got := statuses(answers); got[201] != 1 || got[400] != 19 {
		t.Errorf("statuses %v, want one 201 and 400 for the others", got)
	}
	people := 0
	for _, item := range dump(t, name) {
		if item.SK == "user" {
			people++
		}
	}
	if people != 1 {
		t.Errorf("%d people, want 1", people)
	}
	w.login(anna)
}

func TestManyWrongGuessesAtOnce(t *testing.T) {
	w, _ := asOnAWS(t)
	code := w.code(anna)
	answers := atOnce(15, func() *webtest.Answer {
		return w.anybody().Post("/v1/tenant/register/confirm/", confirmation(anna, wrong(code, 1)))
	})
	if got := statuses(answers); got[400] != 15 {
		t.Errorf("statuses %v, want 400", got)
	}
	taken := func() int {
		c, err := challenges{crosstenant.Open(w.Env.Table)}.get(t.Context(), register, anna)
		if err != nil {
			t.Fatal(err)
		}
		return c.Tries
	}
	if got := taken(); got != codeTries {
		t.Errorf("%d guesses of one caller were taken, want %d", got, codeTries)
	}
	for round := range 3 { // of ten others each, together more than are left
		var caller atomic.Int64
		atOnce(10, func() *webtest.Answer {
			ip := fmt.Sprintf("198.51.100.%d", 10*round+int(caller.Add(1)))
			return w.anybody().From(ip).Post("/v1/tenant/register/confirm/", confirmation(anna, wrong(code, 1)))
		})
	}
	if got := taken(); got != triesInAll(register) {
		t.Errorf("%d guesses were taken, want %d", got, triesInAll(register))
	}
}

func TestManyInitsAtOnce(t *testing.T) {
	w, _ := asOnAWS(t)
	for range 2 { // the first has none to replace, the second has
		answers := atOnce(10, func() *webtest.Answer {
			return w.anybody().Post("/v1/tenant/register/init/", map[string]string{"email": anna})
		})
		if got := statuses(answers); got[200] != 1 || got[429] != 9 {
			t.Errorf("statuses %v, want one 200 and 429 for the others", got)
		}
		if mails := w.deliver(); len(mails) != 1 {
			t.Errorf("%d mails, want 1", len(mails))
		}
		w.Clock.Step(codePause)
	}
}

func TestManyWrongPasswordsAtOnce(t *testing.T) {
	w, _ := asOnAWS(t)
	w.add(anna)
	answers := atOnce(15, func() *webtest.Answer {
		return w.anybody().Post("/v1/auth/login/", map[string]string{"username": anna, "password": "wrong"})
	})
	if got := statuses(answers); got[401] != credential.PerCaller || got[429] != 15-credential.PerCaller {
		t.Errorf("statuses %v, want %d times 401 and 429 for the others", got, credential.PerCaller)
	}
}
