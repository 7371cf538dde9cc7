package conformance_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/identity/credential"
	"github.com/tenantry/tenantry/functions/tenants/export"
	"github.com/tenantry/tenantry/functions/webhooks/endpoint"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// How the tests make records of any group: by the POST that the group has for
// its collection, with a body that has what is required. What rules ask for
// beyond that stands here.

// makers are the collections whose records are made elsewhere.
func makers() map[string]string {
	return map[string]string{"/v1/crm/settings/custom_fields/": "/v1/crm/settings/custom_fields_list/"}
}

// needs returns, by path, the collections of which a first record must exist, because the bodies of the
// path or of the records that are made there name it. A method before the path limits the entry to one
// operation.
func needs() map[string][]string {
	return map[string][]string{
		"/v1/sales/leads/":                          {"/v1/sales/funnels/", "/v1/sales/funnels/{funnel_id}/stages/"},
		"PUT /v1/sales/funnels/{funnel_id}/stages/": {"/v1/sales/funnels/{funnel_id}/stages/"},
		"/v1/crm/inventories/bulk_update/":          {"/v1/crm/groups/", "/v1/crm/inventories/"},
		"/v1/finances/transactions/":                {"/v1/finances/accounts/"},
		"/v1/finances/exchanges/":                   {"/v1/finances/accounts/"},
		"/v1/finances/refunds/":                     {"/v1/finances/transactions/"},
		"/v1/sms/messages/":                         {"/v1/sms/account/top_up/"},
		"/v1/crm/requests/": {
			"/v1/crm/clients/", "/v1/crm/groups/", "/v1/crm/groups/{group_id}/tarifs/", "/v1/crm/inventories/", "/v1/crm/services/",
		},
		"/v1/crm/requests/quote/": {
			"/v1/crm/clients/", "/v1/crm/groups/", "/v1/crm/groups/{group_id}/tarifs/", "/v1/crm/inventories/", "/v1/crm/services/",
		},
		"/v1/sales/leads/{id}/request/": {"/v1/crm/clients/"},
		"/v1/crm/requests/inventories/": {"/v1/crm/requests/"},
		"/v1/crm/requests/services/":    {"/v1/crm/requests/"},
		"/v1/crm/requests/{id}/pay/":    {"/v1/finances/accounts/"},

		"/v1/cars/penalties/{id}/charge/": {"/v1/crm/requests/"},
		"/v1/crm/requests/referrals/":     {"/v1/crm/requests/", "/v1/crm/agents/", "/v1/finances/accounts/"},
		"/v2/documents/{id}/signs/":       {"/v1/crm/clients/"},
		"/v2/documents/{id}/manual_sign/": {"/v1/crm/clients/"},
		"/v1/crm/requests/{request_id}/deposits/": {
			"/v1/finances/accounts/",
		},
	}
}

// pairs returns, by path, the collection of which a body names the first two records.
func pairs() map[string]string {
	return map[string]string{
		"/v1/finances/exchanges/":                 "/v1/finances/accounts/",
		"/v1/crm/requests/inventories/{id}/swap/": "/v1/crm/inventories/",
	}
}

// needed are the collections that must have a first record before the operation can succeed: the
// collections above it in its path, and the ones that its bodies name.
func (op operation) needed() (list []string) {
	var visit func(path string)
	add := func(collection string) {
		if !slices.Contains(list, collection) && (collection != op.collection() || ofAListBelow(op)) {
			visit(collection)
			list = append(list, collection)
		}
	}
	visit = func(path string) {
		for i, r := range path {
			if r == '{' && makerAt(path[:i]) != nil {
				add(path[:i])
			}
		}
		for _, collection := range needs()[path] {
			add(collection)
		}
	}
	visit(op.Path)
	for _, collection := range needs()[op.Method+" "+op.Path] {
		add(collection)
	}
	visit(op.collection())
	return list
}

// prepare makes in a company the records that the operation needs.
func (op operation) prepare(t *testing.T, api *webtest.API, company tenant.ID) {
	t.Helper()
	owner, needed := api.As(webtest.Owner(company)), op.needed()
	for _, path := range needed {
		maker, most := mustMakeAt(t, path), 1
		if pairs()[op.collection()] == path || pairs()[op.Path] == path {
			most = 2
		}
		for n := range most {
			if owner.Get(fmt.Sprintf("%s%d/", maker.path(), n+1)).Code() == http.StatusNotFound {
				body := maker.nth(n)
				if path == "/v1/crm/inventories/" && slices.Contains(needed, "/v1/crm/groups/{group_id}/tarifs/") {
					body.(map[string]any)["group"] = 1 // what is ordered has a tariff
				}
				owner.Post(maker.path(), body).Status(maker.Success())
			}
		}
	}
}

