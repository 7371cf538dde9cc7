package companies_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/tenantry/tenantry/functions/clients"
	"github.com/tenantry/tenantry/infra/operator/companies"
	"github.com/tenantry/tenantry/infra/operator/stage"
	"github.com/tenantry/tenantry/infra/operator/stagetest"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// company makes a company with members, clients and bytes in the bucket.
func company(t *testing.T, s *stagetest.Stage, id tenant.ID, name string, members, clientsOf int) {
	t.Helper()
	of := table.Of(s.Conn, id)
	if err := of.Create(table.At(of.Company(), 1)).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := of.Update(of.Company()).Set("n", name).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for n := range members {
		if err := of.Create(table.At(of.Member(int64(n)+1), 1)).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	api := webtest.Setup{Change: func(e *app.Env) { e.Table, e.Now = s.Conn, func() time.Time { return noon } }}.New(t, clients.New)
	owner := api.As(webtest.Owner(id))
	for n := range clientsOf {
		owner.Post("/v1/crm/clients/", fmt.Sprintf(`{"name":"Client %d"}`, n)).Status(201)
	}
	e, _ := s.Env()
	for _, folder := range []string{"t", "search"} {
		if _, err := e.S3.PutObject(t.Context(), &s3.PutObjectInput{
			Bucket: &s.Bucket, Key: aws.String(fmt.Sprintf("%s/%d/x", folder, id)), Body: strings.NewReader("bytes"),
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// Each company that is there is told with what it has, and no other's.
func TestCompanies(t *testing.T) {
	s := stagetest.New(t)
	company(t, s, 1, "Acme", 2, 3)
	company(t, s, 3, "Bell", 1, 0)
	company(t, s, 12, "Late", 0, 1) // whose number begins with another's
	all := crosstenant.Open(s.Conn)
	if err := all.Update(crosstenant.Tenants()).Set("n", 12).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	of := table.Of(s.Conn, 3)
	if err := of.Update(of.Company()).Set("st", "closed").Set("stb", tenant.Standing{State: tenant.Suspended}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	e := s.Judged(t, "companies", nil)
	run := func(args ...string) (string, error) {
		var out strings.Builder
		own := *e
		own.Out = &out
		err := companies.Run(t.Context(), &own, args)
		return out.String(), err
	}
	said, err := run("-json")
	if err != nil {
		t.Fatal(err)
	}
	var got []companies.Company
	for line := range strings.Lines(said) {
		var c companies.Company
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		if (c.Used == nil) != (c.Records == 0) || c.Used != nil && !c.Used.Equal(noon) {
			t.Errorf("company %d was last written at %v", c.ID, c.Used)
		}
		c.Used = nil
		got = append(got, c)
	}
	want := []companies.Company{
		{ID: 1, Name: "Acme", State: "active", Members: 2, Records: 3, Objects: 2, Bytes: 10},
		{ID: 3, Name: "Bell", State: "closed", Before: "suspended", Members: 1, Objects: 2, Bytes: 10},
		{ID: 12, Name: "Late", State: "active", Records: 1, Objects: 2, Bytes: 10},
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	said, err = run()
	if !strings.Contains(said, "closed, suspended ") {
		t.Error(said)
	}
	if lines := strings.Count(said, "\n"); err != nil || lines != 4 || !strings.Contains(said, "2026-03-02 12:00  Acme") ||
		!strings.Contains(said, "never             Bell") {
		t.Errorf("%v\n%s", err, said)
	}
	if said, err := run("-tenant", "3"); err != nil || strings.Contains(said, "Acme") || !strings.Contains(said, "Bell") {
		t.Errorf("%v\n%s", err, said)
	}
	for args, want := range map[string]string{"-tenant 2": "there is no company 2", "-tenant -1": "is no company", "3": "belongs to no flag"} {
		if _, err := run(strings.Fields(args)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", args, err)
		}
	}
	if _, err := s.Run(t.Context(), companies.Run); err != nil {
		t.Error(err)
	}
	without := &stage.Env{}
	if err := companies.Run(t.Context(), without, nil); err == nil || !strings.Contains(err.Error(), "-bucket") {
		t.Errorf("without a bucket: %v", err)
	}
}
