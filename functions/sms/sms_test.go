package sms_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/tenantry/tenantry/functions/sms"
	"github.com/tenantry/tenantry/infra/groups"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/outbox/notify"
	"github.com/tenantry/tenantry/shared/outbox/worker"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// provider is a provider of SMS that answers what a test tells it to.
type provider struct {
	traits notify.Traits
	answer func(m notify.Message, try int) error // nil takes everything

	mu   sync.Mutex
	sent []notify.Message
}

func (p *provider) Traits(notify.Channel) notify.Traits { return p.traits }

func (p *provider) Send(_ context.Context, m notify.Message) error {
	p.mu.Lock()
	p.sent = append(p.sent, m)
	try, answer := p.tries(m.To), p.answer
	p.mu.Unlock()
	if answer == nil {
		return nil
	}
	return answer(m, try)
}

// tries is how often a message was sent to a telephone.
func (p *provider) tries(phone string) (n int) {
	for _, m := range p.sent {
		if m.To == phone {
			n++
		}
	}
	return n
}

// ids are the ids that a telephone's messages had.
func (p *provider) ids(phone string) (list []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.sent {
		if m.To == phone && !slices.Contains(list, m.ID) {
			list = append(list, m.ID)
		}
	}
	return list
}

// office is a company that sends SMS, and the worker that delivers them.
type office struct {
	*webtest.API
	t        *testing.T
	owner    *webtest.Client
	employee *webtest.Client
	provider *provider
	worker   *worker.Worker
}

// open makes an office that has topped up.
func open(t *testing.T, traits notify.Traits, amount string) *office {
	t.Helper()
	return openWith(t, webtest.Setup{}, traits, amount)
}

func openWith(t *testing.T, setup webtest.Setup, traits notify.Traits, amount string) *office {
	t.Helper()
	p := &provider{traits: traits}
	change := setup.Change
	setup.Change = func(e *app.Env) {
		if e.Notify = p; change != nil {
			change(e)
		}
	}
	api := setup.New(t, sms.New)
	o := &office{
		API: api, t: t, owner: api.As(webtest.Owner(1)), employee: api.As(webtest.Employee(1)), provider: p, worker: groups.Worker(api.Env),
	}
	if amount != "" {
		o.owner.Post("/v1/sms/account/top_up/", `{"amount":"`+amount+`"}`).Status(201)
	}
	return o
}

// of is the same office for another company.
func (o *office) of(company tenant.ID) *office {
	other := *o
	other.owner, other.employee = o.As(webtest.Owner(company)), o.As(webtest.Employee(company))
	return &other
}

// happened are the events of the first company, with their data; none tells a telephone.
func (o *office) happened() (list []string) {
	o.t.Helper()
	for _, e := range o.Events(1, 0) {
		if list = append(list, fmt.Sprint(e.Name, " ", string(e.Data))); strings.Contains(string(e.Data), "+7") {
			o.t.Errorf("%s tells a telephone: %s", e.Name, e.Data)
		}
	}
	return list
}

// sweep has the worker carry out what is due.
func (o *office) sweep() {
	o.t.Helper()
	if _, err := o.worker.Sweep(o.t.Context()); err != nil {
		o.t.Fatal(err)
	}
}

// send sends a message to telephones, and returns its path.
func (o *office) send(text string, phones ...string) (path string) {
	o.t.Helper()
	a := o.employee.Post("/v1/sms/messages/", map[string]any{"phones": phones, "message": text}).Status(201)
	return fmt.Sprintf("/v1/sms/messages/%d/", a.Int("id"))
}

// balance checks what is left, and that the operations add up to it.
func (o *office) balance(want string) {
	o.t.Helper()
	o.owner.Get("/v1/sms/account/").Status(200).Field("balance", `"`+want+`"`)
	o.audit()
}