// nth is a good body of an operation, another one for each n where values have to be unique or to change.
func (op operation) nth(n int) any {
	t := op.body()
	if t == nil {
		return nil
	}
	body := sample(t)
	for name, value := range map[string]string{
		"name": fmt.Sprintf("%v %d", body["name"], n), "comment": fmt.Sprintf("%v %d", body["comment"], n),
		"protocol_number": fmt.Sprintf("%v-%d", body["protocol_number"], n), "description": fmt.Sprintf("%v %d", body["description"], n),
		"price": fmt.Sprintf("%d.00", n), "email": fmt.Sprintf("someone%d@example.com", n), "domain": fmt.Sprintf("company%d", n),
	} {
		if body[name] != nil {
			body[name] = value
		}
	}
	if body["outer_id"] != nil {
		body["outer_id"] = n
	}
	if op.ID == "order-lines-swap" {
		body["price"] = "keep" // which is no amount
	}
	later(body, n)
	return body
}

// later moves the times of a body, and of the rows in it, by n weeks: an item is occupied once at a time. Rows differ in
// their count, and referrals in their amount, too.
func later(body map[string]any, n int) {
	for _, name := range []string{"start_at", "end_at", "rent_start", "rent_end"} {
		if text, ok := body[name].(string); ok {
			if at, err := time.Parse(time.RFC3339, text); err == nil {
				body[name] = at.AddDate(0, 0, 7*n).Format(time.RFC3339)
			}
		}
	}
	if body["count"] != nil {
		body["count"] = n + 1
	}
	if body["amount"] != nil && body["agent"] != nil {
		body["amount"] = fmt.Sprintf("%d.00", n+1)
	}
	for _, value := range body {
		rows, _ := value.([]any)
		for _, row := range rows {
			if row, ok := row.(map[string]any); ok {
				later(row, n)
			}
		}
	}
}

// collection is the path before the last parameter that is a record's, where records are made and listed;
// the whole path without parameters.
func (op operation) collection() string {
	path := op.Path
	for at := strings.LastIndex(path, "{"); at >= 0; at = strings.LastIndex(path, "{") {
		if path = path[:at]; makerAt(path) != nil {
			break
		}
	}
	return path
}

// list is the collection's path below first records.
func (op operation) list() string { return parameter.ReplaceAllString(op.collection(), "1") }

// maker is the operation that makes the records that another is about.
func (op operation) maker(t *testing.T) operation {
	t.Helper()
	return mustMakeAt(t, op.collection())
}

func mustMakeAt(t *testing.T, path string) operation {
	t.Helper()
	maker := makerAt(path)
	if maker == nil {
		t.Fatalf("nothing makes records at %s", path)
	}
	return *maker
}

// makerAt returns the operation that makes the records of a collection. It returns nil if no operation does.
func makerAt(path string) *operation {
	if other, ok := makers()[path]; ok {
		path = other
	}
	for _, other := range operations() {
		if other.Method == "POST" && other.Path == path {
			return &other
		}
	}
	return nil
}

// ofAListBelow tells whether an operation makes records below another one, or changes their list.
func ofAListBelow(op operation) bool {
	return op.Method != "GET" && (listed(op) || strings.Contains(op.Path, "/bulk_")) && withIDs(op) && !one(op)
}

// deletes returns the operation that deletes the record that another is about. It returns nil if no operation does.
func (op operation) deletes() *operation {
	for _, other := range operations() {
		if other.Method == "DELETE" && other.collection() == op.collection() && one(other) {
			return &other
		}
	}
	return nil
}

// record makes one for a company, the nth of its table, and gives its id.
func (op operation) record(t *testing.T, api *webtest.API, company tenant.ID, n int) string {
	t.Helper()
	if op.collection() == exchangesOfItems {
		return exchange(t, api, company, n)
	}
	maker := op.maker(t)
	maker.prepare(t, api, company)
	owner, body := api.As(webtest.Owner(company)), maker.nth(n)
	if maker.ID == signMaker { // a client signs once
		of := mustMakeAt(t, "/v1/crm/clients/")
		body.(map[string]any)["client"] = owner.Post(of.path(), of.nth(n)).Status(of.Success()).Int("id")
	}
	return strconv.FormatInt(owner.Post(maker.path(), body).Status(maker.Success()).Int("id"), 10)
}

