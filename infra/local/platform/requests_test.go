package platform

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/infra/local/console"
)

// The console tells of each request what it took of the table, as the function itself counts it, and call by call; and nothing by which
// somebody else could sign or sign in.
func TestRequestsAreTold(t *testing.T) {
	p := start(t, withDemo(t))
	c := session(t, p)
	c.tenant = p.Demo().Tenant
	var made struct{ ID int64 }
	if err := c.must(t.Context(), http.MethodPost, "/v1/crm/clients/", map[string]any{"name": "Aliya", "phone": "+77010000001"}, &made); err != nil {
		t.Fatal(err)
	}
	var signs struct{ UUID string }
	var document struct{ ID int64 }
	if err := c.must(t.Context(), http.MethodPost, "/v2/documents/", map[string]any{"name": "Rent", "content": "<p>A car</p>"}, &document); err != nil {
		t.Fatal(err)
	}
	to := fmt.Sprintf("/v2/documents/%d/signs/", document.ID)
	if err := c.must(t.Context(), http.MethodPost, to, map[string]any{"client": made.ID}, &signs); err != nil {
		t.Fatal(err)
	}
	answer, _ := get(t, &client{base: p.URL}, "/sign/"+signs.UUID+"/?code=123456")
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("the page to sign: %d", answer.StatusCode)
	}
	if refused, _ := get(t, c, "/nowhere/"+signs.UUID+"/"); refused.StatusCode != http.StatusNotFound {
		t.Fatalf("nowhere: %d", refused.StatusCode)
	}
	_, told := get(t, &client{base: p.URL}, "/_local/requests")
	for _, secret := range []string{signs.UUID, c.token, p.Demo().Password, "123456", "Aliya"} {
		if strings.Contains(told, secret) {
			t.Errorf("it tells %q", secret)
		}
	}
	var list []console.Request
	if err := json.Unmarshal([]byte(told), &list); err != nil || len(list) < 6 {
		t.Fatalf("%v: %s", err, told)
	}
	paths := []string{"/nowhere/{uuid}/", "/sign/{uuid}/", to, "/v2/documents/", "/v1/crm/clients/", "/v1/auth/login/"}
	for i, path := range paths {
		if list[i].Path != path {
			t.Errorf("%d is %s, want %s", i, list[i].Path, path)
		}
		checkTold(t, list[i])
	}
	if q := list[4]; q.Status != http.StatusCreated || q.Function != "clients" || q.Operation != "clients-create" || q.Company != c.tenant || q.User == 0 ||
		q.Calls < 2 || q.Write < 5 || q.Bytes == 0 || q.Millis <= 0 {
		t.Errorf("a client is made by %+v", q)
	}
	if list[1].Query != "code=*" || list[1].User != 0 {
		t.Errorf("a page to sign is %+v", list[1])
	}
}

// checkTold compares what a function has counted with its calls.
func checkTold(t *testing.T, q console.Request) {
	t.Helper()
	var sum console.Request
	for _, call := range q.Table {
		if call.Function == q.Function {
			sum.Calls++
			sum.Read, sum.Write = sum.Read+call.Read, sum.Write+call.Write
		} else if call.Function != "authorizer" {
			t.Errorf("%s has a call of %q", q.Path, call.Function)
		}
	}
	if sum.Calls != q.Calls || sum.Read != q.Read || sum.Write != q.Write {
		t.Errorf("%s took %d calls, %v and %v units, and its calls are %+v", q.Path, q.Calls, q.Read, q.Write, q.Table)
	}
}