// audit checks that the operations add up to the balance, and that their invoice numbers have no gaps.
func (o *office) audit() {
	o.t.Helper()
	list := o.owner.Get("/v1/sms/account/history/?pageSize=1000").Status(200)
	var invoices []int64
	var sum int64
	for i := range int(list.Int("count")) {
		invoices = append(invoices, list.Int(fmt.Sprintf("results.%d.invoice", i)))
		sum += cents(o.t, list.Text(fmt.Sprintf("results.%d.amount", i)))
	}
	slices.Sort(invoices)
	for i, invoice := range invoices {
		if invoice != int64(i)+1 {
			o.t.Errorf("invoice %d where %d comes: %d", invoice, i+1, invoices)
			break
		}
	}
	if got := cents(o.t, o.owner.Get("/v1/sms/account/").Text("balance")); got != sum || got < 0 {
		o.t.Errorf("the balance is %d, the operations add up to %d", got, sum)
	}
}

func cents(t *testing.T, amount string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(strings.Replace(amount, ".", "", 1), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func phone(i int) string { return fmt.Sprintf("+7701%07d", i) }

func TestAMessageIsPaidAndDelivered(t *testing.T) {
	o := open(t, notify.Traits{Once: true}, "")
	o.employee.Get("/v1/sms/account/").Status(200).Calls(1).JSON(`{"balance":"0.00","price":"15.00",
		"prices":[{"country":"KZ","price":"15.00"},{"country":"UZ","price":"120.00"}],"free_left":100000,"refused_at":null}`)
	o.owner.Post("/v1/sms/account/top_up/", `{"amount":"100"}`).Status(201).Calls(3).
		JSON(`{"id":1,"tenant":1,"invoice":1,"created_at":"<datetime>","updated_at":"<datetime>","amount":"100.00","comment":null}`)

	sent := o.employee.Post("/v1/sms/messages/", `{"phones":["8 (701) 123-45-67","7011234567","+77017654321"],"message":" Сәлем! "}`).
		Status(201)
	const message = `{"id":1,"created_at":"<datetime>","updated_at":"<datetime>","created_by":12,"created_by_key":null,"count":1,"cost":"30.00","refunded":"0.00",
		"phones":["+77011234567","+77017654321"],"message":"Сәлем!","status":"%[1]s","recipients":[
		{"phone":"+77011234567","status":"%[1]s"},{"phone":"+77017654321","status":"%[1]s"}],"tenant":1}`
	sent.JSON(fmt.Sprintf(message, "PENDING")).Header("Location", webtest.BaseURL+"/v1/sms/messages/1/")
	o.balance("70.00")

	o.sweep()
	o.employee.Get("/v1/sms/messages/1/").Status(200).Calls(1).JSON(fmt.Sprintf(message, "DELIVERED"))
	if len(o.provider.sent) != 2 || o.provider.sent[0].Text != "Сәлем!" || o.provider.sent[0].Channel != notify.SMS {
		t.Errorf("sent %+v", o.provider.sent)
	}
	o.sweep()
	if len(o.provider.sent) != 2 {
		t.Errorf("it was sent again: %+v", o.provider.sent)
	}
	o.employee.Get("/v1/sms/account/history/").Status(200).JSON(`{"count":2,"next":null,"previous":null,"results":[
		{"id":2,"tenant":1,"invoice":2,"created_at":"<datetime>","updated_at":"<datetime>","amount":"-30.00","comment":null},
		{"id":1,"tenant":1,"invoice":1,"created_at":"<datetime>","updated_at":"<datetime>","amount":"100.00","comment":null}]}`)
	o.balance("70.00")
}

// A message to one telephone is what is sent most. Four calls of a unit count it, before the transaction and all at once: for the user,
// the company, the telephone and the platform. Each further telephone is one more, and up to 16 are where the platform counts.
func TestWhatAMessageCosts(t *testing.T) {
	o := open(t, notify.Traits{Once: true}, "5000")
	o.send("first", phone(1))
	o.employee.Post("/v1/sms/messages/", `{"phones":["+77011234567"],"message":"Your car is ready."}`).Status(201).Calls(8).Units(2, 20)
	o.employee.With("Idempotency-Key", "one").Post("/v1/sms/messages/", `{"phones":["+77011234567"],"message":"Your car is ready."}`).
		Status(201).Calls(9).Units(3, 22)
	phones := make([]string, 100)
	for i := range phones {
		phones[i] = phone(i)
	}
	o.employee.Post("/v1/sms/messages/", map[string]any{"phones": phones, "message": "Your car is ready."}).Status(201).Calls(122).Units(2, 141)
}

func TestTheSameRequestTwicePaysOnce(t *testing.T) {
	o := open(t, notify.Traits{Once: true}, "")
	owner, employee := o.owner.With("Idempotency-Key", "top"), o.employee.With("Idempotency-Key", "send")
	for range 2 {
		owner.Post("/v1/sms/account/top_up/", `{"amount":"100"}`).Status(201).Field("invoice", "1")
		employee.Post("/v1/sms/messages/", `{"phones":["+77011234567"],"message":"Hello"}`).Status(201).Field("id", "1")
	}
	o.balance("85.00")
	o.sweep()
	if len(o.provider.sent) != 1 {
		t.Errorf("sent %+v", o.provider.sent)
	}
}

func TestWhatIsRefused(t *testing.T) {
	o := open(t, notify.Traits{Once: true}, "40")
	many := make([]string, 101)
	for i := range many {
		many[i] = phone(i)
	}
	for _, c := range []struct {
		name string
		body any
		want string
	}{
		{"nothing", `{}`, `{"phones":["This field is required."],"message":["This field is required."]}`},
		{
			"wrong telephones", `{"phones":["+77011234567","12","+99999999999999999",7],"message":"Hello"}`,
			`{"phones":{"1":["Enter a valid phone number, such as +77011234567."],"2":["Enter a valid phone number, such as +77011234567."],` +
				`"3":["Enter a valid phone number, such as +77011234567."]}}`,
		},
		{"no telephone", `{"phones":[],"message":"Hello"}`, `{"phones":["This list may not be empty."]}`},
		{"a telephone alone", `{"phones":"+77011234567","message":"Hello"}`, `{"phones":["Expected a list of items but got type \"str\"."]}`},
		{"too many telephones", map[string]any{"phones": many, "message": "Hello"}, `{"phones":["<string>"]}`},
		{"a blank message", `{"phones":["+77011234567"],"message":" \n "}`, `{"message":["This field may not be blank."]}`},
		{"no message", `{"phones":["+77011234567"],"message":null}`, `{"message":["This field may not be null."]}`},
		{"a NUL", `{"phones":["+77011234567"],"message":"a\u0000b"}`, `{"message":["Null characters are not allowed."]}`},
		{"a tab", `{"phones":["+77011234567"],"message":"a\tb"}`, `{"message":["Control characters can't be sent."]}`},
		{"a bell", `{"phones":["12"],"message":"a\u0007b"}`, `{"message":["Control characters can't be sent."],"phones":{"0":["<string>"]}}`},
		{
			"2,000 emoji",
			map[string]any{"phones": []string{"+77011234567"}, "message": strings.Repeat("🚗", 2000)},
			`{"message":["This takes 61 segments. Ensure that it takes no more than 10."]}`,
		},
		{
			"more than there is",
			map[string]any{"phones": []string{"+77011234567", "+77017654321"}, "message": strings.Repeat("a", 161)},
			`{"detail":"The balance for SMS does not cover this message.","code":"sms_balance","needed":"60.00","available":"40.00"}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			o.employee.In(t).Post("/v1/sms/messages/", c.body).Status(400).JSON(c.want)
		})
	}
	for _, c := range []struct{ name, body, want string }{
		{"nothing", `{}`, `{"amount":["This field is required."]}`},
		{"zero", `{"amount":"0"}`, `{"amount":["Ensure this value is greater than 0."]}`},
		{"less", `{"amount":-5}`, `{"amount":["Ensure this value is greater than 0."]}`},
		{"a tenth of a cent", `{"amount":"0.001"}`, `{"amount":["Ensure that there are no more than 2 decimal places."]}`},
		{"more than can be stored", `{"amount":"99999999999999.99"}`, `{"amount":["Ensure that there are no more than 14 digits before the decimal point."]}`},
	} {
		t.Run("top up with "+c.name, func(t *testing.T) {
			o.owner.In(t).Post("/v1/sms/account/top_up/", c.body).Status(400).JSON(c.want)
		})
	}
	o.As(webtest.Manager(1)).Post("/v1/sms/account/top_up/", `{"amount":"100"}`).Status(403)
	o.As(webtest.ReadOnly(1)).Post("/v1/sms/messages/", `{"phones":["+77011234567"],"message":"Hello"}`).Status(403)
	o.balance("40.00")
	if o.sweep(); len(o.provider.sent) != 0 {
		t.Errorf("sent %+v", o.provider.sent)
	}
}

// What nothing would send is not paid.
func TestWithoutAProvider(t *testing.T) {
	o := openWith(t, webtest.Setup{Change: func(e *app.Env) { e.Config.SMS = app.SMS{TopUp: true} }}, notify.Traits{}, "100")
	o.employee.Post("/v1/sms/messages/", `{"phones":["+77011234567"],"message":"Hello"}`).Status(400).
		JSON(`{"detail":"Nothing sends SMS here.","code":"sms_provider"}`)
	o.employee.Get("/v1/sms/account/").JSON(`{"balance":"100.00","price":null,"prices":[],"free_left":0,"refused_at":null}`)
	o.As(webtest.Nobody()).Post("/v1/sms/callback/", `{"id":"1","status":"delivered"}`).Status(404)
}

func TestCompaniesAreApart(t *testing.T) {
	o := open(t, notify.Traits{Once: true}, "100")
	path := o.send("Secret", "+77011234567")
	other := o.As(webtest.Owner(2))
	other.Get(path).Status(404).NotContain("Secret")
	other.Get("/v1/sms/messages/").JSON(`{"count":0,"next":null,"previous":null,"results":[]}`)
	other.Get("/v1/sms/account/").Field("balance", `"0.00"`)
	other.Post("/v1/sms/messages/", `{"phones":["+77011234567"],"message":"Hello"}`).Status(400).Field("available", `"0.00"`)
	other.Get("/v1/sms/account/history/").Field("count", "0")
}

func TestLists(t *testing.T) {
	o := open(t, notify.Traits{Once: true}, "1000")
	o.send("Your car is ready", "+77011234567")
	o.send("Көлік дайын", "+77011234567", "+77017654321")
	o.sweep()
	o.send("Call +77017654321 please, and then "+strings.Repeat("wait ", 30), "+77470000000")
	o.send("for two, not for +77470000000", phone(1), phone(2))
	for _, c := range []struct{ name, query, want string }{
		{"all", "", "4,3,2,1"},
		{"pending", "status=PENDING", "4,3"},
		{"delivered", "status=DELIVERED", "2,1"},
		{"of some states", "status__in=FAILED,DELIVERED", "2,1"},
		{"a telephone", "phone=%2B77011234567", "2,1"},
		{"a telephone as people write it", "phone=8+(701)+123-45-67", "2,1"},
		{"the second telephone, not one in a text", "phone=77017654321", "2"},
		{"the only telephone, not one in a text to two", "phone=77470000000", "3"},
		{"the second of two that the index doesn't know", "phone=" + strings.TrimPrefix(phone(2), "+"), "4"},
		{"what is no telephone", "phone=car", ""},
		{"the beginning of a telephone", "phone=%2B7701123456", ""},
		{"a text", "search=ДАЙЫН", "2"},
		{"the end of a long text", "search=wait", "3"},
		{"digits", "search=7654321", "3,2"},
		{"a telephone in pieces", "search=8+701+123+45+67", "2,1"},
		{"a state and a text", "status=PENDING&search=please", "3"},
		{"by age", "ordering=id", "1,2,3,4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			list := o.employee.In(t).Get("/v1/sms/messages/?" + c.query).Status(200)
			var ids []string
			for i := range int(list.Int("count")) {
				ids = append(ids, fmt.Sprint(list.Int(fmt.Sprintf("results.%d.id", i))))
			}
			if got := strings.Join(ids, ","); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}