// exchangesOfItems are made by swaps alone.
const exchangesOfItems = "/v1/crm/requests/exchanges/"

// exchange swaps the item of an order that is out, and returns the id of the record of it.
func exchange(t *testing.T, api *webtest.API, company tenant.ID, n int) string {
	t.Helper()
	order, item, owner := mustMakeAt(t, "/v1/crm/requests/"), mustMakeAt(t, "/v1/crm/inventories/"), api.As(webtest.Owner(company))
	order.prepare(t, api, company)
	other := owner.Post(item.path(), item.nth(n+10)).Status(item.Success()).Int("id")
	made := owner.Post(order.path(), order.nth(n)).Status(order.Success())
	handOut(t, api, company, made.Int("id"), made.Int("order_inventories.0"))
	api.Clock.Step(time.Second)
	swapped := owner.Post(fmt.Sprintf("/v1/crm/requests/inventories/%d/swap/", made.Int("order_inventories.0")),
		fmt.Sprintf(`{"inventory":%d,"price":"keep","reason":"A flat tyre"}`, other)).Status(200)
	return strconv.FormatInt(swapped.Int("inventories.0.exchange"), 10)
}

// handOut reserves an order and hands the item of one of its lines out.
func handOut(t *testing.T, api *webtest.API, company tenant.ID, order, line int64) {
	t.Helper()
	owner, path := api.As(webtest.Owner(company)), fmt.Sprintf("/v1/crm/requests/%d/action/", order)
	owner.Post(path, `{"status":1}`).Status(200)
	owner.Post(path, fmt.Sprintf(`{"status":2,"order_inventories":[%d]}`, line)).Status(200)
}

// signMaker is the operation that makes signs of documents.
const signMaker = "documents-signs-create"

// signOf makes the sign that an operation is about: that of the client whom its body names.
func (op operation) signOf(t *testing.T, api *webtest.API) string {
	t.Helper()
	maker := mustMakeAt(t, signsOfDocuments)
	maker.prepare(t, api, 1)
	owner := api.As(webtest.Owner(1))
	made := owner.Post(maker.path(), maker.nth(1)).Status(maker.Success())
	id := strconv.FormatInt(made.Int("id"), 10)
	switch op.ID {
	case "documents-signs-reopen":
		owner.Post(maker.path()+id+"/reject/", `{"reason":"Another term."}`).Status(200)
	case "documents-eds-sign":
		api.As(webtest.Nobody()).Post("/v2/documents/"+made.Text("uuid")+"/open/", "{}").Status(200)
	}
	return id
}

const signsOfDocuments = "/v2/documents/{id}/signs/"

// companies makes the companies 1 and 2 with their owners, where an operation
// asks for more of them than their numbers.
func (op operation) companies(t *testing.T, api *webtest.API) {
	t.Helper()
	if op.group != "tenants" {
		return
	}
	for _, id := range []tenant.ID{1, 2} {
		owner := webtest.Owner(id)
		person(t, api, owner.User)
		found(api.As(owner), fmt.Sprintf("first%d", id))
	}
}

// keyMade is a good body of a new key.
func keyMade() any {
	for _, op := range operations() {
		if op.ID == "keys-create" {
			return op.nth(1)
		}
	}
	return nil
}

// hashed is the hash of the password that the examples of the API description have.
var hashed = sync.OnceValues(func() (string, error) {
	return credential.New().Hash(context.Background(), "correct horse battery staple")
})

// person makes a user with a profile and that password.
func person(t *testing.T, api *webtest.API, user int64) (email string) {
	t.Helper()
	hash, err := hashed()
	if err != nil {
		t.Fatal(err)
	}
	email = fmt.Sprintf("user%d@example.com", user)
	item := struct {
		table.Item
		crosstenant.Person
		Password string `dynamo:"pw"`
	}{table.At(crosstenant.User(user), 1), crosstenant.Person{Email: email, FirstName: "Someone", Phone: "+77011234567"}, hash}
	put := crosstenant.Open(api.Env.Table).Put(item)
	if err := table.Retry(t.Context(), func() error { return put.Run(t.Context()) }); err != nil {
		t.Fatal(err)
	}
	return email
}

// request is one that succeeds, after all that it needs was made.
type request struct {
	op     operation
	caller webtest.Caller
	path   string
	body   any
}

