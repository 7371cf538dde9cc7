package signing_test

import (
	"fmt"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/infra/groups"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/tabletest"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// process is a process that can be replaced by another one.
type process struct{ dynamodbiface.DynamoDBAPI }

// mortal is a world whose processes meet faults and die.
func mortal(t *testing.T, faults tabletest.Faults) (w *world, p *process, all *tabletest.World) {
	t.Helper()
	p = &process{}
	w = newWorld(t, func(s *webtest.Setup) {
		s.Table = func(engine dynamodbiface.DynamoDBAPI) dynamodbiface.DynamoDBAPI {
			all = tabletest.NewWorld(engine, faults)
			p.DynamoDBAPI = engine
			return p
		}
	})
	return w, p, all
}

// signers is a document and the codes of those who are about to sign it.
type signers struct {
	document int64
	codes    []string // "uuid confirm_id code"
}

// ready makes a document that two signers have codes for.
func (w *world) ready(number int) signers {
	w.t.Helper()
	s := signers{document: w.upload(fmt.Sprint("Lease ", number)).Int("id")}
	base := fmt.Sprint(all, s.document, "/signs/")
	for _, client := range []int{1, 2} {
		uuid := w.staff().Post(base, fmt.Sprintf(`{"client":%d}`, client)).Status(201).Text("uuid")
		w.public().Post(all+uuid+"/open/", `{}`).Status(200)
		confirm := w.ask(all + uuid + "/").Status(200).Text("confirm_id")
		s.codes = append(s.codes, fmt.Sprint(uuid, " ", confirm, " ", w.sms()))
	}
	return s
}

// sign signs by a code, again and again until the signature is there, as the page of a signer with a bad connection does.
func (w *world) sign(code string) {
	var uuid, confirm, digits string
	if _, err := fmt.Sscan(code, &uuid, &confirm, &digits); err != nil {
		w.t.Error(err)
	}
	for range 40 {
		w.public().Post(all+uuid+"/sign/confirm/", fmt.Sprintf(`{"confirm_id":%q,"code":%q}`, confirm, digits))
		if a := w.public().Get(all + uuid + "/"); a.Code() == 200 && a.Int("sign.status") == int64(document.Signed) {
			return
		}
	}
	w.t.Errorf("%s could not sign", uuid)
}

// isSealed checks that a document is sealed exactly once, and known by its hashes.
func (w *world) isSealed(id int64) {
	w.t.Helper()
	d, err := document.Kind().Get(w.t.Context(), record.Scope{Table: table.Of(w.Env.Table, companyID), Now: w.Clock.Now}, id)
	if err != nil {
		w.t.Fatal(err)
	}
	sealed := 0
	for _, f := range d.Files {
		if f.Type == document.SealedFile {
			sealed++
		}
	}
	if !d.IsSigned() || d.Seal == nil || sealed != 1 {
		w.t.Fatalf("document %d: signed %t, seal %v, %d sealed files", id, d.IsSigned(), d.Seal, sealed)
	}
	for _, s := range d.Signs {
		if len(s.Stages) != 4 || s.Status != document.Signed {
			w.t.Errorf("document %d, sign %d: %d stages, status %d", id, s.ID, len(s.Stages), s.Status)
		}
	}
	public := document.OpenPublic(w.Env.Table)
	for _, kind := range []document.FileType{document.Original, document.SealedFile} {
		f := d.FileOf(kind)
		if data, err := w.Env.Files.Get(w.t.Context(), companyID, f.ID, f.Version, 1<<20); err != nil || len(data) == 0 {
			w.t.Errorf("document %d names a file that is not there: %v", id, err)
		}
		if found, err := public.Find(w.t.Context(), f.SHA256); err != nil || len(found) != 1 || found[0].ID != id {
			w.t.Errorf("document %d is found %d times by its hash, %v", id, len(found), err)
		}
	}
	for client := range 2 {
		a := w.staff().Get(fmt.Sprintf("/v1/crm/clients/%d/", client+1)).Status(200)
		if a.Value("agreement_id") == nil || !a.Value("signed").(bool) {
			w.t.Errorf("client %d knows no agreement", client+1)
		}
	}
}

// races is how many races are run: RACES says so, where it is more than a test has time for.
func races() int {
	if n, err := strconv.Atoi(os.Getenv("RACES")); err == nil {
		return n
	}
	return 24
}

// twoClients are the signers of the races.
func (w *world) twoClients() {
	w.t.Helper()
	for i := range 2 {
		w.staff().Post("/v1/crm/clients/", fmt.Sprintf(`{"name":"Signer %d","type":0,"phone":"+7701123456%d"}`, i, i)).Status(201)
	}
}

// Two last signers sign at the same moment, answers are lost, transactions conflict, and workers die while two of them
// seal: each document is sealed once, and no version that it names is lost.
func TestTwoLastSigners(t *testing.T) {
	faults := tabletest.Locks()
	faults.Lost, faults.Throttled = 0.02, 0.02
	w, p, all := mortal(t, faults)
	w.twoClients()
	healthy, faulty := p.DynamoDBAPI, all.Client(1)
	var ready []signers
	for i := range races() {
		p.DynamoDBAPI = healthy
		w.Clock.Step(time.Minute)
		s := w.ready(i)
		p.DynamoDBAPI = faulty
		var wait sync.WaitGroup
		for _, code := range s.codes {
			wait.Go(func() { w.sign(code) })
		}
		wait.Wait()
		ready = append(ready, s)
	}
	for round := range 12 {
		dying := all.Client(uint64(round + 2))
		if round < 9 {
			dying.DieAt(5+7*round, round%2 == 0)
		}
		p.DynamoDBAPI = dying
		var wait sync.WaitGroup
		for range 2 {
			wait.Go(func() { _, _ = groups.Worker(w.Env).Sweep(t.Context()) }) // what fails is tried again
		}
		wait.Wait()
		w.Clock.Step(10 * time.Minute)
	}
	p.DynamoDBAPI = healthy
	for range 3 {
		if _, err := groups.Worker(w.Env).Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.Clock.Step(10 * time.Minute)
	}
	for _, s := range ready {
		w.isSealed(s.document)
	}
}

// However the worker dies between the last code and the sealed file, the next one ends what it began.
func TestTheWorkerDies(t *testing.T) {
	w, p, all := mortal(t, tabletest.Faults{})
	w.twoClients()
	healthy := p.DynamoDBAPI
	for call := 1; ; call++ {
		alive := false
		for _, after := range []bool{false, true} {
			w.Clock.Step(time.Minute)
			s := w.ready(2*call + map[bool]int{true: 1}[after])
			for _, code := range s.codes {
				w.sign(code)
			}
			client := all.Client(uint64(call))
			client.DieAt(call, after)
			var due []table.Key
			if err := outbox.EachDue(t.Context(), crosstenant.Open(w.Env.Table), w.Clock.Now(), func(k table.Key) error {
				due = append(due, k)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			p.DynamoDBAPI = client
			for _, k := range due {
				_, _ = groups.Worker(w.Env).Deliver(t.Context(), k) // it may die
			}
			alive = alive || !client.Crashed()
			p.DynamoDBAPI = healthy
			for range 3 {
				w.Clock.Step(5 * time.Minute)
				if _, err := groups.Worker(w.Env).Sweep(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			w.isSealed(s.document)
		}
		if alive {
			if call < 8 {
				t.Errorf("sealing takes %d calls: nothing was tried", call)
			}
			return
		}
	}
}
