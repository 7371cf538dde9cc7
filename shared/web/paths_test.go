package web_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// paths are the shapes of the whole interface, of groups that there are and of
// groups to come. Where a number and a uuid stand in one place there is one row;
// how they are told apart, ways_test.go says.
const paths = `
GET POST                /v2/documents/
POST                    /v2/documents/uploads/
GET PUT PATCH DELETE    /v2/documents/{ref}/
GET                     /v2/documents/{ref}/documents/{file}/
GET POST                /v2/documents/templates/
GET PUT PATCH DELETE    /v2/documents/templates/{id}/
POST                    /v2/documents/templates/{id}/preview/
POST                    /v2/documents/{ref}/signs/
PUT PATCH DELETE        /v2/documents/{ref}/signs/{sign}/
POST                    /v2/documents/{ref}/signs/{sign}/sms/
POST                    /v2/documents/{ref}/signs/{sign}/reject/
POST                    /v2/documents/{ref}/signs/{sign}/reopen/
POST                    /v2/documents/{ref}/manual_sign/
POST                    /v2/documents/{ref}/eds_sign/{sign}/
GET                     /v2/documents/{ref}/company/
POST                    /v2/documents/{ref}/sign/
POST                    /v2/documents/{ref}/sign/confirm/
POST                    /v2/documents/{ref}/eds/
POST                    /v2/documents/{ref}/reject/
GET POST                /v2/documents/verify/
GET                     /sign/{uuid}
POST                    /v1/auth/login/
POST                    /v1/auth/refresh/
POST                    /v1/auth/logout/
GET PUT PATCH           /v1/auth/profile/
POST                    /v1/auth/reset/init/
POST                    /v1/auth/reset/verify/
POST                    /v1/auth/reset/confirm/
POST                    /v1/auth/cross_login/
POST                    /v1/auth/cross_login/token/
GET                     /v1/auth/google/auth-url/
POST                    /v1/auth/google/callback/
GET POST                /v1/tenant/
POST                    /v1/tenant/domains/
POST                    /v1/tenant/register/init/
POST                    /v1/tenant/register/confirm/
GET POST                /v1/crm/users/
GET PUT PATCH DELETE    /v1/crm/users/{id}/
GET POST                /v1/crm/clients/
GET PUT PATCH DELETE    /v1/crm/clients/{id}/
POST                    /v1/crm/clients/import/individual/
POST                    /v1/crm/clients/import/legal/
GET POST                /v1/crm/inventories/
GET PUT PATCH DELETE    /v1/crm/inventories/{id}/
POST                    /v1/crm/inventories/bulk_update/
GET                     /v1/crm/inventories/schedules/
GET POST                /v1/crm/inventories/states/
GET PUT PATCH DELETE    /v1/crm/inventories/states/{id}/
GET POST                /v1/crm/groups/
GET PUT PATCH DELETE    /v1/crm/groups/{id}/
GET POST                /v1/crm/groups/{group}/tarifs/
GET PUT PATCH DELETE    /v1/crm/groups/{group}/tarifs/{id}/
GET POST                /v1/crm/services/
GET PUT PATCH DELETE    /v1/crm/services/{id}/
GET POST                /v1/crm/services/{service}/tarifs/
GET PUT PATCH DELETE    /v1/crm/services/{service}/tarifs/{id}/
GET POST                /v1/crm/rental_points/
GET PUT PATCH DELETE    /v1/crm/rental_points/{id}/
GET POST                /v1/crm/requests/
GET PUT PATCH DELETE    /v1/crm/requests/{id}/
POST                    /v1/crm/requests/{id}/action/
POST                    /v1/crm/requests/quote/
GET POST                /v1/crm/requests/inventories/
GET PUT PATCH DELETE    /v1/crm/requests/inventories/{id}/
GET POST                /v1/crm/requests/{request}/inventories/
POST                    /v1/crm/requests/{request}/inventories/bulk_create/
POST                    /v1/crm/requests/{request}/inventories/bulk_update/
POST                    /v1/crm/requests/{request}/inventories/bulk_delete/
GET POST                /v1/crm/requests/services/
GET PUT PATCH DELETE    /v1/crm/requests/services/{id}/
GET POST                /v1/crm/requests/{request}/services/
GET POST                /v1/crm/requests/referrals/
GET PUT PATCH DELETE    /v1/crm/requests/referrals/{id}/
POST                    /v1/crm/requests/referrals/{id}/pay/
GET POST                /v1/crm/requests/{request}/deposits/
POST                    /v1/crm/requests/{request}/deposits/{id}/return/
GET POST                /v1/crm/requests/{request}/penalties/
GET POST                /v1/sales/funnels/
GET POST                /v1/sales/funnels/{funnel}/stages/
GET POST                /v1/sales/leads/
GET PUT PATCH DELETE    /v1/sales/leads/{id}/
POST                    /v1/sales/leads/{id}/request/
GET POST                /v1/finances/accounts/
GET PUT PATCH DELETE    /v1/finances/accounts/{id}/
GET POST                /v1/cars/
GET POST                /v1/cars/penalties/
GET PUT PATCH           /v1/cars/penalties/{id}/
GET                     /v1/cars/penalties/count/
GET POST                /v1/cars/states/
GET POST                /v1/crm/settings/custom_fields_list/
GET PUT PATCH DELETE    /v1/crm/settings/custom_fields/{id}/
GET PUT                 /v1/crm/settings/rental/
GET                     /v1/sms/account/
POST                    /v1/sms/account/top_up/
GET                     /v1/sms/account/history/
GET                     /v1/crm/metrics/general/
GET                     /v1/crm/metrics/general/detail/
GET                     /health/
GET                     /.well-known/jwks.json
GET                     /v1/openapi.json
`

// Every path reaches its own operation, beside all others.
func TestTheWholeInterface(t *testing.T) {
	type row struct {
		methods []string
		path    string
	}
	var rows []row
	for line := range strings.Lines(strings.TrimSpace(paths)) {
		words := strings.Fields(line)
		rows = append(rows, row{words[:len(words)-1], words[len(words)-1]})
	}
	api := webtest.New(t, func(app.Env) app.Group {
		var g web.Group
		for _, r := range rows {
			for _, method := range r.methods {
				id := method + " " + r.path
				g.Operations = append(g.Operations, web.Op(web.Operation{ID: id, Method: method, Path: r.path, Access: web.Public},
					func(context.Context, *web.Request, *struct{}) (string, error) { return id, nil }))
			}
		}
		return app.Group{Group: g}
	})
	c := api.As(webtest.Nobody())
	parameter := regexp.MustCompile(`\{[^}]*\}`)
	for _, r := range rows {
		path := parameter.ReplaceAllString(r.path, "17")
		allow := strings.Replace(strings.Join(r.methods, ", "), "GET", "GET, HEAD", 1) + ", OPTIONS"
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
			a := c.Do(method, path, nil)
			if strings.Contains(allow, method) {
				a.Status(200).JSON(`"` + method + " " + r.path + `"`)
			} else { // and never the operation of a parameter beside it
				a.Status(405).Header("Allow", allow)
			}
		}
		c.Options(path).Status(204).Header("Allow", allow)
		if strings.HasSuffix(path, "/") {
			c.Post(strings.TrimSuffix(path, "/"), nil).Status(308).Header("Location", path)
		}
	}
}