func (op operation) request(t *testing.T, api *webtest.API) request {
	t.Helper()
	op.companies(t, api)
	op.prepare(t, api, 1)
	r := request{op: op, caller: op.caller(), path: op.Path, body: op.nth(50)}
	switch {
	case strings.HasPrefix(op.ID, "tenants-invitations-"):
		r.caller = webtest.SignedIn(99)
		api.As(webtest.Owner(1)).Post("/v1/crm/users/", map[string]string{"email": person(t, api, 99), "role": "employee"}).Status(201)
		r.path = op.at("1")
	case op.ID == "tenants-export-file": // of the last export, which is done
		of := table.Of(api.Env.Table, 1)
		r.caller = webtest.Owner(1)
		manifest := export.Part{Of: "manifest", Name: export.ManifestName, UUID: "6f3dd2fc-5599-4cba-86e8-d86a163fe2fc"}
		e := export.Export{
			Item: table.At(of.Export(), export.Version), ID: manifest.UUID, By: r.caller.User, Manifest: &manifest,
			Begun: moment.Of(api.Clock.Now()), Ended: moment.Of(api.Clock.Now()),
		}
		if err := of.Put(e).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.path = strings.NewReplacer("{id}", "1", "{name}", export.ManifestName).Replace(op.Path)
	case op.ID == "order-lines-reopen":
		handOut(t, api, 1, 1, 1)
		r.path = op.at("1")
	case op.ID == "penalties-charge":
		r.path = op.at(penaltyOfAnOrder(t, api))
	case op.ID == "documents-manual-sign":
		r.path = op.at(op.record(t, api, 1, 1))
		r.body = webtest.Multipart(map[string]any{"client": "1", "file": webtest.File{Name: "scan.png", ContentType: "image/png", Data: "A scan."}})
	case op.ID == "documents-eds-sign":
		r.path = strings.ReplaceAll(op.path(), "eds_sign/1/", "eds_sign/"+op.signOf(t, api)+"/")
	case op.collection() == signsOfDocuments:
		r.path = op.at(op.signOf(t, api))
	case ofAListBelow(op): // its body names the record of its path, as the example of the description does
		r.path = op.path()
	case withIDs(op):
		op.record(t, api, 1, 1)
		r.path = op.at(op.record(t, api, 1, 2)) // not the first: the first user is the last owner
		if op.group == "webhooks" {
			delivered(t, api, 2)
		}
		if op.ID == "tenants-restore" {
			api.As(r.caller).Do(http.MethodDelete, strings.TrimSuffix(r.path, "restore/"), map[string]string{"password": password}).Status(204)
		}
	}
	return r
}

// delivered tells of a test that was sent to a webhook of company 1, as the function deliver does, which is no operation.
func delivered(t *testing.T, api *webtest.API, webhook int64) {
	t.Helper()
	of, now := table.Of(api.Env.Table, 1), api.Clock.Now()
	s, err := endpoint.Read(t.Context(), of, webhook)
	if err == nil {
		err = s.Hold(t.Context(), of, now, time.Minute)
	}
	if err == nil {
		list := []endpoint.Delivery{{Message: "test_1", Type: "webhook.test", Cause: endpoint.Test, Attempt: 1, At: moment.Of(now), Status: 204}}
		err = s.Save(t.Context(), of, endpoint.Attempts{Turn: s.Turn, Cursor: s.Cursor, Run: endpoint.NewRun(list, now)}, now)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// penaltyOfAnOrder makes a traffic penalty of a car, at the moment when the first order begins to have it.
func penaltyOfAnOrder(t *testing.T, api *webtest.API) string {
	t.Helper()
	owner := api.As(webtest.Owner(1))
	owner.Patch("/v1/crm/inventories/1/", `{"car":{"number":"123ABC02"}}`).Status(200)
	start, err := time.Parse(time.RFC3339, owner.Get("/v1/crm/requests/1/").Status(200).Text("inventories.0.start_at"))
	if err != nil {
		t.Fatal(err)
	}
	local := start.Add(5 * time.Hour) // Asia/Almaty
	made := owner.Post("/v1/cars/penalties/", fmt.Sprintf(`{"protocol_number":"KZ1","amount":"100","violation_date":%q,"violation_time":%q,`+
		`"car":{"number":"123ABC02"}}`, local.Format(time.DateOnly), local.Format(time.TimeOnly))).Status(201).Field("request", `"1"`)
	return strconv.FormatInt(made.Int("id"), 10)
}

// send sends the request with one header more.
func (r request) send(api *webtest.API, header, value string) *webtest.Answer {
	return api.As(r.caller).With(header, value).Do(r.op.Method, r.path, r.body)
}
